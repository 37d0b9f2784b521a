"""Copies in a corpus, and its debates.

A *debate* is the arguments of one page under one *resolution*. In "Lower the voting age to 16", an argument for it says
"Voting at a lower age would increase participation", and other arguments of the page argue for or against that
sentence. Such an argument has a *parent*: the argument whose premises are its conclusion. The conclusion of its last
ancestor, its *root*, is the resolution of the debate, and the product of the stances on the way is its side toward the
resolution.

A page is named by the ids of its arguments, or else by their title. Where neither names one, arguments of the same
conclusion are a debate; arguments of a page without conclusions are one, too. Every other argument is alone.

Copies are counted across all parts of an index by 64-bit hashes. All keys of a column are in memory at once, with their
order and their counts: 100 million keys are 2.4 GB.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from features.core.folding import folded
from features.core.statistics import text_hash
from ltr.corpora.argument import Argument
from ltr.data.ids import page_of
from ltr.index.vocabulary import Array, mixed

NO_PARENT = -1
STANCES = ("", "PRO", "CON")
SIGNS = (0, 1, -1)
"""Signs of `STANCES`."""


def page_key(argument: Argument) -> int:
    """A hash of the page that an argument was taken from, by its id, else by its title; 0 where neither names one."""
    page = page_of(argument.id)
    page = folded(argument.title) if page == argument.id else page
    return text_hash(page) if page else 0


def find_parents(pages: Array, said: Array, claimed: Array, stances: Array) -> Array:
    """(n_arguments,) rows of the arguments' parents, or `NO_PARENT`; no row is its own ancestor.

    ``pages``, ``said`` and ``claimed`` are (n_arguments,) uint64: keys of the page, of the words of all premises and of
    the words of the conclusion, 0 where there are none. ``stances`` are 0 where the corpus has none. The parent has the
    same page, a stance, and says what the argument claims; of several, it is the first. Where one page has the same
    text for and against the same conclusion, neither is a parent. In a circle of parents, none has a parent.
    """
    texts, claims = _of_page(pages, said), _of_page(pages, claimed)
    rows = np.flatnonzero((texts != 0) & (claims != 0) & (texts != claims) & (stances != 0))
    rows = rows[~_contradicted(mixed(texts[rows]) ^ claims[rows], stances[rows])]
    parents = np.full(len(pages), NO_PARENT, np.int64)
    if len(rows):
        rows = rows[np.argsort(texts[rows], kind="stable")]  # stable: of equal texts, the first row comes first
        at = np.minimum(np.searchsorted(texts[rows], claims), len(rows) - 1)
        found = (texts[rows[at]] == claims) & (claims != 0)
        parents[found] = rows[at[found]]
        parents[in_circle(parents)] = NO_PARENT
    return parents


def find_roots(parents: Array, stances: Array) -> tuple[Array, Array]:
    """(n_arguments,) the last ancestor of each argument, and the product of the stances on the way, its own included.

    ``stances`` are positions in `STANCES`; the product is 1, -1, or 0 where one of them is unknown.
    """
    signs = np.array(SIGNS, np.int8)[stances]
    has_parent, roots = parents >= 0, np.arange(len(parents))
    roots, products = np.where(has_parent, parents, roots), np.where(has_parent, signs, np.int8(1))
    while ((above := roots[roots]) != roots).any():
        roots, products = above, products * products[roots]
    return roots, products * signs[roots]


def first_rows(keys: Array) -> Array:
    """(n,) the first row with the same key as each row; the row itself where the key is 0."""
    rows = np.arange(len(keys))
    named = np.flatnonzero(keys)
    _, first, same = np.unique(keys[named], return_index=True, return_inverse=True)
    rows[named] = named[first][same]
    return rows


def in_circle(parents: Array) -> Array:
    """(n,) whether each row is its own ancestor."""
    ancestors = np.append(parents, NO_PARENT)  # the ancestor of no parent is none
    steps = 1
    while steps < len(parents) and (ancestors >= 0).any():
        ancestors = ancestors[ancestors]
        steps *= 2
    circle = np.zeros(len(parents), bool)
    circle[ancestors[ancestors >= 0]] = True  # after so many steps, whoever still has an ancestor has one in a circle
    return circle


def _of_page(pages: Array, keys: Array) -> Array:
    return np.where((pages == 0) | (keys == 0), np.uint64(0), mixed(pages ^ mixed(keys)))


def _contradicted(statements: Array, stances: Array) -> Array:
    """(n,) whether the same statement comes with another stance."""
    _, same = np.unique(statements, return_inverse=True)
    kinds = [np.bincount(same, stances == stance) > 0 for stance in np.unique(stances)]
    return (np.sum(kinds, axis=0) > 1)[same] if kinds else np.zeros(0, bool)


def has_copies(parts: Sequence[Path]) -> bool:
    """Whether two arguments have the same id."""
    keys = _joined(parts, "sample_keys")
    return len(np.unique(keys)) < len(keys)


def shared_columns(parts: Sequence[Path], first_sentence: Sequence[int]) -> Iterator[tuple[str, Array]]:
    """The columns of the index whose values depend on all parts, one after the other, with their names."""
    inverse, counts = np.unique(_joined(parts, "near_key"), return_inverse=True, return_counts=True)[1:]
    yield "near_count", counts[inverse]
    first, inverse, counts = np.unique(
        _joined(parts, "exact_key"), return_index=True, return_inverse=True, return_counts=True
    )[1:]
    yield "canonical", first[inverse]
    conclusions = _joined(parts, "conclusion_row", first_sentence)
    claims = np.append(inverse, len(counts))[conclusions]  # -1, no conclusion, is the last
    sizes = np.bincount(claims, minlength=len(counts) + 1)
    sizes[-1] = 0
    yield "conclusion_count", sizes[claims]
    del first, inverse, counts, conclusions, claims, sizes
    pages, claimed = _joined(parts, "page_key"), _joined(parts, "claimed_key")
    stances = _joined(parts, "stance")
    parents = find_parents(pages, _joined(parts, "said_key"), claimed, stances)
    roots, sides = find_roots(parents, stances)
    yield "parent", parents
    yield "root", roots
    yield "side", np.where(claimed[roots] != 0, sides, 0)
    yield "page", first_rows(pages)
    subjects = np.where((pages == 0) & (claimed == 0), np.uint64(0), mixed(pages ^ mixed(claimed)))
    yield "debate", first_rows(subjects[roots])


def columns(parts: Sequence[Path], name: str, starts: Sequence[int] | None = None) -> Iterator[Array]:
    """A column, part by part; values that count from a part's beginning are shifted by where it starts."""
    for number, part in enumerate(parts):
        values = np.load(part / f"{name}.npy", mmap_mode="r")
        yield values if starts is None else np.where(values >= 0, values + starts[number], -1)


def _joined(parts: Sequence[Path], name: str, starts: Sequence[int] | None = None) -> Array:
    return np.concatenate(list(columns(parts, name, starts)))
