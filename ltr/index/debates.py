"""Copies in a corpus, and the structure of debates: conclusions that are premises of another argument of the page.

In "Lower the voting age to 16", an argument for it says "Voting at a lower age would increase participation", and other
arguments argue for or against that sentence. Such an argument has a *parent*: the argument whose premises are its
conclusion. Its last ancestor argues about the debate's *resolution*, and the product of the stances on the way is its
stance on the resolution.

Copies are counted across all parts of an index by 64-bit hashes. All keys of a column are in memory at once, with their
order and their counts: 100 million keys are 2.4 GB.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from features.core.statistics import text_hash
from ltr.corpora.argument import Argument
from ltr.data.ids import debate_of
from ltr.index.vocabulary import Array, mixed

NO_PARENT = -1
STANCES = ("", "PRO", "CON")


def page_key(argument: Argument) -> int:
    """A hash of the page that an argument was taken from, by its id, else by its title; 0 where neither names one."""
    page = debate_of(argument.id)
    page = argument.title if page == argument.id else page
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


def find_debates(pages: Array, claimed: Array, parents: Array) -> Array:
    """(n_arguments,) the first row of each argument's debate: of the last ancestors with the same page and conclusion.

    Arguments without parent and conclusion, or without page, are debates of their own.
    """
    rows = np.arange(len(parents))
    ancestors = np.where(parents >= 0, parents, rows)
    while ((above := ancestors[ancestors]) != ancestors).any():
        ancestors = above
    roots = np.flatnonzero(parents < 0)
    roots = roots[(pages[roots] != 0) & (claimed[roots] != 0)]
    _, first, same = np.unique(_of_page(pages, claimed)[roots], return_index=True, return_inverse=True)
    rows[roots] = roots[first][same]
    return rows[ancestors]


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
    yield "debate_size", sizes[claims]
    del first, inverse, counts, conclusions, claims, sizes
    pages, claimed = _joined(parts, "page_key"), _joined(parts, "claimed_key")
    parents = find_parents(pages, _joined(parts, "said_key"), claimed, _joined(parts, "stance"))
    yield "parent", parents
    yield "debate", find_debates(pages, claimed, parents)


def columns(parts: Sequence[Path], name: str, starts: Sequence[int] | None = None) -> Iterator[Array]:
    """A column, part by part; values that count from a part's beginning are shifted by where it starts."""
    for number, part in enumerate(parts):
        values = np.load(part / f"{name}.npy", mmap_mode="r")
        yield values if starts is None else np.where(values >= 0, values + starts[number], -1)


def _joined(parts: Sequence[Path], name: str, starts: Sequence[int] | None = None) -> Array:
    return np.concatenate(list(columns(parts, name, starts)))
