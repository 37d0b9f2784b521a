"""Files of a pool: the table that graders fill, their criteria, and the key, which graders do not get.

docs/pool.md lists the columns. Tables have a header line and no quoting: each text is one line without tabs. A text
that a spreadsheet would read as a formula begins with a blank.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from experiments.pool.selection import PooledPair
from experiments.published import read_lines
from features.core.feature import ALL_KINDS, ItemKind
from ltr.corpora.base import Corpus
from ltr.data.columns import quote
from ltr.data.ids import LISTED, argument_of, is_conclusion, parts_of
from ltr.data.topics import Topic
from ltr.errors import InputError
from ltr.escapes import clean, is_formula
from ltr.files import write_all

Passage = tuple[str, ...]
"""A text, of an argument after its conclusion."""
Pool = Mapping[str, PooledPair]
"""The name of each item, which graders see -> what it is."""


class Item(NamedTuple):
    """An item to grade, with the texts that a grader sees."""

    topic: str
    id: str
    question: str
    texts: dict[str, str]
    """Column of the pool -> text."""


KEY, CRITERIA = "key.tsv", "criteria.txt"
TEXTS: Mapping[ItemKind, tuple[str, ...]] = {
    "pair": ("first", "second"),
    "argument": ("conclusion", "text"),
    "document": ("text",),
}
"""Columns with the texts of an item."""


class Guide(NamedTuple):
    """The guide for graders of one kind of item."""

    how: Sequence[str]
    """How to grade, a paragraph each."""
    rubric: Mapping[str, Mapping[str, Any]]
    """Dimension, in the order of grades -> its ``question``, and the ``meanings`` of the grades 0, 1 and 2."""

    def text(self, dimensions: Sequence[str]) -> str:
        """How to grade, and the criteria of some dimensions, as graders read them."""
        parts = ["\n\n".join(self.how) + "\n"]
        for name in dimensions:
            meanings = (f"  {grade}: {meaning}\n" for grade, meaning in enumerate(self.rubric[name]["meanings"]))
            parts.append(f"{name}: {self.rubric[name]['question']}\n{''.join(meanings)}")
        return "\n".join(parts)


_RUBRIC = json.loads(Path(__file__).with_name("rubric.json").read_text("utf-8"))
GUIDES: Mapping[ItemKind, Guide] = {kind: Guide(**guide) for kind, guide in _RUBRIC.items()}
"""By kind of item."""


def named(pairs: Sequence[PooledPair]) -> Pool:
    """The items by name, such as ``4f0c2a-1``: digits of the whole pool, so that grades of another one are noticed."""
    pool = hashlib.sha256("\n".join("\t".join(map(str, pair)) for pair in pairs).encode()).hexdigest()[:6]
    return {f"{pool}-{place}": pair for place, pair in enumerate(pairs, 1)}


def read_passages(corpus: Corpus, items: Iterable[tuple[str, str]]) -> dict[tuple[str, str], Passage]:
    """The texts of items (topic, id), by topic and id, as far as the corpus has them; one pass over it.

    A text in the result list of its topic comes before one that is in the corpus by its id alone. Each is one line.
    """
    names = {(topic, id_): (id_, f"{topic}{LISTED}{id_}") for topic, item in items for id_ in parts_of(item)}
    arguments = {argument_of(name) for both in names.values() for name in both}
    passages: dict[str, Passage] = {}
    for argument in corpus:
        if argument.id in arguments:
            texts = {id_: clean(text) for id_, text in argument.sentences}
            conclusion = " ".join(text for id_, text in texts.items() if is_conclusion(id_))
            premises = " ".join(text for id_, text in texts.items() if not is_conclusion(id_))
            passages |= {id_: (text,) for id_, text in texts.items()}
            passages[argument.id] = (conclusion, premises)
    return {part: passages[name] for part, both in names.items() for name in both if name in passages}


def table_text(
    kind: ItemKind,
    pool: Pool,
    topics: Mapping[str, Topic],
    passages: Mapping[tuple[str, str], Passage],
    dimensions: Sequence[str],
) -> str:
    """The content of ``pairs.tsv`` and so on: an item a row with its texts, and empty columns for its grades."""
    rows = []
    for name, item in pool.items():
        texts = [text for id_ in parts_of(item.pair) for text in passages[item.topic, id_]][-len(TEXTS[kind]) :]
        cells = (name, clean(topics[item.topic].title), *texts, *("" for _ in dimensions))
        rows.append([f" {cell}" if is_formula(cell) else cell for cell in cells])
    return _table(["item", "topic", *TEXTS[kind], *dimensions], rows)


def key_text(pool: Pool, kind: ItemKind = "pair") -> str:
    """The content of ``key.tsv``."""
    for word in (word for item in pool.values() for word in (item.topic, item.pair) if is_formula(word)):
        raise InputError(quote(word), "would be a formula in a spreadsheet", "rename it")
    rows = [(name, item.topic, item.pair, "yes" if item.anchor else "no") for name, item in pool.items()]
    return _table(["item", "topic", kind, "anchor"], rows)


def write_pool(folder: Path, files: Mapping[str, str]) -> None:
    """Write the files, all or none. Raises InputError where another pool or a filled table would be lost."""
    for name, text in files.items():
        path = folder / name
        if path.exists() and path.read_bytes() != text.encode():
            raise InputError(path, "another pool is there, or grades are in it", "name another directory")
    write_all({folder / name: text for name, text in files.items()})


def read_key(path: Path) -> tuple[Pool, ItemKind]:
    """The items of a pool by name, and their kind. Raises InputError."""
    head, *rows = (line.split("\t") for line in read_lines(path))
    kind = next((kind for kind in ALL_KINDS if head == ["item", "topic", kind, "anchor"]), None)
    if not kind:
        raise InputError(path, "is not the key of a pool", f"name the {KEY} that riposte pool wrote")
    pairs = []
    for number, words in enumerate(rows, 1):
        if len(words) != len(head) or words[3] not in ("yes", "no"):
            what = f"is not `{' '.join(head)}` of {kind} {number}"
            raise InputError(f"{path} line {number + 1}", what, f"leave {KEY} as riposte pool wrote it")
        pairs.append(PooledPair(words[1], words[2], words[3] == "yes"))
    pool = named(pairs)
    if [*pool] != [words[0] for words in rows] or not pool:
        raise InputError(path, f"is not a whole key of {kind}s", f"leave {KEY} as riposte pool wrote it")
    return pool, kind


def read_items(folder: Path) -> tuple[ItemKind, list[Item]]:
    """The kind of a pool's items, and the items with their texts. Raises InputError."""
    pool, kind = read_key(folder / KEY)
    table, head = folder / f"{kind}s.tsv", ["item", "topic", *TEXTS[kind]]
    rows = [line.split("\t")[: len(head)] for line in read_lines(table)]
    if rows[:1] != [head] or [row[0] for row in rows[1:]] != [*pool] or any(len(row) < len(head) for row in rows):
        raise InputError(table, f"does not belong to {folder / KEY}", "leave the texts as riposte pool wrote them")
    items = []
    for item, (_, question, *texts) in zip(pool.values(), rows[1:], strict=True):
        shown = dict(zip(TEXTS[kind], map(str.strip, texts), strict=True))
        items.append(Item(item.topic, item.pair, question.strip(), shown))
    return kind, items


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    return "".join("\t".join(row) + "\n" for row in (head, *rows))
