"""Drawings of the pages, as SVG, from the files of figures."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from tables import short

from ltr.data.ids import pair_key
from ltr.data.qrels import fold_grades, read_pair_qrels
from ltr.evaluation.measures import lab_ndcg
from models.base import DIMENSIONS
from models.defaults import BLENDS

HERE = Path(__file__).resolve().parent
GRADED = HERE.parents[1] / "ltr" / "learning" / "graded"

COLOURS, BLACK = ("#0072b2", "#d55e00", "#009e73"), "#333"
WIDTH, HEIGHT, LEFT, TOP, GAP = 250, 190, 56, 54, 70
"""Of a panel, of the space beside and above it, and of that between two, in pixels."""

FEW = 20
"""Fewer pairs are not drawn as a point."""

Point = tuple[float, float]


class Panel:
    """A plot with two axes, from (x, y) on; ``limits`` are the lowest and highest values of both."""

    def __init__(self, place: Point, limits: tuple[Point, Point], step: float, names: tuple[str, str]) -> None:
        self.place, self.limits = place, limits
        (left, top), bottom = place, place[1] + HEIGHT
        self.parts = [f'<rect x="{left}" y="{top}" width="{WIDTH}" height="{HEIGHT}" fill="none" stroke="#888"/>']
        for axis, (low, high) in enumerate(limits):
            for number in range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1):
                x, y = self.at((number * step, number * step))
                label = short(number * step, decimals=max(1, -math.floor(math.log10(step))))
                words = (left - 6, y + 4, "end") if axis else (x, bottom + 15, "middle")
                self.write(*words, label)
                mark = (left, y, left + WIDTH, y) if axis else (x, top, x, bottom)
                self.parts.append(
                    '<line x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}" stroke="#e4e4e4"/>'.format(*mark)
                )
        self.write(left + WIDTH / 2, bottom + 32, "middle", names[0])
        self.write(left, top - 7, "start", names[1])

    def at(self, point: Point) -> Point:
        """Where a point is, in pixels."""
        x, y = ((value - low) / (high - low) for value, (low, high) in zip(point, self.limits, strict=True))
        return self.place[0] + x * WIDTH, self.place[1] + (1 - y) * HEIGHT

    def write(self, x: float, y: float, anchor: str, text: str) -> None:
        """A text."""
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{text}</text>')

    def line(self, points: Iterable[Point], colour: str, *, dashed: bool = False) -> None:
        """A line through points."""
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in map(self.at, points))
        dashes = ' stroke-dasharray="4 3"' if dashed else ""
        self.parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.5"{dashes}/>')

    def mark(self, point: Point, colour: str, shape: str) -> None:
        """A mark at a point; ``shape`` is one of `SHAPES`."""
        self.parts.append(marker(self.at(point), colour, shape))


def marker(place: Point, colour: str, shape: str) -> str:
    """A mark at a place in pixels."""
    corners = " ".join(f"{place[0] + x:.1f},{place[1] + y:.1f}" for x, y in SHAPES[shape])
    return f'<polygon points="{corners}" fill="{colour}"/>'


SHAPES: Mapping[str, Sequence[Point]] = {
    "relevant": ((-5, 4), (0, -5), (5, 4)),
    "balanced": ((-4, -4), (4, -4), (4, 4), (-4, 4)),
    "readable": ((0, -6), (6, 0), (0, 6), (-6, 0)),
    "": ((-2, -2), (2, -2), (2, 2), (-2, 2)),
}
"""Name of a point of the line -> the corners of its mark; the last one is of the others."""


def drawing(columns: int, rows: int, panels: Iterable[Panel], legend: Iterable[tuple[str, str, str]]) -> str:
    """An SVG of panels, and a legend above them: name, colour, and shape or "line" or "dashed"."""
    parts, x = [part for panel in panels for part in panel.parts], float(LEFT)
    size = LEFT + columns * (WIDTH + GAP) - GAP / 2, TOP + rows * (HEIGHT + GAP) - GAP / 4
    for name, colour, shape in legend:
        if shape in SHAPES:
            parts.append(marker((x + 8, 16), colour, shape))
        else:
            dashes = ' stroke-dasharray="4 3"' if shape == "dashed" else ""
            parts.append(f'<line x1="{x}" y1="16" x2="{x + 16}" y2="16" stroke="{colour}" stroke-width="2"{dashes}/>')
        parts.append(f'<text x="{x + 21}" y="20">{name}</text>')
        x += 35 + 6.4 * len(name)
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size[0]:.0f} {size[1]:.0f}" width="{size[0]:.0f}"'
    style = 'font-family="sans-serif" font-size="12" fill="#222"'
    white = '<rect width="100%" height="100%" fill="#fff"/>'
    return "\n".join([f"{head} {style}>", white, *parts, "</svg>", ""])


Figures = Mapping[str, float]
"""Dimension -> value."""


def held_out(first_fives: Any) -> dict[str, dict[str, Figures]]:
    """Set -> point of the line -> mean nDCG@5 by dimension, over topics with a grade above 0."""
    found: dict[str, dict[str, Figures]] = {}
    for name, topics in first_fives["sets"].items():
        files = [(one, GRADED / f"pairs-{of}-{one}.qrels") for of in (name, f"{name}-later") for one in DIMENSIONS]
        graded = read_pair_qrels((one, path) for one, path in files if path.exists())
        qrels = {one: fold_grades(grades, pair_key) for one, grades in graded.items()}
        for number, point in enumerate(first_fives["points"]):
            lists = {
                topic: [pair_key(of["pairs"][int(place)]) for place in of["first"][number].split()]
                for topic, of in topics.items()
            }
            found.setdefault(name, {})[point] = {
                one: fmean(lab_ndcg(lists[topic], grades[topic]) for topic in lists if max(grades[topic].values()) > 0)
                for one, grades in qrels.items()
            }
    return found


def limits_of(values: Iterable[float], step: float) -> Point:
    """The lowest and highest value, to the next step."""
    values = list(values)
    return math.floor(min(values) / step) * step, math.ceil(max(values) / step) * step


def draw_line(panel: Panel, points: Mapping[str, Figures], dimension: str, colour: str) -> None:
    """The points of one set, such as ``1.2 0.6``: weight of quality and share of the reader, which is 0 without one."""
    names = {of["quality"]: name for name, of in BLENDS.items()}
    for read in (False, True):
        found = {}
        for point, figures in points.items():
            quality, share = map(float, point.split())
            if (share > 0) == read:
                found[quality] = figures["relevance"], figures[dimension]
        panel.line(found.values(), colour, dashed=not read)
        for quality, at in found.items():
            panel.mark(at, colour, names.get(quality, ""))


def line(files: Mapping[str, Any]) -> str:
    """Relevance against quality and coherence by weights: of held-out questions, a line a set, and by people below."""
    people = {"people": files["curves.json"]["figures"]["people"]}
    rows = ((held_out(files["first-fives.json"]), 0.05, "nDCG@5"), (people, 0.01, "people"))
    panels = []
    for row, (sets, step, measure) in enumerate(rows):
        every = [figures for points in sets.values() for figures in points.values()]
        for column, one in enumerate(DIMENSIONS[1:]):
            x, y = limits_of((of["relevance"] for of in every), step), limits_of((of[one] for of in every), step)
            place = LEFT + column * (WIDTH + GAP), TOP + row * (HEIGHT + GAP)
            panel = Panel(place, (x, y), step, (f"relevance ({measure})", f"{one} ({measure})"))
            for number, points in enumerate(sets.values()):
                draw_line(panel, points, one, BLACK if row else COLOURS[number])
            panels.append(panel)
    legend = [*((name, colour, "line") for name, colour in zip(rows[0][0], COLOURS, strict=True))]
    legend += [("without the reader", BLACK, "dashed"), *((name, BLACK, name) for name in BLENDS)]
    return drawing(2, 2, panels, legend)


def reliability(files: Mapping[str, Any]) -> str:
    """Mean grade by expected grade, a panel a dimension, a line a set: on the diagonal grades are as expected."""
    sets = files["curves.json"]["figures"]["reliability"]
    panels = []
    for column, one in enumerate(DIMENSIONS):
        names = ("expected grade", f"{one}: mean grade")
        panel = Panel((LEFT + column * (WIDTH + GAP), TOP), ((0, 2), (0, 2)), 0.5, names)
        panel.line(((0, 0), (2, 2)), "#888", dashed=True)
        for colour, of in zip(COLOURS, sets.values(), strict=False):
            points = [(expected, given) for expected, given, pairs in of[one] if pairs >= FEW]
            panel.line(points, colour)
            for point in points:
                panel.mark(point, colour, "")
        panels.append(panel)
    legend = [*((name, colour, "line") for name, colour in zip(sets, COLOURS, strict=False))]
    return drawing(3, 1, panels, [*legend, ("as expected", "#888", "dashed")])


DRAWINGS: Mapping[str, Callable[[Mapping[str, Any]], str]] = {"line.svg": line, "reliability.svg": reliability}
"""Name of a file in ``docs/images`` -> what draws it."""
