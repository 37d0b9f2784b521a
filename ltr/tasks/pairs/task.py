"""Pairs of sentences (Touché 2022, Task 1)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pandas as pd

from features.core.sides import FOR_AND_AGAINST, Side
from features.core.tables import Context
from features.pair.similarity import near_duplicate_clusters
from ltr.data.ids import join_parts
from ltr.ranking.candidates import item_frame
from ltr.ranking.task import TableRows, Task, register
from ltr.retrieval.arguments import Search, rank_premises
from ltr.retrieval.base import CandidateConfig, Rows
from ltr.sample import TRAIN_PAIR_QRELS, Sample
from ltr.tasks.pairs.candidates import propose_pairs, with_pairs, within_argument
from models.base import DIMENSIONS
from models.blend import WEIGHTS


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
    min_items = 100  # the lab's task asks for as many
    sides = FOR_AND_AGAINST
    parts_of_arguments = True
    sample = Sample(pair_qrels=TRAIN_PAIR_QRELS)

    def propose(self, search: Search) -> Rows:
        """Pairs inside the best arguments, and a few across arguments that agree."""
        return propose_pairs(search)

    def add(self, search: Search, rows: Rows, ids: Sequence[str]) -> Rows:
        """Also these pairs, ``idA,idB``."""
        return with_pairs(search.index, rows, ids)

    def items_of(self, search: Search, arguments: Sequence[int]) -> list[str]:
        """The pairs inside each, and those of any two that are one sentence each."""
        index, premises = search.index, rank_premises(search, arguments) if arguments else {}
        pairs = [pair for row in arguments for pair in within_argument(index, premises, row, search.config)]
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


register(Pairs())
