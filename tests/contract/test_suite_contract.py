"""Tests stand alone: what two of them share is in tests/support; and a mark is one that is declared."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
MODULES = sorted(TESTS.rglob("test_*.py"))


def imported(source: str) -> set[str]:
    """Every part of the names of imported modules, and what is taken from packages."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {part for name in node.names for part in name.name.split(".")}
        elif isinstance(node, ast.ImportFrom):
            found |= {*(node.module or "").split("."), *(name.name for name in node.names)}
    return found


@pytest.mark.parametrize("folder", sorted({path.parent for path in MODULES}), ids=lambda path: path.name)
def test_no_test_imports_another(folder: Path) -> None:
    others = {path.stem for path in MODULES}
    for path in folder.glob("*.py"):
        assert not imported(path.read_text("utf-8")) & others, path
