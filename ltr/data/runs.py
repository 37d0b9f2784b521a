"""TREC runs: one reader and one writer for ours and others', and the lab's rules for runs of pairs."""

from __future__ import annotations

import gzip
import math
import re
import sys
from collections.abc import Collection, Iterable, Iterator
from ctypes import c_float
from itertools import groupby
from pathlib import Path
from typing import NamedTuple, TextIO, cast

from features.core.feature import KINDS
from ltr.data.columns import line_of, parse_number, quote, read_columns
from ltr.data.ids import is_pair, is_sentence, is_word, pair_key, parts_of
from ltr.errors import InputError
from ltr.files import atomic_text

RUN = "run.txt"
"""The file name of a run in its folder."""

DECIMALS = 6
"""Decimals of written scores. Further digits decide nothing: the last bits of a score differ by processor."""

STEP = 1e-6
"""Written scores fall by at least this much, so that no reader sees a tie."""

NO_SIDE = "Q0"
SIDES = ("PRO", "CON")
"""The sides of an argument; tasks may have others."""


class RunRow(NamedTuple):
    """One line of a run. ``pair`` is ``idA,idB``, or a plain document id in other people's runs."""

    topic: str
    stance: str
    pair: str
    rank: int
    score: float
    tag: str


def read_run(path: Path, kind: str | None = None) -> list[RunRow]:
    """Rows ``topic stance pair rank score tag`` in the order of the file. Raises InputError.

    Only the columns are checked, and with a ``kind`` that such are ranked, so that anyone's run can be read; see
    :func:`validate_run`.
    """
    rows = []
    for where, (topic, stance, pair, rank, score, tag) in read_columns(path, "topic stance pair rank score tag"):
        if not re.fullmatch("[0-9]{1,9}", rank):
            raise InputError(where, f"rank {quote(rank)} is not a whole number", "count from 1")
        for what, hint in _item_faults(pair, kind) if kind else ():
            raise InputError(where, what, hint)
        value = parse_number(where, "score", score)
        rows.append(RunRow(sys.intern(topic), sys.intern(stance), pair, int(rank), value, sys.intern(tag)))
    return rows


def trec_order(row: RunRow) -> tuple[float, str]:
    """What trec_eval sorts the rows of a topic by, descending: the 32 bits that it keeps of a score, then the id."""
    return c_float(row.score).value, row.pair


def falling(scores: Iterable[float]) -> Iterator[float]:
    """The written scores of a list, best first: each is below the one before it."""
    above = math.inf
    for score in scores:
        above = round(min(score, above - STEP), DECIMALS)
        yield above


def run_place(folder: Path, *, compressed: bool = False) -> Path:
    """The path of a run in a folder. Raises InputError where one of the other kind is there: readers want one."""
    here, other = (folder / name for name in (f"{RUN}.gz", RUN)[:: 1 if compressed else -1])
    if other.exists():
        raise InputError(other, f"a reader would find it beside {here.name}", "remove it, or name another directory")
    return here


def write_run(path: Path, rows: Iterable[RunRow]) -> None:
    """Write a run, compressed where the name ends in .gz. Raises InputError.

    Scores keep every digit, so the order on re-reading is the same.
    """
    with atomic_text(path) as out:
        lines = []
        for row in rows:
            score = repr(float(row.score))
            parse_number(path, "score", score)
            lines.append(line_of(path, row.topic, row.stance, row.pair, str(row.rank), score, row.tag))
        if path.suffix == ".gz":
            cast("TextIO", out).buffer.write(gzip.compress("".join(lines).encode("utf-8"), mtime=0))
        else:
            out.writelines(lines)


def validate_run(
    rows: Iterable[RunRow],
    *,
    kind: str = "pair",
    sides: Collection[str] = SIDES,
    depth: int = 1000,
    where: object = "run",
) -> None:
    """Raise InputError at the first row that Touché's rules for runs of such items would refuse.

    ``sides`` may stand in the second column, and Q0. ``depth`` is the largest number of items of a topic; ``where``
    names the run in the message.
    """
    finished: set[str] = set()
    for topic, group in groupby(enumerate(rows, 1), key=lambda item: item[1].topic):
        above = math.inf
        seen: set[str] = set()
        for rank, (number, row) in enumerate(group, 1):
            if topic in finished:
                what, hint = f"topic {topic} comes back after another topic", "keep its rows together"
                raise InputError(f"{where} row {number}", what, hint)
            for what, hint in _faults(row, kind, sides, rank, above, seen):
                raise InputError(f"{where} row {number}", what, hint)
            if rank > depth:
                what = f"topic {topic} has more than {depth} {kind}s"
                raise InputError(f"{where} row {number}", what, f"keep the best {depth}")
            above = row.score
            seen.add(pair_key(row.pair))
        finished.add(topic)


def _faults(
    row: RunRow, kind: str, sides: Collection[str], rank: int, above: float, seen: set[str]
) -> Iterator[tuple[str, str]]:
    if not is_word(row.topic):
        yield f"topic {quote(row.topic)} is not one word", "use the number of the topics file"
    if row.stance not in (*sides, NO_SIDE):
        yield f"stance {quote(row.stance)} is unknown", f"write {' or '.join([*sides, NO_SIDE])}"
    yield from _item_faults(row.pair, kind)
    if pair_key(row.pair) in seen:
        order = ", in this order or the other" if KINDS[kind].parts > 1 else ""
        yield f"{kind} {row.pair} is there already{order}", "keep the higher one"
    if row.rank != rank:
        yield f"rank {row.rank} stands where {rank} belongs", "rank each topic's rows 1, 2, 3 ..."
    if not math.isfinite(row.score):
        yield f"score {row.score} is not finite", "write a finite number"
    if row.score >= above:
        yield f"score {row.score!r} is not below {above!r}, the score before it", "let scores fall strictly"
    if not is_word(row.tag):
        yield f"tag {quote(row.tag)} is not one word", "join its words with a hyphen"


def _item_faults(id_: str, kind: str) -> Iterator[tuple[str, str]]:
    if KINDS[kind].parts < 2:
        if not is_word(id_) or is_pair(id_) or is_sentence(id_):
            yield f"{quote(id_)} is not {'an' if kind[0] in 'aeiou' else 'a'} {kind}", "write the id of one"
    elif len(parts := parts_of(id_)) > 2 or len({part for part in parts if is_word(part) and is_sentence(part)}) < 2:
        yield f"{quote(id_)} is not a pair", "join two different sentence ids by one comma"
