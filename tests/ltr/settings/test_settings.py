"""Settings of every command: each field refuses what it cannot be, and names itself."""

from __future__ import annotations

import math
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.processes import python

from ltr.cli.main import COMMANDS
from ltr.cli.parser import Command
from ltr.commands import predict
from ltr.errors import InputError, SettingError
from ltr.plugins import task_rooms
from ltr.ranking.task import find_task, task_names
from ltr.settings import Settings, make
from ltr.settings.kinds import Choice, CorpusName, Entry, File, Kind, Model, Number, Switch, Text, Weights
from ltr.settings.shared import Blending
from models.defaults import BLENDS, DIMENSIONS

MAINS = {name: import_module(module).main for name, (module, _) in COMMANDS.items()}
CLASSES = {name: main.settings for name, main in MAINS.items() if isinstance(main, Command)}


def required(of: type[Settings]) -> dict[str, Any]:
    """Values of the settings that have to be given."""
    found = {}
    for name, field in of.fields().items():
        if field.default is ...:
            kind = field.kind
            found[name] = 1 if isinstance(kind, Number) else kind.known()[0] if isinstance(kind, Choice) else "x"
    return found


def wrong_values(kind: Kind) -> Iterator[Any]:
    """What a setting of this kind cannot be: other types, and values out of bounds."""
    yield object()
    if not isinstance(kind, Model) or not kind.objects:
        yield print
    if not isinstance(kind, Switch):
        yield from (True, False)
    if not isinstance(kind, Number):
        yield from (3, 2.5)
    if isinstance(kind, Number):
        yield from ("3", kind.low - 1, kind.high + 1, math.nan, math.inf)
        yield from [2.5, 3.0] if kind.whole else []
    if isinstance(kind, Switch):
        yield from (0, 1, "yes", None)
    if isinstance(kind, Choice):
        yield from ("nonsense", "", b"pairs")
    if isinstance(kind, File | Entry | Weights):
        yield from ("", b"x", {"beauty": object()})
    if isinstance(kind, Weights):
        yield from ({}, {"relevance": True}, {"relevance": math.nan}, {"relevance": 0}, {"relevance": -1}, "1,a")


@pytest.mark.parametrize("command", CLASSES)
def test_each_field_refuses_what_it_cannot_be(command: str) -> None:
    of = CLASSES[command]
    for name, field in of.fields().items():
        kind, several = field.kind, field.several
        for value in wrong_values(kind):
            for given_value in [value, [value]] if several else [value]:
                with pytest.raises(SettingError, match=f"^{name}: [^\n]*$") as caught:
                    of(**required(of) | {name: given_value})
                assert caught.value.name == name, value


@given(st.one_of(st.integers(), st.floats(), st.booleans(), st.text(), st.none(), st.lists(st.integers())))
def test_numbers_are_numbers_of_their_kind(value: Any) -> None:
    for kind in (Number(1, 1000), Number(0, 1, whole=False)):
        fits = isinstance(value, int if kind.whole else int | float) and not isinstance(value, bool)
        if fits and kind.low <= value <= kind.high:
            assert kind.check(value) == value
        else:
            with pytest.raises(ValueError, match=r" is not a (whole )?number from "):
                kind.check(value)


def test_every_default_is_a_value_that_is_allowed() -> None:
    for of in CLASSES.values():
        made = of(**required(of))
        given_again = {name: getattr(made, name) for name in of.fields() if getattr(made, name) is not None}
        assert of(**given_again) == made or "started" in vars(made)


def test_words_and_python_make_the_same_settings() -> None:
    words = "-i c -o o --topics a --blend 1,.5,0 --depth 7 --stance question --gzip --metadata --quiet"
    found = predict.main.read(*words.split())
    names = {
        "input": "c",
        "output": Path("o"),
        "topics": "a",
        "blend": {"relevance": 1, "quality": 0.5, "coherence": 0},
    }
    names |= {"depth": 7, "stance": "question", "gzip": True, "metadata": "riposte", "quiet": True}
    made = make(predict.PredictSettings, names, "predict")
    values = [{name: getattr(one, name) for name in one.fields()} for one in (found, made)]
    assert values[0] == values[1]
    with pytest.raises(SettingError, match=r"^dept: predict has no such setting; did you mean depth\?"):
        make(predict.PredictSettings, {"dept": 1}, "predict")
    with pytest.raises(InputError, match="usage: --topics is named twice; this command takes one value"):
        predict.main.read("-i", "c", "-o", "o", "--topics", "a", "--topics", "b")


def test_a_dimension_is_ranked_by_alone_and_a_blend_leaves_baselines_as_they_are() -> None:
    usual, weights = find_task("pairs").weights, {"relevance": 1.0, "quality": 0.5, "coherence": 0.0}
    assert Blending(blend=weights).weights(usual) == weights
    assert Blending(dimension="all").weights(usual) is None
    alone = {"relevance": 0, "quality": 1, "coherence": 0, "words": 0, "argues": 0}
    assert Blending(dimension="quality").weights(usual) == alone
    with pytest.raises(SettingError, match=r"blend: '1,0\.5' has no weight of coherence"):
        Blending(blend={"relevance": 1.0, "quality": 0.5}).weights(usual)


def test_names_stand_for_weights_of_the_dimensions_that_a_task_has() -> None:
    kept = [Blending(blend=name).weights(find_task("arguments").weights) for name in BLENDS]
    assert kept == [{name: of[name] for name in ("relevance", "quality")} for of in BLENDS.values()]
    for task in task_names():
        own = {name: weight for name, weight in find_task(task).weights.items() if name in DIMENSIONS}
        default = "balanced" if task == "pairs" else "relevant"
        assert Blending(blend=default).weights(own) == own, "the default by its name"
    shares = [of["quality"] / of["relevance"] for of in BLENDS.values()]
    assert shares == sorted(shares)
    with pytest.raises(
        SettingError, match=r"blend: 'readible' is not three .*, nor one of relevant, balanced, readable"
    ):
        Blending(blend="readible")
    with pytest.raises(SettingError, match="blend: does not go with dimension"):
        Blending(blend="balanced", dimension="quality").weights(find_task("pairs").weights)


def test_help_lists_the_tasks_that_ship_and_is_instant() -> None:
    assert task_rooms() == task_names()
    assert isinstance(CorpusName().check(Path("x")), str)
    assert Text().check("") == ""
    done = python("-X", "importtime", "-m", "ltr.predict", "--help")
    imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "argparse" in imported
    assert not {"numpy", "pandas"} & imported
