"""Model folders with digests that fit: manifests, trees as LightGBM writes them, linear weights."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from support.forged import ODD, forge
from support.planted import FACTS, fitted, planted

from features.core import feature as registry
from fuzz.cases import NUMBERS
from fuzz.reader import Read, reader
from ltr.model_folder.card import model_card
from ltr.model_folder.store import MANIFEST, load_bundle, save_bundle, training_of
from ltr.ranking.matrix import Matrix
from ltr.tasks import find_task
from models.base import TrainingSet
from models.blend import Blend
from models.inputs import input_values, inputs_of
from models.lambdamart import booster_text, lightgbm_package
from models.linear import LinearRanker
from models.trees import Trees

PAIRS = find_task("pairs")


@cache
def matrix() -> Matrix:
    """Two topics to score."""
    return planted(2)[0]


def saved(folder: Path, columns: Sequence[str] = ()) -> Path:
    """A model of trees and one of weights in a folder; the weights are of the first three of the columns."""
    columns = [*columns] or registry.columns()[:5]
    linear = LinearRanker(inputs_of(columns[:3]))
    labels = np.random.default_rng(0).random(len(matrix()))
    values = input_values(matrix(), linear.inputs)
    linear.fit(TrainingSet(values, labels, np.ones(len(labels)), matrix().groups))
    rankers = {"relevance": fitted(matrix(), columns[3:], 1, seeds=1), "quality": linear}
    save_bundle(folder, PAIRS, Blend(rankers, {"relevance": 1.0, "quality": 0.5}), FACTS)
    return folder


@cache
def texts() -> dict[str, bytes]:
    """Name -> content of the files of that model."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        return {path.name: path.read_bytes() for path in sorted(saved(Path(folder) / "model").iterdir())}


def use(folder: Path) -> None:
    """All that commands ask of a model."""
    bundle = load_bundle(folder, PAIRS)
    scores = bundle.blend.score(matrix())
    assert np.isfinite(scores).all()
    assert "\n" not in training_of(bundle.manifest)
    model_card(bundle.manifest)
    bundle.other_versions()
    assert all(0 <= width <= 10**9 for width in vars(bundle.config).values())


TOKENS = [
    *NUMBERS,
    *(json.dumps(value).encode() for value in ODD),
    *(f'"{name}": '.encode() for name in "weights inputs rankers files ranker blend candidates features data".split()),
    *b"{ } [ ] , : lambdamart linear relevance quality coherence @topic".split(),
]


@reader("model-manifest", lambda: [texts()[MANIFEST]], tokens=TOKENS)
def _manifest(folder: Path) -> Read:
    """With a digest that fits."""
    place = saved(folder / "model")

    def take(content: bytes) -> None:
        (place / MANIFEST).write_bytes(content)
        try:
            forge(place, lambda _: None)
        except (ValueError, TypeError, LookupError, AttributeError, OSError, RecursionError):
            (place / MANIFEST).write_bytes(content)  # as it is: it is no such manifest
        use(place)

    return take


TREE = "Tree num_leaves num_cat split_feature threshold decision_type left_child right_child leaf_value leaf_count"
TREE_TOKENS = [
    *NUMBERS,
    *(f"{name}=".encode() for name in TREE.split()),
    *(b"\n\n", b"\n", b" ", b"=", b"end of trees\n", b"Tree=0\n", b"-1", b"-2", b"64", b"65", b"2"),
]
INPUTS = ["a", "b", "c"]


@cache
def grown() -> Sequence[bytes]:
    """Texts of a few small trees."""
    lightgbm, values = lightgbm_package(), rows()
    given = {"verbosity": -1, "min_data_in_leaf": 1, "min_sum_hessian_in_leaf": 0, "num_threads": 1}
    found = []
    for leaves, trees in ((2, 1), (4, 2), (9, 2)):
        data = lightgbm.Dataset(values, values[:, 0] + values[:, 1] ** 2, feature_name=INPUTS)
        booster = lightgbm.train({**given, "objective": "regression", "num_leaves": leaves}, data, trees)
        found.append(booster_text(booster).encode())
    return found


@cache
def rows() -> Any:
    """(60, 3) values."""
    return np.random.default_rng(1).normal(size=(60, 3)).round(2).astype(np.float32)


def sized(text: str) -> str:
    """The text with lengths of trees that fit it, as a forger would write them."""
    trees = re.split(r"(?m)^(?=Tree=)", text.partition("end of trees\n")[0])[1:]
    sizes = " ".join(str(len(tree.encode("utf-8", "replace"))) for tree in trees)
    return re.sub(r"(?m)^tree_sizes=.*$", f"tree_sizes={sizes}", text)


@reader("model-trees", grown, tokens=TREE_TOKENS, refusals=(ValueError,))
def _trees(_: Path) -> Read:
    """What is taken for trees scores as LightGBM does."""
    lightgbm = lightgbm_package()
    start = [Trees(text.decode(), INPUTS) for text in grown()]
    assert all(len(trees.score(rows())) == len(rows()) for trees in start)

    def take(content: bytes) -> None:
        trees = Trees(sized(content.decode("utf-8")), INPUTS)
        ours = trees.score(rows())
        theirs = lightgbm.Booster(model_str=trees.plain()).predict(rows(), num_threads=1)
        np.testing.assert_array_equal(ours, theirs)
        assert np.isfinite(trees.gains()).all()

    return take
