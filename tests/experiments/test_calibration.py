"""Studies find nothing in shuffled grades, and a leaked grade where there is one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from support.corpora import QUIET

from experiments import ablation
from experiments.figures import Figures
from experiments.lab.calibration import graded_rows, main, shuffled
from experiments.study import draw_folds, read_study_data
from ltr.learning.labels import graded_labels
from models.learned import columns_of

SAMPLE = Path(ablation.__file__).parents[1] / "ltr" / "sample"
OPTIONS = ["-i", str(SAMPLE), "--topics", str(SAMPLE / "topics-train.xml"), "--trees", "5", "--jobs", "1", "--quiet"]
OPTIONS += ["--pair-qrels", f"quality={SAMPLE / 'qrels-train-pairs-quality.qrels'}"]


@pytest.mark.slow
def test_studies_keep_their_level(tmp_path: Path) -> None:
    file = tmp_path / "tests.csv"
    given = [*OPTIONS, "--index", str(tmp_path / "index"), "--shuffles", "10", "--csv", str(file)]
    assert main(given) == 0
    rows = pd.read_csv(file)
    found = rows.groupby(["test", "measure"]).agg({"p": ["size", lambda p: (p <= 0.05).mean()]})
    assert len(found) == 8
    assert rows.groupby("shuffle").size().nunique() == 1
    shares = found["p"].iloc[:, 1]
    assert (rows["p"] <= 0.05).mean() <= 0.06, shares
    assert (rows["low"] * rows["high"] > 0).mean() <= 0.06


@pytest.mark.slow
def test_a_leaked_grade_is_found_in_shuffled_grades(tmp_path: Path) -> None:
    options = ablation.main.read(
        *OPTIONS, "--index", str(tmp_path / "index"), "-o", str(tmp_path / "x"), "--seeds", "1"
    )
    study = shuffled(graded_rows(draw_folds(read_study_data(options), QUIET)), 0)
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
