"""``riposte learning-curve``: measure how many graded topics are enough.

Each fold's topics are held out in turn. Rankers are trained on the graded items of ever more of the other topics, drawn
at random; larger samples contain smaller ones. Other judgments and labelling functions train them at every point, and
alone at 0 topics. Figures are means over several draws, intervals are over topics.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from experiments.figures import Figures, report_values
from experiments.study import SEEDS, ReportFiles, Study, StudySettings, baseline_scores, finish, set_up
from ltr.cli.parser import Command
from ltr.errors import InputError
from ltr.evaluation.report import Plan, Report, set_title
from ltr.evaluation.runs import INTERVALS_NOTE
from ltr.learning.judgments import Judgments
from ltr.settings import setting
from ltr.settings.kinds import Number
from models.base import Scores

SIZES = (1, 2, 5, 10, 20)


@dataclass(frozen=True)
class FewGraded(Judgments):
    """Judgments that train on the graded items of the first ``size`` topics of ``order`` that are not held out."""

    order: tuple[str, ...] = ()
    size: int = 0

    def without(self, topics: Iterable[str]) -> Judgments:
        """The judgments that may train when ``topics`` are held out."""
        rest = super().without(topics)
        drawn = [topic for topic in self.order if topic not in set(topics)][: self.size]
        return replace(rest, graded=rest.only(drawn).graded)


@dataclass(frozen=True, kw_only=True)
class LearningCurveSettings(StudySettings, ReportFiles):
    """How many topics need grades."""

    sizes: tuple[int, ...] = setting(
        Number(1, 1_000_000),
        f"numbers of graded topics (default: {' '.join(map(str, SIZES))}); all topics are added, and 0 where other "
        "labels exist",
        several=True,
        words="+",
        default=SIZES,
    )
    seeds: int = replace(SEEDS, default=2)


def learning_curve(options: LearningCurveSettings) -> int:
    """Run the study. Raises InputError for anything that the user can correct."""
    files = options.report_files()
    study = set_up(options, files.values())
    scores = held_out(study, options.sizes)
    with study.resources.progress.stage("figures"):
        report = report_of(study, scores)
    return finish(study, report, files)


def held_out(study: Study, sizes: Sequence[int]) -> dict[float, list[Scores]]:
    """Number of graded topics that train -> for each draw, (n_rows,) held-out scores of the blend.

    The last number is all topics of the other folds, their mean where folds differ. Sizes that some fold cannot give
    are left out, and so is 0 where there is nothing else to learn from.
    """
    judgments, topics = study.judgments, study.table.topics
    graded = judgments.graded_ids()
    able = [n for n, topic in enumerate(topics) if topic in graded]
    others = [len([topic for topic in able if topic not in fold]) for split in study.splits for fold in split]
    if not min(others):
        what = f"too few topics have graded {study.task.name} to hold some out"
        raise InputError("judgments", what, "grade more")
    every = float(np.mean(others))
    without = replace(study.examples, judgments=replace(judgments, graded={})).labels(study.sources)
    steps = [*([0] if without else []), *(size for size in sorted({*sizes}) if size < min(others)), every]
    scores: dict[float, list[Scores]] = {}
    for size in steps:
        for draw in range(len(study.splits)):
            order = tuple(topics[topic] for topic in np.random.default_rng(draw).permutation(able))
            number = len(able) if size == every else int(size)
            few = FewGraded(judgments.graded, judgments.distant, order, number)
            scores.setdefault(size, []).append(study.held_out_scores(few, study.sources, draw))
        study.resources.progress.say(f"{point_name(size, size == every)}: trained and ranked")
    return scores


def report_of(study: Study, scores: Mapping[float, Sequence[Scores]]) -> Report:
    """The curve of each dimension, and of their mean."""
    points = {size: point_name(size, size == max(scores)) for size in sorted(scores)}
    rows = {name: scores[size] for size, name in points.items()} | baseline_scores(study)
    found = Figures(study.table, study.judgments.graded, study.task.min_items).of_rows(rows)
    boards = {row: {set_title(name): of for name, of in by_set.items()} for row, by_set in found.items()}
    facts = {"topics": len(study.table.topics), **study.settings.size(), **study.dependencies}
    title = f"nDCG@5 of {len(study.table.topics)} held-out topics, whole candidate lists ranked by the blend; mean of "
    return Report.of_values(
        report_values(boards, study.table.topics),
        Plan(["condensed_nDCG@5"], tested=False),
        title=title + f"{facts['draws']} draws of {facts['folds']} folds",
        remarks=[INTERVALS_NOTE],
        facts={"study": facts},
        of_runs={name: {"training topics": size} for size, name in points.items()},
    )


def point_name(topics: float, last: bool) -> str:
    """The training topics of a point of the curve, in words; the last point has all topics of the other folds."""
    if not topics:
        return "no graded topic"
    return f"all others, {topics:.1f} topics" if last else f"{topics:g} topic{'s' if topics > 1 else ''}"


main = Command("learning-curve", LearningCurveSettings, learning_curve)
