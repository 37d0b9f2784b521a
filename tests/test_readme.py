"""The README does not lie: its commands run, and its generated parts are what the program prints."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from features.__main__ import table
from features.registry import all_features, column_features

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text("utf-8")
BLOCKS = re.findall(r"```console\n(.*?)```", README, re.DOTALL)
COMMANDS = [line.removeprefix("$ ") for block in BLOCKS for line in block.splitlines() if line.startswith("$ ")]
OUTSIDE = ("make ", "git ", "cd ", "../shared/", "path/to/")
"""What a test inside the project cannot run: the set-up itself, and data that is not shipped."""

RUNNABLE = [c for c in COMMANDS if c.startswith("python ") and not any(word in f"{c} " for word in OUTSIDE)]


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project's files in a place of their own: README commands write where they are."""
    place = tmp_path_factory.mktemp("readme") / "riposte"
    skip = shutil.ignore_patterns(".git", ".venv", "out", "model", ".*cache*", ".riposte-index*", "tests")
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
    assert len(written) >= 7
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
    shown = re.findall(r"^\$ (.*)$", page.read_text("utf-8"), re.MULTILINE)
    for command in shown:
        match = re.match(r"python -m ((?:ltr|experiments)\.\w+)", command)
        if match:
            done = subprocess.run(
                [sys.executable, "-m", match[1], "--help"], capture_output=True, text=True, cwd=ROOT, check=True
            )
            for option in re.findall(r"(?<= )--?[a-z][a-z-]*", command.split("ltr", 1)[-1]):
                assert option in done.stdout, f"{option} in: {command}"


def test_feature_table_is_generated() -> None:
    assert table(all_features()) in README
    learned = sum(feature.sign != 0 for feature in column_features().values())
    assert (
        f"{len(all_features())} features in {len(column_features())} columns, {learned} of them with a sign" in README
    )


def test_the_table_says_which_features_have_a_sign() -> None:
    head, _, *rows = [line.strip("|").split(" | ") for line in table(all_features()).splitlines()]
    found = {row[0].strip(" `"): row[[cell.strip() for cell in head].index("sign")] for row in rows}
    assert found == {f.name: {1: "+1", 0: "-", -1: "-1"}[f.sign] for f in all_features()}
    assert len(set(found.values())) == 3


def test_the_example_feature_works(tmp_path: Path) -> None:
    code = next(block for block in re.findall(r"```python\n(.*?)```", README, re.DOTALL) if "@feature" in block)
    assert len(code.strip().splitlines()) < 15
    script = (
        code
        + "\nfrom features.registry import columns\nassert 'commas_min' in columns() and 'commas_max' in columns()\n"
        + "from ltr.learning import signed_columns\nassert signed_columns(columns())['commas_min'] == 1\n"
    )
    script += "from features.describe import describe_texts\nassert describe_texts(['a, b; c'])['commas'][0] == 2\n"
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_example_on_the_page_about_features_works() -> None:
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "features.md").read_text("utf-8"), re.DOTALL)
    script = code + "\nfrom features.describe import describe_texts\n"
    script += "assert describe_texts(['5% or 6%', 'hm'])['percentages'].tolist() == [2, 0]\n"
    script += "from ltr.learning import signed_columns\nassert signed_columns(['percentages_max'])\n"
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
