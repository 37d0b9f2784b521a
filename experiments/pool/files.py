"""Files of a pool: the units for the grader, and the key, which the grader does not get.

docs/pool.md lists their columns. Both have a header line and no quoting: each text is one line without tabs. A text
that a spreadsheet would read as a formula begins with a blank.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

from experiments.figures import write_all
from experiments.html_page import html_page
from experiments.pool.rubric import GUIDES, dimensions_of
from experiments.pool.selection import PooledPair, text_id
from features.core.feature import Unit
from ltr.corpora.argument import Argument
from ltr.corpora.base import Corpus
from ltr.data.columns import quote
from ltr.data.ids import argument_of, is_conclusion
from ltr.data.topics import Topic
from ltr.errors import InputError
from ltr.escapes import clean, is_formula
from models.base import DIMENSIONS

Row = dict[str, Any]
"""What a grader sees of a unit, by column."""
Passage = Mapping[str, str]
"""Parts of a text: ``text``, with ``before`` and ``after`` (a sentence) or ``conclusion`` (an argument)."""


KEY = "key.tsv"
UNITS: tuple[Unit, ...] = get_args(Unit)
TEXTS: Mapping[Unit, tuple[str, ...]] = {
    "pair": ("first", "second"),
    "argument": ("conclusion", "text"),
    "document": ("text",),
}
"""Columns with the texts of a unit."""
CONTEXT = ("before", "after")
"""Ends of the columns with the sentences beside one, ``first_before`` and so on."""
SUGGESTED = "suggested_"
"""Begin of the columns with suggested grades."""
_ANCHOR = {"yes": True, "no": False}


def read_passages(corpus: Corpus, wanted: set[str]) -> dict[str, Passage]:
    """The sentences, arguments and documents of the ``wanted`` ids that the corpus holds; one pass over it."""
    arguments = {argument_of(id_) for id_ in wanted}
    passages: dict[str, Passage] = {}
    for argument in corpus:
        if argument.id in arguments:
            passages |= {id_: passage for id_, passage in _passages(argument) if id_ in wanted}
    return passages


def _passages(argument: Argument) -> list[tuple[str, Passage]]:
    """The argument and its sentences by id; a premise with the premises beside it. Each text is one line."""
    texts = {id_: clean(text) for id_, text in argument.sentences}
    premises = [id_ for id_ in texts if not is_conclusion(id_)]
    said = ["", *(texts[id_] for id_ in premises), ""]
    beside = {id_: (said[at], said[at + 2]) for at, id_ in enumerate(premises)}
    conclusion = " ".join(text for id_, text in texts.items() if id_ not in beside)
    whole = {"conclusion": conclusion, "text": " ".join(said[1:-1])}
    sides = {id_: dict(zip(CONTEXT, beside.get(id_, ("", "")), strict=True)) for id_ in texts}
    return [(argument.id, whole), *((id_, {"text": text} | sides[id_]) for id_, text in texts.items())]


def shown_rows(
    unit: Unit,
    pairs: Sequence[PooledPair],
    topics: Mapping[str, Topic],
    passages: Mapping[str, Passage],
    *,
    context: bool = False,
) -> list[Row]:
    """The units as a grader sees them, numbered from 1: ``number``, ``topic``, `TEXTS`, and suggested grades if any.

    With ``context`` each sentence of a pair stands between the premises beside it.
    """
    suggested = sorted({name for item in pairs for name in item.suggested}, key=DIMENSIONS.index)
    rows: list[Row] = []
    for number, item in enumerate(pairs, 1):
        ids = item.pair.split(",")
        parts = [passages[text_id(passages, item.topic, id_) or id_] for id_ in ids]
        row: Row = {"number": number, "topic": clean(topics[item.topic].title)}
        for name, part in zip(TEXTS[unit], parts if unit == "pair" else parts * len(TEXTS[unit]), strict=True):
            text = part["text" if unit == "pair" else name]
            before, after = ({f"{name}_{side}": part[side]} if context else {} for side in CONTEXT)
            row |= before | {name: text} | after
        rows.append(row | {SUGGESTED + name: item.suggested.get(name, "") for name in suggested})
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
    suggested = sorted({name for item in pairs for name in item.suggested}, key=DIMENSIONS.index)
    cells = [
        (n, p.topic, p.pair, "yes" if p.anchor else "no", *(p.suggested.get(name, "") for name in suggested))
        for n, p in enumerate(pairs, 1)
    ]
    return _table([*_key_head(unit), *(SUGGESTED + name for name in suggested)], cells)


def page_text(rows: Sequence[Row], pool: str, unit: Unit = "pair", dimensions: Sequence[str] = ()) -> str:
    """A page to grade in, in all dimensions of the unit or some.

    Grades are kept in the browser under the name of the ``pool`` and its dimensions, so two pools never mix.
    """
    guide = GUIDES[unit]
    rubric = {name: guide.rubric[name] for name in dimensions or guide.rubric}
    data = {"pool": pool, "dimensions": [*rubric], "texts": TEXTS[unit], "units": rows}
    names = {
        "count": len(rows),
        "unit": unit,
        "plural": guide.plural,
        "texts": TEXTS[unit],
        "context": any(key.endswith(CONTEXT) for key in rows[0]),
        "suggested": any(key.startswith(SUGGESTED) for key in rows[0]),
        "rubric": rubric,
        "how": guide.how,
    }
    return html_page("pool/grade.html", ["grade.css"], ["grade.js"], data, names)


def pool_name(key: str) -> str:
    """Twelve hex digits that identify this pool; they reveal nothing in the key."""
    return hashlib.sha256(key.encode()).hexdigest()[:12]


def read_key(path: Path) -> tuple[dict[int, PooledPair], str]:
    """The pairs by number, and the name of the pool. Raises InputError, also for a pool of other units."""
    pairs, name, unit = read_pool(path)
    if unit != "pair":
        raise InputError(path, f"is the key of a pool of {unit}s", "name the key of a pool of pairs")
    return pairs, name


def read_pool(path: Path) -> tuple[dict[int, PooledPair], str, Unit]:
    """The units by number, the name of the pool, and what its units are. Raises InputError."""
    text = read_text(path, f"name the {KEY} of the pool")
    lines = text.splitlines()
    head = tuple(lines[0].split("\t")) if lines else ()
    known = {_key_head(unit): unit for unit in UNITS}
    names = [name.removeprefix(SUGGESTED) for name in head[4:]]
    sound = all(map(str.startswith, head[4:], [SUGGESTED] * len(names))) and len({*names}) == len(names)
    unit = known.get(head[:4])
    if not unit or not sound or not {*names} <= {*dimensions_of(unit)}:
        raise InputError(path, "is not the key of a pool", f"name the {KEY} that experiments.pool wrote")
    pairs: dict[int, PooledPair] = {}
    for number, line in enumerate(lines[1:], 1):
        words = line.split("\t")
        known_words = len(words) == len(head) and words[3] in _ANCHOR and {*words[4:]} <= {"", "0", "1", "2"}
        if not known_words or words[0] != str(number):
            what = f"is not `{' '.join(head)}` of {unit} {number}"
            raise InputError(f"{path} line {number + 1}", what, f"leave {KEY} as experiments.pool wrote it")
        suggested = {name: int(word) for name, word in zip(names, words[4:], strict=True) if word}
        pairs[number] = PooledPair(words[1], words[2], _ANCHOR[words[3]], suggested)
    if not pairs:
        raise InputError(path, f"holds no {unit}s", f"name the {KEY} of the pool")
    return pairs, pool_name(text), unit


def _key_head(unit: Unit) -> tuple[str, ...]:
    return ("number", "topic", unit, "anchor")


def read_text(path: Path, hint: str) -> str:
    """The text of a file from a grader. Raises InputError."""
    try:
        return path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not UTF-8"
        raise InputError(path, f"cannot be read ({reason.lower()})", hint) from None


def _table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    return "".join("\t".join(map(str, row)) + "\n" for row in (head, *rows))
