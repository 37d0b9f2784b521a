"""Count copies and find debates across the parts of an index, in bounded memory, by workers of one machine or of many.

A part's worker sorts the part's keys (`sort_keys`). Equal keys of all parts lie in the same range of the 64-bit
numbers, so each range is a task of its own (`work_on_range`): it merges one slice of sorted keys per part. `in_rows`
puts the values of all ranges back into the order of rows. The ranges depend on the corpus alone.
"""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ltr.data.arrays import save_array
from ltr.data.files import remove
from ltr.index.debates import NO_PARENT, find_debates, find_parents

Array = np.ndarray[Any, Any]

ROWS = 1 << 23
"""Sentences per range. Their keys take some 300 MB while they are sorted."""

COLUMNS = {
    "near_count": "near",
    "canonical": "exact",
    "debate_size": "concluded",
    "parent": "page",
    "debate": "page",
}
"""Columns of the index whose values depend on all parts, and the keys that they are computed from."""


_MISSING = {"parent": NO_PARENT}
"""Values of rows without a key, where they are not 0; such an argument is a debate of its own."""


class Merge(NamedTuple):
    """The parts of an index, and where their rows begin in the whole."""

    parts: Sequence[Path]
    first_argument: Sequence[int]
    """(n_parts + 1,) the last one is the number of all arguments."""
    first_sentence: Sequence[int]
    """(n_parts + 1,)"""
    ranges: int
    """The number of ranges of keys."""

    def folder(self, number: int) -> Path:
        """What `work_on_range` writes for a range."""
        return self.parts[0].with_name(f"range-{number:04}")

    def starts(self, key: str) -> Sequence[int]:
        """The first row of each part, in the table that has the ``key``."""
        return self.first_sentence if key in ("near", "exact") else self.first_argument


# ---- in a part ------------------------------------------------------------------------------------


def sort_keys(folder: Path) -> None:
    """Write the keys of a finished part in ascending order, and the rows that have them."""
    near, exact, ids, pages = (
        np.load(folder / f"{name}.npy") for name in ("near_key", "exact_key", "sample_keys", "page_key")
    )
    conclusions = np.load(folder / "conclusion_row.npy")
    concluded, paged = np.flatnonzero(conclusions >= 0), np.flatnonzero(pages)
    for name, keys, rows in (
        ("near", near, np.arange(len(near))),
        ("exact", exact, np.arange(len(exact))),
        ("id", ids, np.arange(len(ids))),
        ("concluded", exact[conclusions[concluded]], concluded),
        ("page", pages[paged], paged),
    ):
        order = np.argsort(keys, kind="stable")  # equal keys in the order of rows
        save_array(folder / f"{name}_sorted.npy", keys[order])
        save_array(folder / f"{name}_rows.npy", rows[order].astype(np.uint32))


# ---- in a range of keys ---------------------------------------------------------------------------


def work_on_range(merge: Merge, number: int) -> tuple[dict[str, int], bool]:
    """Write the values of all `COLUMNS` for the keys in a range, in a folder beside the parts.

    The folder exists only once it is whole. Returns the largest value of each column, and whether two arguments have
    the same id.
    """
    partial = Path(tempfile.mkdtemp(prefix=".", dir=merge.parts[0].parent))
    most = {}

    def save(column: str, values: Array) -> None:
        (partial / column).write_bytes(values.data)
        most[column] = int(values.max(initial=0))

    try:
        save("near_count", _counts(_of_range(merge, "near", number)[0]))
        save("canonical", _first_rows(*_of_range(merge, "exact", number)))
        save("debate_size", _counts(_of_range(merge, "concluded", number)[0]))
        parents, debates = _debates(merge, *_of_range(merge, "page", number))
        save("parent", parents)
        save("debate", debates)
        try:
            os.rename(partial, merge.folder(number))
        except OSError as error:  # a cluster repeats the finished calls of a lost worker
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                raise
    finally:
        remove(partial)
    ids, _ = _of_range(merge, "id", number)
    return most, len(union([ids])) < len(ids)


