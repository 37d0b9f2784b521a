"""Figures of runs as the commands print them and write them as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from ltr.evaluation.evaluator import DOUBTFUL, DOUBTFUL_NOTE, LAB, MEAN, QRELS, Evaluation, Settings
from ltr.evaluation.rankings import RANDOM_ORDERS

RANDOM = "random"
"""What programs see random orders called; people see which run was shuffled, see `random_title`."""

Figures = Mapping[str, Mapping[str, Evaluation]]
"""Run -> set of judgments -> what was measured."""


def set_title(name: str) -> str:
    """What a set of judgments is called above its figures."""
    return "mean of the dimensions" if name == MEAN else name


def random_title(run: str) -> str:
    """What random orders of the results of ``run`` are called."""
    return f"random order of {run}"


def figure_text(evaluation: Evaluation, measure: str, decimals: int) -> str:
    """``.5 [.4, .6]``, marked where it is doubtful."""
    mean, low, high = (f"{value:.{decimals}f}" for value in (evaluation.means[measure], *evaluation.intervals[measure]))
    return f"{mean} [{low}, {high}]" + f" {DOUBTFUL}" * (measure in evaluation.doubtful)


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """A line a row, columns under each other."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]


def as_json(run: str, by_set: Mapping[str, Evaluation]) -> dict[str, Any]:
    """A run's figures as plain data: those without a dimension, and those of each dimension."""
    dimensions = {name: _figures(evaluation) for name, evaluation in by_set.items()}
    without = dimensions.pop(QRELS, {})
    return {"run": run, **without, **({"dimensions": dimensions} if dimensions else {})}


def _figures(evaluation: Evaluation) -> dict[str, Any]:
    measures = {}
    for measure, mean in evaluation.means.items():
        low, high = evaluation.intervals[measure]
        measures[measure] = {"mean": mean, "low": low, "high": high, "per_topic": evaluation.values[measure]}
    coverage = asdict(evaluation.coverage)
    topics = {key: value for key, value in coverage.items() if isinstance(value, tuple)}
    counts = coverage | {key: len(value) for key, value in topics.items()}
    return {"measures": measures, "counts": counts, "topics": topics}


# ---- notes --------------------------------------------------------------------------------------


def notes(figures: Figures, at_random: Mapping[str, Evaluation], settings: Settings, *, guessed: bool) -> list[str]:
    """Notes for the reader of the figures, a line each; ``guessed`` says that the level was read off the ids."""
    first = next(iter(at_random.values()))  # the level is the same in all runs
    order = ", in the judged order only" if first.strict_order else ", in either order"
    lines = [
        f"Level: {first.level}{order * (first.level == 'pair')}{', guessed from the ids of the qrels' * guessed}.",
        *short_notes(figures, settings),
    ]
    every = [*figures.values(), at_random]
    if any(evaluation.doubtful for by_set in every for evaluation in by_set.values()):
        lines.append(DOUBTFUL_NOTE)
    return [*lines, *coverage_lines(figures)]


def short_notes(figures: Figures, settings: Settings) -> list[str]:
    """Explain the intervals and the random order."""
    shuffled = f"mean over {RANDOM_ORDERS} shuffles of its results, seed {settings.seed}."
    return ["[low, high]: 95% t interval over topics.", f"{random_title(next(iter(figures)))}: {shuffled}"]


def coverage_lines(figures: Figures) -> list[str]:
    """The number of judged topics per set of judgments, and what runs lack or have too much, without zeros."""
    sets = [name for name in next(iter(figures.values())) if name != MEAN]
    remarks = [("", _judged(by_set[name]), name) for by_set in list(figures.values())[:1] for name in sets]
    for name in sets:
        exceptions = {run: _exceptions(by_set[name]) for run, by_set in figures.items()}
        alike = len(exceptions) > 1 and len(set(exceptions.values())) == 1
        shown = {"every run": next(iter(exceptions.values()))} if alike else exceptions
        remarks += [(run, what, name) for run, what in shown.items() if what]
    lines: dict[tuple[str, str], list[str]] = {}  # run and remark -> the sets of judgments that it is true for
    for run, what, name in remarks:
        lines.setdefault((run, what), []).append(name)
    texts = []
    for (run, what), names in lines.items():
        subject = ", ".join(filter(None, [run, *(names if len(names) < len(sets) else [])]))
        texts.append(f"{subject}: {what}." if subject else f"{what}.")
    return texts


def _judged(evaluation: Evaluation) -> str:
    lacking = len(evaluation.coverage.without_relevant)
    words = f", {lacking} without a relevant id (scored 0 in nDCG)" if lacking else ""
    return _number(len(evaluation.coverage.judged), "judged topic") + words


def _exceptions(evaluation: Evaluation) -> str:
    coverage = evaluation.coverage
    lab = next((name for name in evaluation.means if name.startswith(LAB)), LAB)
    nothing_judged = f"with nothing judged in the first {lab.removeprefix(LAB)} (left out of {lab})"
    words = {
        f"{len(coverage.missing)} missing from the run (scored 0)": coverage.missing,
        f"{_number(len(coverage.unjudged), 'topic')} of the run without judgments (left out)": coverage.unjudged,
        f"{len(coverage.outside_lab_mean)} {nothing_judged}": coverage.outside_lab_mean,
        f"{_number(coverage.repeated, 'repeated result')} (only the first place counts)": coverage.repeated,
    }
    return "; ".join(text for text, affected in words.items() if affected)


def _number(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
