"""Each program of the laboratory starts, and refuses bad input in one line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = {
    "argumentative": "--data nowhere",
    "comparative_lists": "--data nowhere -o out",
    "comparison": "--data nowhere",
    "convincing": "--data nowhere",
    "copies": "-i nowhere -o out",
    "encoder": "-m nowhere",
    "paraphrases": "-i nowhere",
    "question": "--data nowhere --topics nowhere",
    "read_sides": "-i nowhere",
    "reader": "--data nowhere -i nowhere --topics nowhere --graded-topics nowhere -m nowhere -o out",
    "weigh_sides": "-i nowhere",
}
"""Program -> options that it refuses."""


def started(name: str, options: str, place: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", f"experiments.lab.{name}", *options.split()]
    environment = {"PYTHONPATH": str(ROOT), "PATH": "", "HOME": str(place)}
    return subprocess.run(command, cwd=place, env=environment, capture_output=True, text=True, check=False)


def test_every_program_is_tested() -> None:
    files = [file for file in (ROOT / "experiments" / "lab").glob("*.py") if "run_command(" in file.read_text("utf-8")]
    assert {file.stem for file in files} == set(PROGRAMS)


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_starts_and_refuses_bad_input(name: str, tmp_path: Path) -> None:
    helped = started(name, "--help", tmp_path)
    assert (helped.returncode, helped.stderr) == (0, "")
    assert helped.stdout.startswith(f"usage: python -m experiments.lab.{name} ")
    refused = started(name, PROGRAMS[name], tmp_path)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr.startswith("error: ")
    assert refused.stderr.count("\n") == 1
    assert not list(tmp_path.iterdir())
