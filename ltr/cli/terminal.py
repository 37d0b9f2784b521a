"""Answers of ltr.search on a terminal: sides beside each other where there is room, else one below the other."""

from __future__ import annotations

import os
import sys
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

WIDE = 100
"""Width of a terminal from which on two columns of text are easy to read; three take half as much again."""

NARROWEST = 20

LONGEST = 120
"""Characters of a conclusion in a source line; some are whole pages."""

_COLUMNS = (("PRO", "CON"), ("FIRST", "SECOND", "NEUTRAL"))
"""Sides that are shown beside each other; the third only where it has something."""

_STYLES = {Side.PRO: "bold green", Side.CON: "bold red", Side.FIRST: "bold green", Side.SECOND: "bold cyan"}


def wants_colour() -> bool:
    """Whether stdout is a terminal that shows colours to somebody who wants them (https://no-color.org)."""
    return sys.stdout.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"


def show(
    document: Mapping[str, Any], head: Sequence[str], width: int, *, colour: bool = False, note: str | None = None
) -> str:
    """Question and results as lines of at most ``width`` columns (20 at the least), ANSI colours only on demand.

    ``head``: which corpus and model answer, and the meaning of PRO and CON, which is left out where neither is shown.
    ``note``: how far to trust the answer.
    """

    def below(part: RenderableType) -> Padding:
        return Padding(part, (1, 0, 0, 0))

    results = document["results"]
    sides: dict[str, list[RenderableType]] = {}
    for side in Side:
        title, style = clean(document.get("headings", {}).get(side, side.label)), _STYLES.get(side, "bold")
        blocks = [_block(result, style) for result in results if result["stance"] == side]
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
    console = Console(
        file=out,
        width=max(width, NARROWEST),
        color_system="standard" if colour else None,
        force_jupyter=False,
        legacy_windows=False,
    )
    for part in parts:
        console.print(part)
    return "\n".join(line.rstrip() for line in out.getvalue().split("\n"))


def _block(result: Mapping[str, Any], style: str) -> RenderableType:
    lines: list[RenderableType] = [Text(f"{result['rank']}. score {result['score']:.3f}", style)]
    for sentence in result["sentences"]:
        lines.append(Padding(Text(clean(sentence["text"]), overflow="fold"), (0, 0, 0, 2)))
        lines.append(Padding(Text(source_of(sentence), "dim", overflow="fold"), (0, 0, 0, 4)))
    if result.get("why"):
        lines.append(Padding(Text(clean(result["why"]), "dim", overflow="fold"), (0, 0, 0, 2)))
    return Group(*lines)


def source_of(sentence: Mapping[str, Any]) -> str:
    """Argument, role and the argument's conclusion, in one line."""
    where = f"{clean(sentence['argument'])}, {sentence['role']}"
    if sentence["role"] == "conclusion":
        return where  # its text stands above
    conclusion = clean(sentence["conclusion"])
    if len(conclusion) > LONGEST:
        conclusion = conclusion[: LONGEST - 1].rstrip() + "…"
    if sentence["role"] == "premise":
        where += f" {sentence['place']} of {sentence['of']}"
    return where + (f" on: {conclusion}" if conclusion else "")
