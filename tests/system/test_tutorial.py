"""The tutorial: its scripts, commands and what they print, in the order of the page, with a rule as language model."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest
from support.chat import completion, prompt_of
from support.pages import BLOCK, ROOT, blocks, commands, module_words
from support.processes import printed
from support.web import Asked, Reply, serving

PAGE = (ROOT / "docs" / "tutorial.md").read_text("utf-8")
ENDPOINT, MODEL = "http://localhost:11434/v1", "qwen3:8b"
FIGURE = re.compile(r"[+-]?\d+\.\d+")


def words(text: str) -> set[str]:
    return {word[:5] for word in re.findall(r"[a-z]{4,}", text.lower())}


def stand_in(asked: Asked) -> Reply:
    """As the page says: the words that a pair shares with the question, 2 at most."""
    shown = dict(re.findall(r'^(Question|First sentence|Second sentence): (".*")$', prompt_of(asked), re.M))
    question, first, second = (words(json.loads(text)) for text in shown.values())
    grade = min(len(question & (first | second)), 2)
    return completion(json.dumps({"why": "words of the question", "relevance": grade}), model=MODEL)


def rows(text: str) -> list[str]:
    """Lines without their indents, every figure replaced: a learned one may differ in its last digit elsewhere."""
    return [" ".join(FIGURE.sub("#", line).split()) for line in text.splitlines() if line.strip()]


@pytest.mark.system
def test_the_tutorial_works_and_prints_what_it_shows(tmp_path: Path) -> None:
    for name, code in zip(("texts.py", "grades.py"), blocks(PAGE, "python"), strict=True):
        (tmp_path / name).write_text(code, "utf-8")
    environment = {"RIPOSTE_CACHE": str(tmp_path / "cache"), "OMP_NUM_THREADS": "1"}
    said: list[str] = []
    seen = set()
    with serving() as web:
        web.answer = stand_in

        def run(command: str) -> None:
            python = module_words(command.replace(ENDPOINT, f"{web.address}/v1")) or shlex.split(command)[1:]
            out = printed(*python, cwd=tmp_path, **environment)
            assert out or python[0].endswith(".py")
            said.extend(rows(out))

        for language, block in BLOCK.findall(PAGE):
            if language == "console":
                said.clear()
                for command in commands(f"```console\n{block}```"):
                    if not command.startswith("pip "):
                        run(command)
                        seen.add(shlex.split(command)[1])
            elif language == "text":
                lines = iter(said)
                missing = [row for row in rows(block) if row not in lines]
                assert not missing, f"{missing[0]}\nis not in, or not in this order:\n" + "\n".join(said)
    assert seen >= {"check", "predict", "search", "pool", "grade", "train", "evaluate", "explain"}
    votes = [
        json.loads(line) for line in (tmp_path / "votes" / "votes-relevance.jsonl").read_text("utf-8").splitlines()
    ]
    assert {vote["grade"] for vote in votes} == {0, 1, 2}
    manifest = json.loads((tmp_path / "model" / "manifest.json").read_text("utf-8"))
    assert manifest["labels"]["relevance"]["voted on in files"] == 139
