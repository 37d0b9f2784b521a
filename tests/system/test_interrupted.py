"""Commands with worker processes that are ended by a signal, at several moments of their work."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from support.sample_model import sample_model
from support.usage import children

from ltr.sample import SAMPLE, TRAIN_QRELS, TRAIN_TOPICS

LONGEST = 5
"""Seconds that a command may take to end."""

MOMENTS = (0, 0.1, 1.5)
"""Seconds after the first worker process was there."""


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def has_workers(pid: int) -> list[int]:
    """All children of a process, once two of them are workers."""
    found = [*children(pid)]
    names = [Path(f"/proc/{child}/cmdline").read_text() for child in found if is_alive(child)]
    return found if sum("popen_loky" in name or "spawn_main" in name for name in names) >= 2 else []


def command(name: str, folder: Path) -> list[str]:
    """A command that works for long with two processes."""
    topic = "<topic><number>{}</number><title>Should cities ban cars from their centres?</title></topic>"
    (folder / "topics.xml").write_text(f"<topics>{''.join(map(topic.format, range(200)))}</topics>")
    own = {
        "predict": ["-m", "bm25", "--topics", str(folder / "topics.xml"), "-o", str(folder / "run.txt")],
        "train": ["--topics", str(TRAIN_TOPICS), "--qrels", str(TRAIN_QRELS["relevance"][0]), "-m", str(folder / "m")],
        "encode": [],
        "serve": ["--processes", "2", "--port", "0", "-m", str(sample_model())],
    }[name]
    jobs = ["--jobs", "2", "--index", str(folder / "index"), "--quiet"]
    return [sys.executable, "-m", "ltr.cli.main", name, "-i", str(SAMPLE), *jobs, *own]


@pytest.mark.skipif(not Path("/proc").exists(), reason="processes are counted in /proc")
@pytest.mark.parametrize("name", ["predict", "train", "encode", "serve"])
@pytest.mark.parametrize("moment", MOMENTS)
def test_a_signal_ends_a_command_and_its_workers(name: str, moment: float, tmp_path: Path) -> None:
    number = signal.SIGTERM if MOMENTS.index(moment) % 2 else signal.SIGINT
    env = os.environ | {"RIPOSTE_CACHE": str(tmp_path / "cache")}
    with subprocess.Popen(command(name, tmp_path), stderr=subprocess.PIPE, stdout=subprocess.PIPE, env=env) as child:
        try:
            end = time.monotonic() + 60
            while not (workers := has_workers(child.pid)):
                assert child.poll() is None, child.communicate()
                assert time.monotonic() < end
                time.sleep(0.01)
            time.sleep(moment)
            workers = {*workers, *children(child.pid)}
            child.send_signal(number)
            assert child.wait(LONGEST) in (128 + number, 0 if name == "serve" else 128 + number)
        finally:
            child.kill()
    end = time.monotonic() + LONGEST
    while any(map(is_alive, workers)):
        assert time.monotonic() < end, "a worker is left behind"
        time.sleep(0.05)
    assert not [path for path in tmp_path.rglob("*") if path.suffix == ".part"]