def _bounds(keys: Array, ranges: int) -> Array:
    """(ranges + 1,) where each range begins in sorted keys, and where the last one ends."""
    inner = [(number << 64) // ranges for number in range(1, ranges)]
    return np.concatenate([[0], np.searchsorted(keys, np.array(inner, np.uint64)), [len(keys)]])


def _of_range(merge: Merge, key: str, number: int) -> tuple[Array, Array]:
    """The keys in a range and the rows that have them, part by part; those of each part in order of keys, then rows."""
    found: list[Array] = [np.zeros(0, np.uint64)]
    rows: list[Array] = [np.zeros(0, np.int64)]
    for part, start in zip(merge.parts, merge.starts(key), strict=False):
        keys = np.load(part / f"{key}_sorted.npy", mmap_mode="r")
        low, high = _bounds(keys, merge.ranges)[number : number + 2]
        found.append(keys[low:high])
        rows.append(np.load(part / f"{key}_rows.npy", mmap_mode="r")[low:high] + np.int64(start))
    return np.concatenate(found), np.concatenate(rows)


def _counts(keys: Array) -> Array:
    """(n,) int64 how often each key comes."""
    order, _, sizes = _groups(keys)
    counts = np.empty(len(keys), np.int64)
    counts[order] = np.repeat(sizes, sizes)
    return counts


def _first_rows(keys: Array, rows: Array) -> Array:
    """(n,) int64 the first of the rows that have the same key."""
    order, begins, sizes = _groups(keys)
    first = np.empty(len(keys), np.int64)
    first[order] = np.repeat(rows[order[begins]], sizes)
    return first


def union(tables: Sequence[Array]) -> Array:
    """The distinct keys of sorted tables, in order. `numpy.unique` hashes them, which takes five times as long."""
    keys = np.sort(np.concatenate(tables), kind="stable")
    return keys[np.concatenate([[True], keys[1:] != keys[:-1]])[: len(keys)]]


def _groups(keys: Array) -> tuple[Array, Array, Array]:
    """The order of keys, equal ones as they come; and where in it each distinct key begins, and how often it comes."""
    order = np.argsort(keys, kind="stable")  # fast: one ascending run per part
    keys = keys[order]
    begins = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]])[: len(keys)])
    return order, begins, np.diff(np.append(begins, len(keys)))


def _debates(merge: Merge, pages: Array, rows: Array) -> tuple[Array, Array]:
    """(n_rows,) twice: parents and debates of all arguments of some pages."""
    said, claimed, stances = (
        np.concatenate([np.zeros(0, kind), *_picked(merge, name, rows)])
        for name, kind in (("said_key", np.uint64), ("claimed_key", np.uint64), ("stance", np.int8))
    )
    order = np.argsort(rows)  # of several, the first row is the parent
    parents = find_parents(pages[order], said[order], claimed[order], stances[order])
    debates = find_debates(pages[order], claimed[order], parents)
    found = np.empty((2, len(rows)), np.int64)
    found[:, order] = np.where(parents < 0, NO_PARENT, rows[order][parents]), rows[order][debates]
    return found[0], found[1]


def _picked(merge: Merge, name: str, rows: Array) -> Iterator[Array]:
    """The values of a column of arguments in ``rows``, those of the first part first."""
    parts = np.searchsorted(merge.first_argument, rows, side="right") - 1
    ends = np.searchsorted(parts, np.arange(len(merge.parts)), side="right").tolist()
    for part, start, begin, end in zip(merge.parts, merge.first_argument, [0, *ends], ends, strict=False):
        yield np.load(part / f"{name}.npy", mmap_mode="r")[rows[begin:end] - start]


# ---- back in rows ---------------------------------------------------------------------------------


def in_rows(merge: Merge, column: str) -> Iterator[Array]:
    """The values of a column of the index, part by part, from those that `work_on_range` wrote."""
    key = COLUMNS[column]
    starts = merge.starts(key)
    read = [0] * merge.ranges
    for part, start, end in zip(merge.parts, starts, starts[1:], strict=False):
        sizes = np.diff(_bounds(np.load(part / f"{key}_sorted.npy", mmap_mode="r"), merge.ranges)).tolist()
        pieces = []
        for number, size in enumerate(sizes):
            pieces.append(np.fromfile(merge.folder(number) / column, np.int64, size, offset=8 * read[number]))
            read[number] += size
        values = np.arange(start, end) if column == "debate" else np.full(end - start, _MISSING.get(column, 0))
        values[np.load(part / f"{key}_rows.npy")] = np.concatenate(pieces)
        yield values
