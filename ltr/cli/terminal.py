"""The document of ltr.search on a terminal: sides beside each other where there is room, else one below the other."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from io import StringIO
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from ltr.escapes import clean

if TYPE_CHECKING:
    from rich.console import RenderableType

WIDE = 100
"""Columns of a terminal from which on two of text are easy to read; for three half as many again."""

NARROWEST = 20

LONGEST = 120
"""Characters of a conclusion in a source line; some are whole pages."""

NOTES = {
    "conclusion": "PRO and CON: an argument's side of its own conclusion, which the source line names, not of the "
    "question.",
    "question": "Pro and con: the side toward the question as a model reads it, right in about seven of ten.",
}
"""What sides mean, by what they are taken of."""

_COLUMNS = (("PRO", "CON"), ("FIRST", "SECOND", "NEUTRAL"))
"""Sides that are shown beside each other; the third only where it has something."""

_SIDES = {
    "PRO": ("PRO", "bold green"),
    "CON": ("CON", "bold red"),
    "FIRST": ("for the first", "bold green"),
    "SECOND": ("for the second", "bold cyan"),
    "NEUTRAL": ("for neither", "bold"),
    "NO": ("without a stance", "bold"),
    "Q0": ("without a stance", "bold"),
}


def wants_colour() -> bool:
    """Whether stdout is a terminal that shows colours to somebody who wants them (https://no-color.org)."""
    return sys.stdout.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"


def show(
    document: Mapping[str, Any], searched: str, width: int, *, colour: bool = False, note: str | None = None
) -> str:
    """Question and results as lines of at most ``width`` columns (20 at the least), ANSI colours only on demand.

    ``searched`` says what corpus and model answer, ``note`` what to think of it.
    """
    from rich.console import Console
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    def below(part: RenderableType) -> Padding:
        return Padding(part, (1, 0, 0, 0))

    results = document["results"]
    sides: dict[str, list[RenderableType]] = {}
    for name, (head, style) in _SIDES.items():
        head = clean(document.get("headings", {}).get(name, head))  # noqa: PLW2901
        blocks = [_block(result, style) for result in results if result["stance"] == name]
        sides[name] = [below(part) for part in (Text(head, style), *(blocks or [Text("none")]))]
    stances = {result["stance"] for result in results}
    beside = next((some for some in _COLUMNS if not stances.isdisjoint(some)), ())
    if "NEUTRAL" not in stances or width < WIDE * 3 // 2:
        beside = beside[:2]
    parts: list[RenderableType] = [Text(clean(document["question"]), "bold", overflow="fold")]
    said = NOTES.get(document.get("sides", "")) if beside == _COLUMNS[0] else None
    parts += [Text(line, "dim", overflow="fold") for line in filter(None, (clean(searched), said))]
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
    parts += [part for side in _SIDES if side in stances - {*beside} for part in sides[side]]
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
    from rich.console import Group
    from rich.padding import Padding
    from rich.text import Text

    lines: list[RenderableType] = [Text(f"{result['rank']}. score {result['score']:.3f}", style)]
    for sentence in result["sentences"]:
        lines.append(Padding(Text(clean(sentence["text"]), overflow="fold"), (0, 0, 0, 2)))
        lines.append(Padding(Text(source_of(sentence), "dim", overflow="fold"), (0, 0, 0, 4)))
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
