"""Common to tasks that rank whole arguments, or documents, which are arguments without conclusions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from features.core.sides import Side
from features.core.statistics import term_hash
from features.core.tables import Context
from features.pair.similarity import near_duplicate_clusters
from ltr.ranking.candidates import item_frame
from ltr.ranking.task import TableRows, Task
from ltr.retrieval.arguments import Search, rank_arguments, rank_premises
from ltr.retrieval.base import Rows, item_rows


class WholeItems(Task):
    """An item is a row of the index: an argument with all of its sentences."""

    def propose(self, search: Search) -> Rows:
        """The arguments that the first stage ranks highest."""
        return item_rows([[row] for row in rank_arguments(search)], 1)

    def add(self, search: Search, rows: Rows, ids: Sequence[str]) -> Rows:
        """Also the arguments of these ids."""
        seen = set(rows[:, 0].tolist())
        known = search.index.argument_rows(sorted({*ids}))
        new = [[known[id_]] for id_ in ids if id_ in known and known[id_] not in seen]
        return np.concatenate([rows, item_rows(new, 1)])

    def items_of(self, search: Search, arguments: Sequence[int]) -> list[str]:
        """They themselves."""
        return list(map(search.index.argument_id, arguments))

    def tables(self, search: Search, rows: Rows) -> TableRows:
        """The arguments with their conclusions and their most telling premises."""
        arguments = np.unique(rows)
        ranked = rank_premises(search, arguments.tolist())
        conclusions = search.index.column("conclusion_row")[arguments]
        premises = [row for those in ranked.values() for row in those[: search.config.sentences_each]]
        sentences = np.unique(np.concatenate([conclusions[conclusions >= 0], np.array(premises, np.int64)]))
        return TableRows(sentences.astype(np.int64), arguments, item_rows([], 2))

    def frame(self, search: Search, context: Context, rows: Rows) -> pd.DataFrame:
        """In the order of the table, as features are. Arguments are near-duplicates when their words are."""
        table = context.arguments
        texts = np.array([term_hash(" ".join(sorted(set(terms)))) for terms in table.terms], np.uint64)
        clusters = near_duplicate_clusters(context.argument_counts, texts)
        return item_frame([(table.id, clusters, texts)], [side or Side.NONE for side in table.stance])
