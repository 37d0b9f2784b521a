"""``python -m experiments.learning_curve``: how many judged topics a ranker needs.

Each fold's topics are held out in turn. A model is trained on ever more of the other topics, drawn at random, each
draw holding the one before it; all are judged on the held-out topics. Topics that share near-duplicates stay in
one fold. Every figure is the mean over several such draws; intervals are over topics.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ltr.cli import Parser, add_index_options, add_run_options, whole_number
from ltr.errors import InputError, run_command
from ltr.workers import Processes

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ltr.formats import Qrels
    from ltr.matrix import Matrix
    from models.base import Scores

MEASURE = "condensed_nDCG@5"
SIZES = (2, 5, 10, 20)


def sizes(text: str) -> tuple[int, ...]:
    """An argparse ``type``: numbers of topics, comma-separated; all of them always come last."""
    parts = [part.strip() for part in text.split(",") if part.strip() != "all"]
    if not all(part.isascii() and part.isdigit() and 0 < int(part) < 10**6 for part in parts):
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is not numbers of topics, as in 2,5,10,all")
    return tuple(sorted({int(part) for part in parts}))


def parser() -> Parser:
    """The command's options."""
    p = Parser(prog="python -m experiments.learning_curve", description="How many judged topics a ranker needs.")
    p.add_argument("-i", "--input", required=True, metavar="DIR", help="corpus")
    p.add_argument("--topics", required=True, type=Path, metavar="FILE", help="topics XML")
    p.add_argument("--qrels", required=True, type=Path, metavar="FILE", help="judgments of arguments")
    p.add_argument(
        "--dimension",
        choices=("relevance", "quality"),
        default="relevance",
        help="what they judge (default: %(default)s)",
    )
    p.add_argument(
        "--sizes",
        type=sizes,
        default=SIZES,
        metavar="N,N,...",
        help=f"numbers of training topics (default: {','.join(map(str, SIZES))}); none and all are always there",
    )
    p.add_argument("--seeds", type=whole_number(1, 100), default=3, metavar="N", help="draws to average (default: 3)")
    p.add_argument("--folds", type=whole_number(2, 100), default=5, metavar="N", help="folds of each (default: 5)")
    p.add_argument(
        "--trees", type=whole_number(0, 5000), default=20, metavar="N", help="trees of a model (default: %(default)s)"
    )
    p.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too, for experiments.report")
    add_index_options(p)
    add_run_options(p)
    return p


def main(argv: list[str] | None = None) -> int:
    """Run the study. Raises InputError for anything that the user can mend."""
    options = parser().parse_args(argv)
    if options.json and options.json.is_dir():
        raise InputError(options.json, "this is a directory", "name the file to write")

    from ltr.candidates import Settings
    from ltr.corpus import open_corpus
    from ltr.files import atomic_text, refuse_to_overwrite, writable_place
    from ltr.formats import read_qrels, read_topics
    from ltr.index import index_place, open_index
    from ltr.learning import Judge, split_topics
    from ltr.pipeline import describe_topics
    from ltr.progress import Progress
    from ltr.train import alike, known_qrels
    from models.base import baselines, make_ranker
    from models.lambdamart import Parameters

    if options.json and options.json.parent.exists():
        writable_place(options.json, "figures")
    progress = Progress(quiet=options.quiet)
    corpus = open_corpus(options.input)
    if options.json:
        refuse_to_overwrite(options.json, [options.topics, options.qrels, getattr(corpus, "path", None)])
    topics = read_topics(options.topics)
    qrels = known_qrels(read_qrels(options.qrels), topics, [options.qrels])
    place = index_place(corpus, options.index, progress, [options.json])
    index = open_index(corpus, place, progress)
    known = frozenset(index.argument_rows([a for grades in qrels.values() for a in grades]))
    judged = [topic for topic in topics if topic.number in qrels]
    matrix = describe_topics(index, judged, Settings(), workers=Processes(options.jobs), progress=progress)
    tied = alike(judged, index.analyzer)
    splits = [split_topics(matrix, qrels, options.folds, seed, tied) for seed in range(options.seeds)]
    judge = Judge(matrix, qrels)
    if not judge.topics or min(map(len, splits)) < 2:
        raise InputError(options.qrels, "too few topics with a relevant argument to hold some out", "add judgments")
    parameters = Parameters(trees=options.trees)
    with progress.stage("models", unit="folds", total=sum(map(len, splits))) as tick:
        scores = held_out(
            matrix, qrels, known, splits, options.sizes, options.dimension, parameters, options.jobs, tick
        )
    study = {
        "dimension": options.dimension,
        "topics": judge.topics,
        "draws": options.seeds,
        "folds": max(map(len, splits)),
        "trees": options.trees,
    }
    found = {
        "study": study,
        "measure": MEASURE,
        "points": [{"topics": size, **figure(judge, part)} for size, part in sorted(scores.items())],
        "baselines": [{"name": name, **figure(judge, [make_ranker(name).score(matrix)])} for name in baselines()],
    }
    if options.json:
        writable_place(options.json, "figures")
        with atomic_text(options.json) as out:
            json.dump(found, out, indent=1, allow_nan=False)
            out.write("\n")
    print(table(found))
    if options.timings:
        progress.print_report()
    return 0


