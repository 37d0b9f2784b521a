"""``riposte human``: measure models by human judgments of topics that trained nothing."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ltr.cli.parser import Command
from ltr.errors import InputError, SettingError
from ltr.escapes import say
from ltr.settings import Settings, setting
from ltr.settings.kinds import FOLDER, Choice, Entry, File, Text
from ltr.settings.shared import JOBS, PLUGIN, QUIET


@dataclass(frozen=True, kw_only=True)
class HumanSettings(Settings):
    """Evaluate models against human judgments: the share of differently judged items put in order. At least one folder
    of published judgments is needed: docs/human.md says how to get them."""

    collection: Path | None = setting(
        FOLDER, "arguments with judgments of Touché 2021, argq and sigir19, and marked sentences"
    )
    data: Path | None = setting(FOLDER, "labelled debate data: IAM, ArgKP-2021, ArgQ, UKPConvArg, EviConv")
    comparative: Path | None = setting(FOLDER, "snippets and sentences for comparative questions")
    task: tuple[str, ...] = setting(Choice("ltr.tasks.base:task_names"), "a task (default: all)", several=True)
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

    from experiments.human.sets import read_sets
    from experiments.human.study import measure
    from experiments.human.tables import SEEN, board_table, boards
    from experiments.output import json_text, write_all
    from ltr.evaluation.tables import table_lines
    from ltr.files import writable_place
    from ltr.parallel import Workers
    from ltr.progress import Progress
    from ltr.ranking.steps import Resources
    from ltr.tasks.base import task_names

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


main = Command("human", HumanSettings, human, __file__)
