"""Figures of runs as the commands print them and write them as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from ltr.evaluation.evaluator import LAB, MEAN, QRELS, Evaluation, Settings
from ltr.evaluation.rankings import RANDOM_ORDERS

RANDOM = "random"
"""What programs see random orders called; people see which run was shuffled, see `random_title`."""
ENOUGH_JUDGED = 0.5
DOUBTFUL = "(?)"
DOUBTFUL_NOTE = f"{DOUBTFUL}: fewer than half of the first results are judged; such a condensed figure proves little."

Figures = Mapping[str, Mapping[str, Evaluation]]
"""Run -> set of judgments -> what was measured."""


def set_title(name: str) -> str:
    """What a set of judgments is called above its figures."""
    return "mean of the dimensions" if name == MEAN else name


def random_title(run: str) -> str:
    """What random orders of the results of ``run`` are called."""
    return f"random order of {run}"


def is_doubtful(measure: str, means: Mapping[str, float]) -> bool:
    """Whether this is a condensed figure of a run with few of its first results judged."""
    name, _, k = measure.partition("@")
    return name == "condensed_nDCG" and means.get(f"judged@{k}", 1.0) < ENOUGH_JUDGED


def figure_text(evaluation: Evaluation, measure: str, decimals: int) -> str:
    """``.5 [.4, .6]``, marked where it is doubtful."""
    mean, low, high = (f"{value:.{decimals}f}" for value in (evaluation.means[measure], *evaluation.intervals[measure]))
    return f"{mean} [{low}, {high}]" + f" {DOUBTFUL}" * is_doubtful(measure, evaluation.means)


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """A line a row, columns under each other."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]


def as_json(name: str, found: Mapping[str, Evaluation]) -> dict[str, Any]:
    """A run's figures as plain data: those without a dimension, and those of each dimension."""
    dimensions = {one: _figures(evaluation) for one, evaluation in found.items() if one != QRELS}
    own = _figures(found[QRELS]) if QRELS in found else {}
    return {"run": name, **own, **({"dimensions": dimensions} if dimensions else {})}


def _figures(evaluation: Evaluation) -> dict[str, Any]:
    measures = {}
    for measure, mean in evaluation.means.items():
        low, high = evaluation.intervals[measure]
        measures[measure] = {"mean": mean, "low": low, "high": high, "per_topic": evaluation.values[measure]}
    coverage = asdict(evaluation.coverage)
    counts = {key: len(found) if isinstance(found, tuple) else found for key, found in coverage.items()}
    topics = {key: found for key, found in coverage.items() if isinstance(found, tuple)}
    return {"measures": measures, "counts": counts, "topics": topics}


# ---- notes --------------------------------------------------------------------------------------


def notes(found: Figures, at_random: Mapping[str, Evaluation], settings: Settings, *, guessed: bool) -> list[str]:
    """Notes for the reader of the figures, a line each; ``guessed`` says that the level was read off the ids."""
    first = next(iter(at_random.values()))  # the level is the same in all runs
    order = ", in the judged order only" if first.strict_order else ", in either order"
    lines = [
        f"Level: {first.level}{order * (first.level == 'pair')}{', guessed from the ids of the qrels' * guessed}.",
        *short_notes(found, settings),
    ]
    every = [*found.values(), at_random]
    if any(is_doubtful(measure, one.means) for by_set in every for one in by_set.values() for measure in one.means):
        lines.append(DOUBTFUL_NOTE)
    return [*lines, *coverage_lines(found)]


def short_notes(found: Figures, settings: Settings) -> list[str]:
    """Explain the intervals and the random order."""
    return [
        "[low, high]: 95% t interval over topics.",
        f"{random_title(next(iter(found)))}: mean over {RANDOM_ORDERS} shuffles of its results, seed {settings.seed}.",
    ]


def coverage_lines(found: Figures) -> list[str]:
    """The number of judged topics per set of judgments, and what runs lack or have too much, without zeros."""
    by_set = {name: one for name, one in next(iter(found.values())).items() if name != MEAN}
    lines: dict[tuple[str, str], list[str]] = {}  # who it is about, and what -> sets of judgments
    for name, one in by_set.items():
        lines.setdefault(("", _judged(one)), []).append(name)
    about: dict[tuple[str, str], list[str]] = {}  # set, and what -> runs
    for run, figures in found.items():
        for name in by_set:
            if what := _exceptions(figures[name]):
                about.setdefault((name, what), []).append(run)
    for (name, what), runs in about.items():
        every = len(runs) == len(found) > 1
        for who in ["every run"] if every else runs:
            lines.setdefault((who, what), []).append(name)
    return [
        ", ".join(filter(None, [who, *(sets if len(sets) < len(by_set) else [])])) + f": {what}."
        if who or len(sets) < len(by_set)
        else f"{what}."
        for (who, what), sets in lines.items()
    ]


def _judged(evaluation: Evaluation) -> str:
    lacking = len(evaluation.coverage.without_relevant)
    words = f", {lacking} without a relevant id (scored 0 in nDCG)" if lacking else ""
    return _number(len(evaluation.coverage.judged), "judged topic") + words


def _exceptions(evaluation: Evaluation) -> str:
    found = evaluation.coverage
    lab = next((name for name in evaluation.means if name.startswith(LAB)), LAB)
    nothing_judged = f"with nothing judged in the first {lab.removeprefix(LAB)} (left out of {lab})"
    words = {
        f"{len(found.missing)} missing from the run (scored 0)": found.missing,
        f"{_number(len(found.unjudged), 'topic')} of the run without judgments (left out)": found.unjudged,
        f"{len(found.outside_lab_mean)} {nothing_judged}": found.outside_lab_mean,
        f"{_number(found.repeated, 'repeated result')} (only the first place counts)": found.repeated,
    }
    return "; ".join(text for text, some in words.items() if some)


def _number(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
