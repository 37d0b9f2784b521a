"""Pairs of sentences (Touché 2022, Task 1): the best arguments' sentences, paired inside arguments above all.

Two sentences of different arguments stand together only where both arguments take the same side of the same
conclusion: read as pairs, others are as a rule incoherent (a mean grade of .5 of 2, against 1.5 inside one argument).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, combinations, islice

import numpy as np
import pandas as pd

from features.core.sides import FOR_AND_AGAINST, Side
from features.core.tables import Context
from features.pair.similarity import near_duplicate_clusters
from ltr.data.ids import join_parts, parts_of
from ltr.index.reader import Index
from ltr.ranking.candidates import item_frame
from ltr.ranking.task import TableRows, Task, register
from ltr.retrieval.arguments import Premises, Search, rank_arguments, rank_premises
from ltr.retrieval.base import PAIR_LIMIT, CandidateConfig, Rows, item_rows
from ltr.sample import TRAIN_PAIR_QRELS, Sample
from models.base import DIMENSIONS
from models.blend import WEIGHTS

Pair = tuple[int, int]
"""Two sentence rows."""


class Pairs(Task):
    """Two sentences that together are the gist of the arguments they come from."""

    name = "pairs"
    kind = "pair"
    looks_for = "Arguments in brief"
    dimensions = DIMENSIONS
    weights = WEIGHTS
    config = CandidateConfig()
    objective = "regression"  # as good as both in the first step, better in the second: docs/laboratory.md
    grades_alone = ("relevance",)  # votes and judgments of arguments made it worse on what people judged
    reading = 0.6  # chosen with the weights: docs/laboratory.md
    min_items = 100  # the lab's task asks for as many
    sides = FOR_AND_AGAINST
    parts_of_arguments = True
    sample = Sample(pair_qrels=TRAIN_PAIR_QRELS)

    def propose(self, search: Search) -> Rows:
        """Pairs inside the best arguments, and a few across arguments that agree; none when nothing matches."""
        index, config, arguments = search.index, search.config, rank_arguments(search)
        if not arguments:
            return item_rows([], 2)
        limit = min(config.pairs, PAIR_LIMIT)
        premises = rank_premises(search, arguments)
        across = _cross_argument(index, premises, arguments, config.cross_argument_depth)
        within = dict.fromkeys(
            pair for argument in arguments for pair in _within_argument(index, premises, argument, config)
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

    def add(self, search: Search, rows: Rows, ids: Sequence[str]) -> Rows:
        """Also these pairs, ``idA,idB``, that the corpus has, each once in either order."""
        if not (pairs := [parts for parts in map(parts_of, ids) if len(parts) == 2]):
            return rows
        row_of = search.index.find_sentences(list(chain.from_iterable(pairs)))
        seen = set(map(frozenset, rows.tolist()))
        new = []
        for pair in ((row_of[one], row_of[other]) for one, other in pairs if one in row_of and other in row_of):
            if frozenset(pair) not in seen:
                seen.add(frozenset(pair))
                new.append(pair)
        return np.concatenate([rows, item_rows(new, 2)])

    def items_of(self, search: Search, arguments: Sequence[int]) -> list[str]:
        """The pairs inside each, and those of any two that are one sentence each."""
        index, premises = search.index, rank_premises(search, arguments) if arguments else {}
        pairs = [pair for row in arguments for pair in _within_argument(index, premises, row, search.config)]
        alone = [premises[row][0] for row in arguments if len(index.sentence_rows(row)) == 1 and premises[row]]
        pairs += combinations(alone, 2)
        return [join_parts(map(index.sentence_id, pair)) for pair in pairs]

    def tables(self, search: Search, rows: Rows) -> TableRows:
        """The sentences of the pairs, and their arguments."""
        sentences = np.unique(rows)
        return TableRows(sentences, np.unique(search.index.argument_of(sentences)), rows)

    def frame(self, search: Search, context: Context, rows: Rows) -> pd.DataFrame:
        """A pair has a side when both of its arguments take the same."""
        texts = context.sentences.near_key
        clusters = near_duplicate_clusters(context.sentence_counts, context.sentences.exact_key)
        sides = np.array(context.arguments.stance, object)[context.sentences.argument]
        ids = np.array(search.index.sentence_ids(np.unique(rows)), object)
        first, second = context.pairs.first, context.pairs.second
        parts = [(ids[places].tolist(), clusters[places], texts[places]) for places in (first, second)]
        agreed = (sides[first] == sides[second]) & (sides[first] != "")
        return item_frame(parts, np.where(agreed, sides[first], Side.NONE).tolist())


def _within_argument(index: Index, premises_of: Premises, argument: int, config: CandidateConfig) -> list[Pair]:
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
            yield from _within_argument(search.index, premises, argument, everything)


register(Pairs())
