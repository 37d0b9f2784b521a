"""Model folders that somebody has forged, with digests that fit: refused in one line, or a model that works."""

from __future__ import annotations

import os
import random
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.forged import forge, mutate
from support.planted import FACTS, HEAD_COLUMNS, fitted, fitted_head, planted, with_head

from features.core import feature as registry
from features.core.text import Analyzer
from ltr.data import reading
from ltr.errors import InputError
from ltr.model_folder.card import model_card
from ltr.model_folder.choice import with_encoder
from ltr.model_folder.store import load_bundle, save_bundle, training_of
from ltr.ranking.matrix import Matrix
from ltr.tasks import find_task
from models.base import TrainingSet
from models.blend import Blend
from models.contributions import contributions
from models.inputs import input_values, inputs_of
from models.linear import LinearRanker

PAIRS = find_task("pairs")
MUTATIONS = 300
CI = {"mean": 0.5, "low": 0.4, "high": 0.6, "topics": 3}
HISTORY = {
    "encoder": {"name": "words-1", "digest": "0f" * 16, "size": 32},
    "labels": {"relevance": {"graded": 12, "weakly labelled": 3}},
    "versions": {"riposte": "0.1", "spacy": "3", "lightgbm": "4"},
    "parameters": {"objective": "both"},
    "sources": {"graded": True},
    "expected_grades": True,
    "cross_validation": {
        "folds": [["1"], ["2", "3"]],
        "measures": "nDCG",
        "relevance_of_top_five": {"expected": 1.0, "graded": 1.0, "topics": 3},
        "figures": {"relevance": {"trained": dict.fromkeys(("full", "judged", "condensed"), CI)}},
    },
}


@pytest.fixture(scope="module")
def matrix() -> Matrix:
    return with_head(planted(2)[0])


@pytest.fixture(scope="module")
def saved(matrix: Matrix, tmp_path_factory: pytest.TempPathFactory) -> Path:
    columns = registry.columns()
    linear = LinearRanker(inputs_of(columns[:3]))
    labels = np.random.default_rng(0).random(len(matrix))
    linear.fit(TrainingSet(input_values(matrix, linear.inputs), labels, np.ones(len(labels)), matrix.groups))
    rankers = {"relevance": fitted(matrix, columns[3:5], 1, seeds=1), "quality": linear}
    folder = tmp_path_factory.mktemp("bundle") / "model"
    head = {"quality": fitted_head(matrix, [*columns[:2], *HEAD_COLUMNS[:3]], 2, seeds=1)}
    save_bundle(folder, PAIRS, Blend(rankers, {"relevance": 1.0, "quality": 0.5}, head), FACTS | HISTORY)
    return folder


def use(folder: Path, matrix: Matrix) -> None:
    """All that commands ask of a model."""
    bundle = load_bundle(folder, PAIRS)
    scores = bundle.blend.score(matrix)
    assert np.isfinite(scores).all()
    assert np.isfinite(bundle.blend.score(matrix)).all()
    contributions(bundle.blend, matrix)
    assert isinstance(bundle.description, str)
    with_encoder(bundle, "none", 1)
    bundle.other_versions()
    assert "\n" not in training_of(bundle.manifest)
    model_card(bundle.manifest)
    Analyzer(**bundle.manifest["analysis"]).terms("a question")
    assert all(0 <= value <= 10**9 for value in vars(bundle.config).values())


def test_any_change_of_a_manifest_is_refused_or_harmless(saved: Path, matrix: Matrix, tmp_path: Path):
    use(saved, matrix)
    rng, refused, worked = random.Random(0), 0, 0
    for number in range(MUTATIONS):
        folder = Path(shutil.copytree(saved, tmp_path / str(number)))
        done: list[str] = []
        forge(folder, lambda manifest: done.extend(mutate(manifest, rng) for _ in range(rng.choice((1, 1, 2)))))  # noqa: B023
        try:
            use(folder, matrix)
            worked += 1
        except InputError as error:
            refused += str(error).isprintable()
        except Exception as error:
            raise AssertionError(f"{number}: {done}") from error
    assert refused + worked == MUTATIONS
    assert refused > MUTATIONS / 3


FORGED_LINEAR: dict[str, dict[str, Any]] = {
    "a weight less": {"weights": [1.0]},
    "weights in lists": {"weights": [[1.0], [1.0], [1.0]]},
    "no number": {"weights": ["x", "y", "z"]},
    "a huge number": {"intercept": 10**400},
    "text": {"intercept": "nan"},
}


@pytest.mark.parametrize("what", FORGED_LINEAR)
def test_forged_weights(saved: Path, tmp_path: Path, what: str):
    folder = Path(shutil.copytree(saved, tmp_path / "model"))
    forge(folder, lambda manifest: manifest["rankers"]["quality"].update(FORGED_LINEAR[what]))
    with pytest.raises(InputError, match="the model cannot be read"):
        load_bundle(folder, PAIRS)


@pytest.mark.parametrize("named", [None, ["other"], 3, [["mono"]], {}])
def test_forged_scores(saved: Path, tmp_path: Path, named: object):
    folder = Path(shutil.copytree(saved, tmp_path / "model"))
    forge(folder, lambda manifest: manifest["features"].update(scores_mono=1))
    if named is not None:
        forge(folder, lambda manifest: manifest.update(scores=named))
    with pytest.raises(InputError, match="the model cannot be read"):
        load_bundle(folder, PAIRS)


def test_files_of_a_model_that_never_end(saved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(reading, "LARGEST", 3 << 20)
    monkeypatch.setattr(reading, "PATIENCE", 0.1)
    for name in ("manifest.json", "relevance-trees-000.txt"):
        folder = Path(shutil.copytree(saved, tmp_path / name))
        (folder / name).unlink()
        os.mkfifo(folder / name)
        with pytest.raises(InputError, match="nobody writes into this pipe"):
            load_bundle(folder, PAIRS)
        (folder / name).unlink()
        (folder / name).symlink_to("/dev/zero")
        with pytest.raises(InputError, match="holds more than 3 MB"):
            load_bundle(folder, PAIRS)
