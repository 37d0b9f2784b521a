"""No regular expression takes time that grows with the square of a text's length.

Every pattern of the product is searched for in long runs of its own characters, alone and after its own words.
"""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from re import _constants, _parser  # type: ignore[attr-defined]
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("ltr", "features", "models", "experiments")
TIMES = 5_000
"""Repetitions: a linear search takes a millisecond, a quadratic one some 100."""
MOST = 80
"""Repeated texts."""
MATCHED = {"ltr.corpora.literals._FIELD", "ltr.data.ids._SENTENCE", "ltr.text_models.chat._WHAT"}
"""Patterns that are matched at one place alone, not searched for."""
LONGEST = 0.03
"""Seconds, of three tries."""


def written() -> Iterator[tuple[str, re.Pattern[Any]]]:
    """The patterns that are named where they are used: ``re.sub("...", ...)``."""
    for file in sorted(path for room in ROOMS for path in (ROOT / room).rglob("*.py") if "lab" not in path.parts):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
                of, first = node.func.value, node.args[0]
                if isinstance(of, ast.Name) and of.id == "re" and isinstance(first, ast.Constant):
                    yield f"{file.relative_to(ROOT)}:{node.lineno}", re.compile(first.value)


def kept(value: Any) -> Iterator[re.Pattern[Any]]:
    """The patterns in a module's value."""
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, dict):
        yield from kept([*value.values()])
    elif isinstance(value, list | tuple):
        for one in value:
            yield from kept(one)


def patterns() -> dict[re.Pattern[Any], str]:
    """Pattern -> one of the places where it is."""
    found = {pattern: place for place, pattern in written()}
    for room in ROOMS:
        for module in pkgutil.walk_packages([str(ROOT / room)], f"{room}."):
            if not module.name.startswith("experiments.lab") and not module.name.endswith("__main__"):
                for name, value in vars(importlib.import_module(module.name)).items():
                    found |= dict.fromkeys(kept(value), f"{module.name}.{name}")
    return found


def characters(parsed: Any) -> Iterator[str]:
    """Characters, and words, that a parsed pattern has."""
    word = ""
    for operator, value in parsed:
        if operator is _constants.LITERAL:
            word += chr(value)
            yield from (chr(value), word)
        elif operator is _constants.RANGE:
            yield from map(chr, value)
        elif operator is _constants.CATEGORY:
            yield {"SPACE": " ", "DIGIT": "1"}.get(str(value).removeprefix("CATEGORY_"), "a")
        elif operator is _constants.IN:
            yield from characters(value)
        else:
            for part in parts(value):
                for inner in characters(part):
                    yield from (inner, word + inner)
            word = ""


def parts(value: Any) -> Iterator[Any]:
    """The parsed patterns in the value of an operator."""
    if isinstance(value, _parser.SubPattern):
        yield value
    elif isinstance(value, list | tuple):
        for one in value:
            yield from parts(one)


def texts(pattern: re.Pattern[Any]) -> Iterator[tuple[Any, Any]]:
    """What is in a pattern, and other characters, to repeat, and ends that end a match or do not."""
    parsed = _parser.parse(pattern.pattern, pattern.flags & ~re.DEBUG)
    runs = [*dict.fromkeys([*" a1.(\x9d", *characters(parsed)])][:MOST]
    for run in runs:
        for end in ("", "\n\0!"):
            yield (run, end) if isinstance(pattern.pattern, str) else (run.encode(), end.encode())


def seconds(use: Callable[[Any], object], run: Any, end: Any, times: int) -> float:
    """The processor time of a search in a text, the least of three."""
    text, taken = run * times + end, []
    while len(taken) < 3 and (not taken or taken[-1] > LONGEST / 10):
        began = time.process_time()
        use(text)
        taken.append(time.process_time() - began)
    return min(taken)


@pytest.mark.parametrize(
    ("pattern", "place"), [*patterns().items()], ids=lambda one: one if isinstance(one, str) else ""
)
def test_time_grows_with_length(pattern: re.Pattern[Any], place: str) -> None:
    for run, end in texts(pattern):
        for use in (pattern.match if place in MATCHED else pattern.findall, pattern.fullmatch):
            if (long := seconds(use, run, end, TIMES)) > LONGEST:
                assert long < 30 * seconds(use, run, end, TIMES // 10), f"{place}: {run!r} again and again"
