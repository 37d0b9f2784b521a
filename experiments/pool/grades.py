"""Grades in the tables that graders filled, to qrels and votes."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from experiments.pool.files import GUIDES, Pool
from features.core.feature import KINDS, ItemKind
from ltr.data.columns import decode, quote, read_bytes
from ltr.data.ids import is_pair, pair_key
from ltr.data.qrels import Level, Qrels, read_pair_qrels, read_qrels
from ltr.errors import InputError
from ltr.learning.votes import RUBRIC
from models.base import DIMENSIONS

RESERVED = ("pairs", "arguments", "documents", "votes")
"""Names of files that no grader may have."""


def dimensions_to_grade(kind: ItemKind, wanted: Sequence[str]) -> tuple[str, ...]:
    """The ``wanted`` dimensions of such items, or all. Raises InputError."""
    known = tuple(GUIDES[kind].rubric)
    if odd := [name for name in wanted if name not in known]:
        raise InputError("--dimension", f"{kind}s are not graded in {odd[0]}", f"name {' or '.join(known)}")
    return tuple(name for name in known if name in (wanted or known))


def read_graded(
    kind: ItemKind, dimensions: Sequence[str], pairs: Sequence[tuple[str, Path]], whole: Mapping[str, Sequence[Path]]
) -> dict[str, Qrels]:
    """The earlier grades of such items by dimension, in files of ``pairs`` or of ``whole`` texts. Raises InputError."""
    of_pairs = KINDS[kind].parts > 1
    if any(whole.values()) if of_pairs else pairs:
        named, right = ("--pair-qrels", "--qrels")[:: -1 if of_pairs else 1]
        raise InputError(named, f"these are not grades of {kind}s", f"name them with {right}")
    graded = read_pair_qrels(pairs) if pairs else {name: read_qrels(*paths) for name, paths in whole.items() if paths}
    if not of_pairs and (odd := [name for name, qrels in graded.items() if qrels.level == "pair"]):
        raise InputError(whole[odd[0]][0], f"these are grades of pairs, not of {kind}s", "take --task pairs")
    return {name: qrels for name, qrels in graded.items() if name in dimensions}


def read_sheet(by: str, path: Path, pool: Pool, dimensions: Sequence[str] = DIMENSIONS) -> pd.DataFrame:
    """The grades in a pool's table, filled in: TSV, or CSV as a spreadsheet saves it.

    A row a grade, in the pool's order: ``by``, the name of the ``item``, ``dimension`` and ``grade``. The columns
    ``item`` and those of dimensions are read; an empty cell is not graded yet. Raises InputError for everything that is
    not a grade of an item of this pool.
    """
    if by in RESERVED:
        raise InputError(path, f"{quote(by)} cannot name a grader", "name it: --grades NAME=FILE")
    text = decode(path, read_bytes(path))
    first = text.partition("\n")[0]
    delimiter = next((sign for sign in "\t;" if sign in first), ",")
    dialect: dict[str, Any] = {"delimiter": delimiter} | ({"quoting": csv.QUOTE_NONE} if delimiter == "\t" else {})
    grades: dict[str, dict[str, int]] = {}
    try:
        rows = csv.DictReader(io.StringIO(text, newline=""), **dialect)
        asked = [name for name in dimensions if name in (rows.fieldnames or ())]
        if not asked or "item" not in (rows.fieldnames or ()):
            raise InputError(path, "has no columns item and " + " or ".join(dimensions), "fill in the pool's table")
        for row in rows:
            given = {name: (row[name] or "").strip() for name in asked}
            item, where = (row["item"] or "").strip(), f"{path} line {rows.line_num}"
            if item not in pool:
                raise InputError(where, f"item {quote(item)} is not in this pool", "name the key of its own pool")
            if item in grades:
                raise InputError(where, f"item {item} has an earlier line already", "keep one line")
            if wrong := [word for word in given.values() if word not in ("", "0", "1", "2")]:
                raise InputError(where, f"grade {quote(wrong[0])} of item {item} is not valid", "write 0, 1 or 2")
            grades[item] = {name: int(word) for name, word in given.items() if word}
    except csv.Error as error:
        raise InputError(path, f"is not a table ({error})", "save it as TSV or CSV") from None
    if not any(grades.values()):
        raise InputError(path, "holds no grades", "write 0, 1 or 2 into the columns of the dimensions")
    found = [(by, item, *grade) for item in pool for grade in grades.get(item, {}).items()]
    return pd.DataFrame(found, columns=["by", "item", "dimension", "grade"])


def check_complete(sheets: pd.DataFrame, pool: Pool) -> None:
    """Raise InputError unless every item has grades in every dimension that is graded."""
    means = sheets.pivot_table("grade", "item", "dimension").reindex([*pool])
    if missing := [*means.index[means.isna().any(axis="columns")]]:
        named = ", ".join(missing[:5]) + (", ..." if len(missing) > 5 else "")
        what = f"{len(missing)} of {len(pool)} items have no grades in {' and '.join(means.columns)}: {named}"
        raise InputError("the grades", what, "grade them")


def to_qrels(pool: Pool, sheets: pd.DataFrame) -> dict[str, Qrels]:
    """Mean grades of the new items by graded dimension, topics in the pool's order, items by id.

    Anchors keep their grades.
    """
    level: Level = "pair" if any(is_pair(item.pair) for item in pool.values()) else "argument"
    new = {name: item for name, item in pool.items() if not item.anchor}
    topics = {topic: place for place, topic in enumerate(dict.fromkeys(item.topic for item in new.values()))}
    order = sorted(new, key=lambda name: (topics[new[name].topic], pair_key(new[name].pair)))
    means = sheets.pivot_table("grade", "item", "dimension").reindex(order)
    qrels = {name: Qrels(level=level) for name in DIMENSIONS if name in means}
    for dimension, found in qrels.items():
        for name, grade in means[dimension].dropna().items():
            found.setdefault(new[str(name)].topic, {})[new[str(name)].pair] = grade
    return {name: found for name, found in qrels.items() if found}


def votes_of(pool: Pool, sheets: pd.DataFrame) -> dict[str, str]:
    """Dimension -> each grade with its grader, as JSON lines."""
    votes = dict.fromkeys(sheets["dimension"], "")
    for by, name, dimension, grade in sheets.itertuples(index=False):
        item = pool[name]
        votes[dimension] += vote_line(item.topic, item.pair, grade, {"by": by, "anchor": item.anchor})
    return votes


def vote_line(topic: str, id_: str, grade: int, more: Mapping[str, Any]) -> str:
    """A grade by our criteria as a JSON line for ``riposte train --votes``."""
    vote = {"topic": topic, "id": id_, "grade": grade, "scale": [*RUBRIC], **more}
    return json.dumps(vote, ensure_ascii=False) + "\n"
