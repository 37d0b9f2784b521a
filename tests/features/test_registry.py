"""The one registry: names are taken once, an unknown one is answered with the known ones, a package is searched."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

import pytest

from features.core.registry import Registry


def test_names_are_taken_once_and_an_unknown_one_lists_the_known_ones():
    fruit: Registry[int] = Registry("fruit", "tests_support_of_nothing")
    fruit._searched = True
    assert fruit.add("pear", 1) == fruit.find("pear") == 1
    fruit.add("apple", 2)
    with pytest.raises(ValueError, match="fruit 'pear' is registered twice"):
        fruit.add("pear", 3)
    with pytest.raises(KeyError, match="no fruit 'plum'; known: apple, pear"):
        fruit.find("plum")
    assert list(fruit.search().values()) == [1, 2]  # in order of registration


def test_all_modules_of_the_package_are_imported_once_it_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    orchard = tmp_path / "orchard_of_a_test"
    (orchard / "rows").mkdir(parents=True)
    for name in ("__init__.py", "rows/__init__.py"):
        (orchard / name).touch()
    line = "from features.core.registry import Registry\nFRUIT = Registry('fruit', 'orchard_of_a_test')\n"
    (orchard / "base.py").write_text(line)
    (orchard / "rows" / "first.py").write_text(
        "from orchard_of_a_test.base import FRUIT\n\ndef fig():\n    return 7\n\nFRUIT.add('fig', fig)\n"
    )
    (orchard / "__main__.py").write_text("raise SystemExit('a command is no library')\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    from orchard_of_a_test.base import FRUIT  # type: ignore[import-not-found]

    try:
        assert "orchard_of_a_test.rows.first" not in sys.modules
        assert FRUIT.find("fig")() == 7
        assert FRUIT.ships("fig")
        FRUIT.add("plum", partial(len))
        assert not FRUIT.ships("plum")
    finally:
        for name in [name for name in sys.modules if name.startswith("orchard_of_a_test")]:
            del sys.modules[name]
