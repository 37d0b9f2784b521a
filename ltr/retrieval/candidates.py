"""Topic to candidate pairs: BM25 proposes arguments and sentences, pairs are formed inside arguments above all.

Two sentences of different arguments stand together only where both arguments take the same side of the same
conclusion: read as pairs, others are as a rule incoherent (a mean grade of .5 of 2, against 1.5 inside one argument).

Deterministic and bounded: every cut is by score, then by id.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache as remembered
from itertools import chain, combinations, islice, pairwise
from typing import Any

import numpy as np

from features.query.lexical import bm25, dirichlet
from ltr.index.reader import Index
from ltr.index.vocabulary import Array, Vocabulary

Premises = Callable[[int], list[int]]

PAIR_LIMIT = 10_000
"""LightGBM refuses larger groups, and so do we."""


@dataclass(frozen=True)
class Settings:
    """How wide the first stage looks. The defaults are measured; see the README."""

    argument_depth: int = 500
    """Arguments by BM25 over whole arguments."""
    sentence_depth: int = 500
    """Sentences by BM25; their arguments join the pool."""
    conclusion_depth: int = 200
    """Arguments by BM25 over conclusions."""
    arguments: int = 120
    """Arguments of the pool that form pairs."""
    sentences_each: int = 7
    """Premises an argument that form pairs."""
    neighbours: int = 3
    """Most telling premises an argument that are also paired with the sentences before and after them."""
    across: int = 3
    """Best arguments of one side of one conclusion whose most telling premises are paired with each other."""
    pairs: int = 3_000
    """Pairs a topic."""
    least: int = 300
    """Pairs a topic whenever the corpus can give them: enough for 100 when near-duplicates are gone."""

    def as_dict(self) -> dict[str, int]:
        """For a model's manifest."""
        return asdict(self)


@dataclass(frozen=True)
class Candidates:
    """The candidate pairs of one topic, as sentence rows of the index."""

    first: np.ndarray[Any, Any]
    second: np.ndarray[Any, Any]
    arguments: list[int] = field(default_factory=list)
    """Argument rows, best first."""

    def __len__(self) -> int:
        return len(self.first)


class TermCache:
    """Index terms of arguments by row, analysed once a process as long as they fit."""

    def __init__(self, index: Index, size: int = 300_000) -> None:
        self._index = index
        self._size = size  # sentences
        self._forget()

    def _forget(self) -> None:
        self._held = 0
        self._vocabulary = Vocabulary(self._index.analyzer)
        self._numbers: dict[int, tuple[Array, Array]] = {}  # argument: its terms, and where each sentence's end
        self._terms: dict[int, list[list[str]]] = {}

    def sentences(self, argument: int) -> list[list[str]]:
        """Index terms of each sentence of the argument, in order."""
        if argument not in self._terms:
            self.hold([argument])
            flat, ends = self._numbers[argument]
            terms = self._vocabulary.strings(flat)
            self._terms[argument] = [terms[start:end] for start, end in pairwise([0, *ends.tolist()])]
        return self._terms[argument]

    def terms(self, row: int) -> list[str]:
        """Index terms of the sentence, in order."""
        argument = int(self._index.argument_of(row))
        return self.sentences(argument)[row - self._index.sentence_rows(argument).start]

    def counts(self, arguments: Sequence[int], query: Sequence[str]) -> tuple[Array, Array]:
        """(n_arguments, n_terms) frequencies of the query's terms, and (n_arguments,) lengths in terms."""
        self.hold(arguments)
        texts = [self._numbers[argument][0] for argument in arguments]
        lengths = np.array([len(text) for text in texts], np.int64)
        column = np.full(len(self._vocabulary), -1)
        for place, term in enumerate(query):
            if (number := self._vocabulary.number(term)) is not None:
                column[number] = place
        columns = column[np.concatenate([np.zeros(0, np.int64), *texts])]
        owner = np.repeat(np.arange(len(texts)), lengths)[columns >= 0]
        tf = np.zeros((len(texts), len(query)))
        np.add.at(tf, (owner, columns[columns >= 0]), 1)
        return tf, lengths

    def hold(self, arguments: Sequence[int]) -> None:
        """Analyse these arguments at once, unless they are there: much faster than one by one."""
        new = [argument for argument in arguments if argument not in self._numbers]
        if not new:
            return
        if self._held and self._held + sum(len(self._index.sentence_rows(argument)) for argument in new) > self._size:
            self._forget()
            new = list(arguments)
        texts = [self._index.texts(self._index.sentence_rows(argument)) for argument in new]
        found = self._vocabulary.read(list(chain.from_iterable(texts)))
        start = sentence = 0
        for argument, own in zip(new, texts, strict=True):
            ends = found.ends[sentence : sentence + len(own)]
            end = int(ends[-1]) if own else start
            self._numbers[argument] = found.flat[start:end], ends - start
            start, sentence = end, sentence + len(own)
        self._held += sentence


