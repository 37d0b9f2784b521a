"""``python -m experiments.pool``: pool pairs for graders, and turn their grades into qrels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ltr.cli.options import Parser, add_file, add_number, add_options
from ltr.errors import InputError
from ltr.escapes import say

if TYPE_CHECKING:
    from argparse import Namespace

    from experiments.pool.grades import Agreement
    from ltr.data.qrels import Qrels


def parser() -> Parser:
    """The command's options."""
    p = Parser(
        prog="python -m experiments.pool",
        description="Write ungraded pairs of runs as files for a grader, and turn grades into qrels.",
        file=__file__,
    )
    p.add_argument("-o", "--output", required=True, type=Path, metavar="DIR", help="output folder")
    add_options(p, "--pair-qrels", "--plugin")
    out = p.add_argument_group("write files for graders")
    out.add_argument("-i", "--input", metavar="DIR", help="corpus of the runs")
    add_file(out, "--run", "run of pairs", several=True)
    add_file(out, "--topics", "topics XML (default: topics.xml in the input directory)", several=True)
    add_number(out, "--depth", "pairs from the top of each run", 5, 1)
    add_number(out, "--deeper", "pairs per topic from anywhere below, drawn at random", 0)
    add_number(out, "--anchors", "pairs per topic that were graded before, mixed in", 2)
    add_options(out, "--seed")
    allow = "number of a topic of your own, from 1 to 50; may repeat"
    out.add_argument("--allow-topics", action="append", default=[], metavar="NUMBER", help=allow)
    back = p.add_argument_group("read their grades")
    add_file(
        back,
        "--grades",
        "lines `number r q c` with grades 0, 1 or 2; one file per pass, or part of a pass",
        several=True,
    )
    add_file(back, "--key", "the pool's key.tsv")
    add_file(back, "--json", "write agreement and drift there too")
    return p


def main(argv: list[str] | None = None) -> int:
    """Write a pool, or read grades. Raises InputError."""
    options = parser().parse_args(argv)
    write = bool(options.input or options.run)
    if write == bool(options.grades or options.key):
        raise InputError(
            "usage", "name -i and --run to write a pool, or --grades and --key to read grades", "see --help"
        )
    if write and not (options.input and options.run):
        raise InputError("usage", "a pool needs a corpus and at least one run", "name -i DIR and --run FILE")
    if not write and not (options.grades and options.key):
        raise InputError("usage", "reading grades needs the key of the pool", "name --grades FILE and --key FILE")
    from ltr.data.qrels import read_pair_qrels

    graded = read_pair_qrels(options.pair_qrels)
    return pool(options, graded) if write else read_back(options, graded)


def pool(options: Namespace, graded: Mapping[str, Qrels]) -> int:
    """Write the files for graders."""
    from experiments.pool import files
    from experiments.pool.selection import add_anchors, check_topics, graded_pairs, read_rankings, select_pairs
    from ltr.corpora.source import find_topics, topics_beside
    from ltr.data.files import writable_folder
    from ltr.data.topics import read_topics
    from ltr.pipeline.corpus import IndexedCorpus
    from ltr.sample import SAMPLE
    from ltr.tasks import find_task

    sample = [topic for path in sorted(SAMPLE.glob("topics*.xml")) for topic in read_topics(path)]
    corpus, seed = IndexedCorpus.open(find_task("pairs"), options.input).corpus, options.seed
    asked = {path: read_topics(path) for path in options.topics}
    asked = asked or {topics_beside(corpus) or corpus.name: find_topics(corpus)}
    topics = check_topics(asked, options.allow_topics, sample)
    runs = {path: read_rankings(path, topics) for path in options.run}
    chosen, counts = select_pairs(
        list(runs.values()), graded, topics, depth=options.depth, deeper=options.deeper, seed=seed
    )
    anchors = {pair for topic in {item.topic for item in chosen} for pair in graded_pairs(graded, topic)}
    wanted = {id_ for pair in [*(item.pair for item in chosen), *anchors] for id_ in pair.split(",")}
    texts = files.read_texts(corpus, wanted) if chosen else {}
    for topic, pair, _ in chosen:
        if missing := [id_ for id_ in pair.split(",") if id_ not in texts]:
            path = next(path for path, run in runs.items() if pair in run.get(topic, ()))
            what = f"topic {topic}: the corpus {options.input} has no sentence {missing[0]}"
            raise InputError(path, what, "name the runs' own corpus")
    pairs = add_anchors(chosen, graded, texts, count=options.anchors, seed=seed)
    rows = [
        ("topics", len(topics)),
        (f"pairs in the top {options.depth} of {len(runs)} run{'s' * (len(runs) > 1)}", counts.top),
        ("  graded before", counts.graded),
        ("pairs drawn from below", counts.deeper),
        ("pairs to grade", len(chosen)),
        ("anchors mixed in", len(pairs) - len(chosen)),
    ]
    if not pairs:
        say(*counted(rows).split("\n"), "every pair is graded: nothing is written")
        return 0
    folder, key = writable_folder(options.output, "output directory"), files.key_text(pairs)
    shown = files.shown_pairs(pairs, topics, texts)
    written = {"pairs.tsv": files.pairs_text(shown), "pairs.html": files.page_text(shown, files.pool_name(key))}
    files.write_pool(folder, written | {files.KEY: key})
    say(*counted(rows).split("\n"), *(folder / name for name in written), f"{folder / files.KEY} (not for the grader)")
    return 0


