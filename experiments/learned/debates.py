"""Debates of a corpus as sentences, the debates that share one, and the matches of ArgKP-2021."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from experiments.learned.debate_data import read_table
from features.core.text import normalise
from ltr.corpora.base import Corpus
from ltr.errors import InputError
from ltr.index.reader import Index

FOLDS = 5
NEAR_DUPLICATE = 0.8
_REFERENCE = re.compile(r"https?:|www\.|accessed|^\W*\d+\W*\]|^\W*\d+\W*$|\bpp?\. ?\d|\bibid", re.IGNORECASE)


@dataclass(frozen=True)
class Sentence:
    """A sentence and where it stands."""

    text: str
    terms: tuple[str, ...]
    words: str
    """Normalised text: equal for copies."""
    argument: int
    place: int
    """Place among the argument's premises, -1 for the conclusion."""
    debate: int
    stance: str
    titled: bool
    """Is the conclusion of its argument the title of the whole debate."""


@dataclass(frozen=True)
class Match:
    """A key point and an argument of ArgKP-2021 that match or not."""

    point: str
    argument: str
    topic: str
    matches: bool
    training: bool
    """False in the test split, whose topics the training does not have."""


def read_sentences(corpus: Corpus, index: Index) -> list[Sentence]:
    """The sentences that say something: no references, no links, nothing without a content word."""
    found: list[Sentence] = []
    debates: dict[str, int] = {}
    for number, argument in enumerate(corpus):
        debate = debates.setdefault(argument.id.split("-")[0], len(debates))
        titled = normalise(argument.conclusion) == normalise(argument.title)
        for place, sentence in enumerate(argument.sentences):
            terms, words = index.analyzer.terms(sentence.text), normalise(sentence.text)
            if terms and words.count(" ") > 2 and not _REFERENCE.search(sentence.text):
                at = -1 if "__CONC__" in sentence.id else place
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
    one, other = np.array(links).T
    count = 1 + max(sentence.debate for sentence in sentences)
    graph = coo_matrix((np.ones(len(one)), (one, other)), shape=(count, count))
    return [int(label) for label in connected_components(graph, directed=False)[1]]


def near_duplicates(sets: Sequence[frozenset[str]]) -> Iterator[tuple[frozenset[str], frozenset[str]]]:
    """Pairs of term sets with a Jaccard similarity of `NEAR_DUPLICATE` or more.

    Two such sets share a term among the rarest fifth or so of each (prefix filter, Chaudhuri et al. 2006).
    """
    frequency = Counter(term for terms in sets for term in terms)
    shorter: dict[str, list[frozenset[str]]] = defaultdict(list)
    for _, terms in sorted((len(terms), sorted(terms)) for terms in sets):
        one = frozenset(terms)
        rarest = sorted(terms, key=lambda term: (frequency[term], term))
        prefix = rarest[: len(terms) - math.ceil(NEAR_DUPLICATE * len(terms)) + 1]
        for other in {other for term in prefix for other in shorter[term] if len(other) >= NEAR_DUPLICATE * len(one)}:
            if len(one & other) >= NEAR_DUPLICATE * len(one | other):
                yield one, other
        for term in prefix:
            shorter[term].append(one)