def propose(index: Index, query: Sequence[str], cache: TermCache, settings: Settings) -> Candidates:
    """The candidate pairs of a topic with the distinct index terms ``query``; none when nothing matches."""
    arguments = rank_arguments(index, query, cache, settings)
    if not arguments:
        return Candidates(np.zeros(0, np.int64), np.zeros(0, np.int64))
    limit = min(settings.pairs, PAIR_LIMIT)
    pairs: dict[tuple[int, int], None] = {}
    premises = _premises(index, query, cache)
    across = _across(index, premises, arguments, settings.across)
    for argument in arguments:
        for pair in _within(index, premises, argument, settings):
            pairs.setdefault(pair)
    # The tail gives way to pairs across arguments, which no single argument can offer.
    kept = list(pairs)[: max(limit - len(across), 0)]
    pairs = dict.fromkeys(kept + across)
    if len(pairs) < settings.least:
        _widen(index, premises, cache, arguments, pairs, settings.least)
    rows = np.array(list(pairs)[:limit], np.int64).reshape(-1, 2)
    return Candidates(rows[:, 0], rows[:, 1], arguments)


def with_pairs(index: Index, candidates: Candidates, pairs: Iterable[str]) -> Candidates:
    """The candidates and those of ``pairs``, ids ``idA,idB``, that the corpus has, each pair once in either order."""
    ids = [tuple(pair.split(",")) for pair in pairs]
    rows = index.find_sentences([id_ for pair in ids for id_ in pair])
    seen = {frozenset(pair) for pair in zip(candidates.first.tolist(), candidates.second.tolist(), strict=True)}
    new = []
    for pair in ((rows[one], rows[other]) for one, other in ids if one in rows and other in rows):
        if frozenset(pair) not in seen:
            seen.add(frozenset(pair))
            new.append(pair)
    more = np.array(new, np.int64).reshape(-1, 2)
    first, second = (np.concatenate([old, more[:, i]]) for i, old in enumerate((candidates.first, candidates.second)))
    return Candidates(first, second, candidates.arguments)


def rank_arguments(index: Index, query: Sequence[str], cache: TermCache, settings: Settings) -> list[int]:
    """Argument rows, best first: a BM25 pool, ordered by the mean reciprocal rank of DirichletLM and tuned BM25.

    The engine's k1 and b are fixed at 1.2 and .75, under which short arguments win; the pool is wide
    enough for that not to matter, and both scores that order it are computed from the statistics.
    """
    pool: set[int] = set(index.search("argument", query, settings.argument_depth)[0].tolist())
    pool |= set(index.search("conclusion", query, settings.conclusion_depth)[0].tolist())
    sentences = index.search("sentence", query, settings.sentence_depth)[0]
    pool |= set(index.argument_of(sentences).tolist())
    rows = sorted(pool, key=index.argument_id)
    if not rows:
        return []
    tf, length = cache.counts(rows, query)
    statistics = index.statistics
    unit = statistics.units["argument"]
    df, cf = (get("argument", query).astype(float) for get in (statistics.df, statistics.cf))
    scores = (
        dirichlet(tf, length, cf, unit.tokens, 2500),
        bm25(tf, length, df, unit.size, unit.mean_length, 4.0, 0.15),
    )
    fused = np.zeros(len(rows))
    for score in scores:
        order = np.lexsort((np.arange(len(rows)), -np.round(score, 9)))  # equal ones differ in their last bits
        rank = np.empty(len(rows))
        rank[order] = np.arange(len(rows))
        fused += 1 / (60 + rank)
    best = np.lexsort((np.arange(len(rows)), -fused))[: settings.arguments]
    return [rows[i] for i in best]


