"""``riposte human``: measure models by human judgments of topics that trained nothing."""

from __future__ import annotations

from pathlib import Path

from ltr.cli.options import Parser, add_file, add_options, named_file, task_name
from ltr.errors import InputError
from ltr.escapes import say


def parser() -> Parser:
    """The command's options."""
    p = Parser(
        prog="riposte human",
        description="Evaluate models against human judgments: the share of differently judged items put in order.",
        file=__file__,
    )
    data = p.add_argument_group("published judgments, at least one folder (docs/human.md says how to get them)")
    for name, what in (
        ("collection", "arguments with judgments of Touché 2021, argq and sigir19, and marked sentences"),
        ("data", "labelled debate data: IAM, ArgKP-2021, ArgQ, UKPConvArg, EviConv"),
        ("comparative", "snippets and sentences for comparative questions"),
    ):
        data.add_argument(f"--{name}", type=Path, metavar="DIR", help=what)
    task = "a task; may repeat (default: all)"
    p.add_argument("--task", type=task_name, action="append", metavar="NAME", help=task)
    p.add_argument("--set", action="append", metavar="NAME", help="a set; may repeat (default: all)")
    model = "a model to measure beside the one that ships, with --task; may repeat"
    p.add_argument("-m", "--model", type=named_file, action="append", default=[], metavar="NAME=DIR", help=model)
    add_file(p, "--json", "write everything there, the values of topics too")
    add_options(p, "--plugin", "--jobs", "--quiet")
    return p


def main(argv: list[str] | None = None) -> int:
    """Run the study. Raises InputError for anything that the user can correct."""
    options = parser().parse_args(argv)
    if not (options.collection or options.data or options.comparative):
        raise InputError("usage", "no judgments are named", "add --collection, --data or --comparative")
    models = {"ours": None} | {name: str(folder) for name, folder in options.model}

    from experiments.human.sets import read_sets
    from experiments.human.study import measure
    from experiments.human.tables import SEEN, board_table, boards
    from experiments.output import json_text, write_all
    from ltr.data.files import writable_place
    from ltr.evaluation.tables import table_lines
    from ltr.parallel import Workers
    from ltr.progress import Progress
    from ltr.ranking.describe import Resources
    from ltr.tasks.base import task_names

    tasks = options.task or task_names()
    if len(models) > 1 and len(tasks) > 1:
        raise InputError("--model", "a model is of one task", "add --task")
    sets = read_sets(options.collection, options.data, options.comparative)
    known = list(dict.fromkeys(one.name for one in sets))
    if options.set:
        if unknown := set(options.set) - set(known):
            raise InputError("--set", f"there is no set {min(unknown)!r}", f"use one of {', '.join(known)}")
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
