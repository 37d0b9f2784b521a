"""Other words: what is counted, and the share of sides that survive them on the collection."""

from __future__ import annotations

import pytest
from support.collection import COLLECTION, needs_collection

from experiments.lab import paraphrases
from experiments.lab.paraphrases import GROUPS, agreement, main, read_groups
from ltr.answers.answer import Answer, Result, Snippet


def answer(*sides: tuple[str, str], weak: bool = False) -> Answer:
    snippet = Snippet("", "", "", "", "premise", 1, 1, "", "", None, "")
    results = [
        Result(rank, side, 1.0, (snippet.__class__(**{**vars(snippet), "argument": name}),), weak=weak)
        for rank, (name, side) in enumerate(sides, 1)
    ]
    return Answer("Q?", results, None, len(sides), [])


def test_sides_are_turned_by_the_sign_and_compared_by_argument():
    found = agreement([(1, answer(("a", "PRO"), ("b", "CON"), ("c", "Q0"))), (-1, answer(("a", "CON"), ("b", "CON")))])
    assert found == (4, 3, 5, 4, [])  # of b the sides differ


def test_a_question_without_a_side_is_silent_and_weak_results_count_only_alone():
    assert agreement([(1, answer(("a", "Q0"))), (1, answer())]).silent == ["Q?", "Q?"]
    assert agreement([(1, answer(("a", "PRO"), weak=True))]) == (0, 0, 1, 1, [])


def test_the_groups_have_several_wordings_of_both_signs():
    for name, wordings in read_groups(GROUPS).items():
        assert len(wordings) > 1, name
        assert {sign for _, sign in wordings} <= {1, -1}, name


def test_below_the_bar_the_command_fails(monkeypatch, capsys, tmp_path):
    groups = tmp_path / "groups.tsv"
    groups.write_text("group\tsign\tquestion\nx\t1\tBan cars\nx\t-1\tKeep cars\n", "utf-8")
    monkeypatch.setattr(paraphrases, "Searcher", lambda *_, **__: _Fixed({"Ban cars": "PRO", "Keep cars": "PRO"}))
    assert main(["-i", str(tmp_path), "--groups", str(groups)]) == 1
    assert "0.500 of all sides" in capsys.readouterr().out
    monkeypatch.setattr(paraphrases, "Searcher", lambda *_, **__: _Fixed({"Ban cars": "PRO", "Keep cars": "CON"}))
    assert main(["-i", str(tmp_path), "--groups", str(groups)]) == 0


class _Fixed:
    def __init__(self, sides: dict[str, str]) -> None:
        self._sides = sides

    def __enter__(self) -> _Fixed:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def search(self, question: str) -> Answer:
        return answer(("a", self._sides[question]))


@needs_collection
def test_sides_survive_other_words_on_the_collection():
    pytest.importorskip("onnxruntime", reason="the extra riposte-ltr[encoder] is not installed")
    assert main(["-i", str(COLLECTION), "--first", "2"]) == 0
