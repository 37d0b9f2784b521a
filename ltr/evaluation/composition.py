"""The composition of a run's first pairs, which a reader sees at once and no measure of grades shows."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping
from statistics import fmean

from ltr.data.ids import argument_of, is_conclusion, page_of, parts_of
from ltr.data.runs import RunRow
from ltr.evaluation.further import FURTHER, FurtherFigures
from ltr.evaluation.rankings import rankings
from ltr.evaluation.tables import Table

COMPOSITION = {
    "across_arguments": "pairs across arguments",
    "across_debates": "pairs across debates",
    "conclusion_premise": "conclusion + premise",
    "arguments": "arguments shown",
    "repeated_sentences": "repeated sentences",
}
"""The figures of :func:`composition`, with their titles."""


def composition(rows: Iterable[RunRow], k: int = 5, topics: Container[str] | None = None) -> dict[str, float]:
    """Means over ``topics`` (or all of the run) of the first ``k`` pairs; empty where the run ranks no pairs.

    Shares of the pairs that join two arguments, two debates, and a conclusion with a premise; the number of different
    arguments; and the share of the sentences shown that stand further up already.
    """
    ranked = {topic: [parts_of(pair) for pair in ids[:k]] for topic, ids in rankings(rows).items()}
    tops = [pairs for topic, pairs in ranked.items() if topics is None or topic in topics]
    if not tops or any(len(pair) != 2 for pairs in tops for pair in pairs):
        return {}
    shown = [[sentence for pair in pairs for sentence in pair] for pairs in tops]

    def share(kind: Callable[[str], object]) -> float:
        return fmean(fmean(kind(one) != kind(other) for one, other in pairs) for pairs in tops)

    return {
        "across_arguments": share(argument_of),
        "across_debates": share(page_of),
        "conclusion_premise": share(is_conclusion),
        "arguments": fmean(len(set(map(argument_of, sentences))) for sentences in shown),
        "repeated_sentences": fmean(1 - len(set(sentences)) / len(sentences) for sentences in shown),
    }


def _table(by_run: Mapping[str, Mapping[str, float]], k: int) -> Table:
    rows = [[run, *(f"{value:.2f}" for value in parts.values())] for run, parts in by_run.items()]
    return Table("what the runs show", [[f"first {k} of a topic", *COMPOSITION.values()], *rows])


FURTHER.add("composition", FurtherFigures(lambda rows, topics, k: composition(rows, k, topics), _table))
