"""Answers of riposte search on a terminal: sides beside each other where there is room, else one below the other."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from io import StringIO
from itertools import zip_longest
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from features.core.sides import Side
from ltr.escapes import clean
from models.defaults import DIMENSIONS

TOP_GRADE = 2.0
"""Grades are from 0 to this."""

WIDE = 100
"""Width of a terminal from which on two columns of text are easy to read; three take half as much again."""

LONGEST = 120
"""Characters of a conclusion or a title in a source line; some are whole pages."""

_COLUMNS = (("PRO", "CON"), ("FIRST", "SECOND", "NEUTRAL"))
"""Sides that are shown beside each other; the third only where it has something."""

_STYLES = {Side.PRO: "bold green", Side.CON: "bold red", Side.FIRST: "bold green", Side.SECOND: "bold cyan"}


def wants_colour() -> bool:
    """Whether stdout is a terminal that shows colours to somebody who wants them (https://no-color.org)."""
    return sys.stdout.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"


def show(
    document: Mapping[str, Any],
    head: Sequence[str],
    width: int,
    *,
    colour: bool = False,
    note: str | None = None,
    weak: bool = False,
) -> str:
    """Question and results as lines of at most ``width`` columns (20 at the least), ANSI colours only on demand.

    ``head``: which corpus and model answer, and the meaning of PRO and CON, which is left out where neither is shown.
    ``note``: how far to trust the answer. ``weak``: weaker results are shown too, not only their number.
    """

    def below(part: RenderableType) -> Padding:
        return Padding(part, (1, 0, 0, 0))

    results = document["results"]
    sides: dict[str, list[RenderableType]] = {}
    for side in Side:
        title, style = clean(document.get("headings", {}).get(side, side.label)), _STYLES.get(side, "bold")
        own = [result for result in results if result["stance"] == side]
        blocks = _side(own, document.get("points", ()), style, weak=weak)
        sides[side] = [below(part) for part in (Text(title, style), *(blocks or [Text("none")]))]
    stances = {result["stance"] for result in results}
    beside = next((some for some in _COLUMNS if not stances.isdisjoint(some)), ())
    if "NEUTRAL" not in stances or width < WIDE * 3 // 2:
        beside = beside[:2]
    parts: list[RenderableType] = [Text(clean(document["question"]), "bold", overflow="fold")]
    shown = head if beside == _COLUMNS[0] else head[:1]
    parts += [Text(line, "dim", overflow="fold") for line in filter(None, map(clean, shown))]
    parts += [Text(note, "yellow", overflow="fold")] if note else []
    if beside and width >= WIDE:
        table = Table.grid(padding=(0, 3, 0, 0), expand=True)
        for _ in beside:
            table.add_column(ratio=1)
        for row in zip_longest(*(sides[side] for side in beside), fillvalue=""):
            table.add_row(*row)
        parts.append(table)
    else:
        parts += [part for side in beside for part in sides[side]]
    parts += [part for side in Side if side in stances - {*beside} for part in sides[side]]
    out = StringIO()
    width = max(width, 20)
    console = Console(file=out, width=width, color_system="standard" if colour else None, force_jupyter=False)
    for part in parts:
        console.print(part)
    return "\n".join(line.rstrip() for line in out.getvalue().split("\n"))


def _side(
    results: Sequence[Mapping[str, Any]], points: Sequence[Mapping[str, Any]], style: str, *, weak: bool
) -> list[RenderableType]:
    """Key points, results point by point, and weaker results, or their number."""
    worth = [result for result in results if not result.get("weak")]
    weaker = [result for result in results if result.get("weak")]
    size = Counter(result["point"] for result in worth if result.get("point") is not None)
    keys = [point for point in points if point["key"] and point["number"] in size]
    lines = []
    for key in keys:
        count = f" ({key['arguments']} arguments)" if key["arguments"] > 1 else ""
        lines.append(Text(f"* {clean(key['heading'])}{count}", overflow="fold"))
    blocks: list[RenderableType] = [Group(*lines)] if len(keys) > 1 else []
    for point in [*(point for point in points if point["number"] in size), None]:
        number = point and point["number"]
        parts = [_block(result, style) for result in worth if result.get("point") == number]
        if point and size[number] > 1:
            parts = [Text(f"{clean(point['heading'])}:", "italic", overflow="fold"), *parts]
        blocks += parts
    if weaker and weak:
        blocks += [Text("weaker results:", "dim"), *(_block(result, "dim") for result in weaker)]
    elif weaker:
        blocks.append(Text(f"{len(weaker)} weaker result{'s' * (len(weaker) > 1)}: --weak shows them", "dim"))
    return blocks


def _block(result: Mapping[str, Any], style: str) -> RenderableType:
    scores = {name: f"{name} {score:.2f}" for name, score in result.get("scores", {}).items()}
    grades = ", ".join(scores.pop(name) for name in DIMENSIONS if name in scores)
    said = ", ".join([*([f"{grades} of {TOP_GRADE:g}"] if grades else []), *scores.values()])
    head = f"{result['rank']}. {said}".rstrip()
    lines: list[RenderableType] = [Text(head, style)]
    for sentence in result["sentences"]:
        if sentence["before"]:
            lines.append(Padding(Text(f"[{clean(sentence['before'])}]", "dim", overflow="fold"), (0, 0, 0, 2)))
        lines.append(Padding(Text(clean(sentence["shown"]), overflow="fold"), (0, 0, 0, 2)))
        lines.append(Padding(Text(source_of(sentence), "dim", overflow="fold"), (0, 0, 0, 4)))
    if result.get("why"):
        lines.append(Padding(Text(clean(result["why"]), "dim", overflow="fold"), (0, 0, 0, 2)))
    return Group(*lines)


def source_of(sentence: Mapping[str, Any]) -> str:
    """Argument, role, the argument's conclusion and its debate, in one line."""
    where, conclusion = f"{clean(sentence['argument'])}, {sentence['role']}", _short(sentence["conclusion"])
    if sentence["role"] == "premise":
        where += f" {sentence['place']} of {sentence['of']}"
    if sentence["role"] != "conclusion" and conclusion:  # that of a conclusion stands above
        where += f" on: {conclusion}"
    debate = _short(sentence["debate"])
    return where + (f", in: {debate}" if debate and debate != conclusion else "")


def _short(text: str) -> str:
    text = clean(text)
    return text if len(text) <= LONGEST else text[: LONGEST - 1].rstrip() + "…"
