"""The report as one HTML page: figures as text, the cells of tables, and the sections of studies.

The text is in ``report.html``, the behaviour in ``report.js`` and ``explorer.js``.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from markupsafe import Markup

from experiments.html_page import TEMPLATES, html_page, render
from experiments.output import INTERVAL, counted
from experiments.report.boards import MEASURES, TESTED
from ltr.errors import InputError
from ltr.evaluation.evaluator import DOUBTFUL, MEAN
from ltr.evaluation.output import set_title
from ltr.evaluation.significance import ALPHA

DASH, MINUS, FIXED = "\u2013", "\u2212", "\u00a0"
Chart = Sequence[tuple[str, Mapping[str, float], bool]]
"""Name, mean with low and high, and whether it stands out."""


def page(report: Mapping[str, Any]) -> str:
    """The whole page. ``report`` is what `experiments.report.command.gather` returns."""
    data = {name: report[name] for name in ("unit", "sides", "topics", "runs", "boards")}
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


def chart_rows(board: Mapping[str, Any], measure: str) -> Chart:
    """Every run, with the run that others are compared with standing out."""
    doubt = f" {DOUBTFUL}"
    return [
        (row["run"] + doubt * (measure in row["doubtful"]), row[measure], row["run"] == board["against"])
        for row in board["rows"]
    ]


def board_table(board: Mapping[str, Any]) -> tuple[list[str], list[list[str]]]:
    """Head and rows: figures, then differences from the reference with their p values."""
    heads = ["run", *MEASURES]
    heads += [head for m in TESTED for head in (f"{m}, difference from {board['against']}", "p (Holm)")]
    rows = []
    for row in board["rows"]:
        tests = [(interval_text(test, sign=True), figure_text(test and test["p"])) for test in row["tests"].values()]
        # Marked where too little is judged for a condensed figure to be trusted.
        figures = [interval_text(row[m]) + f"{FIXED}{DOUBTFUL}" * (m in row["doubtful"]) for m in MEASURES]
        rows.append([row["run"], *figures, *chain.from_iterable(tests)])
    return heads, rows


def show_study(path: Path, show: Callable[[Any], Markup]) -> Markup:
    """A study's JSON as a section of the page. Raises InputError where it cannot be shown."""
    try:
        return show(json.loads(path.read_text("utf-8")))
    except OSError as error:
        raise InputError(path, f"cannot be read ({(error.strerror or '').lower()})", "check the path") from None
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        what = f"is not what the study writes ({type(error).__name__}: {error})"
        raise InputError(path, what, "run the study again") from None


def ablation(study: Mapping[str, Any]) -> Markup:
    """Differences from the baseline around 0, and all figures."""
    base, measure = str(study["baseline"]), str(study["measure"])
    charts: dict[str, list[tuple[str, Mapping[str, float], bool]]] = {}
    rows = []
    for row in study["variants"]:
        name, kind, dimension = str(row["name"]), str(row["kind"]), set_title(str(row["dimension"]))
        change = None
        if kind != "baseline":
            change = {end: row[f"difference_{end}".removesuffix("_mean")] for end in INTERVAL}
            charts.setdefault(f"{dimension}, {kind}", []).append((name, change, row["p_holm"] <= ALPHA))
        figures = [interval_text(row), interval_text(change, sign=True)]
        figures += [figure_text(row.get(test)) for test in ("effect", "p", "p_holm")]
        rows.append([name, dimension, kind, str(row["columns"]), *figures, str(row.get("verdict", ""))])
    names = {"base": base, "measure": measure, "charts": charts, "rows": rows, "alpha": f"{ALPHA:g}"}
    return render("report/ablation.html", {**names, "settings": _settings(study)})


def curve(study: Mapping[str, Any]) -> Markup:
    """The figure at each number of training topics, with the baselines below."""
    measure, dimensions = str(study["measure"]), study["dimensions"]
    curves = []
    for dimension, part in ({MEAN: study, **dimensions} if len(dimensions) > 1 else dimensions).items():
        title = f"Learning curve, {set_title(dimension)}"
        rows = [(str(row["name"]), row, "topics" in row) for row in part["points"] + part["baselines"]]
        full = [(name, row["full"], ours) for name, row, ours in rows]
        charts = [(title, measure, rows), (f"{title}, full", MEASURES[0], full)]
        cells = [(name, *map(interval_text, (row, row["full"])), figure_text(row["judged"])) for name, row, _ in rows]
        curves.append({"title": title, "charts": charts, "rows": cells})
    heads = ["trained on", measure, *MEASURES[:2]]
    return render("report/curve.html", {"curves": curves, "heads": heads, "settings": _settings(study)})


def _settings(study: Mapping[str, Any]) -> str:
    """The plain ones among the settings of a study."""
    plain = [(name, value) for name, value in study["study"].items() if isinstance(value, str | int | float)]
    return "; ".join(f"{name}: {value}" for name, value in plain if len(str(value)) <= 40)


TEMPLATES.filters |= {
    "counted": counted,
    "interval": interval_text,
    "slug": lambda text: re.sub(r"\W+", "-", text.lower()),
}
TEMPLATES.globals |= {
    "board_table": board_table,
    "chart_rows": chart_rows,
    "chart_scale": chart_scale,
    "column_looks": column_looks,
}
