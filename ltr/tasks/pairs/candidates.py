"""Topic to candidate pairs: the best arguments' sentences, paired inside arguments above all.

Two sentences of different arguments stand together only where both arguments take the same side of the same
conclusion: read as pairs, others are as a rule incoherent (a mean grade of .5 of 2, against 1.5 inside one argument).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, combinations, islice

import numpy as np

from ltr.data.ids import parts_of
from ltr.index.reader import Index
from ltr.retrieval.arguments import Premises, Search, rank_arguments, rank_premises
from ltr.retrieval.base import PAIR_LIMIT, CandidateConfig, Rows, item_rows

Pair = tuple[int, int]
"""Two sentence rows."""


def propose_pairs(search: Search) -> Rows:
    """The candidate pairs of a topic; none when nothing matches."""
    index, config, arguments = search.index, search.config, rank_arguments(search)
    if not arguments:
        return item_rows([], 2)
    limit = min(config.pairs, PAIR_LIMIT)
    premises = rank_premises(search, arguments)
    across = _cross_argument(index, premises, arguments, config.cross_argument_depth)
    within = dict.fromkeys(
        pair for argument in arguments for pair in within_argument(index, premises, argument, config)
    )
    # The tail gives way to pairs across arguments, which no single argument can offer.
    pairs = dict.fromkeys([*within][: max(limit - len(across), 0)] + across)
    if len(pairs) < config.min_pairs:  # more premises, then the rest of the corpus in corpus order
        seen = set(map(frozenset, pairs))
        more = chain(_within_all(search, arguments), combinations(range(index.sentences), 2))
        for pair in (pair for pair in more if frozenset(pair) not in seen):
            if len(pairs) >= config.min_pairs:
                break
            seen.add(frozenset(pair))
            pairs[pair] = None
    return item_rows(list(pairs)[:limit], 2)


def with_pairs(index: Index, candidates: Rows, pairs: Iterable[str]) -> Rows:
    """The candidates and those of ``pairs``, ids ``idA,idB``, that the corpus has, each pair once in either order."""
    if not (ids := [parts for parts in map(parts_of, pairs) if len(parts) == 2]):
        return candidates
    rows = index.find_sentences([id_ for pair in ids for id_ in pair])
    seen = set(map(frozenset, candidates.tolist()))
    new = []
    for pair in ((rows[one], rows[other]) for one, other in ids if one in rows and other in rows):
        if frozenset(pair) not in seen:
            seen.add(frozenset(pair))
            new.append(pair)
    return np.concatenate([candidates, item_rows(new, 2)])


def within_argument(index: Index, premises_of: Premises, argument: int, config: CandidateConfig) -> list[Pair]:
    """The pairs inside one argument, as sentence rows.

    Conclusion + premise, then premise + premise in reading order, then the best premises with their neighbours.

    A CON premise argues against its conclusion: the two contradict each other, so they are proposed only where
    the argument has nothing else to offer.
    """
    ranked = premises_of[argument]
    premises = sorted(ranked[: config.sentences_each])
    conclusion = int(index.column("conclusion_row")[argument])
    if index.stance(argument) == "CON" and len(premises) > 1:
        conclusion = -1
    pairs = [(conclusion, premise) for premise in premises] if conclusion >= 0 else []
    pairs += combinations(premises, 2)
    beside = {pair for row in ranked for pair in ((row, row + 1), (row - 1, row))}
    best, wordy = set(ranked[: config.neighbours]), set(ranked)
    pairs += sorted(pair for pair in beside if best & {*pair} and {*pair} <= wordy)
    return list(dict.fromkeys(pairs))


def _cross_argument(index: Index, premises: Premises, arguments: list[int], depth: int) -> list[Pair]:
    """Most telling premises of two arguments that take the same known side of the same conclusion.

    Those of the best ``depth`` arguments of a side with each other; further down, an argument of a lone CON premise,
    which its own conclusion contradicts, with the best one.
    """
    conclusions, same = index.column("conclusion_row"), index.column("canonical")
    sides: dict[tuple[int, str], list[int]] = {}
    for argument in arguments:
        row, stance = int(conclusions[argument]), index.stance(argument)
        if row >= 0 and stance and premises[argument]:
            sides.setdefault((int(same[row]), stance), []).append(argument)
    pairs: list[Pair] = []
    for (_, stance), members in sides.items():
        best = [premises[argument][0] for argument in members]
        pairs += combinations(best[:depth], 2)
        alone = [len(premises[argument]) == 1 for argument in members]
        pairs += [
            (best[0], best[other])
            for other in range(max(depth, 1), len(best))
            if stance == "CON" and (alone[other] or (alone[0] and other == 1))
        ]
    return pairs


def _within_all(search: Search, arguments: list[int]) -> Iterator[Pair]:
    """The pairs inside each argument of the corpus: of these ``arguments`` first, of the others in corpus order."""
    everything = CandidateConfig(sentences_each=1_000)
    chosen = set(arguments)
    in_order = chain(arguments, (row for row in range(search.index.arguments) if row not in chosen))
    while block := list(islice(in_order, 100)):
        premises = rank_premises(search, block)
        for argument in block:
            yield from within_argument(search.index, premises, argument, everything)
