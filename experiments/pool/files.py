"""Files of a pool: the pairs for the grader, and the key, which the grader does not get.

``pairs.tsv`` holds ``number, topic, first, second`` (texts only) and ``key.tsv`` ``number, topic, pair, anchor``.
Both have a header line and no quoting: each text is one line without tabs. A text that a spreadsheet would read as a
formula begins with a blank.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from experiments.figures import write_all
from experiments.html_page import html_page
from experiments.pool.rubric import HOW, RUBRIC
from experiments.pool.selection import PooledPair
from ltr.corpora.base import Corpus
from ltr.data.columns import quote
from ltr.data.ids import argument_of
from ltr.data.topics import Topic
from ltr.errors import InputError
from ltr.escapes import clean, is_formula
from models.base import DIMENSIONS

KEY = "key.tsv"
_KEY_HEAD = ("number", "topic", "pair", "anchor")
_ANCHOR = {"yes": True, "no": False}


class ShownPair(NamedTuple):
    """The part of a pair that a grader sees."""

    number: int
    topic: str
    first: str
    second: str


def read_texts(corpus: Corpus, wanted: set[str]) -> dict[str, str]:
    """Texts of the ``wanted`` sentence ids that the corpus holds, in one line each; one pass over it."""
    arguments = {argument_of(id_) for id_ in wanted}
    texts: dict[str, str] = {}
    for argument in corpus:
        if argument.id in arguments:
            texts |= {id_: clean(text) for id_, text in argument.sentences if id_ in wanted}
    return texts


def shown_pairs(pairs: Sequence[PooledPair], topics: Mapping[str, Topic], texts: Mapping[str, str]) -> list[ShownPair]:
    """The pairs as a grader sees them, numbered from 1."""
    return [
        ShownPair(number, clean(topics[item.topic].title), *(texts[id_] for id_ in item.pair.split(",")))
        for number, item in enumerate(pairs, 1)
    ]


def write_pool(folder: Path, files: Mapping[str, str]) -> None:
    """Write the files, all or none. Raises InputError where another pool lies, whose grades would be lost."""
    key = folder / KEY
    if key.exists() and key.read_bytes() != files[KEY].encode():
        raise InputError(key, "another pool is there, and its key would be lost", "name another directory")
    write_all({folder / name: text for name, text in files.items()})


def pairs_text(shown: Sequence[ShownPair]) -> str:
    """The content of ``pairs.tsv``."""
    cells = [(pair.number, *(f" {text}" if is_formula(text) else text for text in pair[1:])) for pair in shown]
    return _table(ShownPair._fields, cells)


def key_text(pairs: Sequence[PooledPair]) -> str:
    """The content of ``key.tsv``."""
    for name in (name for pair in pairs for name in (pair.topic, pair.pair) if is_formula(name)):
        raise InputError(quote(name), "would be a formula in a spreadsheet", "rename it")
    return _table(_KEY_HEAD, [(n, p.topic, p.pair, "yes" if p.anchor else "no") for n, p in enumerate(pairs, 1)])


def page_text(shown: Sequence[ShownPair], pool: str) -> str:
    """A page to grade in; grades are kept in the browser under the name of the ``pool``, so two pools never mix."""
    data = {"pool": pool, "dimensions": DIMENSIONS, "pairs": [pair._asdict() for pair in shown]}
    return html_page(
        "pool/grade.html", ["grade.css"], ["grade.js"], data, {"count": len(shown), "rubric": RUBRIC, "how": HOW}
    )


def pool_name(key: str) -> str:
    """Twelve hex digits that identify this pool; they reveal nothing in the key."""
    return hashlib.sha256(key.encode()).hexdigest()[:12]


def read_key(path: Path) -> tuple[dict[int, PooledPair], str]:
    """The pairs by number, and the name of the pool. Raises InputError."""
    text = read_text(path, f"name the {KEY} of the pool")
    lines = text.splitlines()
    if not lines or tuple(lines[0].split("\t")) != _KEY_HEAD:
        raise InputError(path, "is not the key of a pool", f"name the {KEY} that experiments.pool wrote")
    pairs: dict[int, PooledPair] = {}
    for number, line in enumerate(lines[1:], 1):
        words = line.split("\t")
        if len(words) != len(_KEY_HEAD) or words[0] != str(number) or words[3] not in _ANCHOR:
            what = f"is not `{' '.join(_KEY_HEAD)}` of pair {number}"
            raise InputError(f"{path} line {number + 1}", what, f"leave {KEY} as experiments.pool wrote it")
        pairs[number] = PooledPair(words[1], words[2], _ANCHOR[words[3]])
    if not pairs:
        raise InputError(path, "holds no pairs", f"name the {KEY} of the pool")
    return pairs, pool_name(text)


def read_text(path: Path, hint: str) -> str:
    """The text of a file from a grader. Raises InputError."""
    try:
        return path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not UTF-8"
        raise InputError(path, f"cannot be read ({reason.lower()})", hint) from None


def _table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    return "".join("\t".join(map(str, row)) + "\n" for row in (head, *rows))
