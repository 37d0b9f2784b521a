"""The layer of `shim.c` below a process: compiled, told what is to go wrong, asked what did."""

from __future__ import annotations

import mmap
import os
import shutil
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

SOURCE = Path(__file__).with_name("shim.c")
STATE = struct.Struct("iiqiiqqq1024s1024s")
"""As ``struct state`` of `shim.c` is laid out."""

WRITE, SYNC, RENAME, CREATE, OPEN, TRUNCATE, MAP, MKDIR, REMOVE, LINK, READ = (1 << n for n in range(11))
CHANGES = WRITE | SYNC | RENAME | CREATE | TRUNCATE | MKDIR | REMOVE | LINK
"""Whatever changes a disk."""
SHORT, KILL, STOP, CLOCK, LIST = -1, -2, -3, -4, -5
"""Not an error: half is written or read; the process is killed, or stops; the clock of the day jumps; all
calls are written down."""


class Seen(NamedTuple):
    """What the shim saw."""

    counted: int
    fired: float
    """Seconds of the monotonic clock; 0: not yet."""
    what: str


def why_not() -> str:
    """Why this machine cannot have the shim; empty where it can."""
    if not sys.platform.startswith("linux"):
        return "LD_PRELOAD and the calls of shim.c are those of Linux"
    return "" if shutil.which("cc") else "there is no C compiler"


class Shim:
    """The compiled shim in a folder of its own. Workers have it below them that begin with its ``environment``."""

    def __init__(self, folder: Path) -> None:
        library, state = folder / "shim.so", folder / "state"
        if not library.exists():
            subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", library, SOURCE, "-ldl"], check=True)
            state.write_bytes(bytes(STATE.size))
        self._list = state.with_name("state.list")
        self.environment = {"LD_PRELOAD": str(library), "FAULTS_STATE": str(state)}
        with state.open("r+b") as file:
            self._state = mmap.mmap(file.fileno(), STATE.size)

    @property
    def loaded(self) -> bool:
        """Is it below this very process."""
        return os.environ.get("LD_PRELOAD") == self.environment["LD_PRELOAD"]

    def arm(self, kinds: int, nth: int, error: int, folder: str = "", *, lasting: bool = False, clock: int = 0) -> None:
        """From now on count the calls of these ``kinds`` in ``folder``, and let the ``nth`` one go wrong.

        With ``lasting``, so do all after it.
        """
        self._state[:] = STATE.pack(1, kinds, nth, error, lasting, 0, 0, clock, os.fsencode(folder), b"")

    def disarm(self) -> Seen:
        """Let all calls pass again, and say what was seen."""
        *_, counted, fired, _, _, what = STATE.unpack(self._state[:])
        self._state[:] = bytes(STATE.size)
        return Seen(counted, fired / 1e9, what.partition(b"\0")[0].decode("utf-8", "replace"))

    def calls(self, run: Callable[[], object], folder: str = "") -> list[tuple[int, str]]:
        """The calls that ``run`` makes in ``folder``: kind, and name with file."""
        self._list.write_bytes(b"")
        self.arm(-1, 1 << 60, LIST, folder)
        run()
        self.disarm()
        lines = self._list.read_text("utf-8", "replace").splitlines()
        return [(int(kind), what) for kind, _, what in (line.partition(" ") for line in lines)]

    @property
    def fired(self) -> float:
        """When the call went wrong, in seconds of the monotonic clock; 0: not yet."""
        return STATE.unpack(self._state[:])[6] / 1e9
