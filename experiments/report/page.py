"""The report as one HTML page: ``report.html`` is the text, ``report.js`` and ``explorer.js`` are what moves.

Here is what the templates ask for: figures as text, and the cells of tables.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from markupsafe import Markup

from experiments.figures import INTERVAL, counted
from experiments.html_page import TEMPLATES, html_page
from experiments.report.boards import MEASURES, TESTED
from ltr.evaluation.evaluator import DOUBTFUL

DASH, MINUS, FIXED = "\u2013", "\u2212", "\u00a0"
Chart = Sequence[tuple[str, Mapping[str, float], bool]]
"""Name, mean with low and high, and whether it stands out."""


def page(report: Mapping[str, Any]) -> str:
    """The whole page. ``report`` is what `experiments.report.data.gather` returns."""
    data = {name: report[name] for name in ("unit", "sides", "topics", "runs", "model", "boards", "families", "thin")}
    styles, scripts = ["units.css", "report.css"], ["elements.js", "report.js", "explorer.js"]
    return html_page("report/report.html", styles, scripts, data, {"measures": MEASURES, **report})


def figure_text(value: float | None, *, sign: bool = False) -> str:
    """Three decimals, with a true minus; a dash for None."""
    return DASH if value is None else f"{value:{'+' if sign else ''}.3f}".replace("-", MINUS)


def interval_text(figures: Mapping[str, Any] | None, *, sign: bool = False) -> str:
    """Mean and interval, or a dash where there is none. A line may break between the two alone."""
    if figures is None or any(figures.get(name) is None for name in INTERVAL):
        return DASH
    mean, low, high = (figure_text(figures[name], sign=sign) for name in INTERVAL)
    return f"{mean} [{low},{FIXED}{high}]"


def chart_scale(rows: Chart, zero: bool) -> tuple[list[float], Callable[[float], str]]:
    """Ticks, round numbers from below the lowest figure to above the highest, and where a figure is across a chart."""
    bounds = [figures[name] for _, figures, _ in rows for name in INTERVAL] + [0.0] * zero
    low, high = min(bounds), max(bounds)
    width = max(high - low, 1e-3)
    power = 10 ** math.floor(math.log10(width))
    step = next(power * part for part in (0.2, 0.25, 0.5, 1, 2) if width / (power * part) <= 6)
    numbers = range(math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9) + 1)
    ticks = [round(number * step, 10) for number in numbers]
    whole = (ticks[-1] - ticks[0]) or 1.0
    return ticks, lambda value: f"{2 + 96 * (value - ticks[0]) / whole:.2f}%"


def column_looks(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[Markup]:
    """A class attribute a column: figures stand to the right, long texts may break."""
    looks = []
    for column in range(len(heads)):
        cells = [row[column] for row in rows]
        right = column and cells and all(not cell or cell[0] in f"0123456789+{MINUS}{DASH}" for cell in cells)
        long = any(len(cell) > 40 for cell in cells)
        looks.append(Markup(' class="number"' if right else ' class="long"' if long else ""))
    return looks


def chart_rows(board: Mapping[str, Any], measure: str, model: str | None) -> Chart:
    """Every run, with ours standing out."""
    doubt = f" {DOUBTFUL}"
    return [
        (row["run"] + doubt * (measure in row["doubtful"]), row[measure], row["run"] == model) for row in board["rows"]
    ]


def board_table(board: Mapping[str, Any]) -> tuple[list[str], list[list[str]]]:
    """Head and rows: figures, then differences from the reference with their p values."""
    heads = ["run", *MEASURES]
    heads += [head for m in TESTED for head in (f"{m}, difference from {board['against']}", "p (Holm)")]
    rows = []
    for row in board["rows"]:
        tests = [(interval_text(test, sign=True), figure_text(test and test["p"])) for test in row["tests"].values()]
        rows.append([row["run"], *(board_cell(row, m) for m in MEASURES), *(cell for cells in tests for cell in cells)])
    return heads, rows


def board_cell(row: Mapping[str, Any], measure: str) -> str:
    """A figure, marked where too little is judged for a condensed one to be trusted."""
    return interval_text(row[measure]) + f"{FIXED}{DOUBTFUL}" * (measure in row["doubtful"])


def left_out(board: Mapping[str, Any]) -> list[str]:
    """What a board does not count, or counts as nothing."""
    left = [f"{number} {what}" for what, number in board["dropped"].items() if number]
    lacks = {row["run"]: row["missing"] for row in board["rows"] if row["missing"]}
    return left + [f"{counted(missing, 'topic')} that {run} lacks (scored 0)" for run, missing in lacks.items()]


TEMPLATES.filters |= {
    "counted": counted,
    "figure": figure_text,
    "interval": interval_text,
    "slug": lambda text: re.sub(r"\W+", "-", text.lower()),
}
TEMPLATES.globals |= {
    "board_table": board_table,
    "chart_rows": chart_rows,
    "chart_scale": chart_scale,
    "column_looks": column_looks,
    "left_out": left_out,
}
