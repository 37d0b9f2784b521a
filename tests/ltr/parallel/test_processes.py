"""Processes of this machine, and what they leave."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ltr.errors import WorkersError
from ltr.parallel import processes
from ltr.parallel.processes import LEFT, Processes, calm_collector, collect_often, sweep_semaphores


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


def test_a_process_that_goes_on_collects_circles() -> None:
    """Connections of a server are such; a command that ends soon looks for none."""

    def collections_of(circles: int) -> int:
        before = gc.get_stats()[0]["collections"]
        for _ in range(circles):
            found: list[object] = []
            found.append(found)
        return int(gc.get_stats()[0]["collections"]) - before

    calm_collector()
    gc.collect()
    assert collections_of(30_000) == 0
    collect_often()
    assert collections_of(30_000) >= 2
    gc.unfreeze()
