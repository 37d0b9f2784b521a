"""What help texts show without importing the registries is what the registries hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from ltr.cli.options import chosen_weights
from ltr.commands import predict, train
from ltr.errors import InputError
from ltr.tasks import find_task, task_names
from models.base import baselines, objectives


def test_names_in_help_texts_are_those_of_the_registries() -> None:
    helped = " ".join(predict.parser().format_help().split())
    assert f"what is ranked: {', '.join(task_names())} (" in helped
    assert f"one of {', '.join(objectives())}. Trees" in " ".join(train.parser().format_help().split())
    for task in task_names():
        assert all(f" {name}" in helped for name in baselines(find_task(task).unit))


def test_a_dimension_is_ranked_by_alone_and_a_blend_leaves_baselines_as_they_are() -> None:
    usual, given = find_task("pairs").weights, {"relevance": 1.0, "quality": 0.5, "coherence": 0.0}
    assert chosen_weights(None, given, usual) == given
    assert chosen_weights("all", None, usual) is None
    alone = {"relevance": 0, "quality": 1, "coherence": 0, "words": 0, "argues": 0}
    assert chosen_weights("quality", None, usual) == alone
    with pytest.raises(InputError, match=r"'1,0\.5' is not three weights relevance,quality,coherence"):
        chosen_weights(None, {"relevance": 1.0, "quality": 0.5}, usual)


def test_an_option_for_one_file_is_refused_twice() -> None:
    p, words = predict.parser(), ["-i", "c", "-o", "o", "--topics", "a"]
    assert p.parse_args(words).topics == Path("a")
    with pytest.raises(InputError, match="usage: --topics is named twice; this command takes one file"):
        p.parse_args([*words, "--topics", "b"])
