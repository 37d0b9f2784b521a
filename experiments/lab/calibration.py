"""``python -m experiments.lab.calibration``: how often studies find a difference where there is none."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd

from experiments import ablation, learning_curve, supervision
from experiments.figures import Figures, report_values
from experiments.lab.program import Program
from experiments.study import Study, StudySettings, draw_folds, read_study_data
from ltr.cli.parser import Command
from ltr.cli.process import run_command
from ltr.data.qrels import Qrels
from ltr.escapes import say
from ltr.evaluation.rankings import RANDOM
from ltr.evaluation.significance import ALPHA, CORRELATION, Difference, paired_difference, paired_tests, variance_of
from ltr.files import write_all
from ltr.progress import Progress
from ltr.settings import setting
from ltr.settings.kinds import File, Number
from models.learned import columns_of

CURVE = "condensed_nDCG@5"


@dataclass(frozen=True, kw_only=True)
class CalibrationSettings(StudySettings):
    """Share of tests with p at most .05, and of intervals without 0, where grades are shuffled within topics."""

    shuffles: int = setting(Number(1), "shuffles of the grades", default=20)
    trees: int = setting(Number(1, 5000), "trees of a ranker", default=20)
    columns: int = 0
    averaged: int = 1
    csv: Path | None = setting(File(), "write a row a test there")


def calibrate(options: CalibrationSettings) -> int:
    """Describe candidates once, keep the graded ones, and repeat the studies for every shuffle. Raises InputError."""
    progress = Progress(quiet=options.quiet)
    study = graded_rows(draw_folds(read_study_data(options, [options.csv]), progress))
    study = replace(study, resources=replace(study.resources, progress=Progress(quiet=True)))
    found = []
    for seed in range(options.shuffles):
        tests = tests_of(shuffled(study, seed))
        found += [(seed, name, measure, one.p, one.low, one.high) for name, measure, one in tests]
        progress.say(f"shuffle {seed + 1} of {options.shuffles}")
    rows = pd.DataFrame(found, columns=["shuffle", "test", "measure", "p", "low", "high"])
    rows["p at most .05"], rows["intervals without 0"] = rows["p"] <= ALPHA, rows["low"] * rows["high"] > 0
    table = rows.groupby(["test", "measure"], sort=False).agg(
        {"p": "size", "p at most .05": "mean", "intervals without 0": "mean"}
    )
    if options.csv:
        write_all({options.csv: rows.to_csv(index=False)})
    say(*table.rename(columns={"p": "tests"}).reset_index().round(3).to_string(index=False).split("\n"))
    return 0


def graded_rows(study: Study) -> Study:
    """The study of the graded candidates alone: of others a shuffle would not change what is known."""
    graded = study.judgments.graded_ids()
    kept = np.concatenate([part.among(graded.get(part.asked[0].number, ())) for part in study.table.by_topic()])
    values = np.ascontiguousarray(study.examples.values[kept])
    return replace(study, examples=replace(study.examples, table=study.table[kept], values=values))


def shuffled(study: Study, seed: int) -> Study:
    """The study with the grades of each topic's items dealt out anew, the same way in every dimension."""
    graded = {}
    for name, qrels in study.judgments.graded.items():
        rng = np.random.default_rng(seed)
        dealt = {t: dict(zip(of, rng.permutation([*of.values()]).tolist(), strict=True)) for t, of in qrels.items()}
        graded[name] = Qrels(dealt, qrels.level)
    judgments = replace(study.judgments, graded=graded)
    return replace(study, judgments=judgments, examples=replace(study.examples, judgments=judgments))


def tests_of(study: Study) -> Iterator[tuple[str, str, Difference]]:
    """Test, measure and difference of each study, an ablation's by the kind of variant; mean correlations from 0."""
    figures = Figures(study.table, study.judgments.graded, study.task.min_items)
    variants = ablation.variants_of(columns_of(study.examples.inputs), "groups", ["leave-one-out", "only"])
    size = {**study.settings.size(), "seeds": study.settings.seeds}
    boards = ablation.try_variants(study, figures, variants)
    for test in ablation.compared(boards, variants, figures.topics, size).tests:
        yield f"ablation, {test.run.partition(' ')[0]}", test.measure, test.difference
    quiet = study.resources.progress
    for test in supervision.report_of(study, supervision.all_scores(study, quiet)).tests:
        yield "supervision", test.measure, test.difference
    curve = learning_curve.held_out(study, learning_curve.SIZES, "", quiet)
    values = learning_curve.report_of(study, "", curve).values
    points = [run for run in dict.fromkeys(values.columns.get_level_values(0)) if "topic" in run]
    for test in paired_tests(values, [(point, RANDOM) for point in points], [CURVE]):
        yield "learning curve, from random", CURVE, test.difference
    values = report_values(boards, figures.topics)
    for run in boards:
        for _, of in values[run, CORRELATION].groupby(level=0):
            known = of.dropna().to_numpy(np.float64)
            zero = paired_difference(known, np.zeros(len(known)), variance_of(CORRELATION))
            yield "correlation from 0", CORRELATION, zero


main = Command("calibration", CalibrationSettings, calibrate)
main.prefix = Program.prefix

if __name__ == "__main__":
    run_command(main)