def held_out(
    matrix: Matrix,
    qrels: Qrels,
    known: frozenset[str],
    splits: Sequence[list[list[int]]],
    wanted: Sequence[int],
    dimension: str,
    parameters: Any,
    jobs: int,
    tick: Callable[[], object] = lambda: None,
) -> dict[float, list[Scores]]:
    """Number of training topics -> for each split, (n_rows,) scores of models that never saw the row's topic.

    Only topics with a judged candidate train. 0 is the ranker before any judgment; the last number is all of the
    other folds' topics, their mean where folds differ. Sizes that some fold cannot give are left out.
    """
    import numpy as np

    from ltr.learning import signed_columns, untaught
    from models.base import unit_table

    signs = signed_columns(list(matrix.features.columns))
    table = unit_table(matrix, list(signs))
    able = trainable(matrix, qrels, known, dimension)
    rest = [[[t for t in able if t not in fold] for fold in split] for split in splits]
    least = min(len(topics) for split in rest for topics in split)
    if not least:
        raise InputError("--qrels", "too few topics have judged candidates to hold some out", "add judgments")
    every = float(np.mean([len(topics) for split in rest for topics in split]))
    start = untaught(dimension, signs, parameters, jobs).score(matrix)
    steps = [size for size in wanted if size < least]
    scores: dict[float, list[Scores]] = {0: [start] * len(splits)}
    scores |= {size: [np.zeros(len(matrix)) for _ in splits] for size in [*steps, every]}
    for place, (split, others) in enumerate(zip(splits, rest, strict=True)):
        for number, (fold, topics) in enumerate(zip(split, others, strict=True)):
            order = np.random.default_rng([place, number]).permutation(topics)
            test = np.isin(matrix.topic_of_row, fold)
            for size in [*steps, every]:
                drawn = {matrix.topics[t] for t in (order if size == every else order[: int(size)])}
                model = trained_on(drawn, matrix, qrels, known, dimension, signs, parameters, jobs)
                scores[size][place][test] = model.score_units(table)[table.unit_of_row][test]
            tick()
    return scores


def trainable(matrix: Matrix, qrels: Qrels, known: frozenset[str], dimension: str) -> list[int]:
    """Positions of the topics of which some judged pair is labelled."""
    import numpy as np

    from ltr.supervision import DEFAULT, weak_labels

    labels = weak_labels(matrix, qrels, known, DEFAULT[dimension], dimension)
    return np.unique(matrix.topic_of_row[labels.used]).tolist()


def trained_on(
    drawn: set[str],
    matrix: Matrix,
    qrels: Qrels,
    known: frozenset[str],
    dimension: str,
    signs: dict[str, int],
    parameters: Any,
    jobs: int,
) -> Any:
    """The dimension's ranker from the topics ``drawn`` alone: no other speaks through the label model either."""
    import numpy as np

    from ltr.learning import parameters_of, train_dimension
    from ltr.supervision import DEFAULT, UNJUDGED, weak_labels
    from models.base import unit_table

    part = matrix.of_topics(drawn)
    seen = {topic: grades for topic, grades in qrels.items() if topic in drawn}
    labels = weak_labels(part, seen, known, DEFAULT[dimension], dimension, unjudged=UNJUDGED[dimension])
    table, rows = unit_table(part, list(signs)), np.ones(len(part), bool)
    return train_dimension(part, table, labels, rows, signs, parameters_of(dimension, parameters), jobs)


def figure(judge: Any, scores: Sequence[Scores]) -> dict[str, float]:
    """Mean over topics and draws of condensed nDCG@5, with a 95% interval over topics."""
    import numpy as np

    from ltr.significance import mean_interval

    values = np.mean([judge.values(found) for found in scores], axis=0)
    low, high = mean_interval(values, (0, 1))
    return {"mean": float(values.mean()), "low": low, "high": high}


def table(found: dict[str, Any]) -> str:
    """The curve beside the baselines, in words and columns."""
    study = found["study"]
    lines = [
        f"argument level, condensed nDCG@5 of {study['dimension']} over {study['topics']} held-out topics,",
        f"mean of {study['draws']} draws in {study['folds']} folds, with 95% t intervals over topics",
    ]
    rows = [(point_name(row, row is found["points"][-1]), row) for row in found["points"]]
    rows += [(row["name"], row) for row in found["baselines"]]
    return "\n".join(
        [*lines, *(f"{name:<30}{row['mean']:.3f} [{row['low']:.3f}, {row['high']:.3f}]" for name, row in rows)]
    )


def point_name(row: Mapping[str, float], last: bool) -> str:
    """What a point of the curve was trained on, in words; the last one had all topics of the other folds."""
    if not row["topics"]:
        return "before any judgment"
    return f"all others, {row['topics']:.1f} topics" if last else f"{row['topics']:g} topics"


if __name__ == "__main__":
    run_command(main)
