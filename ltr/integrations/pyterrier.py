"""Riposte as a stage of a PyTerrier pipeline: topics in, ranked pairs or arguments out, and no Java.

`RiposteTransformer` and `RiposteFeatures` speak PyTerrier's data model with pandas alone. Where PyTerrier is installed
they are also ``pyterrier.Transformer``s, so ``>>``, ``%`` and ``pt.Experiment`` take them; importing that starts no JVM
either.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from features.core.feature import columns as feature_columns
from ltr.errors import InputError
from ltr.evaluation.rankings import argument_ranking
from ltr.ranking.final_list import rows_of_items
from ltr.searcher import Searcher
from models.defaults import DIVERSIFY

try:
    _Base: Any = importlib.import_module("pyterrier").Transformer
except ImportError:
    _Base = object


class _Stage(_Base):  # type: ignore[misc]  # which base it is, is known at run time only
    """Stages are equal that give the same, and survive pickling: the searcher opens its index again."""

    searcher: Searcher

    @property
    def _key(self) -> tuple[Any, ...]:
        settings = {name: value for name, value in vars(self).items() if name != "searcher"}
        return type(self).__name__, self.searcher.identity, repr(sorted(settings.items()))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Stage) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key[0])

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.searcher.task.name}, {self.searcher.description})"


class RiposteTransformer(_Stage):
    """Queries to ranked pairs of sentences, or to whole arguments, as ``riposte predict`` ranks them.

    ``transform`` takes a DataFrame with ``qid`` and ``query`` and gives ``qid, query, docno, rank, score, stance``:
    ``docno`` is the pair ``first,second``, or the argument, ``rank`` counts from 0 and ``score`` falls strictly within
    a topic. A DataFrame that has the column ``docno`` is re-ranked: its items are ordered, none is added or left out,
    and its other columns stay.

    Parameters
    ----------
    searcher : Searcher
        What ranks.
    depth : int
        Items per topic, at most.
    diversify : float
        Penalty, 0 to 1, for an item whose argument was already shown.
    text : bool
        Whether there is a column ``text`` too, which stages behind it read.
    """

    def __init__(
        self, searcher: Searcher, *, depth: int = 1000, diversify: float = DIVERSIFY, text: bool = False
    ) -> None:
        self.searcher, self.depth, self.diversify, self.text = searcher, depth, diversify, text

    def transform(self, topics: pd.DataFrame) -> pd.DataFrame:
        """Rank items for each query; one that shares no word with the corpus is warned of and has no rows.

        Without ``docno``, other columns of ``topics`` are left out. Raises InputError for missing columns, for rows
        that are not one query each, for a query without a qid, and for a ``docno`` that the corpus does not have.
        """
        given = topics if "docno" in topics and {"qid", "query"} <= {*topics.columns} else None
        if given is None:
            run = self.searcher.rank(topics, depth=self.depth, diversify=self.diversify)
        else:
            topics = given[["qid", "query"]].drop_duplicates()
            given = given.assign(**{name: given[name].map(str).astype(str) for name in ("qid", "docno")})
            items = {str(qid): part.tolist() for qid, part in given.groupby("qid")["docno"]}
            run = self.searcher.rank_items(items, topics)
        query = dict(zip(topics["qid"].map(str), topics["query"].map(str), strict=True))
        ranked = pd.DataFrame(run.drop(columns="name"))
        ranked.insert(1, "query", ranked["qid"].map(query).astype(str))
        ranked["rank"] -= 1
        if given is not None:
            others = [name for name in given if name not in ranked or name in ("qid", "docno")]
            ranked = ranked.merge(given[others], on=["qid", "docno"], how="left", validate="one_to_one")
        if self.text:
            ranked["text"] = [self.searcher.text(id_) for id_ in ranked["docno"]]
        return ranked


class RiposteFeatures(_Stage):
    """Adds the column ``features``, an array a row, to ranked items: for ``pyterrier.ltr.apply_learned_model``.

    Parameters
    ----------
    searcher : Searcher
        Its corpus has the items.
    columns : list of str, optional
        Feature columns, in order; by default all of the task but an encoder's.
    """

    def __init__(self, searcher: Searcher, columns: Sequence[str] | None = None) -> None:
        self.searcher = searcher
        self.columns = list(columns or feature_columns(searcher.task.kind))

    def transform(self, ranked: pd.DataFrame) -> pd.DataFrame:
        """The frame with (n_columns,) float32 ``features`` in each row.

        Raises InputError for missing columns, and for a ``docno`` that the corpus does not have.
        """
        if missing := {"qid", "query", "docno"} - {*ranked.columns}:
            raise InputError("items", f"the frame has no column {', '.join(sorted(missing))}", "rename its columns")
        if not len(ranked):  # as PyTerrier asks which columns there will be
            return ranked.assign(features=pd.Series(dtype=object))
        topics = ranked[["qid", "query"]].astype(str).drop_duplicates()
        items = {str(qid): part.astype(str).tolist() for qid, part in ranked.groupby("qid")["docno"]}
        table = self.searcher.describe(self.searcher.propose(topics, include=items), columns=self.columns)
        rows = rows_of_items(table, items, self.searcher.corpus.name)
        values = table[self.columns].to_numpy(np.float32)
        described = {
            (topic, id_): values[row] for topic in items for id_, row in zip(items[topic], rows[topic], strict=True)
        }
        keys = zip(ranked["qid"].astype(str), ranked["docno"].astype(str), strict=True)
        return ranked.assign(features=pd.Series([described[key] for key in keys], ranked.index, dtype=object))


def to_arguments(results: pd.DataFrame) -> pd.DataFrame:
    """A ranking of pairs as one of arguments, in order of first appearance: what argument-level qrels can judge.

    ``docno`` becomes the argument's id, ``rank`` counts from 0, ``score`` is -``rank``. With PyTerrier:
    ``transformer >> pt.apply.generic(to_arguments)``.
    """
    rows = []
    for (qid, query), part in results.sort_values("rank").groupby(["qid", "query"], sort=False):
        rows += [(qid, query, name, rank, float(-rank)) for rank, name in enumerate(argument_ranking(part["docno"]))]
    types = {"qid": str, "query": str, "docno": str, "rank": int, "score": float}
    return pd.DataFrame(rows, columns=list(types)).astype(types)
