from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.forged import forge
from support.planted import FACTS, fitted, planted
from support.refusals import complaint as refusal
from support.refusals import refuses

from features.core import feature as registry
from ltr.errors import InputError
from ltr.model_folder.card import CARD, model_card
from ltr.model_folder.choice import load_model
from ltr.model_folder.store import (
    FORMAT,
    MANIFEST,
    PRETRAINED,
    bundle_of,
    load_bundle,
    refuse_other_files,
    save_bundle,
    training_of,
)
from ltr.progress import Progress
from ltr.ranking.candidates import Candidates
from ltr.ranking.task import find_task
from ltr.retrieval.base import CandidateConfig
from models.blend import Blend

PAIRS = find_task("pairs")
Change = Callable[[dict[str, Any]], Any]


def test_how_a_model_was_trained_in_a_line() -> None:
    labels = {"relevance": {"graded": 1234, "weakly labelled": 20, "of them of judged arguments": 5}}
    facts: dict[str, Any] = {"labels": labels, "cross_validation": {"folds": [["1", "2"], ["3"]]}}
    assert training_of(facts) == "trained on 3 topics with 1,234 graded and 20 weak labels"
    labels["relevance"]["voted on in files"] = 7
    assert training_of(facts) == "trained on 3 topics with 1,234 graded, 7 voted and 20 weak labels"
    labels["relevance"] |= {"graded": 0, "voted on in files": 0}
    assert training_of(facts) == "trained on 3 topics with 20 weak labels"
    assert training_of({}) == "trained"


def test_descriptions_of_models() -> None:
    quiet = Progress(quiet=True)
    assert load_model(PAIRS, progress=quiet).description.startswith("the model that ships (trained on ")
    assert load_model(PAIRS, "bm25", progress=quiet).description == "the baseline bm25"
    refuses(lambda: load_model(PAIRS, "bm26", progress=quiet), "", "bm26: there is no such model")


@pytest.fixture(scope="module")
def table() -> Candidates:
    return planted(3)[0]


@pytest.fixture(scope="module")
def model(table: Candidates) -> Blend:
    # Twelve seeds of two objectives: files named by number must not change places ("trees-10" sorts before "trees-2").
    columns = registry.columns()
    rankers = {
        "coherence": fitted(table, columns[2::9], 3),
        "quality": fitted(table, columns[1::4], 2, objective="lambdarank"),
        "relevance": fitted(table, columns[::3], 1, seeds=12),
    }
    return Blend(rankers, {"relevance": 0.5, "quality": 0.3, "coherence": 0.2})