def read_back(options: Namespace, graded: Mapping[str, Qrels]) -> int:
    """Turn grades into qrels, and print agreement and drift."""
    from experiments.figures import json_text, write_all
    from experiments.pool import grades
    from experiments.pool.files import read_key
    from ltr.data.files import refuse_to_overwrite, writable_folder
    from ltr.data.qrels import write_qrels

    key, name = read_key(options.key)
    passes = [grades.read_grades(path, key, name) for path in options.grades]
    grades.check_complete(options.grades, passes, list(key))
    qrels = grades.to_qrels(key, passes)
    merged = grades.merge_grades(graded, qrels) if graded else {}
    folder = writable_folder(options.output, "output directory")
    written = {folder / f"pairs-{dimension}.qrels": found for dimension, found in qrels.items()}
    written |= {folder / f"merged-{dimension}.qrels": found for dimension, found in merged.items()}
    for file in [*written, *([options.json] if options.json else [])]:
        refuse_to_overwrite(file, [options.key, *options.grades, *(path for _, path in options.pair_qrels)])
    for file, found in written.items():
        write_qrels(file, found)
    agreement, drift = grades.pass_agreement(passes), grades.anchor_drift(key, passes, graded)
    rows = [
        ("pairs graded", sum(not item.anchor for item in key.values())),
        ("anchors graded again", sum(item.anchor for item in key.values())),
        ("of these, graded more than once", sum(sum(number in found for found in passes) > 1 for number in key)),
    ]
    say(*counted(rows).split("\n"))
    none = "no pair was graded twice, so no agreement can be measured"
    print(table("agreement between passes", "second - first", agreement) or none)
    print(table("drift on the anchors", "new - earlier", drift) or "no anchor has an earlier grade here: no drift")
    if options.json:
        figures = {"agreement": agreement, "drift": drift}
        plain = {what: {name: value._asdict() for name, value in found.items()} for what, found in figures.items()}
        write_all({options.json: json_text({"pool": name, "counts": dict(rows), **plain})})
    say(*written)
    return 0


def counted(rows: Sequence[tuple[str, int]]) -> str:
    """One line per count."""
    return "\n".join(f"{name:<34}{number:>8,}" for name, number in rows)


def table(title: str, difference: str, agreement: Mapping[str, Agreement]) -> str:
    """A row per dimension; empty where there is nothing to compare."""
    if not agreement:
        return ""
    lines = [f"{title:<26}{'pairs':>6}{'same grade':>12}{'kappa':>8}{difference:>16}"]
    for name, value in agreement.items():
        kappa = "n/a" if value.kappa is None else f"{value.kappa:.3f}"
        lines.append(f"  {name:<24}{value.pairs:>6}{value.exact:>12.1%}{kappa:>8}{value.difference:>+16.3f}")
    return "\n".join(lines)
