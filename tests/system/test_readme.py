"""README: its commands and its Python session run, and its output blocks are what the programs print."""

from __future__ import annotations

import re
import shutil
from functools import cache
from pathlib import Path

import pytest
from support.pages import BLOCK, blocks, commands, module_words, program_of
from support.processes import printed

from ltr.data.editions import _editions, corpus_of

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text("utf-8")
COMMANDS = commands(README)
OUTSIDE = ("make ", "path/to/", "irds:", "python -m venv")
"""Words of commands that a test cannot run: the set-up itself, and data that does not ship."""

RUNNABLE = [c for c in COMMANDS if program_of(c) and not any(word in f"{c} " for word in OUTSIDE)]


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project: commands of README write into the current folder."""
    folder = tmp_path_factory.mktemp("readme") / "riposte"
    skip = shutil.ignore_patterns(".git", ".venv", "out", "model", ".*cache*", "tests")
    shutil.copytree(ROOT, folder, ignore=skip)
    return folder


@pytest.mark.parametrize("number", range(len(RUNNABLE)))
def test_command_works(number: int, copy: Path) -> None:
    printed(*module_words(RUNNABLE[number]), cwd=copy)


def test_the_python_session_works(copy: Path) -> None:
    (session,) = [code for code in blocks(README, "python") if "ltr.Searcher" in code]
    *lines, last = session.strip().splitlines()
    said = printed("-c", "\n".join([*lines, f"print(sorted({last}.means))"]), cwd=copy)
    assert said == "['judged@5', 'nDCG@5']\n"


def test_what_the_commands_write_is_ignored_by_git_and_cleaned() -> None:
    written = []
    for _, _, command, *words in map(module_words, RUNNABLE):
        options = ["-o", "--json", *(["-m"] if command == "train" else [])]
        written += [words[words.index(option) + 1] for option in options if option in words]
    assert len(written) >= 4
    ignored = (ROOT / ".gitignore").read_text("utf-8").split()
    clean = (ROOT / "Makefile").read_text("utf-8").partition("\nclean:\n")[2].replace("$(OUT)", "out").split()
    for place in {name.split("/")[0] for name in written}:
        assert f"/{place}/" in ignored, place
        assert place in clean, place


PAGES = sorted((ROOT / "docs").glob("*.md"))


@cache
def help_of(program: tuple[str, ...]) -> str:
    return printed(*program, "--help")


@pytest.mark.parametrize("page", [ROOT / "README.md", *PAGES], ids=lambda page: page.name)
def test_every_option_on_a_page_is_one_of_the_command(page: Path) -> None:
    for command in filter(program_of, commands(page.read_text("utf-8"))):
        for option in re.findall(
            r"(?<= )--?[a-z][a-z-]*", command.partition(" -m " if "python" in command else " ")[2]
        ):
            assert option in help_of(program_of(command)), f"{option} in: {command}"


def test_the_shipped_model_writes_what_the_page_shows(copy: Path) -> None:
    """Scores may differ in their last decimals from processor to processor; the order may not."""
    command = next(c for c in RUNNABLE if c.startswith("riposte predict") and c.endswith("-o out"))
    shown = README.partition("$ head -n 2 out/run.txt\n")[2].split("```text\n")[1].split("```")[0].splitlines()
    assert len(shown) == 2
    printed(*module_words(command), "--quiet", cwd=copy)
    written = [row.split() for row in (copy / "out" / "run.txt").read_text("utf-8").splitlines()[:2]]
    for expected, row in zip(map(str.split, shown), written, strict=True):
        assert row[:4] + row[5:] == expected[:4] + expected[5:]
        assert float(row[4]) == pytest.approx(float(expected[4]), abs=1e-4)

    (shown,) = [code for code in blocks(README, "text") if code.startswith("riposte train")]
    trained, explained, evaluated, edition = re.split("^(?=riposte)", shown, flags=re.MULTILINE)[1:]
    for part in (explained, evaluated):
        command, *said = part.splitlines()
        out = printed(*module_words(command), cwd=copy)
        assert not [line for line in said if line.strip() not in out]
    assert trained.splitlines()[1].strip() in blocks(README, "text")[2], "what make run prints"
    (uncorrected,) = [one for one in _editions().values() if one.corpus == "args.me 1.0" and "qrels" in one.name]
    corpus = corpus_of(written[0][2])
    assert f"{uncorrected.name}, for {uncorrected.corpus}; but out/run.txt has ids of {corpus}\n" in edition


def test_the_first_answer_is_what_search_prints(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    command = next(c for c in RUNNABLE if c.startswith("riposte search"))
    shown = README.partition(f"$ {command}\n")[2].split("```text\n")[1].split("```")[0]
    assert printed(*module_words(command), "--quiet", cwd=copy) == shown


def test_what_make_run_prints_is_on_the_page() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8").replace("$(OUT)", "out").replace("$(words $(BASELINES))", "4")
    steps = re.findall(r'^\t@echo "(\d\. .*)"$', makefile, re.MULTILINE)
    (shown,) = [code for _, code in BLOCK.findall(README) if code.startswith("1. ")]
    assert [line for line in shown.splitlines() if re.match(r"\d\. ", line)] == steps
    assert len(steps) == 3
    assert len(shown.splitlines()) == 18


def test_the_figures_of_make_run_are_those_on_the_page(copy: Path) -> None:
    printed("-m", "ltr.train", "-m", "made/model", cwd=copy)
    printed("-m", "ltr.predict", "-i", "ltr/sample", "-o", "made/riposte", "-m", "made/model", cwd=copy)
    qrels = [f"{name}=ltr/sample/qrels-test-pairs-{name}.qrels" for name in ("relevance", "quality", "coherence")]
    judged = [word for file in qrels for word in ("--pair-qrels", file)]
    said = printed("-m", "ltr.evaluate", "--brief", "--run", "made/riposte/run.txt", *judged, cwd=copy)
    row, found = (figures(text, "riposte/run.txt ") for text in (README, said))
    assert len(row) == 7
    assert found == pytest.approx(row, abs=0.02)  # the last digit may be another elsewhere


def figures(text: str, run: str) -> list[float]:
    (line,) = re.findall(rf"^\w+/{run} *(\d.*)$", text, re.MULTILINE)
    return [float(figure) for figure in re.findall(r"\d\.\d+", line)]


def test_the_example_on_the_page_about_features_works() -> None:
    code, *_ = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "features.md").read_text("utf-8"), re.DOTALL)
    script = code + "\nfrom features.core.describe import TextValues\n"
    script += "assert TextValues(['5% or 6%', 'hm'])['percentages'].tolist() == [2, 0]\n"
    script += "from ltr.learning.examples import kept_columns\nfrom models.learned import inputs_of\n"
    script += "assert {'percentages_min', 'percentages_max'} <= set(inputs_of(kept_columns([])))\n"
    printed("-c", script)
