"""``riposte human``: measure models by human judgments of topics that trained nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from experiments.human.sets import read_sets
from experiments.human.study import Measured, measure
from experiments.output import json_text, write_all
from ltr.cli.parser import Command
from ltr.errors import InputError, SettingError
from ltr.escapes import say
from ltr.evaluation.evaluator import MEAN
from ltr.evaluation.significance import percentile_interval
from ltr.evaluation.tables import Table, interval_text, table_lines
from ltr.files import writable_place
from ltr.parallel import Workers
from ltr.progress import Progress
from ltr.ranking.source import Resources
from ltr.ranking.task import task_names
from ltr.settings import Settings, setting
from ltr.settings.kinds import FOLDER, Choice, Entry, File, Text
from ltr.settings.shared import JOBS, PLUGIN, QUIET
from models.base import Scores

SEEN = "†"
INTERVAL = ("mean", "low", "high")
DRAWS = 5000

Topics = Mapping[str, float]
"""Topic -> value."""


@dataclass(frozen=True, kw_only=True)
class HumanSettings(Settings):
    """Evaluate models against human judgments: the share of differently judged items put in order. At least one folder
    of published judgments is needed: docs/human.md says how to get them."""

    collection: Path | None = setting(
        FOLDER, "arguments with judgments of Touché 2021, argq and sigir19, and marked sentences"
    )
    data: Path | None = setting(FOLDER, "labelled debate data: IAM, ArgKP-2021, ArgQ, UKPConvArg, EviConv")
    comparative: Path | None = setting(FOLDER, "snippets and sentences for comparative questions")
    task: tuple[str, ...] = setting(Choice("ltr.ranking.task:task_names"), "a task (default: all)", several=True)
    set: tuple[str, ...] = setting(Text(), "a set (default: all)", several=True)
    model: tuple[tuple[str, Path], ...] = setting(
        Entry(metavar="NAME=DIR", named=True, alone=True),
        "a model to measure beside the one that ships, with --task",
        "-m",
        "--model",
        several=True,
    )
    json: Path | None = setting(File(), "write everything there, the values of topics too")
    plugin: tuple[Path, ...] = PLUGIN
    jobs: int = JOBS
    quiet: bool = QUIET


def human(options: HumanSettings) -> int:
    """Run the study. Raises InputError for anything that the user can correct."""
    if not (options.collection or options.data or options.comparative):
        raise InputError("usage", "no judgments are named", "add --collection, --data or --comparative")
    models = {"ours": None} | {name: str(folder) for name, folder in options.model}
    tasks = options.task or task_names()
    if len(models) > 1 and len(tasks) > 1:
        raise SettingError("model", "a model is of one task", "add --task")
    sets = read_sets(options.collection, options.data, options.comparative)
    known = list(dict.fromkeys(one.name for one in sets))
    if options.set:
        if unknown := set(options.set) - set(known):
            raise SettingError("set", f"there is no set {min(unknown)!r}", f"use one of {', '.join(known)}")
        sets = [one for one in sets if one.name in options.set]
    if options.json:
        writable_place(options.json, "figures")
    resources = Resources(Workers(options.jobs), Progress(quiet=options.quiet))
    results = []
    for task in tasks:
        measured, digests = measure([one for one in sets if task in one.tasks], task, models, resources)
        for board in boards(task, measured):
            say(*table_lines([board_table(board)], ()))
            results.append(board | {"models": digests})
    if not results:
        raise InputError("usage", "no set is left", "name other sets or tasks")
    marked = [f"{one.name}{SEEN} ({task}): {why}" for one in sets for task, why in one.seen.items()]
    say(*dict.fromkeys(marked), *dict.fromkeys(f"{one.name}: without {one.left_out}" for one in sets if one.left_out))
    say("[low, high]: 95% bootstrap interval over topics; of a mean, over sets and topics.")
    if options.json:
        write_all({options.json: json_text(results)})
    return 0


def mean_over(sets: Sequence[Topics], seed: int = 0) -> dict[str, float]:
    """The mean over sets of their means over topics, with its 95% bootstrap interval.

    In each draw of the bootstrap the sets are drawn with replacement and then the topics of each drawn set, so the
    interval is one for other sets and other topics; of a single set it is one for other topics.
    """
    arrays = [np.array(list(values.values()), np.float64) for values in sets]
    rng = np.random.default_rng(seed)
    chosen = rng.integers(0, len(arrays), (DRAWS, len(arrays)))
    drawn: Scores = np.zeros(DRAWS)
    for place in range(len(arrays)):  # a set that is drawn twice has its topics drawn twice
        for number, values in enumerate(arrays):
            draws = chosen[:, place] == number
            topics = rng.integers(0, len(values), (int(draws.sum()), len(values)))
            drawn[draws] += values[topics].mean(axis=1) / len(arrays)
    mean = float(np.mean([values.mean() for values in arrays]))
    return dict(zip(INTERVAL, (mean, *percentile_interval(drawn)), strict=True))


def boards(task: str, measured: Sequence[Measured]) -> Iterator[dict[str, Any]]:
    """The figures of each dimension as plain data, in the order of the sets."""
    for dimension in dict.fromkeys(judged.dimension for judged, _ in measured):
        sets = [(judged, values) for judged, values in measured if judged.dimension == dimension]
        ours, *others = rankers = list(sets[0][1])
        counted = [values for judged, values in sets if task not in judged.seen]
        yield {
            "task": task,
            "dimension": dimension,
            "sets": {
                judged.name: {
                    "what": judged.what,
                    "measure": judged.measure,
                    "topics": len(values[ours]),
                    "seen": judged.seen.get(task, ""),
                    "left out": judged.left_out,
                    "rankers": {name: {**mean_over([topics]), "values": topics} for name, topics in values.items()},
                }
                for judged, values in sets
            },
            "mean": {name: mean_over([values[name] for values in counted]) for name in rankers if counted},
            f"{ours} minus": {
                name: mean_over([differences(values[ours], values[name]) for values in counted])
                for name in others
                if counted
            },
        }


def differences(ours: Topics, other: Topics) -> Topics:
    """Ours minus another ranker's, for the topics that both have."""
    return {topic: value - other[topic] for topic, value in ours.items() if topic in other}


def board_table(board: Mapping[str, Any]) -> Table:
    """A row a ranker, a column a set."""
    sets, mean = board["sets"], board["mean"]
    ours, *_ = rankers = list(next(iter(sets.values()))["rankers"])
    head = [name + SEEN * bool(one["seen"]) for name, one in sets.items()]
    rows = [["", *head, *([MEAN, f"{ours} minus it"] if mean else [])]]
    for ranker in rankers:
        figures = [one["rankers"][ranker] for one in sets.values()] + ([mean[ranker]] if mean else [])
        cells = [interval_text(figure["mean"], figure["low"], figure["high"]) for figure in figures]
        if mean:
            less = board[f"{ours} minus"].get(ranker)
            cells.append(interval_text(less["mean"], less["low"], less["high"], "+") if less else "")
        rows.append([ranker, *cells])
    return Table(f"{board['task']}, {board['dimension']}", rows)


main = Command("human", HumanSettings, human, __file__)