@pytest.fixture(scope="module")
def saved(model: Blend, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bundle") / "model"
    save_bundle(folder, *bundle_of(PAIRS, model, FACTS))
    return folder


@pytest.fixture
def folder(saved: Path, tmp_path: Path) -> Path:
    """A copy that may be spoilt."""
    return Path(shutil.copytree(saved, tmp_path / "model"))


def complaint(folder: Path) -> str:
    line = refusal(lambda: load_bundle(folder, PAIRS))
    assert line.startswith(str(folder))
    return line.removeprefix(str(folder))


def trees(folder: Path, number: int) -> Path:
    """The file of one seed."""
    return sorted(folder.glob("relevance-trees-*.txt"))[number]


# ---- a model as it was saved ----------------------------------------------------------------------


def test_round_trip_scores_the_same(saved: Path, model: Blend, table: Candidates):
    bundle = load_bundle(saved, PAIRS)
    assert bundle.blend.score(table).tobytes() == model.score(table).tobytes()
    assert bundle.blend.columns == model.columns
    assert bundle.blend.weights == model.weights
    assert bundle.config == CandidateConfig(arguments=7)
    assert bundle.manifest["trained_on"] == "Möller's corpus"


def test_what_is_saved_is_text_that_the_manifest_names(saved: Path, model: Blend):
    manifest = json.loads((saved / MANIFEST).read_text("utf-8"))
    assert {path.name for path in saved.iterdir()} == {MANIFEST, CARD, *manifest["files"]}
    assert len(manifest["files"]) == 2 * 2 + 2 + 2 * 12
    for path in saved.iterdir():
        path.read_text("utf-8")
    features = registry.column_features("pair")
    assert manifest["features"] == {column: features[column].version for column in sorted(model.columns)}
    assert manifest["format"] == FORMAT
    assert manifest["rankers"].keys() == model.rankers.keys()


# ---- a model as it should not be ------------------------------------------------------------------


OTHER = f"/manifest.json: this is not a model of format {FORMAT}; train it again"


def test_what_is_no_model(folder: Path):
    for raw in (b"", b"{", b"\xff\xfe"):
        (folder / MANIFEST).write_bytes(raw)
        assert complaint(folder).startswith("/manifest.json: the manifest cannot be read (")
    for raw in (b"[]", b"{}", b'{"format": %d}' % (FORMAT + 1)):
        (folder / MANIFEST).write_bytes(raw)
        assert complaint(folder).startswith(OTHER)
    shutil.rmtree(folder)
    assert complaint(folder).startswith("/manifest.json: the manifest cannot be read (No such file")


def test_changed_and_missing_trees(folder: Path):
    path = trees(folder, 3)
    path.write_text(path.read_text().replace("leaf_value=", "leaf_value=1", 1))
    assert complaint(folder).startswith(f"/{path.name}: this file was changed after training (its SHA-256 differs); ")
    path.unlink()
    assert complaint(folder).startswith(f"/{path.name}: this file of the model is missing; ")


@pytest.mark.parametrize(
    "change", [lambda m: m["blend"]["weights"].update(quality=1.0), lambda m: m["files"].popitem()]
)
def test_changed_manifest(folder: Path, change: Change):
    manifest = json.loads((folder / MANIFEST).read_text("utf-8"))
    change(manifest)
    (folder / MANIFEST).write_text(json.dumps(manifest))
    assert complaint(folder).startswith("/manifest.json: the manifest was changed after training")


def test_a_foreign_ranker(folder: Path):
    forge(folder, lambda m: m["rankers"]["quality"].update(ranker="bm25"))
    assert "the model cannot be read (no learned ranker 'bm25')" in complaint(folder)


def test_another_version_of_a_feature_is_refused_and_other_prose_is_not(
    folder: Path, model: Blend, monkeypatch: pytest.MonkeyPatch
):
    column = model.columns[0]
    feature = registry.column_features()[column]
    monkeypatch.setitem(
        registry.FEATURES, feature.name, replace(feature, description="in other words", group="another")
    )
    assert load_bundle(folder, PAIRS).blend.columns == model.columns
    monkeypatch.setitem(registry.FEATURES, feature.name, replace(feature, version=2))
    assert f"the feature column {column!r} has version 2 here, and 1 in the model" in complaint(folder)


@pytest.mark.parametrize(
    "change",
    [
        lambda m: m.pop("features"),
        lambda m: m.pop("candidates"),
        lambda m: m["blend"]["weights"].update(relevance="much"),
        lambda m: m["blend"]["weights"].update(beauty=1.0),
        lambda m: m["blend"].update(reading=-1),
        lambda m: m["blend"].update(reading="much"),
        lambda m: m["rankers"]["relevance"]["inputs"].pop(),
        lambda m: m["rankers"]["relevance"]["parameters"].update(unknown=1),
        lambda m: m["rankers"]["quality"]["lines"].pop(),
        lambda m: m["candidates"].update(unknown=1),
    ],
)
def test_manifest_that_does_not_fit(folder: Path, change: Change):
    forge(folder, change)
    assert "the model cannot be read (" in complaint(folder)


# ---- where a model may be saved -------------------------------------------------------------------


def test_a_foreign_folder_is_left_alone(model: Blend, tmp_path: Path):
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(InputError, match="this is neither empty nor a model of ours; name an empty or new directory"):
        save_bundle(tmp_path, *bundle_of(PAIRS, model, FACTS))
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


@pytest.mark.parametrize("manifest", ['{"format": 1, "arguments": 3}', "{}", "[]", "no json"])
def test_another_programs_manifest_does_not_make_it_ours(tmp_path: Path, manifest: str):
    (tmp_path / MANIFEST).write_text(manifest)
    refuses(lambda: refuse_other_files(tmp_path), "", "nor a model of ours")


def test_a_model_may_be_replaced_unless_something_else_lies_in_it(folder: Path, model: Blend):
    save_bundle(folder, *bundle_of(PAIRS, model, FACTS | {"trained_on": "another"}))
    assert load_bundle(folder, PAIRS).manifest["trained_on"] == "another"
    (folder / "notes.txt").write_text("mine")
    refuses(lambda: save_bundle(folder, *bundle_of(PAIRS, model, FACTS)), "", "nor a model of ours")
    assert load_bundle(folder, PAIRS).manifest["trained_on"] == "another"


@pytest.mark.parametrize("task", sorted(path.parent.name for path in PRETRAINED.glob(f"*/{MANIFEST}")))
def test_the_cards_that_ship_say_what_the_manifests_say(task: str) -> None:
    manifest = json.loads((PRETRAINED / task / MANIFEST).read_text("utf-8"))
    assert (PRETRAINED / task / CARD).read_text("utf-8") == model_card(manifest)


def figures(mean: float) -> dict[str, dict[str, float]]:
    return {name: {"mean": mean, "low": mean - 0.1, "high": mean + 0.1, "topics": 9} for name in MEASURES}


MEASURES = ("full", "judged", "condensed")
RECORD = {
    "task": "pairs",
    "blend": {"weights": {"quality": 0.5, "relevance": 1.0}},
    "rankers": {
        "quality": {
            "ranker": "lambdamart",
            "inputs": ["x", "y"],
            "lines": {},
            "parameters": {"objective": "both", "trees": 7},
        }
    },
    "data": {
        "corpus": {"arguments": 1000, "sentences": 5000, "fingerprint": "ab" * 32},
        "topics": {"t.xml": "00"},
        "qrels": {"pairs, quality": {"q.qrels": "11"}},
    },
    "labels": {"quality": {"graded": 1234, "weakly labelled": 0}},
    "cross_validation": {
        "measures": "m",
        "folds": [["1", "2"], ["3"]],
        "figures": {"pairs, quality": {"bm25": figures(0.25), "blend": figures(0.75)}},
    },
}


def test_a_card_by_hand() -> None:
    lines = model_card(RECORD).splitlines()
    assert lines[0] == "# Model card: pairs"
    for line in (
        "A model of `--task pairs`; a score is the weighted sum of relevance (1), quality (0.5).",
        "* corpus: 1,000 arguments, 5,000 sentences, SHA-256 abababababababab",
        "* topics: 3 topics of t.xml",
        "* judgments of pairs, quality: q.qrels",
        "* labels of quality: 1,234 graded",
        "* quality: lambdamart, objective both, 7 trees, 2 inputs",
        "### pairs, quality, 9 topics",
        "## What it is not",
    ):
        assert line in lines
    best = lines.index("| blend | 0.750 [0.650, 0.850] | 0.75 | 0.750 [0.650, 0.850] |")
    assert lines[best + 1].startswith("| bm25 | 0.250 ")


def test_what_a_manifest_does_not_tell_is_left_out() -> None:
    bare = {"task": "pairs", "blend": {"weights": {"quality": 1.0}}, "rankers": {}, "data": {"topics": {}}}
    card = model_card(bare)
    assert "corpus" not in card.partition("## What it is\n")[0].partition("learned from")[2]
    assert "How well" not in card
