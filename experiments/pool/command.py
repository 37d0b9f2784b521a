"""``riposte pool``: pool pairs, arguments or documents for graders, and turn their grades into qrels."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path

from ltr.cli.options import Parser, add_file, add_number, add_options
from ltr.errors import InputError
from ltr.escapes import say
from models.defaults import DIMENSIONS

WRITE = ("input", "run", "topics", "allow_topics", "next")
"""Options of a pool that is written, which reading grades does not take."""


def parser() -> Parser:
    """The command's options."""
    text = "Write ungraded results of runs as files for a grader, and turn grades into qrels."
    p = Parser(prog="riposte pool", description=text, file=__file__)
    p.add_argument("-o", "--output", required=True, type=Path, metavar="DIR", help="output folder")
    text = "dimension to grade; may repeat (default: all that the task has)"
    p.add_argument("--dimension", choices=DIMENSIONS, action="append", default=[], metavar="NAME", help=text)
    add_options(p, "--pair-qrels", "--qrels", "--quality-qrels", "--plugin")
    out = p.add_argument_group("write files for graders")
    out.add_argument("-i", "--input", metavar="DIR", help="corpus of the runs")
    add_file(out, "--run", "run to pool", several=True)
    add_options(out, "--task")
    add_file(out, "--topics", "topics XML (default: topics.xml in the input directory)", several=True)
    add_number(out, "--depth", "results from the top of each run", 5, 1)
    add_number(out, "--deeper", "results per topic from anywhere below, drawn at random", 0)
    add_number(out, "--next", "only the N of all topics that the runs rank highest", low=1)
    add_number(out, "--anchors", "results per topic that were graded before, mixed in", 2)
    add_options(out, "--seed")
    allow = "number of a topic of your own, from 1 to 50; may repeat"
    out.add_argument("--allow-topics", action="append", default=[], metavar="NUMBER", help=allow)
    back = p.add_argument_group("read their grades")
    text = "lines `number r q c` with grades 0, 1 or 2; one file per pass or part"
    add_file(back, "--grades", text, several=True)
    add_file(back, "--key", "the pool's key.tsv")
    return p


def main(argv: list[str] | None = None) -> int:
    """Write a pool, or read grades. Raises InputError."""
    options = parser().parse_args(argv)
    write = bool(options.input or options.run)
    if write == bool(options.grades or options.key):
        raise InputError(
            "usage", "name -i and --run to write a pool, or --grades and --key to read grades", "see --help"
        )
    other = [f"--{name.replace('_', '-')}" for name in WRITE if not write and getattr(options, name)]
    for wrong, what, hint in (
        (write and not (options.input and options.run), "a pool needs a corpus and a run", "name -i and --run"),
        (not write and not (options.grades and options.key), "grades need a key", "name --grades and --key"),
        (other, f"{''.join(other[:1])} does not go with --grades", "leave it out"),
        (options.next and options.deeper, "--next chooses, and --deeper draws at random", "leave one of them out"),
    ):
        if wrong:
            raise InputError("usage", what, hint)
    return pool(options) if write else read_back(options)


