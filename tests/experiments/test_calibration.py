"""Studies find nothing in shuffled grades, and a leaked grade where there is one; docs/ablation.md has more."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from experiments import ablation, learning_curve, supervision
from experiments.figures import Figures, report_values
from experiments.study import Study, draw_folds, read_study_data
from ltr.data.qrels import Qrels
from ltr.evaluation.rankings import RANDOM
from ltr.evaluation.significance import ALPHA, CORRELATION, Difference, paired_difference, paired_tests, variance_of
from ltr.learning.labels import graded_labels
from models.learned import columns_of

SAMPLE = Path(ablation.__file__).parents[1] / "ltr" / "sample"
OPTIONS = ["-i", str(SAMPLE), "--topics", str(SAMPLE / "topics-train.xml"), "--trees", "5", "--jobs", "1", "--quiet"]
OPTIONS += ["--pair-qrels", f"quality={SAMPLE / 'qrels-train-pairs-quality.qrels'}"]
OPTIONS += ["-o", "nowhere", "--seeds", "1"]
SHUFFLES = 10
CURVE = "condensed_nDCG@5"


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


def differences_of(study: Study) -> Iterator[tuple[str, str, Difference]]:
    """Test, measure and difference of each study, an ablation's by the kind of variant; mean correlations from 0."""
    figures = Figures(study.table, study.judgments.graded, study.task.min_items)
    variants = ablation.variants_of(columns_of(study.examples.inputs), "groups", ["leave-one-out", "only"])
    size = {**study.settings.size(), "seeds": study.settings.seeds}
    boards = ablation.try_variants(study, figures, variants)
    for test in ablation.compared(boards, variants, figures.topics, size).tests:
        yield f"ablation, {test.run.partition(' ')[0]}", test.measure, test.difference
    for test in supervision.report_of(study, supervision.all_scores(study)).tests:
        yield "supervision", test.measure, test.difference
    curve = learning_curve.held_out(study, learning_curve.SIZES)
    values = learning_curve.report_of(study, curve).values
    points = [run for run in dict.fromkeys(values.columns.get_level_values(0)) if "topic" in run]
    for test in paired_tests(values, [(point, RANDOM) for point in points], [CURVE]):
        yield "learning curve, from random", CURVE, test.difference
    values = report_values(boards, figures.topics)
    for run in boards:
        for _, of in values[run, CORRELATION].groupby(level=0):
            known = of.dropna().to_numpy(np.float64)
            zero = paired_difference(known, np.zeros(len(known)), variance_of(CORRELATION))
            yield "correlation from 0", CORRELATION, zero


def small_study(index: Path) -> Study:
    """The study of the sample's graded pairs."""
    settings = ablation.main.read(*OPTIONS, "--index", str(index))
    return graded_rows(draw_folds(read_study_data(settings)))


@pytest.mark.slow
def test_studies_keep_their_level(tmp_path: Path) -> None:
    study = small_study(tmp_path / "index")
    found = [
        (seed, name, measure, one.p, one.low, one.high)
        for seed in range(SHUFFLES)
        for name, measure, one in differences_of(shuffled(study, seed))
    ]
    rows = pd.DataFrame(found, columns=["shuffle", "test", "measure", "p", "low", "high"])
    shares = rows.groupby(["test", "measure"])["p"].agg(lambda p: (p <= ALPHA).mean())
    assert len(shares) == 8
    assert rows.groupby("shuffle").size().nunique() == 1
    assert (rows["p"] <= ALPHA).mean() <= 0.06, shares
    assert (rows["low"] * rows["high"] > 0).mean() <= 0.06


@pytest.mark.slow
def test_a_leaked_grade_is_found_in_shuffled_grades(tmp_path: Path) -> None:
    study = shuffled(small_study(tmp_path / "index"), 0)
    examples = study.examples
    columns = columns_of(examples.inputs)
    family, (leaking, *_) = next(iter(ablation.families_of(columns, "groups").items()))
    values = examples.values.copy()
    values[:, examples.inputs.index(leaking)] = graded_labels(study.table, study.judgments.graded["quality"])
    study = replace(study, examples=replace(examples, values=np.ascontiguousarray(values)))
    figures = Figures(study.table, study.judgments.graded)
    every = ablation.variants_of(columns, "groups", ["leave-one-out"])
    variants = [variant for variant in every if variant.name in (ablation.BASELINE, f"without {family}")]
    boards = ablation.try_variants(study, figures, variants)
    report = ablation.compared(boards, variants, figures.topics, {"folds": 5, "seeds": 1})
    assert [(test.measure, test.verdict) for test in report.tests] == [(of, "worse") for of in ablation.TESTED]
