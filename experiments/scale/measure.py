"""Run a command as a user would, and measure what it needs: seconds, and memory of all its processes together."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

import psutil

from ltr.errors import InputError

SHARE = 1 / 50
"""Share of a core that watching memory may take: it slows down large processes."""
ROOT = Path(__file__).resolve().parents[2]


def measure(command: Sequence[str], name: str) -> dict[str, Any]:
    """Run a command: ``wall`` and ``cpu`` seconds, peak ``memory`` in bytes, and the JSON of its last line.

    Processor seconds include all children that the process waited for. Raises InputError where the command fails.
    """
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        start = time.perf_counter()
        child = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=out, stderr=err)
        with Memory(child.pid) as memory:
            _, status, usage = os.wait4(child.pid, 0)
        wall = time.perf_counter() - start
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            raise InputError(name, _last_line(err) or f"exit {child.returncode}")
        last = _last_line(out)
    result = json.loads(last) if last.startswith("{") else {}
    return {"wall": wall, "cpu": usage.ru_utime + usage.ru_stime, "memory": memory.peak, **result}


def _last_line(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode("utf-8", "replace").strip().rpartition("\n")[2].removeprefix("error: ")


class Memory:
    """Watches the memory of a process and its descendants, all together, while the block runs."""

    def __init__(self, pid: int) -> None:
        self.peak = 0
        """Bytes."""
        self._process = psutil.Process(pid)
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Memory:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()

    def _watch(self) -> None:
        took, pause = 0.0, 0.02  # short commands are watched more often
        while not self._done.wait(max(pause, took / SHARE)):
            start = time.perf_counter()
            self.peak = max(self.peak, memory_of(self._process))
            took, pause = time.perf_counter() - start, min(2 * pause, 0.2)


def memory_of(process: psutil.Process) -> int:
    """Bytes of a process and its descendants: PSS, in which a shared page counts once; RSS where there is no PSS."""
    total = 0
    with suppress(psutil.NoSuchProcess):
        for member in (process, *process.children(recursive=True)):
            with suppress(psutil.Error):  # it may end meanwhile
                memory = member.memory_full_info()
                total += getattr(memory, "pss", memory.rss)
    return total
