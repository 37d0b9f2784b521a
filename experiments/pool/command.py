"""``riposte pool``: pool pairs, arguments or documents for graders, and turn their grades into qrels."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ltr.cli.options import Parser, add_file, add_number, add_options
from ltr.errors import InputError
from ltr.escapes import say
from models.defaults import DIMENSIONS

if TYPE_CHECKING:
    from argparse import Namespace

    from experiments.pool.grades import Agreement
    from features.core.feature import Unit
    from ltr.corpora.base import Corpus
    from ltr.data.qrels import Qrels
    from ltr.data.topics import Topic

WRITE = ("input", "run", "topics", "allow_topics", "next")
"""Options of a pool that is written, which reading grades does not take."""


def parser() -> Parser:
    """The command's options."""
    p = Parser(
        prog="riposte pool",
        description="Write ungraded results of runs as files for a grader, and turn grades into qrels.",
        file=__file__,
    )
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
    other = [name for name in WRITE if not write and getattr(options, name)]
    for wrong, what, hint in (
        (
            write and not (options.input and options.run),
            "a pool needs a corpus and a run",
            "name -i DIR and --run FILE",
        ),
        (not write and not (options.grades and options.key), "grades need a key", "name --grades FILE and --key FILE"),
        (other, f"--{''.join(other[:1]).replace('_', '-')} does not go with --grades", "leave it out"),
        (options.next and options.deeper, "--next chooses, and --deeper draws at random", "leave one of them out"),
    ):
        if wrong:
            raise InputError("usage", what, hint)
    return pool(options) if write else read_back(options)


def read_graded(options: Namespace, unit: Unit) -> tuple[dict[str, Qrels], tuple[str, ...]]:
    """The earlier grades of such units by dimension, and the dimensions to grade. Raises InputError."""
    from experiments.pool.rubric import dimensions_of
    from ltr.data.qrels import read_pair_qrels, read_qrels

    known = dimensions_of(unit)
    if odd := [name for name in options.dimension if name not in known]:
        raise InputError("--dimension", f"{unit}s are not graded in {odd[0]}", f"name {' or '.join(known)}")
    dimensions = tuple(name for name in known if name in (options.dimension or known))
    whole = {"relevance": options.qrels, "quality": options.quality_qrels}
    if any(whole.values()) if unit == "pair" else options.pair_qrels:
        named, right = ("--pair-qrels", "--qrels")[:: -1 if unit == "pair" else 1]
        raise InputError(named, f"these are not grades of {unit}s", f"name them with {right}")
    if unit == "pair":
        graded = read_pair_qrels(options.pair_qrels)
    else:
        graded = {name: read_qrels(*paths) for name, paths in whole.items() if paths}
        if odd := [name for name, qrels in graded.items() if qrels.level == "pair"]:
            raise InputError(whole[odd[0]][0], f"these are grades of pairs, not of {unit}s", "take --task pairs")
    return {name: qrels for name, qrels in graded.items() if name in dimensions}, dimensions


def pool(options: Namespace) -> int:
    """Write the files for graders."""
    from experiments.pool import files
    from experiments.pool.selection import (
        add_anchors,
        graded_pairs,
        propose,
        read_rankings,
        select_pairs,
        text_id,
        text_ids,
    )
    from ltr.data.files import writable_folder
    from ltr.ranking.corpus import IndexedCorpus
    from ltr.tasks import find_task

    task = find_task(options.task)
    graded, dimensions = read_graded(options, task.unit)
    corpus, seed = IndexedCorpus.open(task, options.input).corpus, options.seed
    topics = read_topics_of(options, corpus)
    runs = {path: read_rankings(path, topics, task.unit) for path in options.run}
    chosen, counts = select_pairs(
        list(runs.values()), graded, topics, depth=options.depth, deeper=options.deeper, seed=seed
    )
    ungraded = len(chosen)
    if options.next:
        chosen = propose(chosen, list(runs.values()), options.next)
    anchors = {
        (topic, pair) for topic in {item.topic for item in chosen} for pair in graded_pairs(graded, topic).values()
    }
    parts = {(topic, id_) for topic, pair in [*(item[:2] for item in chosen), *anchors] for id_ in pair.split(",")}
    wanted = {name for topic, id_ in parts for name in text_ids(topic, id_)}
    passages = files.read_passages(corpus, wanted) if chosen else {}
    for topic, pair, *_ in chosen:
        if missing := [id_ for id_ in pair.split(",") if not text_id(passages, topic, id_)]:
            path = next(path for path, run in runs.items() if pair in run.get(topic, ()))
            kind = "sentence" if task.unit == "pair" else task.unit
            what = f"topic {topic}: the corpus {options.input} has no {kind} {missing[0]}"
            raise InputError(path, what, "name the runs' own corpus")
    pairs = add_anchors(chosen, graded, passages, count=options.anchors, seed=seed)
    units = f"{task.unit}s"
    rows = [
        ("topics", len(topics)),
        (f"{units} in the top {options.depth} of {len(runs)} run{'s' * (len(runs) > 1)}", counts.top),
        ("  graded before", counts.graded),
        (f"{units} drawn from below", counts.deeper),
        *([("ungraded, left for later", ungraded - len(chosen))] if options.next else []),
        (f"{units} to grade", len(chosen)),
        ("anchors mixed in", len(pairs) - len(chosen)),
    ]
    if not pairs:
        say(*counted(rows).split("\n"), f"every {task.unit} is graded: nothing is written")
        return 0
    folder, key = writable_folder(options.output, "output directory"), files.key_text(pairs, task.unit)
    name = files.pool_name(key)
    shown = files.shown_rows(task.unit, pairs, topics, passages)
    written = {
        f"{units}.tsv": files.rows_text(shown),
        f"{units}.html": files.page_text(shown, name, task.unit, dimensions),
    }
    files.write_pool(folder, written | {files.KEY: key})
    say(*counted(rows).split("\n"), *(folder / name for name in written), f"{folder / files.KEY} (not for the grader)")
    return 0


