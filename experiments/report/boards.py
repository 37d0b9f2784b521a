"""The leaderboards of a report: a board for each file of judgments, and for each dimension of graded pairs."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from experiments.leaderboard import MEASURES, REFERENCE, boards, figures_of, scorable
from ltr.data.qrels import Qrels, read_pair_qrels, read_qrels
from ltr.data.runs import RunRow
from ltr.data.topics import Topic
from ltr.errors import InputError
from ltr.evaluation.judgments import JudgmentSet, evaluate_all, guess_level, path_text
from ltr.evaluation.output import RANDOM, set_title
from ltr.index.reader import Index
from ltr.pipeline.task import Task
from ltr.training.data import known_qrels

Runs = Mapping[str, Sequence[RunRow]]
_HOW = Namespace(strict_order=False, k=5, seed=0)


def read_judged(paths: Sequence[Path], topics: Sequence[Topic], task: Task) -> dict[str, Qrels]:
    """Judgments by name of their file. Raises InputError where runs of this task or ``topics`` cannot have them."""
    found: dict[str, Qrels] = {}
    for path in paths:
        name = path_text(path.stem.removeprefix("qrels-"))
        if name in found:
            raise InputError(path, f"is the second file of judgments named {name}", "rename one of the two")
        found[name] = _fitting(path, read_qrels(path), topics, task)
    return found


def read_pairs(entries: Sequence[tuple[str, Path]], topics: Sequence[Topic], task: Task) -> dict[str, Qrels]:
    """Graded pairs by dimension. Raises InputError as `read_judged` does."""
    found = read_pair_qrels(entries)
    for dimension, path in entries:
        _fitting(path, found[dimension], topics, task)
    return found


def _fitting(path: Path, qrels: Qrels, topics: Sequence[Topic], task: Task) -> Qrels:
    if guess_level(qrels) == "pair" != task.unit:
        raise InputError(
            path, f"judges pairs, and what is ranked are {task.name}", "leave it out, or take --task pairs"
        )
    return known_qrels(qrels, topics, [path])


def all_boards(
    runs: Runs, judged: Mapping[str, Qrels], pairs: Mapping[str, Qrels], index: Index
) -> list[dict[str, Any]]:
    """A board for each file of judgments, each dimension of pairs, and their mean; tests of pairs are one family."""
    found = []
    for name, qrels in judged.items():
        level = guess_level(qrels)
        kept, dropped = (qrels, {}) if level == "pair" else scorable(qrels, index)
        if not kept:
            raise InputError(f"--qrels {name}", "judges no argument of this corpus as relevant", "name other judgments")
        found += [board | {"dropped": dropped} for board in _boards(runs, {name: JudgmentSet(level, kept)})]
    graded = _boards(runs, {name: JudgmentSet("pair", qrels) for name, qrels in pairs.items()}) if pairs else []
    return found + [board | {"set": f"pairs, {set_title(board['set'])}", "dropped": {}} for board in graded]


def _boards(runs: Runs, judgments: Mapping[str, JudgmentSet]) -> list[dict[str, Any]]:
    """Runs and random orders by the full figure, best first; paired differences from one of the runs."""
    topics = {topic for one in judgments.values() for topic in one.qrels}
    rows = {run: [row for row in found if row.topic in topics] for run, found in runs.items()}
    evaluations = {run: evaluate_all(found, judgments, _HOW) for run, found in rows.items()}
    at_random = evaluate_all(next(iter(rows.values())), judgments, _HOW, random=True)
    found = boards(evaluations, REFERENCE if REFERENCE in runs else next(iter(runs)))
    for board in found:
        luck = figures_of(RANDOM, at_random[board["set"]]) | {"tests": dict.fromkeys(MEASURES)}
        board["rows"] = sorted([*board["rows"], luck], key=lambda row: (-row[MEASURES[0]]["mean"], row["run"]))
    return found
