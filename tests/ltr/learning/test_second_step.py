"""Training the rankers of the head."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from support.encoders import word_encoder
from support.judged import judgments_of
from support.planted import COLUMNS, HEAD_COLUMNS, SMALL, planted, trained, with_head
from support.refusals import refuses
from support.trained import FEW, trained_on_sample

from features.core.feature import column_features
from ltr.commands import predict, train
from ltr.learning.examples import Examples
from ltr.learning.fit import OUTSIDE, FitSettings, TrainingResult, fit_second_step
from ltr.learning.held_out import BLEND, FIRST_STEP
from ltr.learning.judgments import Judgments
from ltr.learning.labels import Sources
from ltr.model_folder.store import load_bundle
from ltr.parallel import Workers
from ltr.ranking.candidates import Candidates
from ltr.ranking.source import Resources
from ltr.ranking.task import find_task
from ltr.sample import SAMPLE
from ltr.text_models.encoders import ENCODERS
from models.base import DIMENSIONS, make_ranker

Steps = tuple[Candidates, Judgments, TrainingResult, TrainingResult]
SETTINGS = FitSettings(SMALL, folds=2, second_step=DIMENSIONS)
HEAD_SIZE = 16


def second(
    first: TrainingResult, table: Candidates, judgments: Judgments, settings: FitSettings = SETTINGS
) -> TrainingResult:
    every = [*COLUMNS, *HEAD_COLUMNS[:4]]
    described = with_head(table, HEAD_SIZE)
    examples = Examples.from_columns(described, judgments, every, DIMENSIONS)
    best = described.in_head
    return fit_second_step(first, examples, settings, best, Resources(Workers(1)))


@pytest.fixture(scope="module")
def steps() -> Steps:
    table, judgments = planted(4)
    first = trained(table, judgments)
    return table, judgments, first, second(first, table, judgments)


def test_the_head_has_rankers_of_its_own(steps: Steps) -> None:
    table, _, first, result = steps
    head = with_head(table, HEAD_SIZE).in_head
    assert result.model.rankers == first.model.rankers
    assert list(result.model.head) == list(DIMENSIONS)
    assert set(result.model.head_columns) <= set(HEAD_COLUMNS[:4]), "the columns that were chosen, no others"
    plain = [column for name in ("words", "argues") for column in make_ranker(name).columns]
    assert set(result.model.columns) <= {*COLUMNS, *plain}
    for name in DIMENSIONS:
        np.testing.assert_array_equal(result.held_out[name][~head], first.held_out[name][~head] - OUTSIDE)
        assert not np.array_equal(result.held_out[name][head], first.held_out[name][head])
    assert result.folds == first.folds
    for judged, board in result.boards.items():
        assert board.figures[FIRST_STEP] == first.boards[judged].figures[BLEND]
        assert FIRST_STEP not in first.boards[judged].figures


def test_held_out_heads_know_nothing_of_the_held_out_judgments(steps: Steps) -> None:
    table, judgments, first, result = steps
    fold = first.folds[0]
    turned = {
        name: {t: {i: 2 - g if t in fold else g for i, g in grades.items()} for t, grades in qrels.items()}
        for name, qrels in judgments.graded.items()
    }
    after = second(first, table, judgments_of(turned, judgments.distant))
    held = np.isin(table.topic_of_row, [table.topics.index(topic) for topic in fold])
    for name in ("relevance", "coherence"):
        np.testing.assert_array_equal(result.held_out[name][held], after.held_out[name][held])
        assert not np.array_equal(result.held_out[name][~held], after.held_out[name][~held])


def test_other_dimensions_keep_their_first_step(steps: Steps) -> None:
    table, judgments, first, _ = steps
    result = second(first, table, judgments, replace(SETTINGS, second_step=("quality", "beauty")))
    assert list(result.model.head) == ["quality"]
    head = with_head(table, HEAD_SIZE).in_head
    np.testing.assert_array_equal(result.held_out["relevance"][head], first.held_out["relevance"][head])


def test_a_head_that_teaches_nothing_is_refused(steps: Steps) -> None:
    table, judgments, first, _ = steps
    same = {name: {t: dict.fromkeys(q, 1.0) for t, q in qrels.items()} for name, qrels in judgments.graded.items()}
    settings = replace(SETTINGS, sources=Sources(distant=False, weak=False))
    refuses(
        lambda: second(first, table, judgments_of(same), settings),
        "sources",
        "no source separates good pairs from bad among the best candidates; add a source of supervision, or leave out",
    )


# ---- the command ----------------------------------------------------------------------------------


@pytest.fixture
def encoder(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setitem(ENCODERS, "words", lambda what, threads: word_encoder(what))
    return ["--encoder", "words:words-1"]


@pytest.fixture
def train_sample(encoder: list[str]) -> Callable[..., int]:
    here = ["-i", str(SAMPLE), "--index", str(trained_on_sample().parent / "index"), "--jobs", "1"]
    judged = ["--topics", str(SAMPLE / "topics-train.xml"), "--columns", "6"]
    for name in DIMENSIONS:
        judged += ["--pair-qrels", f"{name}={SAMPLE / f'qrels-train-pairs-{name}.qrels'}"]
    return partial(_train, [*here, *judged, *FEW, "--trees", "3", "--sources", "graded", *encoder])


def _train(given: list[str], folder: Path, *options: str) -> int:
    return train.main([*given, "-m", str(folder), *options])


def test_the_command_trains_both_steps_the_same_again(
    train_sample: Callable[..., int], encoder: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    assert train_sample(one, "--drop", "meaning_pair", "--drop", "readability") == 0
    said = capsys.readouterr().out
    assert "(first step: the blend without the encoder; dense: all by the encoder's cosine alone)" in said
    assert "\n  dense   " in said
    assert train_sample(two, "--drop", "meaning_pair", "--drop", "readability") == 0
    assert {path.name: path.read_bytes() for path in one.iterdir()} == {
        path.name: path.read_bytes() for path in two.iterdir()
    }
    manifest = json.loads((one / "manifest.json").read_text("utf-8"))
    assert manifest["encoder"] == {"name": "words-1", "digest": word_encoder().digest, "size": word_encoder().size}
    known = column_features()
    used = {known[column].name for column in manifest["features"]}
    assert "meaning_pair" not in used
    assert "readability" not in {known[column].group for column in manifest["features"]}, "dropped in both steps"
    model = load_bundle(one, find_task("pairs")).blend
    assert list(model.head) == ["relevance"]
    assert model.reading == find_task("pairs").reading > 0
    assert f", {model.reading:g} reader\n" in said
    options = ["-i", str(SAMPLE), "--index", str(trained_on_sample().parent / "index"), "-m", str(one), "--quiet"]
    assert predict.main([*options, *encoder, "--jobs", "1", "-o", str(tmp_path / "out"), "--depth", "20"]) == 0
    assert "with encoder words-1)" in capsys.readouterr().out


def test_an_encoder_with_nothing_to_read_is_refused_before_the_training(
    train_sample: Callable[..., int], tmp_path: Path
) -> None:
    said = "no feature is left for the second step; drop fewer, or leave out the encoder"
    refuses(lambda: train_sample(tmp_path / "model", "--drop", "semantic"), "--drop", said)
    assert not (tmp_path / "model").exists()
