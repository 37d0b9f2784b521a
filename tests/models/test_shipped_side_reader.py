"""The reader of sides that ships: its files, and what it reads in plain sentences."""

from __future__ import annotations

from functools import partial

from ltr.text_models import stance
from ltr.text_models.onnx import OnnxCrossEncoder
from ltr.text_models.stance import FOLDER, log_odds


def test_its_files_are_few_and_small_and_the_card_names_the_licence():
    assert sorted(path.name for path in FOLDER.iterdir()) == ["MODEL_CARD.md", "model.onnx", "tokenizer.json"]
    assert (FOLDER / "model.onnx").stat().st_size < 24_000_000
    assert "Apache License 2.0" in " ".join((FOLDER / "MODEL_CARD.md").read_text("utf-8").split())


def test_it_reads_for_and_against(tmp_path):
    read = partial(log_odds, tmp_path)
    said = read("Should zoos be banned?", ["Zoos are cruel and should be banned", "A ban on zoos would hurt animals"])
    assert said[0] > 1 > -1 > said[1]
    assert read("Should zoos be banned?", ["A ban on zoos would hurt animals"]) == said[1:], "whatever else is read"


def test_other_words_opposites_and_negations_are_one_question(tmp_path):
    verbs = ("banned", "abolished", "ended", "prohibited", "outlawed", "scrapped", "phased out", "done away with")
    asked = {f"Should circuses be {verb}?": 1 for verb in verbs} | {f"Circuses should never be {verbs[1]}": -1}
    asked |= {"Should we get rid of circuses?": 1, "Should circuses be kept?": -1, "Should circuses not be banned?": -1}
    for question, sign in asked.items():
        assert sign * log_odds(tmp_path, question, ["Circuses should be banned"])[0] > 1, question


def test_what_was_read_is_kept_beside_the_index(tmp_path, monkeypatch):
    read, asked = partial(log_odds, tmp_path), ("Should circuses be closed?", ["Circuses are cruel"])
    said = read(*asked)
    stance._log_odds.cache_clear()
    monkeypatch.setattr(OnnxCrossEncoder, "scores", None)
    assert read(*asked) == said
