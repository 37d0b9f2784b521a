"""Files of a pool: the units for the grader, and the key, which the grader does not get.

docs/pool.md lists their columns. Both have a header line and no quoting: each text is one line without tabs. A text
that a spreadsheet would read as a formula begins with a blank.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from experiments.html_page import html_page
from experiments.output import write_all
from experiments.pool.rubric import GUIDES
from experiments.pool.selection import PooledPair
from experiments.published import read_lines
from features.core.feature import UNITS, Unit
from ltr.corpora.base import Corpus
from ltr.data.columns import quote
from ltr.data.ids import LISTED, argument_of, is_conclusion
from ltr.data.topics import Topic
from ltr.errors import InputError
from ltr.escapes import clean, is_formula

Row = dict[str, Any]
"""The texts of a unit that a grader sees, by column."""
Passage = Mapping[str, str]
"""Parts of a text: ``text``, and ``conclusion`` of an argument."""


class Item(NamedTuple):
    """An item to grade, with the texts that a grader sees."""

    topic: str
    id: str
    question: str
    texts: dict[str, str]
    """Column of the pool -> text."""


KEY = "key.tsv"
TEXTS: Mapping[Unit, tuple[str, ...]] = {
    "pair": ("first", "second"),
    "argument": ("conclusion", "text"),
    "document": ("text",),
}
"""Columns with the texts of a unit."""


def read_passages(corpus: Corpus, units: Iterable[tuple[str, str]]) -> dict[tuple[str, str], Passage]:
    """The texts of units (topic, id), by topic and id, as far as the corpus has them; one pass over it.

    A text in the result list of its topic comes before one that is in the corpus by its id alone. Each is one line.
    """
    names = {(topic, id_): (id_, f"{topic}{LISTED}{id_}") for topic, unit in units for id_ in unit.split(",")}
    arguments = {argument_of(name) for both in names.values() for name in both}
    passages: dict[str, Passage] = {}
    for argument in corpus:
        if argument.id in arguments:
            texts = {id_: clean(text) for id_, text in argument.sentences}
            conclusion = " ".join(text for id_, text in texts.items() if is_conclusion(id_))
            premises = " ".join(text for id_, text in texts.items() if not is_conclusion(id_))
            passages |= {id_: {"text": text} for id_, text in texts.items()}
            passages[argument.id] = {"conclusion": conclusion, "text": premises}
    return {part: passages[name] for part, both in names.items() for name in both if name in passages}


def shown_rows(
    unit: Unit, pairs: Sequence[PooledPair], topics: Mapping[str, Topic], passages: Mapping[tuple[str, str], Passage]
) -> list[Row]:
    """The units as a grader sees them, numbered from 1: ``number``, ``topic`` and `TEXTS`."""
    rows: list[Row] = []
    for number, item in enumerate(pairs, 1):
        parts = [passages[item.topic, id_] for id_ in item.pair.split(",")]
        texts = [part["text"] for part in parts] if unit == "pair" else [parts[0][name] for name in TEXTS[unit]]
        shown = dict(zip(TEXTS[unit], texts, strict=True))
        rows.append({"number": number, "topic": clean(topics[item.topic].title), **shown})
    return rows


def write_pool(folder: Path, files: Mapping[str, str]) -> None:
    """Write the files, all or none. Raises InputError where another pool lies, whose grades would be lost."""
    key = folder / KEY
    if key.exists() and key.read_bytes() != files[KEY].encode():
        raise InputError(key, "another pool is there, and its key would be lost", "name another directory")
    write_all({folder / name: text for name, text in files.items()})


def rows_text(rows: Sequence[Row]) -> str:
    """The content of ``pairs.tsv``, ``arguments.tsv`` or ``documents.tsv``."""
    cells = [[f" {cell}" if is_formula(str(cell)) else cell for cell in row.values()] for row in rows]
    return _table([*rows[0]], cells)


def key_text(pairs: Sequence[PooledPair], unit: Unit = "pair") -> str:
    """The content of ``key.tsv``."""
    for name in (name for pair in pairs for name in (pair.topic, pair.pair) if is_formula(name)):
        raise InputError(quote(name), "would be a formula in a spreadsheet", "rename it")
    cells = [(n, p.topic, p.pair, "yes" if p.anchor else "no") for n, p in enumerate(pairs, 1)]
    return _table(_key_head(unit), cells)


def page_text(rows: Sequence[Row], pool: str, unit: Unit = "pair", dimensions: Sequence[str] = ()) -> str:
    """A page to grade in, in all dimensions of the unit or some.

    Grades are kept in the browser under the name of the ``pool`` and its dimensions, so two pools never mix.
    """
    guide = GUIDES[unit].only(dimensions or [*GUIDES[unit].rubric])
    data = {"pool": pool, "dimensions": [*guide.rubric], "texts": TEXTS[unit], "units": rows}
    names = {"count": len(rows), "unit": unit, "texts": TEXTS[unit], **guide._asdict()}
    return html_page("pool/grade.html", ["grade.css"], ["grade.js"], data, names)


def pool_name(key: str) -> str:
    """Twelve hex digits that identify this pool; they reveal nothing in the key."""
    return hashlib.sha256(key.encode()).hexdigest()[:12]


def read_pool(path: Path) -> tuple[dict[int, PooledPair], str, Unit]:
    """The units by number, the name of the pool, and what its units are. Raises InputError."""
    lines = read_lines(path)
    head = tuple(lines[0].split("\t"))
    unit = {_key_head(unit): unit for unit in UNITS}.get(head)
    if not unit:
        raise InputError(path, "is not the key of a pool", f"name the {KEY} that riposte pool wrote")
    pairs: dict[int, PooledPair] = {}
    for number, line in enumerate(lines[1:], 1):
        words = line.split("\t")
        if len(words) != len(head) or words[3] not in ("yes", "no") or words[0] != str(number):
            what = f"is not `{' '.join(head)}` of {unit} {number}"
            raise InputError(f"{path} line {number + 1}", what, f"leave {KEY} as riposte pool wrote it")
        pairs[number] = PooledPair(words[1], words[2], words[3] == "yes")
    if not pairs:
        raise InputError(path, f"holds no {unit}s", f"name the {KEY} of the pool")
    return pairs, pool_name("".join(f"{line}\n" for line in lines)), unit


def read_items(folder: Path) -> tuple[Unit, list[Item]]:
    """The unit of a pool and its items with their texts. Raises InputError."""
    key = folder / KEY
    pooled, _, unit = read_pool(key)
    sheet, hint = folder / f"{unit}s.tsv", "leave the files as riposte pool wrote them"
    rows = [line.split("\t") for line in read_lines(sheet)]
    head = ["number", "topic", *TEXTS[unit]]
    if rows[:1] != [head] or len(rows) != len(pooled) + 1:
        raise InputError(sheet, f"does not belong to {key}", hint)
    items = []
    for (number, entry), row in zip(pooled.items(), rows[1:], strict=True):
        if row[0] != str(number) or len(row) != len(head):
            raise InputError(f"{sheet} line {number + 1}", f"is not {unit} {number} of {key}", hint)
        question, *texts = map(str.strip, row[1:])
        items.append(Item(entry.topic, entry.pair, question, dict(zip(TEXTS[unit], texts, strict=True))))
    return unit, items


def _key_head(unit: Unit) -> tuple[str, ...]:
    return ("number", "topic", unit, "anchor")


def _table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    return "".join("\t".join(map(str, row)) + "\n" for row in (head, *rows))
