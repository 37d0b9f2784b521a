"""Answers of riposte search on a terminal: sides beside each other where there is room, else one below the other."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from itertools import count as count_from
from itertools import groupby, zip_longest
from operator import itemgetter
from shlex import quote
from textwrap import shorten
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from features.core.sides import Side
from ltr.escapes import clean
from models.defaults import DIMENSIONS, TOP_GRADE

WIDE = 100
"""Width of a terminal from which on two columns of text are easy to read; three take half as much again."""

LONGEST = 120
"""Characters of a conclusion or a title in a source line; some are whole pages."""

_ENDS = tuple(".!?:;,\"'”’)]")
"""Ends of texts that need no full stop before the next one."""

_COLUMNS = (("PRO", "CON"), ("FIRST", "SECOND", "NEUTRAL"))
"""Sides that are shown beside each other; the third only where it has something."""

_STYLES = {Side.PRO: "bold green", Side.CON: "bold red", Side.FIRST: "bold green", Side.SECOND: "bold cyan"}


def wants_colour() -> bool:
    """Whether stdout is a terminal that shows colours to somebody who wants them (https://no-color.org)."""
    return sys.stdout.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"


@dataclass(frozen=True)
class Look:
    """How answers are shown."""

    width: int
    """Columns of a line; 20 at the least."""
    colour: bool = False
    weak: bool = False
    """Whether weaker results are shown too, not only their number."""
    details: bool = False
    """Whether the ids of sentences, the ranks of a run and expected grades are shown."""


def show(document: Mapping[str, Any], head: Sequence[str], look: Look) -> str:
    """Question and results as lines, ANSI colours only on demand. Addresses of sources are never broken.

    ``head``: which corpus and model answer, and remarks on the answer.
    """
    results, points = document["results"], document.get("points", ())
    nothing = bool(results) and not look.weak and all(result.get("weak") for result in results)
    stances = set() if nothing else {result["stance"] for result in results}
    beside = next((some for some in _COLUMNS if not stances.isdisjoint(some)), ())
    if "NEUTRAL" not in stances or look.width < WIDE * 3 // 2:
        beside = beside[:2]
    columns = beside if look.width >= WIDE else ()
    sides: dict[str, list[RenderableType]] = {}
    sources: dict[str, list[str]] = {}
    for side in Side:
        title, style = clean(document.get("headings", {}).get(side, side.label)), _STYLES.get(side, "bold")
        own = _in_order([result for result in results if result["stance"] == side], points)
        blocks = _side(own, points, look, addressed=side not in columns) or [Text("none")]
        folded = side == Side.NONE and not look.weak and all(result.get("weak") for result in own)
        named = [] if folded else [Text(title, style)]  # their number alone needs no heading
        sides[side] = [Group("", part) for part in (*named, *blocks)]
        for place, result in enumerate(own, 1):
            for address in _addresses(result) if side in columns and (look.weak or not result.get("weak")) else ():
                sources.setdefault(address, []).append(f"{title} {place}")
    remarks = map(clean, (*head, *_remarks(document, nothing=nothing)))
    parts: list[RenderableType] = [Text(clean(document["question"]), "bold", overflow="fold")]
    parts += [Text(line, "dim", overflow="fold") for line in filter(None, remarks)]
    if columns:
        table = Table.grid(padding=(0, 3, 0, 0), expand=True)
        for _ in columns:
            table.add_column(ratio=1)
        for row in zip_longest(*(sides[side] for side in columns), fillvalue=""):
            table.add_row(*row)
        parts.append(table)
    for address, places in sources.items():
        parts.append(Group("", Text(f"{', '.join(places)}:", "dim", overflow="fold"), _address(address)))
    parts += [part for side in Side if side in {*beside, *stances} - {*columns} for part in sides[side]]
    out = StringIO()
    colours = "standard" if look.colour else None
    console = Console(file=out, width=max(look.width, 20), color_system=colours, force_jupyter=False)  # type: ignore[arg-type]
    for part in parts:
        console.print(part, crop=False)
    return "\n".join(line.rstrip() for line in out.getvalue().split("\n"))


def _remarks(document: Mapping[str, Any], *, nothing: bool) -> list[str]:
    """What is to be known about an answer: how its question was read, which sides are known, and a caveat."""
    spelled, asked, note = document.get("spelled"), clean(document.get("ask", "")), document.get("note", "")
    add = f"--agree {_in_shell(asked)}. If it is the opposite: --oppose {_in_shell(asked)}." if asked else ""
    texts = len(document["results"])
    return [
        f'Showing results for "{document["question"]}"; --as-typed searches for "{spelled}".' if spelled else "",
        f'Is saying "{asked}" the same as answering yes? If so, add: {add}' if asked else "",
        document.get("sides_known", ""),
        f"{note} ({texts} text{'s share' if texts > 1 else ' shares'} some words: --weak)" if nothing else note,
    ]


def _in_shell(text: str) -> str:
    """``text`` as one word for a shell, which runs no part of it."""
    return f'"{text}"' if re.fullmatch(r"[^\"$`\\!]*", text) else quote(text)


def _in_order(results: Sequence[Mapping[str, Any]], points: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Results point by point, those without one next, and weak ones last."""
    order = {point["number"]: at for at, point in enumerate(points)}
    return sorted(results, key=lambda one: (bool(one.get("weak")), order.get(one.get("point"), len(order))))


def _side(
    results: Sequence[Mapping[str, Any]], points: Sequence[Mapping[str, Any]], look: Look, *, addressed: bool
) -> list[RenderableType]:
    """Key points, results in this order, and weaker ones, or their number."""
    worth = [result for result in results if not result.get("weak")]
    weaker = [result for result in results if result.get("weak")]
    heading = {point["number"]: clean(point["heading"]) for point in points}
    known = {result.get("point") for result in worth}
    lines = []
    for key in (point for point in points if point["key"] and point["number"] in known):
        count = f" ({key['arguments']} arguments)" if key["arguments"] > 1 else ""
        lines.append(Text(f"* {heading[key['number']]}{count}", overflow="fold"))
    if not lines and not known.isdisjoint(point["number"] for point in points if point["side"]):
        lines = [Text("No key points: no text states its point in one sentence.", "dim")]
    blocks: list[RenderableType] = [Group(*lines)] if lines and len(worth) > 1 else []
    places = count_from(1)
    for number, same in groupby(worth, lambda result: result.get("point")):
        parts = [_block(result, next(places), look, addressed=addressed) for result in same]
        if number in heading and len(parts) > 1:
            parts = [Text(f"{heading[number]}:", "italic", overflow="fold"), *parts]
        blocks += parts
    if weaker and look.weak:
        shown = (_block(result, next(places), look, addressed=addressed) for result in weaker)
        blocks += [Text("weaker results:", "dim"), *shown]
    elif weaker:
        blocks.append(Text(f"{len(weaker)} weaker result{'s' * (len(weaker) > 1)}: --weak shows them", "dim"))
    return blocks


def _block(result: Mapping[str, Any], place: int, look: Look, *, addressed: bool) -> RenderableType:
    """The texts of a result, then its source in a line, and its addresses; ids and scores on demand."""
    own = groupby(result["sentences"], itemgetter("argument"))
    said = "\nAnd: ".join(" ".join(map(_said, sentences)) for _, sentences in own)
    likely = "(likely) " if result.get("likely") else ""
    first = Text(f"{place}. {likely}{said}", overflow="fold")
    small = [_source(result)]
    if look.details:
        small.append(f"rank {result['rank']}: {', '.join(clean(one['id']) for one in result['sentences'])}")
        scores = {name: f"{name} {score:.2f}" for name, score in result.get("scores", {}).items()}
        grades = ", ".join(scores.pop(name) for name in DIMENSIONS if name in scores)
        small.append(", ".join([*([f"{grades} of {TOP_GRADE:g}"] if grades else []), *scores.values()]))
    lines = (Padding(Text(line, "dim", overflow="fold"), (0, 0, 0, 3)) for line in filter(None, small))
    return Group(first, *lines, *map(_address, _addresses(result) if addressed else ()))


def _said(sentence: Mapping[str, Any]) -> str:
    """A sentence with the one before it; the conclusion of an argument against it is none of its own words."""
    texts = [clean(text) for text in (sentence["before"], sentence["shown"]) if text]
    if sentence["role"] == "conclusion" and sentence["stance"] == "CON":
        return f'Against "{" ".join(texts).rstrip(".")}":'
    return " ".join(text if text.endswith(_ENDS) else f"{text}." for text in texts)


def _source(result: Mapping[str, Any]) -> str:
    """Where the side of a result comes from, or else its conclusion and debate."""
    sentences = result["sentences"]
    named = (", in: ".join(dict.fromkeys(filter(None, (one["conclusion"], one["debate"])))) for one in sentences)
    short = (shorten(clean(name), LONGEST, placeholder=" …") for name in named)
    return clean(result.get("why", "")) or "; ".join(f"on: {name}" for name in dict.fromkeys(short) if name)


def _addresses(result: Mapping[str, Any]) -> dict[str, None]:
    """The addresses of a result's sources."""
    return dict.fromkeys(one["url"] for one in result["sentences"] if one.get("url"))


def _address(address: str) -> Text:
    """A line of its own, whatever its length, so that it can be followed and copied."""
    return Text(f"   {clean(address)}", "dim", no_wrap=True, overflow="ignore")
