"""Processes of this machine, and what they leave."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ltr.errors import WorkersError
from ltr.parallel import processes
from ltr.parallel.processes import LEFT, Processes, sweep_semaphores


def test_semaphores_of_the_dead_are_removed_and_no_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    monkeypatch.setattr(processes, "SHARED", tmp_path)
    names = [f"sem.loky-{ended.pid}-old", f"sem.loky-{os.getpid()}-ours", "sem.loky-x-y", f"sem.mp-{ended.pid}-z"]
    for name in names:
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (0, time.time() - LEFT - 10))
    (tmp_path / f"sem.loky-{ended.pid}-new").touch()
    sweep_semaphores()
    assert {path.name for path in tmp_path.iterdir()} == {*names[1:], f"sem.loky-{ended.pid}-new"}


def test_a_worker_that_was_ended_is_told_of_in_a_line() -> None:
    with pytest.raises(WorkersError, match=r"a worker process: it was ended from outside, .*; run the command again"):
        list(Processes(2).map([(os._exit, (1,))] * 2))
