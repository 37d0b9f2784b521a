"""``riposte human``: measure models by human judgments of topics that trained nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from experiments.human.sets import read_sets
from experiments.human.study import Measured, measure
from ltr.cli.parser import Command
from ltr.errors import InputError, SettingError
from ltr.escapes import say
from ltr.evaluation.evaluator import MEAN, Coverage, Evaluation
from ltr.evaluation.report import Report
from ltr.evaluation.significance import MeanCI, percentile_interval
from ltr.files import json_text, writable_place, write_all
from ltr.parallel import Workers
from ltr.progress import Progress
from ltr.ranking.source import Resources
from ltr.ranking.task import task_names
from ltr.settings import Settings, setting
from ltr.settings.kinds import FOLDER, Choice, Entry, File, Text
from ltr.settings.shared import JOBS, PLUGIN, QUIET
from models.base import Scores

SEEN = "†"
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
    documents = []
    for task in tasks:
        measured, digests = measure([one for one in sets if task in one.tasks], task, models, resources)
        if measured:
            report = report_of(task, measured, digests)
            say(*report.lines(), "")
            documents.append(report.document)
    if not documents:
        raise InputError("usage", "no set is left", "name other sets or tasks")
    if options.json:
        write_all({options.json: json_text(documents)})
    return 0


def mean_over(sets: Sequence[Topics]) -> MeanCI:
    """The mean over sets of their means over topics, with its 95% bootstrap interval.

    In each draw of the bootstrap the sets are drawn with replacement and then the topics of each drawn set, so the
    interval is one for other sets and other topics; of a single set it is one for other topics.
    """
    arrays = [np.array(list(values.values()), np.float64) for values in sets]
    rng = np.random.default_rng(0)
    chosen = rng.integers(0, len(arrays), (DRAWS, len(arrays)))
    drawn: Scores = np.zeros(DRAWS)
    for place in range(len(arrays)):  # a set that is drawn twice has its topics drawn twice
        for number, values in enumerate(arrays):
            draws = chosen[:, place] == number
            topics = rng.integers(0, len(values), (int(draws.sum()), len(values)))
            drawn[draws] += values[topics].mean(axis=1) / len(arrays)
    mean = float(np.mean([values.mean() for values in arrays]))
    return MeanCI(mean, *percentile_interval(drawn), sum(map(len, arrays)))


def report_of(task: str, measured: Sequence[Measured], digests: Mapping[str, str]) -> Report:
    """A row a ranker, a set of judgments a dimension, a measure a set.

    Beside the sets are the mean of those that trained nothing, and that of the first ranker minus the row's.
    """
    figures: dict[str, dict[str, Evaluation]] = {}
    for dimension in dict.fromkeys(judged.dimension for judged, _ in measured):
        sets = [(judged, values) for judged, values in measured if judged.dimension == dimension]
        unseen = [values for judged, values in sets if task not in judged.seen]
        ours = next(iter(sets[0][1]))
        for ranker in sets[0][1]:
            values = {judged.name + SEEN * (task in judged.seen): of[ranker] for judged, of in sets}
            summary = {name: mean_over([topics]) for name, topics in values.items()}
            if unseen:
                summary[MEAN] = mean_over([of[ranker] for of in unseen])
                summary[f"{ours} minus it"] = mean_over([differences(of[ours], of[ranker]) for of in unseen])
            figures.setdefault(ranker, {})[dimension] = Evaluation(values, summary, Coverage())
    rows = []
    for judged, of in measured:
        row = {"name": judged.name, "dimension": judged.dimension, "what": judged.what, "measure": judged.measure}
        rows.append(row | {"topics": len(of[ours]), "seen": judged.seen.get(task, ""), "left out": judged.left_out})
    marked = [f"{row['name']}{SEEN}: {row['seen']}" for row in rows if row["seen"]]
    lost = [f"{row['name']}: without {row['left out']}" for row in rows if row["left out"]]
    note = "[low, high]: 95% bootstrap interval over topics; of a mean, over sets and topics."
    title = f"{task}, {', '.join(next(iter(figures.values())))}"
    remarks = [*dict.fromkeys(marked + lost), note]
    facts = {"task": task, "models": digests, "sets": rows}
    return Report(figures, title=title, remarks=remarks, facts=facts)


def differences(ours: Topics, other: Topics) -> Topics:
    """Ours minus another ranker's, for the topics that both have."""
    return {topic: value - other[topic] for topic, value in ours.items() if topic in other}


main = Command("human", HumanSettings, human, __file__)
