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
from ltr.data.frames import check_columns, frame_ids, frame_numbers, frame_texts
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
        check_columns(topics, ("qid", "query"), "topics")
        named = _named(topics, "topics").assign(query=frame_texts(topics, "query", "topics"))
        given = None
        if "docno" not in topics:
            run = self.searcher.rank(named, depth=self.depth, diversify=self.diversify)
        else:
            items = _named(topics, "topics", "docno")
            given = topics.assign(**items.set_axis(topics.index))
            named = named.drop_duplicates()
            run = self.searcher.rank_items(_ids(items), named)
        ranked = pd.DataFrame(run.drop(columns="name"))
        ranked.insert(1, "query", ranked["qid"].map(dict(named.to_numpy().tolist())).astype(str))
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
        check_columns(ranked, ("qid", "query", "docno"), "items")
        if not len(ranked):  # as PyTerrier asks which columns there will be
            return ranked.assign(features=pd.Series(dtype=object))
        named = _named(ranked, "items", "docno")
        topics = named[["qid"]].assign(query=frame_texts(ranked, "query", "items")).drop_duplicates()
        items = _ids(named)
        table = self.searcher.describe(self.searcher.propose(topics, include=items), columns=self.columns)
        rows = rows_of_items(table, items, self.searcher.corpus.name)
        values = table[self.columns].to_numpy(np.float32)
        described = {
            (topic, id_): values[row] for topic in items for id_, row in zip(items[topic], rows[topic], strict=True)
        }
        features = [described[key] for key in zip(named["qid"], named["docno"], strict=True)]
        return ranked.assign(features=pd.Series(features, ranked.index, dtype=object))


def _named(frame: pd.DataFrame, where: str, *names: str) -> pd.DataFrame:
    """The columns ``qid`` and ``names`` as text, with rows from 0. Raises InputError."""
    return pd.DataFrame({name: frame_ids(frame, name, where) for name in ("qid", *names)}, dtype=str)


def _ids(named: pd.DataFrame) -> dict[str, list[str]]:
    """Topic -> its ids, in the order of the rows."""
    return {str(qid): part.tolist() for qid, part in named.groupby("qid", sort=False)["docno"]}


def to_arguments(results: pd.DataFrame) -> pd.DataFrame:
    """A ranking of pairs as one of arguments, in order of first appearance: what argument-level qrels can judge.

    ``docno`` becomes the argument's id, ``rank`` counts from 0, ``score`` is -``rank``. Without ranks the order is that
    of ``score``. Every topic stays, whether it has a ``query`` or not. With PyTerrier:
    ``transformer >> pt.apply.generic(to_arguments)``. Raises InputError for missing columns, for what is no id or no
    number, and for a topic with two queries; it names column and row.
    """
    order = "rank" if "rank" in results else "score"
    check_columns(results, ("qid", "docno", order), "results")
    place = np.array(frame_numbers(results, order, "results"), np.float64)
    named = _named(results, "results", "docno")
    rows = np.argsort(place if order == "rank" else -place, kind="stable")
    ids = _ids(named.iloc[rows])
    ranked = [
        (qid, id_, rank, float(-rank))
        for qid in named["qid"].unique()
        for rank, id_ in enumerate(argument_ranking(ids[qid]))
    ]
    types = {"qid": str, "docno": str, "rank": int, "score": float}
    arguments = pd.DataFrame(ranked, columns=list(types)).astype(types)
    if "query" in results:
        queries = dict[str, Any]()
        for label, qid, query in zip(results.index, named["qid"], results["query"], strict=True):
            if not pd.isna(query) and queries.setdefault(qid, query) != query:
                what = f"column query, row {label}: topic {qid} has another query before"
                raise InputError("results", what, "give each query a qid of its own")
        found = pd.Series(list(map(queries.get, arguments["qid"])), dtype=results["query"].dtype)
        arguments.insert(1, "query", found)
    return arguments
