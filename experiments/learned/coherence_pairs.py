"""Pairs of sentences that stand together in an argument, false ones, and the sentences among which each is seen."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix

from experiments.learned.debates import Match, Sentence
from features.core.statistics import IntArray
from features.core.tables import Context, unit_rows

PAIRS_A_DEBATE = 60
"""True pairs of each kind; else a few long pages would be half of the data."""
POOL = 750
"""Sentences among which a pair is looked at: about as many as a topic has candidates."""
TRAINING, TEST = -1, -2
"""Folds of the rows that are never hidden, and of those that are never seen."""


@dataclass(frozen=True)
class Pair:
    """A first sentence with its true second one and false ones, as rows of the sentence table."""

    first: int
    second: int
    false: Mapping[str, int]
    debate: int


def sample(sentences: Sequence[Sentence], draw: random.Random) -> list[Pair]:
    """True pairs with false ones that have the same first sentence.

    The false second sentence is the second of another true pair of the same kind, so neither first nor second
    sentences tell on their own. Two texts that stand in one argument anywhere are never a false pair. A
    conclusion that is the title of the debate goes with everything in it, and is left out.
    """
    arguments: dict[int, list[int]] = defaultdict(list)
    debates: dict[int, dict[int, None]] = defaultdict(dict)
    for row, sentence in enumerate(sentences):
        arguments[sentence.argument].append(row)
        debates[sentence.debate][sentence.argument] = None
    held = {number: {sentences[row].words for row in rows} for number, rows in arguments.items()}
    found: list[Pair] = []
    for members in debates.values():
        for pairs in _true_pairs([arguments[number] for number in members], sentences):
            draw.shuffle(pairs)
            for first, second in pairs[:PAIRS_A_DEBATE]:
                own = sentences[first]
                fit = [
                    other
                    for _, other in draw.sample(pairs, min(len(pairs), PAIRS_A_DEBATE))
                    if sentences[other].words not in held[own.argument]
                    and own.words not in held[sentences[other].argument]
                ]
                if not fit:
                    continue
                opposite = [row for row in fit if {own.stance, sentences[row].stance} == {"PRO", "CON"}]
                false = {name: draw.choice(rows) for name, rows in (("debate", fit), ("opposite", opposite)) if rows}
                elsewhere = draw.randrange(len(sentences))
                if sentences[elsewhere].debate != own.debate and sentences[elsewhere].place >= 0:
                    false["elsewhere"] = elsewhere
                found.append(Pair(first, second, false, own.debate))
    return found


def _true_pairs(arguments: Sequence[Sequence[int]], sentences: Sequence[Sentence]) -> list[list[tuple[int, int]]]:
    """Neighbours of a debate, and its conclusions with premises; each pair of texts once."""
    neighbours: dict[frozenset[str], tuple[int, int]] = {}
    conclusions: dict[frozenset[str], tuple[int, int]] = {}

    def add(found: dict[frozenset[str], tuple[int, int]], first: int, second: int) -> None:
        texts = frozenset((sentences[first].words, sentences[second].words))
        if len(texts) == 2:
            found.setdefault(texts, (first, second))

    for rows in arguments:
        premises = {sentences[row].place: row for row in rows if sentences[row].place >= 0}
        for place, row in premises.items():
            if place + 1 in premises:
                add(neighbours, row, premises[place + 1])
        for conclusion in (row for row in rows if sentences[row].place < 0 and not sentences[row].titled):
            for row in premises.values():
                add(conclusions, conclusion, row)
    return [list(neighbours.values()), list(conclusions.values())]


@dataclass(frozen=True)
class Rows:
    """Pairs of sentences laid out for learning, (n,) each."""

    first: IntArray
    second: IntArray
    true: IntArray
    """Place of the true pair that this one is set against, or its own."""
    against: Any
    """Why the pair is false; "" for a true one."""
    fold: IntArray
    debate: IntArray
    """What is drawn as a whole when figures are resampled: the debate, or the key point."""
    pool: IntArray
    """Rows of one pool are looked at among the same sentences: those of their debate or topic, and of similar ones."""


def lay_out(
    sentences: Sequence[Sentence], pairs: Sequence[Pair], fold: Mapping[int, int], matches: Sequence[Match]
) -> tuple[Rows, list[str]]:
    """A row for each true and each false pair, and the texts that the rows number."""
    table: list[tuple[Any, ...]] = []
    for pair in pairs:
        true, where = len(table), (fold[pair.debate], pair.debate, pair.debate)
        table.append((pair.first, pair.second, true, "", *where))
        table += [(pair.first, other, true, name, *where) for name, other in pair.false.items()]
    texts = [sentence.text for sentence in sentences]
    place: dict[str, int] = {}
    pools: dict[str, int] = {}
    for match in matches:
        first, second = (place.setdefault(text, len(sentences) + len(place)) for text in (match.point, match.argument))
        pool = len(sentences) + pools.setdefault(match.topic, len(pools))
        where = (TRAINING if match.training else TEST, first, pool)
        table.append((first, second, len(table), "" if match.matches else "no match", *where))
    return Rows(*(np.array(column) for column in zip(*table, strict=True))), texts + list(place)


def pools(sentences: Sequence[Sentence], context: Context, rows: Rows) -> Iterator[tuple[IntArray, IntArray]]:
    """The rows of each pool, and the texts that it holds: those of the rows, of their debate and of similar debates.

    True and false pairs of a debate share its pool, which knows neither arguments nor labels.
    """
    debate = np.array([sentence.debate for sentence in sentences])
    gather = csr_matrix((np.ones(len(debate)), (debate, np.arange(len(debate)))))
    profiles = unit_rows(gather @ context.tfidf[: len(debate)])
    members = np.split(np.argsort(debate, kind="stable"), np.cumsum(np.bincount(debate))[:-1])
    order = np.argsort(rows.pool, kind="stable")
    numbers, starts = np.unique(rows.pool[order], return_index=True)
    for number, here in zip(numbers.tolist(), np.split(order, starts[1:]), strict=True):
        held = [rows.first[here], rows.second[here]]
        if number < len(members):
            like = np.asarray((profiles @ profiles[number].T).todense()).ravel()
            like[number] = 2
            nearest = np.argsort(-like, kind="stable")
            total = np.cumsum([len(members[other]) for other in nearest])
            held += [members[other] for other in nearest[: 1 + np.searchsorted(total, POOL)]]
        yield here, np.unique(np.concatenate(held))
