"""Figures of runs for people and programs: what commands print and write of them in the same way."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ltr.evaluation.judgments import MEAN, QRELS, path_text

if TYPE_CHECKING:  # numpy is slow to import, and --help should not wait for it
    from ltr.evaluation.evaluator import Evaluation

RANDOM = "random"


def set_title(name: str) -> str:
    """What a set of judgments is called above its figures."""
    return "mean of the dimensions" if name == MEAN else name


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """A line a row, columns under each other."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]


# ---- JSON -----------------------------------------------------------------------------------------


def described(args: Namespace, level: str) -> dict[str, Any]:
    """What was measured with, as plain data."""
    return {
        "qrels": [path_text(path) for path in args.qrels],
        "pair_qrels": _by_dimension(args.pair_qrels),
        "argument_qrels": _by_dimension(args.argument_qrels),
        "level": level,
        "level_guessed": bool(args.qrels) and args.level is None,
        "strict_order": args.strict_order,
        "k": args.k,
        "seed": args.seed,
    }


def _by_dimension(entries: Iterable[tuple[str, Path]]) -> dict[str, list[str]]:
    files: dict[str, list[str]] = {}
    for dimension, path in entries:
        files.setdefault(dimension, []).append(path_text(path))
    return files


def as_json(name: str, found: Mapping[str, Evaluation]) -> dict[str, Any]:
    """A run's figures as plain data: those of ``--qrels``, and those of each dimension."""
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


def notes(found: Sequence[tuple[str, Mapping[str, Evaluation]]], args: Namespace) -> list[str]:
    """What a reader must know beside the figures, a line each."""
    from ltr.evaluation.rankings import RANDOM_ORDERS

    name, figures = found[0]
    first = figures.get(QRELS) or next(iter(figures.values()))  # the level is the same in all runs
    order = ""
    if first.level == "pair":
        order = ", in the judged order only" if first.strict_order else ", in either order"
    guessed = ", guessed from the ids of the qrels" if QRELS in figures and args.level is None else ""
    return [
        f"Level: {first.level}{order}{guessed}.",
        "[low, high]: 95% t interval over topics.",
        f"{RANDOM}: mean over {RANDOM_ORDERS} random orders of what {name} ranks, seed {args.seed}.",
        *_all_counts(found),
    ]


def _all_counts(found: Sequence[tuple[str, Mapping[str, Evaluation]]]) -> list[str]:
    """A line a run and set of judgments, or a line for all of them where the counts are the same."""
    by_set: dict[str, dict[str, str]] = {}
    for run, figures in found:
        for name, evaluation in figures.items():
            if name != MEAN:
                by_set.setdefault(name, {})[run] = "; ".join(_counts(evaluation))
    same = {name: len(lines) > 1 and len(set(lines.values())) == 1 for name, lines in by_set.items()}
    merged = {
        name: {"every run": next(iter(lines.values()))} if same[name] else lines for name, lines in by_set.items()
    }
    named = {name: f", {name}" if len(merged) > 1 else "" for name in merged}
    return [f"{run}{named[name]}: {line}." for name, lines in merged.items() for run, line in lines.items()]


def _counts(evaluation: Evaluation) -> list[str]:
    found = evaluation.coverage
    words = [
        _number(len(found.judged), "judged topic"),
        f"{len(found.missing)} missing from the run (scored 0)",
        f"{len(found.without_relevant)} without a relevant id (scored 0 in nDCG)",
        f"{_number(len(found.unjudged), 'topic')} of the run without judgments (left out)",
    ]
    if found.outside_lab_mean:
        lab = f"lab_nDCG@{evaluation.k}"
        words.append(
            f"{len(found.outside_lab_mean)} with nothing judged in the first {evaluation.k} (left out of {lab})"
        )
    if found.repeated:
        words.append(f"{_number(found.repeated, 'repeated result')} (only the first place counts)")
    return words


def _number(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
