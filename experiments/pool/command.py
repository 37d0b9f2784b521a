"""``riposte pool``: pool items for graders, turn their grades into qrels, and measure how far graders agree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ltr.cli.parser import Command
from ltr.data.ids import parts_of
from ltr.errors import InputError
from ltr.escapes import say
from ltr.settings import Settings, setting
from ltr.settings.kinds import FOLDER, Choice, Entry, File, Number, Text
from ltr.settings.shared import CORPUS, PAIR_QRELS, PLUGIN, SEED, TASK
from models.defaults import DIMENSIONS

JOBS = {
    "run": ("input", "run", "topics", "allow_topics", "next", "dimension", "pair_qrels", "qrels", "quality_qrels"),
    "grades": ("grades", "key"),
    "agreement": ("agreement", "json"),
}
"""The option that names a job -> options that only some jobs take, this one among them."""

GRADER = Entry(metavar="[NAME=]FILE", named=True, alone=True)


@dataclass(frozen=True, kw_only=True)
class PoolSettings(Settings):
    """Pool results of runs for graders, turn grades into qrels, and measure how far graders agree."""

    run: tuple[Path, ...] = setting(File(), "to write a table for graders: run to pool", several=True)
    grades: tuple[tuple[str, Path], ...] = setting(
        GRADER, "to read the grades: the table, filled in; one file per grader or part", several=True
    )
    agreement: tuple[tuple[str, Path], ...] = setting(
        GRADER, "to measure how far graders agree: qrels or votes of two or more of them", several=True, words="+"
    )
    output: Path | None = setting(FOLDER, "output folder", "-o", "--output")
    input: str | None = replace(CORPUS, help="corpus of the runs", default=None)
    topics: tuple[Path, ...] = setting(File(), "topics XML (default: topics.xml in the input directory)", several=True)
    task: str = TASK
    pair_qrels: tuple[tuple[str, Path], ...] = PAIR_QRELS
    qrels: tuple[Path, ...] = setting(File(), "judgments of arguments or documents (qid 0 id grade)", several=True)
    quality_qrels: tuple[Path, ...] = setting(File(), "judgments of their quality", several=True)
    plugin: tuple[Path, ...] = PLUGIN
    seed: int = SEED
    dimension: tuple[str, ...] = setting(
        Choice(DIMENSIONS), "dimension to grade (default: all that the task has)", several=True
    )
    depth: int = setting(Number(1), "results from the top of each run", default=5)
    deeper: int = setting(Number(), "results per topic from anywhere below, drawn at random", default=0)
    next: int | None = setting(Number(1), "only the N of all topics that the runs rank highest")
    anchors: int = setting(Number(), "results per topic that were graded before, mixed in", default=2)
    allow_topics: tuple[str, ...] = setting(
        Text(metavar="NUMBER"), "number of a topic of your own, from 1 to 50", several=True
    )
    key: Path | None = setting(File(), "the pool's key.tsv, to read grades")
    json: Path | None = setting(File(), "write all figures of agreement there, too")


def pool_or_read(options: PoolSettings) -> int:
    """Write a pool, read grades, or compare graders. Raises InputError."""
    jobs = [name for name in JOBS if getattr(options, name)]
    if len(jobs) != 1:
        raise InputError("usage", "name one of --run, --grades and --agreement", "see --help")
    known = {name for names in JOBS.values() for name in names}
    other = sorted(name.replace("_", "-") for name in known - {*JOBS[jobs[0]]} if getattr(options, name))
    for wrong, what, hint in (
        (other, f"--{''.join(other[:1])} does not go with --{jobs[0]}", "leave it out"),
        (jobs != ["agreement"] and not options.output, "an output folder is missing", "name it with -o"),
        (options.run and not options.input, "a pool needs a corpus", "name it with -i"),
        (options.grades and not options.key, "grades need a key", "name --key"),
        (options.next and options.deeper, "--next chooses, and --deeper draws at random", "leave one of them out"),
    ):
        if wrong:
            raise InputError("usage", what, hint)
    return {"run": pool, "grades": read_back, "agreement": agreement}[jobs[0]](options)


def pool(options: PoolSettings) -> int:
    """Write the files for graders."""
    from experiments.pool import files, selection
    from experiments.pool.grades import dimensions_to_grade, read_graded
    from features.core.feature import KINDS
    from ltr.files import writable_folder
    from ltr.ranking.corpus import IndexedCorpus
    from ltr.ranking.task import find_task

    task, seed = find_task(options.task), options.seed
    whole = {"relevance": options.qrels, "quality": options.quality_qrels}
    dimensions = dimensions_to_grade(task.kind, options.dimension)
    graded = read_graded(task.kind, dimensions, options.pair_qrels, whole)
    corpus = IndexedCorpus.open(task, options.input).corpus
    topics = selection.topics_to_grade(options.topics, corpus, options.allow_topics)
    runs = {path: selection.read_rankings(path, topics, task.kind) for path in options.run}
    ungraded, counts = selection.select_pairs(
        list(runs.values()), graded, topics, depth=options.depth, deeper=options.deeper, seed=seed
    )
    chosen = selection.propose(ungraded, list(runs.values()), options.next) if options.next else ungraded
    items = [(item.topic, item.pair) for item in chosen]
    anchors = [(topic, pair) for topic in dict(items) for pair in selection.graded_pairs(graded, topic).values()]
    passages = files.read_passages(corpus, [*items, *anchors]) if chosen else {}
    for topic, pair in items:
        if missing := [id_ for id_ in parts_of(pair) if (topic, id_) not in passages]:
            path = next(path for path, run in runs.items() if pair in run.get(topic, ()))
            kind = "sentence" if KINDS[task.kind].parts > 1 else task.kind
            what = f"topic {topic}: the corpus {options.input} has no {kind} {missing[0]}"
            raise InputError(path, what, "name the runs' own corpus")
    pairs = selection.add_anchors(chosen, graded, passages, count=options.anchors, seed=seed)
    plural = f"{task.kind}s"
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
        say(*counted(rows), f"every {task.kind} is graded: nothing is written")
        return 0
    folder, named = writable_folder(options.output or Path(), "output directory"), files.named(pairs)
    written = {
        f"{plural}.tsv": files.table_text(task.kind, named, topics, passages, dimensions),
        files.CRITERIA: files.GUIDES[task.kind].text(dimensions),
    }
    files.write_pool(folder, written | {files.KEY: files.key_text(named, task.kind)})
    say(*counted(rows), *(folder / name for name in written), f"{folder / files.KEY} (not for the grader)")
    return 0


def read_back(options: PoolSettings) -> int:
    """Turn grades into qrels and votes."""
    import pandas as pd

    from experiments.pool import grades
    from experiments.pool.files import read_key
    from ltr.data.qrels import write_qrels
    from ltr.files import refuse_to_overwrite, writable_folder, write_all

    named, kind = read_key(options.key or Path())
    dimensions = grades.dimensions_to_grade(kind, ())
    sheets = pd.concat([grades.read_sheet(by, path, named, dimensions) for by, path in options.grades])
    grades.check_complete(sheets, named)
    of_files = {f"{kind}s": grades.to_qrels(named, sheets)}
    if sheets["by"].nunique() > 1:
        of_files |= {str(by): grades.to_qrels(named, of) for by, of in sheets.groupby("by", sort=False)}
    folder = writable_folder(options.output or Path(), "output directory")
    written = {folder / f"{kind}-{name}.qrels": of for kind, found in of_files.items() for name, of in found.items()}
    votes = {folder / f"votes-{name}.jsonl": text for name, text in grades.votes_of(named, sheets).items()}
    for file in [*written, *votes]:
        refuse_to_overwrite(file, [options.key, *(path for _, path in options.grades)])
    for file, found in written.items():
        write_qrels(file, found)
    write_all(votes)
    anchors = sum(item.anchor for item in named.values())
    rows = [
        (f"{kind}s graded", len(named) - anchors),
        ("anchors graded again", anchors),
        ("of these, graded more than once", sheets.loc[sheets.duplicated(["item", "dimension"]), "item"].nunique()),
        ("graders", sheets["by"].nunique()),
    ]
    say(*counted(rows), *written, *votes)
    return 0


def agreement(options: PoolSettings) -> int:
    """Print how far graders agree."""
    from experiments.pool import agreement
    from ltr.evaluation.tables import table_lines
    from ltr.files import json_text, refuse_to_overwrite, write_all

    files = dict(options.agreement)
    if len(files) < len(options.agreement):
        raise InputError("usage", "two graders have the same name", "name them: NAME=FILE")
    if len(files) < 2:
        raise InputError("usage", "agreement needs at least two graders", "name the grades of another one")
    if options.json:
        refuse_to_overwrite(options.json, list(files.values()))
    table = agreement.read_table(files)
    found = agreement.agreement(table, options.seed)
    if options.json:
        tables = {one.key: one.rows.to_dict("records") for one in found}
        write_all({options.json: json_text({"seed": options.seed, **tables})})
    say(*table_lines([one.shown() for one in found], [*agreement.notes(table)]))
    return 0


def counted(rows: Sequence[tuple[str, int]]) -> list[str]:
    """One line per count."""
    return [f"{name:<34}{number:>8,}" for name, number in rows]


main = Command("pool", PoolSettings, pool_or_read, __file__)
