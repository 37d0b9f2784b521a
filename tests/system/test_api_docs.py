"""The pages with Python sessions do not lie: each runs from top to bottom, and shows what comes out."""

from __future__ import annotations

import ast
import doctest
import importlib
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from support.pages import commands, module_words

from ltr.cli.main import COMMANDS

DOCS = Path(__file__).resolve().parents[2] / "docs"
MADE = {
    "api": {"corpus", "index", "model", "run.txt", "train.svm", "train.svm.features.tsv"},
    "your-ranker": {"corpus", "index", "ours.txt", "theirs.txt", "fused", "train.letor", "train.letor.features.tsv"},
}
"""Page -> what its session leaves in the folder that it runs in."""

TEXTS = {name: (DOCS / f"{name}.md").read_text("utf-8") for name in MADE}
BLOCKS = {name: re.findall(r"^```([\w{]*)[^\n]*\n(.*?)^```$", text, re.DOTALL | re.M) for name, text in TEXTS.items()}
SESSION = {"python", "pycon"} if sys.platform == "linux" else {"python"}
"""Kinds of blocks that run; XGBoost without a graphics card is packaged for Linux."""
RUN = {name: [code for kind, code in blocks if kind in SESSION] for name, blocks in BLOCKS.items()}

pages = pytest.mark.parametrize("page", MADE)


def parsed(code: str, page: str, names: dict[str, Any] | None = None) -> doctest.DocTest:
    return doctest.DocTestParser().get_doctest(code, names or {}, page, page, 0)


def run_command(command: str) -> None:
    _, _, name, *options = module_words(command)
    assert not importlib.import_module(COMMANDS[name][0]).main(options)


@pages
def test_the_session_gives_what_the_page_shows(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    said: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    for kind, code in BLOCKS[page]:
        if kind in SESSION:
            session = parsed(code, page)
            session.globs = names  # a DocTest copies those that it is given
            runner.run(session, out=said.append, clear_globs=False)
            assert not said, "".join(said)
        for command in commands(f"```console\n{code}```") if kind == "console" else ():
            run_command(command)
    assert runner.tries == sum(len(parsed(code, page).examples) for code in RUN[page]) > 40
    assert {path.name for path in tmp_path.iterdir() if not path.name.startswith(".")} == MADE[page]


@pages
def test_a_wrong_output_would_be_seen(page: str) -> None:
    shown = [example for code in RUN[page] for example in parsed(code, page).examples if example.want]
    assert len(shown) >= {"api": 15, "your-ranker": 4}[page]
    assert not [example.want for example in shown if set(example.want.split()) <= {"..."}], "that would match anything"


@pages
def test_every_block_is_of_a_kind_that_is_checked(page: str) -> None:
    kinds = [kind for kind, _ in BLOCKS[page]]
    assert set(kinds) <= {"python", "pycon", "console", "{include"}
    assert kinds.count("pycon") == (page == "api")
    assert TEXTS[page].count("```") == 2 * len(kinds)
    for code in RUN[page]:
        examples = doctest.DocTestParser().get_examples(code)
        assert examples
        for example in examples:
            ast.parse(example.source)


@pages
def test_the_page_stands_alone(page: str) -> None:
    text = TEXTS[page]
    assert text.startswith("# ")
    assert len(re.findall(r"^# ", text, re.MULTILINE)) == 1
    assert not re.findall(r"(?<![\w.])/(?:home|work|tmp|root|Users)\b", text)
    assert max(map(len, text.splitlines())) <= 120
