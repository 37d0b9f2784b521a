from __future__ import annotations

import json

import pytest

from ltr.model_folder.card import CARD, model_card
from ltr.model_folder.store import MANIFEST, PRETRAINED


@pytest.mark.parametrize("task", sorted(path.parent.name for path in PRETRAINED.glob(f"*/{MANIFEST}")))
def test_the_cards_that_ship_say_what_the_manifests_say(task: str) -> None:
    manifest = json.loads((PRETRAINED / task / MANIFEST).read_text("utf-8"))
    assert (PRETRAINED / task / CARD).read_text("utf-8") == model_card(manifest)


def figures(mean: float) -> dict[str, dict[str, float]]:
    return {name: {"mean": mean, "low": mean - 0.1, "high": mean + 0.1, "topics": 9} for name in MEASURES}


MEASURES = ("full", "judged", "condensed")
FACTS = {
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
    lines = model_card(FACTS).splitlines()
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
