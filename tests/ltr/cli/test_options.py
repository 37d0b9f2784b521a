"""What help texts show without importing the registries is what the registries hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from ltr.cli import options
from ltr.commands import predict
from ltr.errors import InputError
from ltr.tasks import find_task, task_names
from models.base import baselines


def test_names_in_help_texts_are_those_of_the_registries() -> None:
    assert [*options.SHIPPED_TASKS] == [*options.task_choices()]
    assert [*options.SHIPPED_OBJECTIVES] == [*options.objective_choices()]


def test_an_option_for_one_file_is_refused_twice() -> None:
    p, words = predict.parser(), ["-i", "c", "-o", "o", "--topics", "a"]
    assert p.parse_args(words).topics == Path("a")
    with pytest.raises(InputError, match="usage: --topics is named twice; this command takes one file"):
        p.parse_args([*words, "--topics", "b"])


def test_the_baselines_in_the_help_of_predict_are_those_of_the_registry() -> None:
    shared = options.SHIPPED_BASELINES["pairs"].split(", ")
    for task in task_names():
        own = [] if task == "pairs" else options.SHIPPED_BASELINES[task].split(", ")
        assert sorted([*shared, *own]) == sorted(baselines(find_task(task).unit))
    assert "heimdall for arguments" in " ".join(predict.parser().format_help().split())
