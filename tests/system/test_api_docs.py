"""The API page does not lie: its session runs from top to bottom, and shows what comes out."""

from __future__ import annotations

import ast
import doctest
import re
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "api.md"
TEXT = PAGE.read_text("utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)
RUN = [code for language, code in BLOCKS if language == "python"]
SHOWN = [code for language, code in BLOCKS if language == "pycon"]
"""What needs a package that Riposte does not bring; tests/test_terrier.py runs the like where it is installed."""


def session() -> doctest.DocTest:
    return doctest.DocTestParser().get_doctest("\n".join(RUN), {}, PAGE.name, str(PAGE), 0)


def test_the_session_gives_what_the_page_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    said: list[str] = []
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    found = doctest.DocTestRunner(optionflags=flags).run(session(), out=said.append)
    assert found.failed == 0, "".join(said)
    assert found.attempted == len(session().examples) > 40
    made = {path.name for path in tmp_path.iterdir() if not path.name.startswith(".")}
    assert made == {"corpus", "index", "run.txt", "train.svm", "train.svm.features.tsv"}


def test_a_wrong_output_would_be_seen() -> None:
    shown = [example for example in session().examples if example.want]
    assert len(shown) > 15
    assert not [example.want for example in shown if set(example.want.split()) <= {"..."}], "that would match anything"


def test_every_block_is_of_a_kind_that_is_checked() -> None:
    assert len(RUN) + len(SHOWN) == len(BLOCKS)
    assert TEXT.count("```") == 2 * len(BLOCKS)
    assert len(SHOWN) == 1
    for code in RUN + SHOWN:
        examples = doctest.DocTestParser().get_examples(code)
        assert examples
        for example in examples:
            ast.parse(example.source)


def test_the_page_stands_alone() -> None:
    assert TEXT.startswith("# Python API\n")
    assert len(re.findall(r"^# ", TEXT, re.MULTILINE)) == 1
    assert not re.findall(r"(?<![\w.])/(?:home|work|tmp|root|Users)\b", TEXT)
    assert max(map(len, TEXT.splitlines())) <= 120


def nodes(blocks: list[str]) -> list[ast.AST]:
    examples = [example for block in blocks for example in doctest.DocTestParser().get_examples(block)]
    return [node for example in examples for node in ast.walk(ast.parse(example.source))]


def test_what_is_shown_uses_what_was_made() -> None:
    made = {node.id for node in nodes(RUN + SHOWN) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    made |= {node.asname or node.name for node in nodes(RUN + SHOWN) if isinstance(node, ast.alias)}
    used = {node.id for node in nodes(SHOWN) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    assert {"riposte", "to_arguments", "pt"} <= used <= made