def read_topics_of(options: Namespace, corpus: Corpus) -> dict[str, Topic]:
    """The topics by number, no official test topic among them. Raises InputError."""
    from experiments.pool.selection import check_topics
    from ltr.corpora.source import find_topics, topics_beside
    from ltr.data.topics import read_topics
    from ltr.sample import SAMPLE

    sample = [topic for path in sorted(SAMPLE.rglob("topics*.xml")) for topic in read_topics(path)]
    asked = {path: read_topics(path) for path in options.topics}
    asked = asked or {topics_beside(corpus) or corpus.name: find_topics(corpus)}
    return check_topics(asked, options.allow_topics, sample)


def read_back(options: Namespace) -> int:
    """Turn grades into qrels and votes, and print agreement and drift."""
    from experiments.figures import write_all
    from experiments.pool import grades
    from experiments.pool.files import read_pool
    from ltr.data.files import refuse_to_overwrite, writable_folder
    from ltr.data.qrels import write_qrels

    key, name, unit = read_pool(options.key)
    graded, dimensions = read_graded(options, unit)
    sheets = [grades.read_sheet(path, key, name, dimensions) for path in options.grades]
    grades.check_complete(options.grades, sheets, list(key))
    qrels = grades.to_qrels(key, sheets)
    merged = grades.merge_grades(graded, qrels) if graded else {}
    folder = writable_folder(options.output, "output directory")
    written = {folder / f"{unit}s-{dimension}.qrels": found for dimension, found in qrels.items()}
    written |= {folder / f"merged-{dimension}.qrels": found for dimension, found in merged.items()}
    people = dict.fromkeys(sheet.by for sheet in sheets)
    for by in people if len(people) > 1 else ():
        own = grades.to_qrels(key, [sheet for sheet in sheets if sheet.by == by])
        written |= {folder / f"{by}-{dimension}.qrels": found for dimension, found in own.items()}
    votes = grades.votes_of(key, sheets)
    texts = {
        folder / f"votes-{name}.jsonl": "".join(json.dumps(vote, ensure_ascii=False) + "\n" for vote in of)
        for name, of in votes.items()
    }
    inputs = [options.key, *options.grades, *options.qrels, *options.quality_qrels]
    inputs += [path for _, path in options.pair_qrels]
    for file in [*written, *texts]:
        refuse_to_overwrite(file, inputs)
    for file, found in written.items():
        write_qrels(file, found)
    write_all(texts)
    agreement, drift = grades.pass_agreement(sheets), grades.anchor_drift(key, sheets, graded)
    rows = [
        (f"{unit}s graded", sum(not item.anchor for item in key.values())),
        ("anchors graded again", sum(item.anchor for item in key.values())),
        ("of these, graded more than once", sum(sum(number in sheet.grades for sheet in sheets) > 1 for number in key)),
        ("graders", len(people)),
    ]
    say(*counted(rows).split("\n"))
    none = f"no {unit} was graded twice, so no agreement can be measured"
    print(table("agreement between passes", "second - first", agreement, f"{unit}s") or none)
    none = "no anchor has an earlier grade here: no drift"
    print(table("drift on the anchors", "new - earlier", drift, f"{unit}s") or none)
    say(*written, *texts)
    return 0


def counted(rows: Sequence[tuple[str, int]]) -> str:
    """One line per count."""
    return "\n".join(f"{name:<34}{number:>8,}" for name, number in rows)


def table(title: str, difference: str, agreement: Mapping[str, Agreement], units: str = "pairs") -> str:
    """A row per dimension; empty where there is nothing to compare."""
    if not agreement:
        return ""
    lines = [f"{title:<26}{units:>10}{'same grade':>12}{'kappa':>8}{difference:>16}"]
    for name, value in agreement.items():
        kappa = "n/a" if value.kappa is None else f"{value.kappa:.3f}"
        lines.append(f"  {name:<24}{value.pairs:>10}{value.exact:>12.1%}{kappa:>8}{value.difference:>+16.3f}")
    return "\n".join(lines)
