"""The head of a topic's list, ordered by a re-ranker, which reads texts.

The best items of the model's list are re-ranked, at most ``depth`` a topic. The re-ranker's scores get the mean and the
deviation that the model's scores have in this head, so that the penalty of diversity means the same. Nothing outside
the head passes it. Where the re-ranker has a digest, its scores are kept beside the index.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ltr.data.runs import DECIMALS
from ltr.progress import Progress
from ltr.ranking.candidates import Candidates
from ltr.ranking.final_list import TOP, ranked_rows
from ltr.text_models.kept import text_scores
from ltr.text_models.rerankers import Reranker
from models.base import Scores

DEPTH = 100
"""Items of a topic that are re-ranked."""

_ABOVE_ROUNDING = 1e-3


@dataclass(frozen=True)
class Reranking:
    """A re-ranker, and what it decides."""

    reranker: Reranker
    depth: int = DEPTH
    """Items of a topic that it scores."""

    @property
    def description(self) -> str:
        """Which re-ranker this is, in a line."""
        return f"best {self.depth} re-ranked by {self.reranker.name}"


@dataclass(frozen=True)
class TextReader:
    """The places of a re-ranker's texts and kept scores, and of progress."""

    text: Callable[[str], str]
    """Id of an item -> its text."""
    folder: Path
    """The folder of the index."""
    progress: Progress


def rescored(how: Reranking, reader: TextReader, table: Candidates, scores: Scores, diversify: float) -> Scores:
    """(n_rows,) scores with the head of every topic re-ranked.

    Raises InputError where the re-ranker fails.
    """
    heads, spans, ids = {}, table.spans, table.ids
    titles = {topic.number: topic.title for topic in table.asked}
    for topic, rows in spans.items():
        best = ranked_rows(table, rows, scores, depth=how.depth, diversify=diversify)
        heads[topic] = rows.start + np.array(best, np.int64)
    scores = scores.round(DECIMALS)  # as a run rounds them: what is equal there stays equal
    result = scores.copy()
    with reader.progress.stage("re-rank", unit="texts", total=sum(map(len, heads.values()))) as tick:
        for topic, head in heads.items():
            texts = [reader.text(id_) for id_ in ids[head]]
            read = text_scores(how.reranker, reader.folder, titles[topic], texts, tick)
            result[head] = on_scale_of(scores[head], read)
            # More than all penalties of diversity: nothing outside passes the head.
            others = np.setdiff1d(np.arange(spans[topic].start, spans[topic].stop), head)
            if len(head) and len(others):
                gap = diversify * TOP + _ABOVE_ROUNDING
                over = float(result[others].max() - result[head].min()) + gap
                result[others] -= max(0.0, round(over, DECIMALS))
    return result


def on_scale_of(own: Scores, read: Scores) -> Scores:
    """(n_items,) the scores of a re-ranker, with the mean and the deviation of the model's ``own``.

    >>> on_scale_of(np.array([5.0, 3.0, 1.0]), np.array([0.0, 0.0, 9.0])).round(3).tolist()
    [1.845, 1.845, 5.309]
    """
    centred = read / max(float(np.abs(read).max(initial=0)), 1e-300)  # or the squares would overflow
    centred = centred - centred.mean()
    spread, spread_of_own = float(centred.std()), float(own.std())
    standardised = centred / spread if spread > 1e-12 else np.zeros(len(read))
    return np.asarray(own.mean() + (spread_of_own if spread_of_own > 1e-9 else 1.0) * standardised)
