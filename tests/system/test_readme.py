"""The README does not lie: its commands run, and its generated parts are what the program prints."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.pages import BLOCK, commands

from features.core.feature import columns
from models.lambdamart import Parameters

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text("utf-8")
COMMANDS = commands(README)
OUTSIDE = ("make ", "path/to/", "irds:")
"""What a test inside the project cannot run: the set-up itself, and data that is not shipped."""

RUNNABLE = [c for c in COMMANDS if c.startswith("python ") and not any(word in f"{c} " for word in OUTSIDE)]


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project's files in a place of their own: README commands write where they are."""
    place = tmp_path_factory.mktemp("readme") / "riposte"
    skip = shutil.ignore_patterns(".git", ".venv", "out", "model", ".*cache*", "tests")
    shutil.copytree(ROOT, place, ignore=skip)
    return place


def test_there_are_commands_to_run() -> None:
    assert len(RUNNABLE) >= 4
    assert {"make run", "make test"} <= set(COMMANDS)


@pytest.mark.parametrize("number", range(len(RUNNABLE)))
def test_command_works(number: int, copy: Path) -> None:
    words = shlex.split(RUNNABLE[number])
    done = subprocess.run(
        [sys.executable, *words[1:]], cwd=copy, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr


def test_what_the_commands_write_is_ignored_by_git_and_cleaned() -> None:
    written = []
    for _, _, command, *words in map(shlex.split, RUNNABLE):
        options = ["-o", "--json", *(["-m"] if command == "ltr.train" else [])]
        written += [words[words.index(option) + 1] for option in options if option in words]
    assert len(written) >= 4
    ignored = (ROOT / ".gitignore").read_text("utf-8").split()
    clean = (ROOT / "Makefile").read_text("utf-8").partition("\nclean:\n")[2].replace("$(OUT)", "out").split()
    for place in {name.split("/")[0] for name in written}:
        assert f"/{place}/" in ignored, place
        assert place in clean, place


def test_every_named_file_exists() -> None:
    for name in re.findall(r"\]\(([^)#:]+)\)", README):
        assert (ROOT / name).exists(), name


PAGES = sorted((ROOT / "docs").glob("*.md"))


@pytest.mark.parametrize("page", [ROOT / "README.md", *PAGES], ids=lambda page: page.name)
def test_every_option_on_a_page_is_one_of_the_command(page: Path) -> None:
    for command in commands(page.read_text("utf-8")):
        match = re.match(r"python -m ((?:ltr|experiments)(?:\.\w+)+)", command)
        if match:
            done = subprocess.run(
                [sys.executable, "-m", match[1], "--help"], capture_output=True, text=True, cwd=ROOT, check=True
            )
            for option in re.findall(r"(?<= )--?[a-z][a-z-]*", command[match.end() :]):
                assert option in done.stdout, f"{option} in: {command}"


def test_the_shipped_model_writes_what_the_page_shows(copy: Path) -> None:
    """Scores may differ in their last decimals from processor to processor; the order may not."""
    command = next(c for c in RUNNABLE if c.startswith("python -m ltr.predict") and c.endswith("-o out"))
    shown = README.partition("$ head -n 2 out/run.txt\n")[2].split("```text\n")[1].split("```")[0].splitlines()
    assert len(shown) == 2
    subprocess.run([sys.executable, *shlex.split(command)[1:], "--quiet"], cwd=copy, capture_output=True, check=True)
    found = (copy / "out" / "run.txt").read_text("utf-8").splitlines()[:2]
    for one, other in zip(map(str.split, shown), map(str.split, found), strict=True):
        assert one[:4] + one[5:] == other[:4] + other[5:]
        assert float(one[4]) == pytest.approx(float(other[4]), abs=1e-4)


def test_the_page_is_a_page() -> None:
    assert len(README.splitlines()) <= 200
    assert max(map(len, README.splitlines())) <= 120


def test_what_make_run_prints_is_on_the_page() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8").replace("$(OUT)", "out").replace("$(words $(BASELINES))", "4")
    said = re.findall(r'^\t@echo "(\d\. .*)"$', makefile, re.MULTILINE)
    (shown,) = [code for _, code in BLOCK.findall(README) if code.startswith("1. ")]
    assert [line for line in shown.splitlines() if re.match(r"\d\. ", line)] == said
    assert len(said) == 3
    assert len(shown.splitlines()) == 15


def test_the_number_of_columns_is_that_of_the_registry() -> None:
    assert f"{Parameters().columns} of {len(columns())} feature columns" in README


def test_the_table_of_features_is_on_their_page() -> None:
    page = (ROOT / "docs" / "features.md").read_text("utf-8")
    assert "```{include} generated/features.md" in page


def test_the_example_on_the_page_about_features_works() -> None:
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "features.md").read_text("utf-8"), re.DOTALL)
    script = code + "\nfrom features.core.extract import TextValues\n"
    script += "assert TextValues(['5% or 6%', 'hm'])['percentages'].tolist() == [2, 0]\n"
    script += "from ltr.training.examples import kept_columns\nfrom models.inputs import inputs_of\n"
    script += "assert {'percentages_min', 'percentages_max'} <= set(inputs_of(kept_columns([])))\n"
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
