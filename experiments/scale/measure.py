"""Run a command as a user would, and measure what it needs: seconds, and memory of all its processes together."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from ltr.errors import InputError
from ltr.parallel import interrupts_blocked

EVERY = 0.2
"""Seconds between two looks at the memory, at least."""
REST = 50
"""Times the length of a look until the next one: a look at large processes takes long, and slows them down."""
ROOT = Path(__file__).resolve().parents[2]
Record = dict[str, Any]


class Failed(InputError):
    """A measured command ended badly."""


def measure(command: Sequence[str], name: str) -> Record:
    """Run a command: ``wall`` and ``cpu`` seconds, peak ``memory`` in bytes and its kind, and what its last line says.

    The processor seconds are those of the process and of all children that it waited for. Raises Failed.
    """
    paths = filter(None, [str(ROOT), os.environ.get("PYTHONPATH")])
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        start = time.perf_counter()
        with interrupts_blocked():
            child = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                env=os.environ | {"PYTHONPATH": os.pathsep.join(paths)},
                start_new_session=True,  # by which all of its processes are known, and can be ended
            )
        try:
            with Memory(child.pid) as memory:
                _, status, usage = os.wait4(child.pid, 0)
            wall = time.perf_counter() - start
            child.returncode = os.waitstatus_to_exitcode(status)
        finally:
            _end(child.pid)
        last = _last_line(out)
        if child.returncode:
            killed = f"killed by signal {-child.returncode}, perhaps for want of memory"
            why = killed if child.returncode < 0 else _last_line(err) or f"exit {child.returncode}"
            raise Failed(name, why.removeprefix("error: "))
    result = json.loads(last) if last.startswith("{") else {}
    peak, kind = (memory.peak, "PSS") if memory.peak else (usage.ru_maxrss * 1024, "RSS of the largest process")
    return {"wall": wall, "cpu": usage.ru_utime + usage.ru_stime, "memory": peak, "memory_kind": kind, **result}


def _end(session: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(session, signal.SIGKILL)


def _last_line(file: IO[bytes]) -> str:
    file.seek(0)
    lines = file.read().decode("utf-8", "replace").strip().splitlines()
    return lines[-1] if lines else ""


class Memory:
    """Watches the memory that the processes of a session hold together, while the block runs."""

    def __init__(self, session: int) -> None:
        self.peak = 0
        """Bytes; 0 where the system does not say."""
        self._session = session
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Memory:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()

    def _watch(self) -> None:
        took = 0.0
        pause = 0.02  # short commands are looked at more often
        while not self._done.wait(max(pause, REST * took)):
            start = time.perf_counter()
            self.peak = max(self.peak, session_memory(self._session))
            took = time.perf_counter() - start
            pause = min(2 * pause, EVERY)


def session_memory(session: int) -> int:
    """Bytes that the processes of a session hold, a page that several share once (PSS); 0 where none tells."""
    total = 0
    for process in filter(str.isdigit, os.listdir("/proc") if Path("/proc").is_dir() else ()):
        with suppress(OSError, ValueError, IndexError):  # it may end while we look
            # state, parent, group, session: the name before them is in parentheses, and may hold anything
            if int(_text(process, "stat").rpartition(")")[2].split(maxsplit=4)[3]) == session:
                lines = _text(process, "smaps_rollup").splitlines()
                total += sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))
    return total


def _text(process: str, name: str) -> str:
    with open(f"/proc/{process}/{name}", "rb", buffering=0) as file:  # quicker than pathlib, and there are many
        return file.read().decode("utf-8", "replace")
