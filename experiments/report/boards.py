"""The leaderboards of a report: a board for each file of judgments, and for each dimension of graded pairs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from experiments.output import INTERVAL
from ltr.data.qrels import Qrels, read_pair_qrels, read_qrels
from ltr.data.runs import RunRow, read_run
from ltr.data.topics import Topic
from ltr.errors import InputError
from ltr.evaluation.comparison import Plan, compare_sets
from ltr.evaluation.evaluator import Evaluation, Settings
from ltr.evaluation.inputs import path_text
from ltr.evaluation.irmeasures import parse_measures
from ltr.evaluation.output import random_title, set_title
from ltr.ranking.task import Task
from ltr.training.data import known_qrels

MEASURES = ("nDCG@5", "judged@5", "condensed_nDCG@5")
TESTED = (MEASURES[0], MEASURES[2])
Runs = Mapping[str, Sequence[RunRow]]


def read_judged(paths: Sequence[Path], topics: Sequence[Topic], task: Task) -> dict[str, Qrels]:
    """Judgments by name of their file. Raises InputError where runs of this task or ``topics`` cannot have them."""
    judged: dict[str, Qrels] = {}
    for path in paths:
        name = path_text(path.stem.removeprefix("qrels-"))
        if name in judged:
            raise InputError(path, f"is the second file of judgments named {name}", "rename one of the two")
        judged[name] = _fitting(path, read_qrels(path), topics, task)
    return judged


def read_pairs(entries: Sequence[tuple[str, Path]], topics: Sequence[Topic], task: Task) -> dict[str, Qrels]:
    """Graded pairs by dimension. Raises InputError as `read_judged` does."""
    graded = read_pair_qrels(entries)
    for dimension, path in entries:
        _fitting(path, graded[dimension], topics, task)
    return graded


def _fitting(path: Path, qrels: Qrels, topics: Sequence[Topic], task: Task) -> Qrels:
    if qrels.level == "pair" != task.unit:
        hint = "leave it out, or take --task pairs"
        raise InputError(path, f"judges pairs, and what is ranked are {task.name}", hint)
    return known_qrels(qrels, topics, [path])


def read_runs(paths: Sequence[Path], topics: Sequence[Topic], task: Task) -> dict[str, list[RunRow]]:
    """Runs by their tag, or by their path where tags clash; other topics' rows are left out. Raises InputError."""
    known = {topic.number for topic in topics}
    read = {path: read_run(path, task.unit) for path in paths}
    tags = [rows[0].tag for rows in read.values()]
    runs: dict[str, list[RunRow]] = {}
    for path, rows in read.items():
        name = path_text(path) if tags.count(rows[0].tag) > 1 else rows[0].tag
        runs[name] = [row for row in rows if row.topic in known]
        if not runs[name]:
            raise InputError(path, "has no topic in common with the topics", "name its topics with --topics")
    return runs


def all_boards(runs: Runs, judged: Mapping[str, Qrels], pairs: Mapping[str, Qrels]) -> list[dict[str, Any]]:
    """A board for each file of judgments, each dimension of pairs, and their mean; tests of pairs are one family."""
    boards = [board for name, qrels in judged.items() for board in _boards(runs, {name: Qrels.of(qrels)})]
    graded = _boards(runs, {name: Qrels.of(qrels) for name, qrels in pairs.items()}) if pairs else []
    return boards + [board | {"set": f"pairs, {set_title(board['set'])}"} for board in graded]


def _boards(runs: Runs, judgments: Mapping[str, Qrels]) -> list[dict[str, Any]]:
    """Runs and random orders by the full figure, best first; paired differences from the first run."""
    first = next(iter(runs))
    comparison = compare_sets(runs.items(), judgments, Settings(parse_measures(MEASURES)), Plan(TESTED, first))
    tests = {
        (test.judgments, test.run, test.measure): asdict(test.difference) | {"p": test.adjusted_p}
        for test in comparison.tests
    }

    def row(run: str, name: str, evaluation: Evaluation) -> dict[str, Any]:
        values = {m: (evaluation.means[m], *evaluation.intervals[m]) for m in MEASURES}
        figures = {m: dict(zip(INTERVAL, of, strict=True)) for m, of in values.items()}
        facts = {"run": run, "missing": len(evaluation.coverage.missing), "doubtful": evaluation.doubtful}
        return {**facts, **figures, "tests": {m: tests.get((name, run, m)) for m in TESTED}}

    every = {**comparison.evaluations, random_title(first): comparison.at_random}
    return [
        {
            "set": name,
            "level": baseline.level,
            "topics": len(baseline.coverage.judged),
            "against": first,
            "rows": sorted(
                (row(run, name, by_set[name]) for run, by_set in every.items()),
                key=lambda row: (-row[MEASURES[0]]["mean"], row["run"]),
            ),
            "values": {
                m: {run: by_set[name].values[m] for run, by_set in comparison.evaluations.items()} for m in MEASURES
            },
        }
        for name, baseline in comparison.at_random.items()
    ]
