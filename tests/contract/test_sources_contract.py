"""What no file of the product does, whoever wrote it: read from the sources."""

from __future__ import annotations

import ast
import doctest
import importlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from features.core.feature import KINDS

ROOT = Path(__file__).resolve().parents[2]
SOURCES = {
    path.relative_to(ROOT).as_posix(): ast.parse(path.read_text("utf-8"))
    for package in ("ltr", "features", "models", "experiments")
    for path in sorted((ROOT / package).rglob("*.py"))
}


EXAMPLES = [name for name in SOURCES if ">>> " in (ROOT / name).read_text("utf-8")]


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_in_docstrings_are_true(name: str) -> None:
    module = importlib.import_module(name.removesuffix(".py").replace("/", "."))
    assert doctest.testmod(module, optionflags=doctest.ELLIPSIS).failed == 0


def names(node: ast.AST) -> set[str]:
    """The names and attributes in an expression."""
    return {found.id if isinstance(found, ast.Name) else found.attr
            for found in ast.walk(node) if isinstance(found, ast.Name | ast.Attribute)}  # fmt: skip


def asks_for_a_blend(node: ast.AST) -> bool:
    """Models are told apart by what they offer."""
    return isinstance(node, ast.Call) and names(node.func) == {"isinstance"} and "Blend" in names(node.args[1])


def compares_a_kind(node: ast.AST) -> bool:
    """A kind of items says what it is made of; nobody asks for its name."""
    if not isinstance(node, ast.Compare) or not any(isinstance(op, ast.Eq | ast.NotEq) for op in node.ops):
        return False
    ends = {one.id if isinstance(one, ast.Name) else one.attr if isinstance(one, ast.Attribute) else ""
            for one in (node.left, *node.comparators)}  # fmt: skip
    named = {one.value for one in (node.left, *node.comparators) if isinstance(one, ast.Constant)}
    return "kind" in ends and not named.isdisjoint(KINDS)


def splits_at_commas(node: ast.AST) -> bool:
    """`ltr.data.ids` knows how an item's id is made; the others of `WITH_COMMAS` read lists that a user writes."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or not node.args:
        return False
    cut = node.func.attr in ("split", "rsplit", "partition", "rpartition")
    return cut and isinstance(node.args[0], ast.Constant) and node.args[0].value in (",", b",")


WITH_COMMAS = {
    *("ltr/data/ids.py", "ltr/data/topics.py", "ltr/settings/kinds.py"),
    *("models/defaults.py", "experiments/learning_curve.py"),
}
RULES: dict[str, Callable[[ast.AST], bool]] = {"isinstance of a Blend": asks_for_a_blend, "== kind": compares_a_kind}


def test_ids_are_taken_apart_in_one_file() -> None:
    assert {place.partition(":")[0] for place in places(splits_at_commas)} - WITH_COMMAS == set()


def places(rule: Callable[[ast.AST], bool]) -> Iterator[str]:
    for path, tree in SOURCES.items():
        yield from (f"{path}:{node.lineno}" for node in ast.walk(tree) if rule(node))  # type: ignore[attr-defined]


@pytest.mark.parametrize("what", RULES)
def test_no_source_does_this(what: str) -> None:
    assert list(places(RULES[what])) == []


@pytest.mark.parametrize(
    ("code", "seen"),
    [
        ("isinstance(model, Blend)", asks_for_a_blend),
        ("isinstance(x.model, (int, blend.Blend))", asks_for_a_blend),
        ("task.kind == 'pair'", compares_a_kind),
        ("'pair' != kind", compares_a_kind),
        ("row.pair.partition(',')", splits_at_commas),
    ],
)
def test_the_rules_see_what_they_forbid(code: str, seen: Callable[[ast.AST], bool]) -> None:
    assert seen(ast.parse(code, mode="eval").body)