def pool(options: Namespace) -> int:
    """Write the files for graders."""
    from experiments.pool import files, selection
    from experiments.pool.grades import dimensions_to_grade, read_graded
    from ltr.data.files import writable_folder
    from ltr.ranking.corpus import IndexedCorpus
    from ltr.tasks.base import find_task

    task, seed = find_task(options.task), options.seed
    whole = {"relevance": options.qrels, "quality": options.quality_qrels}
    dimensions = dimensions_to_grade(task.unit, options.dimension)
    graded = read_graded(task.unit, dimensions, options.pair_qrels, whole)
    corpus = IndexedCorpus.open(task, options.input).corpus
    topics = selection.topics_to_grade(options.topics, corpus, options.allow_topics)
    runs = {path: selection.read_rankings(path, topics, task.unit) for path in options.run}
    ungraded, counts = selection.select_pairs(
        list(runs.values()), graded, topics, depth=options.depth, deeper=options.deeper, seed=seed
    )
    chosen = selection.propose(ungraded, list(runs.values()), options.next) if options.next else ungraded
    units = [(item.topic, item.pair) for item in chosen]
    anchors = [(topic, pair) for topic in dict(units) for pair in selection.graded_pairs(graded, topic).values()]
    passages = files.read_passages(corpus, [*units, *anchors]) if chosen else {}
    for topic, pair in units:
        if missing := [id_ for id_ in pair.split(",") if (topic, id_) not in passages]:
            path = next(path for path, run in runs.items() if pair in run.get(topic, ()))
            kind = "sentence" if task.unit == "pair" else task.unit
            what = f"topic {topic}: the corpus {options.input} has no {kind} {missing[0]}"
            raise InputError(path, what, "name the runs' own corpus")
    pairs = selection.add_anchors(chosen, graded, passages, count=options.anchors, seed=seed)
    plural = f"{task.unit}s"
    rows = [
        ("topics", len(topics)),
        (f"{plural} in the top {options.depth} of {len(runs)} run{'s' * (len(runs) > 1)}", counts["top"]),
        ("  graded before", counts["graded"]),
        (f"{plural} drawn from below", counts["deeper"]),
        *([("ungraded, left for later", len(ungraded) - len(chosen))] if options.next else []),
        (f"{plural} to grade", len(chosen)),
        ("anchors mixed in", len(pairs) - len(chosen)),
    ]
    if not pairs:
        say(*counted(rows), f"every {task.unit} is graded: nothing is written")
        return 0
    folder, key = writable_folder(options.output, "output directory"), files.key_text(pairs, task.unit)
    shown = files.shown_rows(task.unit, pairs, topics, passages)
    page = files.page_text(shown, files.pool_name(key), task.unit, dimensions)
    written = {f"{plural}.tsv": files.rows_text(shown), f"{plural}.html": page}
    files.write_pool(folder, written | {files.KEY: key})
    say(*counted(rows), *(folder / name for name in written), f"{folder / files.KEY} (not for the grader)")
    return 0


def read_back(options: Namespace) -> int:
    """Turn grades into qrels and votes."""
    from experiments.output import write_all
    from experiments.pool import grades
    from experiments.pool.files import read_pool
    from ltr.data.files import refuse_to_overwrite, writable_folder
    from ltr.data.qrels import write_qrels

    key, name, unit = read_pool(options.key)
    whole = {"relevance": options.qrels, "quality": options.quality_qrels}
    dimensions = grades.dimensions_to_grade(unit, options.dimension)
    graded = grades.read_graded(unit, dimensions, options.pair_qrels, whole)
    sheets = [grades.read_sheet(path, key, name, dimensions) for path in options.grades]
    grades.check_complete(options.grades, sheets, list(key))
    qrels = grades.to_qrels(key, sheets)
    of_files = {f"{unit}s": qrels, "merged": grades.merge_grades(graded, qrels) if graded else {}}
    people = dict.fromkeys(sheet.by for sheet in sheets)
    for by in people if len(people) > 1 else ():
        of_files[by] = grades.to_qrels(key, [sheet for sheet in sheets if sheet.by == by])
    folder = writable_folder(options.output, "output directory")
    written = {folder / f"{kind}-{name}.qrels": of for kind, found in of_files.items() for name, of in found.items()}
    votes = {folder / f"votes-{name}.jsonl": text for name, text in grades.votes_of(key, sheets).items()}
    inputs = [options.key, *options.grades, *options.qrels, *options.quality_qrels]
    for file in [*written, *votes]:
        refuse_to_overwrite(file, [*inputs, *(path for _, path in options.pair_qrels)])
    for file, found in written.items():
        write_qrels(file, found)
    write_all(votes)
    anchors = sum(item.anchor for item in key.values())
    rows = [
        (f"{unit}s graded", len(key) - anchors),
        ("anchors graded again", anchors),
        ("of these, graded more than once", sum(sum(number in sheet.grades for sheet in sheets) > 1 for number in key)),
        ("graders", len(people)),
    ]
    say(*counted(rows), *written, *votes)
    return 0


def counted(rows: Sequence[tuple[str, int]]) -> list[str]:
    """One line per count."""
    return [f"{name:<34}{number:>8,}" for name, number in rows]
