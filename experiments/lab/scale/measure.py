"""Run a command as a user would, and measure what it needs: seconds, and memory of all its processes together."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil

from ltr.errors import InputError

SHARE = 1 / 50
"""Largest share of a core that watching memory may take: it slows down large processes."""
ROOT = Path(__file__).resolve().parents[3]


def measure(command: Sequence[str], name: str) -> dict[str, Any]:
    """Run a command: ``wall`` and ``cpu`` seconds, peak ``memory`` in bytes, and the JSON of its last line.

    Processor seconds include all children that the process waited for. Raises InputError where the command fails.
    """
    with tempfile.TemporaryFile() as out, ThreadPoolExecutor(1) as watcher:
        start, done = time.perf_counter(), threading.Event()
        child = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=out)
        peak = watcher.submit(peak_memory, psutil.Process(child.pid), done)
        try:
            _, status, usage = os.wait4(child.pid, 0)
        finally:
            done.set()
        wall = time.perf_counter() - start
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            raise InputError(name, f"exit {child.returncode}", "see its message above")
        out.seek(0)
        last = out.read().decode("utf-8", "replace").strip().rpartition("\n")[2]
    result = json.loads(last) if last.startswith("{") else {}
    return {"wall": wall, "cpu": usage.ru_utime + usage.ru_stime, "memory": peak.result(), **result}


def peak_memory(process: psutil.Process, done: threading.Event) -> int:
    """The largest memory in bytes of a process and its descendants, all together, until the work is done."""
    peak, took, pause = 0, 0.0, 0.02  # short commands are watched more often
    while not done.wait(max(pause, took / SHARE)):
        start = time.perf_counter()
        peak = max(peak, memory_of(process))
        took, pause = time.perf_counter() - start, min(2 * pause, 0.2)
    return peak


def memory_of(process: psutil.Process) -> int:
    """Bytes of a process and its descendants: PSS, in which a shared page counts once; RSS where there is no PSS."""
    total = 0
    with suppress(psutil.NoSuchProcess):
        for member in (process, *process.children(recursive=True)):
            with suppress(psutil.Error):  # it may end meanwhile
                memory = member.memory_full_info()
                total += getattr(memory, "pss", memory.rss)
    return total
