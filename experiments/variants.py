"""``python -m experiments.variants``: what each part of the training buys, by cross-validation over topics.

The default is trained and judged on held-out topics; then again with one thing changed at a time. Every figure
is the mean over several splits, so that the luck of one split does not decide; intervals are over topics.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ltr.cli import Parser, add_index_options, add_run_options, whole_number
from ltr.errors import InputError, run_command
from ltr.workers import Processes

if TYPE_CHECKING:
    from features.registry import Feature
    from ltr.formats import Qrels
    from ltr.matrix import Matrix
    from models.base import Scores

DIMENSION = "relevance"
TREES = 20


@dataclass(frozen=True)
class Variant:
    """A training that differs from the default in one thing."""

    name: str
    labels: tuple[str, ...] = ()
    """Labelling functions; none for the default ones."""
    unjudged: float | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    drop: tuple[str, ...] = ()
    """Groups and features that are left out."""
    unsigned: bool = False
    """Columns of whole arguments without a sign join, and no sign is kept."""


VARIANTS = (
    Variant("default"),
    Variant("labels: the grade alone", labels=("minimum_grade",)),
    Variant("labels: all functions", labels=("all",)),
    Variant("unjudged: left out", unjudged=0.0),
    Variant("unjudged: .3 of the judged", unjudged=0.3),
    Variant("unjudged: as much as the judged", unjudged=1.0),
    Variant("ridge alone, no trees", parameters={"trees": 0}),
    Variant("trees alone, no ridge", parameters={"ridge": 1e15}),
    Variant("trees without the signs", parameters={"monotone": False}),
    Variant("nothing bound to a sign", unsigned=True),
    Variant("ridge 10 times weaker", parameters={"ridge": 3.0}),
    Variant("ridge 10 times stronger", parameters={"ridge": 300.0}),
    Variant("one seed", parameters={"seeds": 1}),
    Variant("no bagging of rows", parameters={"row_share": 1.0}),
    Variant("bagging of topics too", parameters={"topic_share": 0.7}),
    Variant("without feedback", drop=("feedback",)),
    Variant("without substance", drop=("substance",)),
    Variant("without lexical scores", drop=("lexical",)),
    Variant("without convincing", drop=("mean_convincing", "best_convincing")),
    Variant("without argumentative", drop=("mean_argumentative", "best_argumentative")),
)


def parser() -> Parser:
    """The command's options."""
    p = Parser(prog="python -m experiments.variants", description="What each part of the training buys.")
    p.add_argument("-i", "--input", required=True, metavar="DIR", help="corpus")
    p.add_argument("--topics", required=True, type=Path, metavar="FILE", help="topics XML")
    p.add_argument("--qrels", required=True, type=Path, metavar="FILE", help="judgments of relevance")
    p.add_argument(
        "--splits", type=whole_number(1, 50), default=2, metavar="N", help="splits to average over (default: 2)"
    )
    p.add_argument("--folds", type=whole_number(2, 100), default=5, metavar="N", help="folds of each (default: 5)")
    add_index_options(p)
    add_run_options(p)
    return p


def main(argv: list[str] | None = None) -> int:
    """Run the study. Raises InputError for anything that the user can mend."""
    options = parser().parse_args(argv)

    from ltr.candidates import Settings
    from ltr.corpus import open_corpus
    from ltr.formats import read_qrels, read_topics
    from ltr.index import open_index
    from ltr.learning import Judge, split_topics
    from ltr.pipeline import describe_topics
    from ltr.progress import Progress
    from ltr.train import alike, known_qrels
    from models.base import baselines, make_ranker

    progress = Progress(quiet=options.quiet)
    topics = read_topics(options.topics)
    qrels = known_qrels(read_qrels(options.qrels), topics, [options.qrels])
    index = open_index(open_corpus(options.input), options.index, progress)
    known = frozenset(index.argument_rows([a for grades in qrels.values() for a in grades]))
    judged = [topic for topic in topics if topic.number in qrels]
    matrix = describe_topics(index, judged, Settings(), workers=Processes(options.jobs), progress=progress)
    tied = alike(judged, index.analyzer)
    splits = [split_topics(matrix, qrels, options.folds, seed, tied) for seed in range(options.splits)]
    judge = Judge(matrix, qrels)
    if not judge.topics or min(map(len, splits)) < 2:
        raise InputError(options.qrels, "too few topics with a relevant argument to hold some out", "add judgments")
    rows = [(name, *figures(judge, [make_ranker(name).score(matrix)])) for name in baselines()]
    with progress.stage("variants", unit="variants", total=len(VARIANTS)) as tick:
        for variant in VARIANTS:
            scores = held_out(matrix, qrels, known, splits, variant, options.jobs)
            rows.append((variant.name, *figures(judge, scores)))
            tick()
    print(table(rows, judge.topics, options.splits, options.folds))
    if options.timings:
        progress.print_report()
    return 0


