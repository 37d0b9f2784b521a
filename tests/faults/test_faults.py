"""Commands that are killed or run at the same time: never a wrong result, never half a file."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from support.corpora import SMALL, write_corpus

ROOT = Path(__file__).resolve().parents[2]
QUESTION = "<topics><topic><number>1</number><title>Should cars be banned?</title></topic></topics>"
COMMANDS = {
    "predict": (["ltr.predict", "-i", "corpus", "-o", "out", "--index", "index", "-m", "bm25"], "out/run.txt"),
    "evaluate": (["ltr.evaluate", "--run", "given.txt", "--qrels", "qrels", "--json", "out/e.json"], "out/e.json"),
}
"""Module with its options, and the file that it writes."""
OLD = b"written earlier\n"

pytestmark = pytest.mark.system


def start(folder: Path, argv: Sequence[str]) -> subprocess.Popen[str]:
    """A command in a folder, in a process group of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", *argv],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def make_world(folder: Path) -> Path:
    """A corpus with topics, a run and judgments."""
    write_corpus(folder / "corpus", SMALL)
    (folder / "corpus" / "topics.xml").write_text(QUESTION)
    (folder / "given.txt").write_text("1 Q0 S1-A1 1 2.5 me\n1 Q0 S2-A9 2 1.5 me\n")
    (folder / "qrels").write_text("1 0 S2-A9 2\n1 0 S1-A1 1\n")
    (folder / "out").mkdir()
    return folder


@pytest.fixture(params=COMMANDS, scope="module")
def undisturbed(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, bytes, float]:
    """The name of a command, what it writes, and the seconds that it takes."""
    argv, output = COMMANDS[request.param]
    folder = make_world(tmp_path_factory.mktemp("undisturbed") / "world")
    began = time.monotonic()
    done = start(folder, argv)
    assert done.communicate()[0] is not None
    assert done.returncode == 0
    return request.param, (folder / output).read_bytes(), time.monotonic() - began


@pytest.fixture
def world(undisturbed: tuple[str, bytes, float], tmp_path: Path) -> tuple[Path, list[str], Path]:
    """A folder in which the command has an older output, its arguments and that output."""
    argv, output = COMMANDS[undisturbed[0]]
    folder = make_world(tmp_path / "world")
    (folder / output).write_bytes(OLD)
    return folder, argv, folder / output


def test_a_killed_command_can_be_run_again(
    undisturbed: tuple[str, bytes, float], world: tuple[Path, list[str], Path]
) -> None:
    _, right, seconds = undisturbed
    folder, argv, output = world
    killed = start(folder, argv)
    time.sleep(0.8 * seconds)
    os.killpg(killed.pid, signal.SIGKILL)
    killed.communicate()
    assert output.read_bytes() in (OLD, right)
    again = start(folder, argv)
    _, err = again.communicate()
    assert again.returncode == 0, err
    assert output.read_bytes() == right


def test_several_at_once(undisturbed: tuple[str, bytes, float], world: tuple[Path, list[str], Path]) -> None:
    folder, argv, output = world
    for process in [start(folder, argv) for _ in range(2)]:
        _, err = process.communicate()
        assert process.returncode == 0, err
    assert output.read_bytes() == undisturbed[1]
