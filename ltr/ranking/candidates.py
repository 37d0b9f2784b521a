"""Candidates: the one table that goes from a topic to its run, and the only place that sorts and groups rows.

A row is an item that a task ranks: an argument, a document, or a pair of sentences. Steps add columns or cut rows:

=====================================================  ==================================================
``qid``, ``docno``, ``stance``; ``row_N``, ``key_N``,  propose: the item, and of its N-th part the row in
``text_N``; ``proposed``                               the index, a key that near-duplicates in the topic
                                                       share, and a hash that texts with the same set of
                                                       content words share
float32 columns                                        describe: the features
``head``, float32 columns that are NaN outside it      grade: the candidates that the second step orders
a column for each ranker of the blend, ``score``       grade
``rank``                                               list
=====================================================  ==================================================
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import pandas as pd

from features.core.feature import ItemKind
from ltr.data.ids import join_parts, pair_key, parts_of
from ltr.data.topics import Topic
from models.base import group_sizes, head_rows

TOPIC = "topic"
"""Name of the index of `Candidates.features`: each row keeps its topic."""


def item_frame(parts: Sequence[tuple[Sequence[str], Any, Any]], stance: Sequence[str]) -> pd.DataFrame:
    """The frame of items from the ids, near-duplicate keys and text hashes of each part, (n_items,) each."""
    columns: dict[str, Any] = {"docno": _strings(map(join_parts, zip(*(ids for ids, *_ in parts), strict=True)))}
    columns["stance"] = _strings(stance)
    for number, (_, keys, texts) in enumerate(parts, 1):
        columns[f"key_{number}"] = np.asarray(keys, np.int64)
        columns[f"text_{number}"] = np.asarray(texts, np.uint64)
    return pd.DataFrame(columns)


class Candidates(pd.DataFrame):
    """Items of one or several topics, sorted by topic and by the ids of their parts; see the module for its columns."""

    _metadata = ["asked", "kind", "origin"]  # noqa: RUF012 pandas reads a list
    asked: tuple[Topic, ...] = ()
    """The topics that were asked, also those without a row."""
    kind: ItemKind = "pair"
    """The kind of item."""
    origin: str = ""
    """The task and the corpus whose rows these are, `ltr.ranking.source.RankingSource.origin`."""

    @property
    def _constructor(self) -> type[Candidates]:
        return Candidates

    def __finalize__(self, other: Any, method: str | None = None, **how: Any) -> Self:
        """Keep the topics of all tables that pandas made this one of; without an origin where they have several."""
        made: Self = super().__finalize__(other, method, **how)  # type: ignore[misc]  # not in the stubs
        inputs = getattr(other, "input_objs", getattr(other, "objs", ()))  # of `pandas.concat`, from 3.0 and before
        joined = (one for one in inputs if isinstance(one, Candidates))
        if tables := [one for one in joined if one.asked]:  # pandas makes one without topics of a single column
            made.asked = tuple(dict.fromkeys(chain.from_iterable(one.asked for one in tables)))
            made.kind = tables[0].kind
            made.origin = tables[0].origin if len({one.origin for one in tables}) == 1 else ""
        return made

    @classmethod
    def of_topic(
        cls,
        topic: Topic,
        items: pd.DataFrame,
        rows: npt.NDArray[np.int64] | None = None,
        *,
        kind: ItemKind = "pair",
        origin: str = "",
        proposed: npt.NDArray[np.bool_] | None = None,
    ) -> Self:
        """The table of one topic from its `item_frame` and (n_items, n_parts) ``rows`` of the index, sorted here.

        ``proposed`` (n_items,): what the first stage found; other items are there to learn from. All by default.
        """
        added = {} if rows is None else {f"row_{number}": row for number, row in enumerate(rows.T, 1)}
        table = items.assign(proposed=True if proposed is None else proposed, **added)
        table.insert(0, "qid", pd.Series([topic.number] * len(items), table.index, object))
        order = np.lexsort(_parts(table["docno"]).T[::-1])
        made = cls(table.iloc[order].reset_index(drop=True))
        made.asked, made.kind, made.origin = (topic,), kind, origin
        return made

    @classmethod
    def concat(cls, tables: Iterable[Candidates], kind: ItemKind = "pair") -> Self:
        """The tables of several topics as one, by topic number. Raises ValueError for a topic in two tables."""
        every = sorted(tables, key=lambda table: topic_order(table.asked[0].number))
        asked = tuple(topic for table in every for topic in table.asked)
        if len({topic.number for topic in asked}) != len(asked):
            raise ValueError("a topic stands in two tables")
        filled = [table for table in every if len(table)] or every[:1]
        if any(list(table.columns) != list(filled[0].columns) for table in filled):
            raise ValueError("the tables have different columns")
        made = cls(pd.concat(filled, ignore_index=True) if filled else {"qid": [], "docno": [], "stance": []})
        made.asked = asked
        made.kind, made.origin = (filled[0].kind, filled[0].origin) if filled else (kind, "")
        return made

    @property
    def groups(self) -> npt.NDArray[np.int64]:
        """Rows of each topic, in order."""
        return group_sizes(self)

    @property
    def topics(self) -> list[str]:
        """Numbers of the topics that have rows."""
        sizes = self.groups
        return self["qid"].to_numpy()[np.cumsum(sizes) - sizes].tolist()

    @property
    def unmatched(self) -> list[str]:
        """Numbers of the topics that were asked and have no row."""
        known = set(self.topics)
        return [topic.number for topic in self.asked if topic.number not in known]

    @property
    def spans(self) -> dict[str, slice]:
        """Topic -> its rows."""
        ends = np.cumsum(self.groups).tolist()
        return dict(zip(self.topics, map(slice, [0, *ends[:-1]], ends), strict=True))

    @property
    def topic_of_row(self) -> npt.NDArray[np.int64]:
        """(n_rows,) position of each row's topic in ``topics``."""
        sizes = self.groups
        return np.repeat(np.arange(len(sizes)), sizes)

    def by_topic(self) -> Iterator[Candidates]:
        """The rows of each topic as a table of its own."""
        topics = {topic.number: topic for topic in self.asked}
        for number, rows in self.spans.items():
            part = self.iloc[rows]
            part.asked = (topics[number],)
            yield part

    @property
    def ids(self) -> npt.NDArray[Any]:
        """(n_rows,) ids of the items."""
        return self["docno"].to_numpy()

    @property
    def parts(self) -> npt.NDArray[Any]:
        """(n_rows, n_parts) ids of the items' parts."""
        return _parts(self["docno"])

    @property
    def index_rows(self) -> npt.NDArray[np.int64]:
        """(n_rows, n_parts) the items as rows of the index: of sentences for pairs, else of arguments."""
        return self._numbered("row_", slice(None))

    def near_keys(self, rows: slice | npt.NDArray[Any] = slice(None)) -> npt.NDArray[np.int64]:
        """(n_rows, n_parts) equal within a topic for near-duplicates."""
        return self._numbered("key_", rows)

    @property
    def text_keys(self) -> npt.NDArray[np.uint64]:
        """(n_rows, n_parts) equal anywhere for texts with the same set of content words."""
        return self._numbered("text_", slice(None))

    def _numbered(self, prefix: str, rows: slice | npt.NDArray[Any]) -> npt.NDArray[Any]:
        columns = [self[name].to_numpy()[rows] for name in self if str(name).startswith(prefix)]
        return np.column_stack(columns) if columns else np.empty((0, 1), object)

    @property
    def in_head(self) -> npt.NDArray[np.bool_]:
        """(n_rows,) rows that a second step orders; none where there is one step."""
        return head_rows(self)

    @property
    def feature_columns(self) -> list[str]:
        """The columns that `Searcher.describe` added."""
        return [str(name) for name, dtype in self.dtypes.items() if dtype == np.float32]

    @property
    def features(self) -> pd.DataFrame:
        """(n_rows, n_features) float32, with the topic of each row in the index, which is named ``topic``."""
        index = pd.Index(self["qid"].to_numpy(), dtype=object, name=TOPIC)
        return pd.DataFrame(self[self.feature_columns], copy=False).set_axis(index)

    def among(self, ids: Iterable[str]) -> npt.NDArray[np.bool_]:
        """(n_rows,) items with one of these ids; the two sentences of a pair in either order."""
        wanted = set(map(pair_key, ids))
        return np.array([bool(wanted) and pair_key(id_) in wanted for id_ in self.ids], bool)

    def with_columns(self, frame: pd.DataFrame) -> Candidates:
        """The table with the columns of a frame of as many rows, which replace those of the same names."""
        kept = self.drop(columns=[name for name in frame if name in self])
        return pd.concat([kept, frame.set_axis(self.index)], axis=1)  # type: ignore[return-value]


def topic_order(number: str) -> tuple[int, int, str]:
    """Topics by number where they are numbers, by name otherwise."""
    plain = number.isascii() and number.isdigit() and len(number) < 19
    return (0, int(number), number) if plain else (1, 0, number)


def _parts(ids: Iterable[str]) -> npt.NDArray[Any]:
    found = list(map(parts_of, ids))
    return np.array(found, object) if found else np.empty((0, 1), object)


def _strings(texts: Iterable[str]) -> pd.Series:
    return pd.Series(list(texts), dtype=object)