def held_out(
    matrix: Matrix, qrels: Qrels, known: frozenset[str], splits: list[list[list[int]]], variant: Variant, jobs: int
) -> list[Scores]:
    """For each split (n_rows,) scores of models that never saw the row's topic."""
    import numpy as np

    from ltr.labelling import labelling_functions
    from ltr.learning import parameters_of, train_dimension
    from ltr.supervision import DEFAULT, UNJUDGED, weak_labels
    from models.base import unit_table
    from models.lambdamart import Parameters

    names = list(labelling_functions()) if variant.labels == ("all",) else variant.labels or DEFAULT[DIMENSION]
    unjudged = UNJUDGED[DIMENSION] if variant.unjudged is None else variant.unjudged
    signs = columns_of(variant)
    given = replace(parameters_of(DIMENSION, Parameters(trees=TREES)), **variant.parameters)
    table = unit_table(matrix, list(signs))
    found = []
    for split in splits:
        scores = np.zeros(len(matrix))
        for topics in split:
            test = np.isin(matrix.topic_of_row, topics)
            numbers = [matrix.topics[topic] for topic in topics]
            # What is held out may not speak through the label model either.
            seen = {number: grades for number, grades in qrels.items() if number not in numbers}
            labels = weak_labels(matrix, seen, known, names, DIMENSION, unjudged=unjudged)
            if not (labels.used & ~test).any():
                what = "too few topics have judged candidates to hold some out"
                raise InputError("--qrels", what, "add judgments")
            model = train_dimension(matrix, table, labels, ~test, signs, given, jobs)
            scores[test] = model.score_units(table)[table.unit_of_row][test]
        found.append(scores)
    return found


def columns_of(variant: Variant) -> dict[str, int]:
    """The columns that the variant learns from, with their signs."""
    from features.registry import column_features
    from ltr.learning import signed_columns

    known = column_features()
    kept = [c for c, feature in known.items() if not {feature.group, feature.name} & set(variant.drop)]
    if not variant.unsigned:
        return signed_columns(kept)
    return {column: 0 for column in kept if _of_argument(column, known[column])}


def _of_argument(column: str, feature: Feature) -> bool:
    return feature.scope == "argument" and column.endswith("_min")


def figures(judge: Any, scores: list[Scores]) -> tuple[Any, Any]:
    """(n_topics,) condensed and full nDCG@5, each the mean over the splits."""
    import numpy as np

    condensed = np.mean([judge.values(found) for found in scores], axis=0)
    full = np.mean([judge.values(found, condensed=False) for found in scores], axis=0)
    return condensed, full


def table(rows: list[tuple[str, Any, Any]], topics: int, splits: int, folds: int) -> str:
    """The variants beside the default, with the interval of each difference."""
    from ltr.significance import mean_interval

    default = next(values for name, *values in rows if name == VARIANTS[0].name)
    lines = [
        f"argument level, linear nDCG@5 over {topics} held-out topics, judged arguments that are candidates,",
        f"mean of {splits} splits into {folds} folds;",
        "differences from the default with 95% t intervals over topics",
        f"{'variant':<34}{'condensed':>10}{'difference [95%]':>26}{'full':>8}{'difference [95%]':>26}",
    ]
    for name, *values in rows:
        cells = ""
        for value, base in zip(values, default, strict=True):
            low, high = mean_interval(value - base)
            change = "" if name == VARIANTS[0].name else f"{(value - base).mean():+.3f} [{low:+.3f}, {high:+.3f}]"
            cells += f"{value.mean():>9.3f} {change:>26}"
        lines.append(f"{name:<34}{cells}".rstrip())
    return "\n".join(lines)


if __name__ == "__main__":
    run_command(main)
