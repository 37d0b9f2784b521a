"""A report as one HTML page: charts, tables and notes, without scripts and without a network.

Names come from untrusted files: the templates escape them.
"""

from __future__ import annotations

import base64
import hashlib
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from ltr.escapes import harmless
from ltr.evaluation.evaluator import Evaluation, Figures
from ltr.evaluation.significance import MeanCI
from ltr.evaluation.tables import Table

_FOLDER = Path(__file__).parent
TEMPLATES = Environment(
    loader=FileSystemLoader(_FOLDER), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
)

Axis = tuple[list[float], Callable[[float], str]]
"""Round ticks around values, and the place of a value across a chart in percent."""


class Chart(NamedTuple):
    """Means of runs in one measure, and the values of their topics."""

    title: str
    means: Mapping[str, MeanCI]
    baseline: str | None
    """The run to highlight."""
    topics: Mapping[str, Mapping[str, float]]
    """Topic -> run -> value."""
    means_scale: Axis
    """Of the means with their intervals."""
    topics_scale: Axis


def charts(
    figures: Figures, at_random: Mapping[str, Evaluation], measures: Sequence[str], baseline: str | None
) -> list[Chart]:
    """Charts of the measures, of the first one where none is named, by each set of judgments."""
    rows = {**figures, **({"random order": at_random} if at_random else {})}
    made = []
    sets = next(iter(figures.values()))
    for name, first in sets.items():
        for measure in measures or [*first.means][:1]:
            means = {run: by[name].summary[measure] for run, by in rows.items() if by[name].values.get(measure)}
            values = {run: by[name].values.get(measure, {}) for run, by in figures.items()}
            topics = {
                topic: {run: of[topic] for run, of in values.items() if topic in of} for topic in first.coverage.judged
            }
            if means:
                title = f"{measure}, {name}" if len(sets) > 1 else measure
                ends = chart_scale([end for mean in means.values() for end in (mean.low, mean.high)])
                every = chart_scale([0, 1, *(value for of in topics.values() for value in of.values())], left=16)
                made.append(Chart(title, means, baseline, topics, ends, every))
    return made


def chart_scale(values: Sequence[float], left: int = 2) -> Axis:
    """The scale of a chart with these values, which begins at ``left`` percent."""
    low, high = min(values), max(values)
    width = max(high - low, 1e-3)
    power = 10 ** math.floor(math.log10(width))
    step = next(power * part for part in (0.2, 0.25, 0.5, 1, 2) if width / (power * part) <= 6)
    numbers = range(math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9) + 1)
    ticks = [round(number * step, 10) for number in numbers]
    whole = (ticks[-1] - ticks[0]) or 1.0
    return ticks, lambda value: f"{left + (98 - left) * (value - ticks[0]) / whole:.2f}%"


def html_page(
    title: str, charts: Sequence[Chart], tables: Sequence[Table], topics: Sequence[Table], notes: Sequence[str]
) -> str:
    """The page; ``topics`` are tables that are folded."""
    style = (_FOLDER / "page.css").read_text("utf-8")
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode("ascii")
    lines, names = title.split("\n"), {"charts": charts, "tables": tables, "topics": topics, "notes": notes}
    page = TEMPLATES.get_template("page.html").render(
        **names, title=lines[0] or "Runs by judgments", about=lines[1:], style=Markup(style), digest=f"sha256-{digest}"
    )
    return harmless(page) + "\n"


def html_tables(tables: Sequence[Table], notes: Sequence[str]) -> str:
    """Tables and notes as a part of a page, as notebooks show it."""
    return str(TEMPLATES.get_template("tables.html").render(tables=tables, notes=notes))
