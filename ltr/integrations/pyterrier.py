"""Riposte as a stage of a PyTerrier pipeline: topics in, ranked pairs or arguments out, and no Java.

`RiposteTransformer` speaks PyTerrier's data model with pandas alone. Where python-terrier is installed it is also a
``pyterrier.Transformer``, so ``>>``, ``%`` and ``pt.Experiment`` take it; importing that starts no JVM either.
"""

from __future__ import annotations

import importlib
from typing import Any

import pandas as pd

from ltr.evaluation.rankings import argument_ranking
from ltr.searcher import Searcher
from models.defaults import DIVERSIFY

try:
    _Base: Any = importlib.import_module("pyterrier").Transformer
except ImportError:
    _Base = object


class RiposteTransformer(_Base):  # type: ignore[misc]  # which base it is, is known at run time only
    """Queries to ranked pairs of sentences, or to whole arguments, as ``riposte predict`` ranks them.

    ``transform`` takes a DataFrame with ``qid`` and ``query`` and gives ``qid, query, docno, rank, score, stance``:
    ``docno`` is the pair ``first,second``, or the argument, ``rank`` counts from 0 and ``score`` falls strictly within
    a topic. With ``text`` it gives the column ``text`` too, which stages behind it read. A DataFrame that has the
    column ``docno`` is re-ranked: its items are ordered, none is added or left out, and its other columns stay.
    """

    def __init__(
        self, searcher: Searcher, *, depth: int = 1000, diversify: float = DIVERSIFY, text: bool = False
    ) -> None:
        self.searcher = searcher
        self.depth = depth
        self.diversify = diversify
        self.text = text

    def __repr__(self) -> str:
        return self.searcher.model.tag

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
            run = self.searcher.rank_items(
                {str(qid): part.tolist() for qid, part in given.groupby("qid")["docno"]}, topics
            )
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
