"""``riposte learning-curve``: measure how many graded topics are enough.

Each fold's topics are held out in turn. Rankers are trained on the graded units of ever more of the other topics, drawn
at random; larger samples contain smaller ones. Other judgments and labelling functions train them at every point, and
alone at 0 topics. Figures are means over several draws, intervals are over topics.
"""

from __future__ import annotations

from argparse import ArgumentTypeError
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from experiments.figures import INTERVAL, MEAN, MEASURES, Figures, list_cells, mean_over, mean_with_interval, text_table
from experiments.study import FewGraded, Study, baseline_scores, finish, set_up
from experiments.study_options import add_study_options, study_settings
from ltr.cli.options import Parser, add_file
from ltr.errors import InputError
from ltr.evaluation.output import RANDOM
from ltr.progress import Progress
from ltr.supervision.judgments import Judgments
from models.base import Scores

SIZES = (1, 2, 5, 10, 20)


def numbers(text: str) -> tuple[int, ...]:
    """An argparse ``type``: numbers of topics, comma-separated; 0 and all topics are always added."""
    parts = [part.strip() for part in text.split(",") if part.strip() != "all"]
    if not all(part.isascii() and part.isdigit() and 0 < int(part) < 10**6 for part in parts):
        raise ArgumentTypeError(f"{text[:40]!r} is not numbers of topics, as in 2,5,10,all")
    return tuple(sorted({int(part) for part in parts}))


def parser() -> Parser:
    """The command's options."""
    p = Parser(prog="riposte learning-curve", description="How many topics need grades.")
    every = ",".join(map(str, SIZES))
    help_ = f"numbers of graded topics (default: {every}); all topics are added, and 0 where other labels exist"
    p.add_argument("--sizes", type=numbers, default=SIZES, metavar="N,N,...", help=help_)
    add_study_options(p, seeds=2)
    add_file(p, "--json", "write the figures there too")
    return p


def main(argv: list[str] | None = None) -> int:
    """Run the study. Raises InputError for anything that the user can correct."""
    options = parser().parse_args(argv)
    progress = Progress(quiet=options.quiet)
    study = set_up(study_settings(vars(options)), progress, options.json)
    scores = held_out(study, options.sizes, progress)
    with progress.stage("figures"):
        results = summarise(study, Figures(study.matrix, study.judgments.graded, study.task.min_units), scores)
    return finish(results, table(results) + study.note, options.json, progress if options.timings else None)


def held_out(study: Study, sizes: Sequence[int], progress: Progress) -> dict[float, list[Scores]]:
    """Number of graded topics that train -> for each draw, (n_rows,) held-out scores of the blend.

    The last number is all topics of the other folds, their mean where folds differ. Sizes that some fold cannot give
    are left out, and so is 0 where there is nothing else to learn from.
    """
    judgments = study.judgments
    graded = judgments.graded_ids()
    able = [number for number, topic in enumerate(study.matrix.topics) if topic in graded]
    others = [len([topic for topic in able if topic not in fold]) for split in study.splits for fold in split]
    if not min(others):
        raise InputError("judgments", f"too few topics have graded {study.task.name} to hold some out", "grade more")
    every = float(np.mean(others))
    without = replace(study.examples, judgments=Judgments({}, judgments.distant)).labels(study.sources)
    steps = [*([0] if without else []), *(size for size in sizes if size < min(others)), every]
    scores: dict[float, list[Scores]] = {}
    for size in steps:
        for draw in range(len(study.splits)):
            order = tuple(study.matrix.topics[topic] for topic in np.random.default_rng(draw).permutation(able))
            number = len(able) if size == every else int(size)
            few = FewGraded(judgments.graded, judgments.distant, order, number)
            scores.setdefault(size, []).append(study.held_out_scores(progress, few, study.sources, draw))
        progress.say(f"{point_name({'topics': size}, size == every)}: trained and ranked")
    return scores


def summarise(study: Study, figures: Figures, scores: Mapping[float, Sequence[Scores]]) -> dict[str, Any]:
    """The curve as plain data: of the mean of the dimensions, and of each."""
    plain = baseline_scores(study)

    def curve(dimension: str) -> dict[str, Any]:
        return {
            "points": [{"topics": size, **figure(figures, draws, dimension)} for size, draws in sorted(scores.items())],
            "baselines": [
                {"name": name, **figure(figures, [of], dimension, shuffled=name == RANDOM)}
                for name, of in plain.items()
            ],
        }

    dimensions = figures.dimensions
    facts = {"dimension": "all" if len(dimensions) > 1 else dimensions[0], "topics": len(study.matrix.topics)}
    return {
        "study": {**facts, **study.settings.size(), **study.dependencies},
        "measure": "condensed_nDCG@5",
        **curve(MEAN),
        "dimensions": {name: curve(name) for name in dimensions},
    }


def figure(figures: Figures, draws: Sequence[Scores], dimension: str, *, shuffled: bool = False) -> dict[str, Any]:
    """Mean over topics and draws of condensed nDCG@5 with its interval; ``full`` and ``judged`` beside it."""
    values = mean_over(figures.values(scores, dimension, shuffled=shuffled) for scores in draws)
    means = {name: mean_with_interval(column, name) for name, column in zip(MEASURES, values.T, strict=True)}
    condensed, full = ({part: means[name][part] for part in INTERVAL} for name in ("condensed", "full"))
    return {**condensed, "full": full, "judged": means["judged"]["mean"]}


def table(results: Mapping[str, Any]) -> str:
    """The curves beside the baselines, in words and columns."""
    study = results["study"]
    parts = [
        f"nDCG@5 of {study['topics']} held-out topics, whole candidate lists ranked by the blend;\n"
        f"mean of {study['draws']} draws of {study['folds']} folds, with 95% t intervals over topics"
    ]
    curves = dict(results["dimensions"])
    if len(curves) > 1:
        curves["mean of the dimensions"] = results
    for dimension, curve in curves.items():
        named = [(point_name(row, row is curve["points"][-1]), row) for row in curve["points"]]
        named += [(row["name"], row) for row in curve["baselines"]]
        rows = [{"": name, **list_cells(row["full"], row["judged"], row)} for name, row in named]
        parts.append(f"{dimension}\n{text_table(rows)}")
    return "\n\n".join(parts)


def point_name(row: Mapping[str, float], last: bool) -> str:
    """The training topics of a point of the curve, in words; the last point has all topics of the other folds."""
    if not row["topics"]:
        return "no graded topic"
    if last:
        return f"all others, {row['topics']:.1f} topics"
    return f"{row['topics']:g} topic{'s' if row['topics'] > 1 else ''}"