def within_argument(
    index: Index, argument: int, query: Sequence[str], cache: TermCache, settings: Settings
) -> Candidates:
    """The pairs inside one argument."""
    rows = np.array(_within(index, _premises(index, query, cache), argument, settings), np.int64).reshape(-1, 2)
    return Candidates(rows[:, 0], rows[:, 1], [argument])


def _premises(index: Index, query: Sequence[str], cache: TermCache) -> Premises:
    """What finds an argument's premises that hold a word, the most telling first: topic words, substance, order."""
    wanted = dict(zip(query, index.statistics.idf("sentence", query).tolist(), strict=True))
    numbers = index.column("number")

    @remembered
    def find(argument: int) -> list[int]:
        scored = []
        for row, terms in zip(index.sentence_rows(argument), cache.sentences(argument), strict=True):
            if numbers[row] < 0 or not terms:
                continue
            # In order of first appearance: a set of strings has another order, and another sum, in each process.
            match = sum(wanted[term] for term in dict.fromkeys(terms) if term in wanted)
            scored.append((-round(match + 4 * min(len(terms), 12) / 12, 9), row))
        return [row for _, row in sorted(scored)]

    return find


def _within(index: Index, premises_of: Premises, argument: int, settings: Settings) -> list[tuple[int, int]]:
    """Conclusion + premise, then premise + premise in reading order, then the best premises with their neighbours.

    A CON premise argues against its conclusion: the two contradict each other, so they are proposed only where
    the argument has nothing else to offer.
    """
    found = premises_of(argument)
    premises = sorted(found[: settings.sentences_each])
    conclusion = int(index.column("conclusion_row")[argument])
    if index.stance(argument) == "CON" and len(premises) > 1:
        conclusion = -1
    pairs = [(conclusion, premise) for premise in premises] if conclusion >= 0 else []
    pairs += combinations(premises, 2)
    beside = {pair for row in found for pair in ((row, row + 1), (row - 1, row))}
    best, wordy = set(found[: settings.neighbours]), set(found)
    pairs += sorted(pair for pair in beside if best & {*pair} and {*pair} <= wordy)
    return list(dict.fromkeys(pairs))


def _across(index: Index, premises_of: Premises, arguments: list[int], depth: int) -> list[tuple[int, int]]:
    """Most telling premises of two arguments that take the same known side of the same conclusion.

    Those of the best ``depth`` arguments of a side with each other; further down, an argument of a lone CON premise,
    which its own conclusion contradicts, with the best one.
    """
    conclusions, same = index.column("conclusion_row"), index.column("canonical")
    sides: dict[tuple[int, str], list[int]] = {}
    for argument in arguments:
        row, stance = int(conclusions[argument]), index.stance(argument)
        if row >= 0 and stance and premises_of(argument):
            sides.setdefault((int(same[row]), stance), []).append(argument)
    pairs: list[tuple[int, int]] = []
    for (_, stance), members in sides.items():
        best = [premises_of(argument)[0] for argument in members]
        pairs += combinations(best[:depth], 2)
        alone = [len(premises_of(argument)) == 1 for argument in members]
        pairs += [
            (best[0], best[other])
            for other in range(max(depth, 1), len(best))
            if stance == "CON" and (alone[other] or (alone[0] and other == 1))
        ]
    return pairs


def _widen(
    index: Index,
    premises_of: Premises,
    cache: TermCache,
    arguments: list[int],
    pairs: dict[tuple[int, int], None],
    least: int,
) -> None:
    """Fill up to ``least`` pairs: more premises, then the rest of the corpus in corpus order."""
    everything = Settings(sentences_each=1_000)
    seen = {frozenset(pair) for pair in pairs}
    chosen = set(arguments)
    in_order = chain(arguments, (row for row in range(index.arguments) if row not in chosen))
    while block := list(islice(in_order, 100)):
        cache.hold(block)
        for argument in block:
            for pair in _within(index, premises_of, argument, everything):
                if len(pairs) >= least:
                    return
                if frozenset(pair) not in seen:
                    seen.add(frozenset(pair))
                    pairs[pair] = None
    rows = range(index.sentences)
    for pair in combinations(rows, 2):
        if len(pairs) >= least:
            return
        if frozenset(pair) not in seen:
            pairs[pair] = None
