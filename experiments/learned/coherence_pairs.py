"""Pairs of sentences that stand together in an argument, false ones, and the sentences among which each is seen."""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_matrix

from experiments.learned.similar import linked, near_duplicates
from experiments.learned.tables import read_table
from features.core.statistics import IntArray
from features.core.tables import Context, unit_rows
from features.core.text import normalise
from ltr.corpora.base import Corpus
from ltr.errors import InputError
from ltr.index.reader import Index

PAIRS_PER_DEBATE = 60
"""True pairs of each kind; else a few long pages would be half of the data."""
POOL = 750
"""Sentences among which a pair is seen: about as many as a topic has candidates."""
TRAINING, TEST = -1, -2
"""Folds of the rows that are never hidden, and of those that are never seen."""
_REFERENCE = re.compile(r"https?:|www\.|accessed|^\W*\d+\W*\]|^\W*\d+\W*$|\bpp?\. ?\d|\bibid", re.IGNORECASE)


class Sentence(NamedTuple):
    """A sentence and where it stands."""

    text: str
    terms: tuple[str, ...]
    words: str
    """normalised text: equal for copies"""
    argument: int
    position: int
    """position among the argument's premises, -1 for the conclusion"""
    debate: int
    stance: str
    titled: bool
    """whether the conclusion of its argument is the title of the whole debate"""


class Match(NamedTuple):
    """A key point and an argument of ArgKP-2021 that match or not."""

    point: str
    argument: str
    topic: str
    matches: bool
    training: bool
    """False in the test split, whose topics the training does not have"""


class Pair(NamedTuple):
    """A first sentence with its true second one and false ones, as rows of the sentence table."""

    first: int
    second: int
    false: Mapping[str, int]
    debate: int


@dataclass(frozen=True)
class Rows:
    """Pairs of sentences laid out for learning, (n,) each."""

    first: IntArray
    second: IntArray
    true: IntArray
    """Row of the matching true pair, or its own."""
    against: Any
    """Why the pair is false; "" for a true one."""
    fold: IntArray
    debate: IntArray
    """The debate, or the key point: figures are means over these."""
    pool: IntArray
    """Rows of one pool are seen among the same sentences: those of their debate or topic, and of similar ones."""


def read_sentences(corpus: Corpus, index: Index) -> list[Sentence]:
    """The sentences with content: no references, no links, nothing without a content word."""
    found: list[Sentence] = []
    debates: dict[str, int] = {}
    for number, argument in enumerate(corpus):
        debate = debates.setdefault(argument.id.split("-")[0], len(debates))
        titled = normalise(argument.conclusion) == normalise(argument.title)
        for position, sentence in enumerate(argument.sentences):
            terms, words = index.analyzer.terms(sentence.text), normalise(sentence.text)
            if terms and words.count(" ") > 2 and not _REFERENCE.search(sentence.text):
                at = -1 if "__CONC__" in sentence.id else position
                where = (number, at, debate, argument.stance, titled)
                found.append(Sentence(sentence.text, tuple(terms), words, *where))
    return found


def read_matches(folder: Path) -> list[Match]:
    """The labelled pairs of ArgKP-2021. Raises InputError."""
    found = []
    for split in ("train", "dev", "test"):
        table = read_table(folder / f"arguments_{split}.csv", ("arg_id", "argument", "topic"))
        arguments = {name: (text, topic) for name, text, topic in table}
        points = dict(read_table(folder / f"key_points_{split}.csv", ("key_point_id", "key_point")))
        path = folder / f"labels_{split}.csv"
        for argument, point, label in read_table(path, ("arg_id", "key_point_id", "label")):
            if argument not in arguments or point not in points:
                raise InputError(path, f"{argument} or {point} is labelled but absent", "download the files again")
            found.append(Match(points[point], *arguments[argument], label == "1", split != "test"))
    return found


def linked_debates(sentences: Sequence[Sentence]) -> list[int]:
    """A number for each debate, equal where debates share a sentence or a near-duplicate of one."""
    holders: dict[frozenset[str], list[int]] = defaultdict(list)
    for sentence in sentences:
        holders[frozenset(sentence.terms)].append(sentence.debate)
    links = [(found[0], debate) for found in holders.values() for debate in found]
    links += [(holders[one][0], holders[other][0]) for one, other in near_duplicates(list(holders))]
    return linked(1 + max(sentence.debate for sentence in sentences), links)


def sample(sentences: Sequence[Sentence], draw: random.Random) -> list[Pair]:
    """True pairs with false ones that have the same first sentence.

    The false second sentence is the second of another true pair of the same kind, so that neither first nor second
    sentences alone give the label away. Two texts that stand in one argument anywhere are never a false pair. A
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
            for first, second in pairs[:PAIRS_PER_DEBATE]:
                own = sentences[first]
                fit = [
                    other
                    for _, other in draw.sample(pairs, min(len(pairs), PAIRS_PER_DEBATE))
                    if sentences[other].words not in held[own.argument]
                    and own.words not in held[sentences[other].argument]
                ]
                if not fit:
                    continue
                opposite = [row for row in fit if {own.stance, sentences[row].stance} == {"PRO", "CON"}]
                false = {name: draw.choice(rows) for name, rows in (("debate", fit), ("opposite", opposite)) if rows}
                elsewhere = draw.randrange(len(sentences))
                if sentences[elsewhere].debate != own.debate and sentences[elsewhere].position >= 0:
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
        premises = {sentences[row].position: row for row in rows if sentences[row].position >= 0}
        for position, row in premises.items():
            if position + 1 in premises:
                add(neighbours, row, premises[position + 1])
        for conclusion in (row for row in rows if sentences[row].position < 0 and not sentences[row].titled):
            for row in premises.values():
                add(conclusions, conclusion, row)
    return [list(neighbours.values()), list(conclusions.values())]


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
    """The rows of each pool, and the texts in it: those of the rows, of their debate and of similar debates.

    True and false pairs of a debate share its pool, which depends on neither arguments nor labels.
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
