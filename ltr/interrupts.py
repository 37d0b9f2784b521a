"""Ctrl-C: held back where a job must not be torn apart, cleaned up after wherever it comes."""

from __future__ import annotations

import atexit
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import NoReturn

INTERRUPTED = 130
"""Exit code."""

UNTOUCHED = "interrupted; earlier output is untouched"

unfinished: dict[str, Callable[[], object]] = {}
"""What lies half-written, and how to remove it when the process ends by Ctrl-C."""


@contextmanager
def interrupts_held() -> Iterator[None]:
    """Hold Ctrl-C back until the block ends. Processes started in it never see one: their parent ends them."""
    # The mask is inherited by children; it does not suffice here, where other threads may take the signal.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    _holds.append(None)
    try:
        yield
    finally:
        _holds.pop()
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        if _late and not _holds:
            _leave()


_CLEAR = "\r\x1b[K"  # takes away a line of progress
_holds: list[None] = []
"""One entry for every block that holds interrupts back."""

_late: list[int] = []
"""The signals that came in such a block."""


def on_interrupt(number: int, frame: object) -> None:
    """The handler of SIGINT: ends the process, now or when no block holds interrupts back any more."""
    if _holds:
        _late.append(number)
    else:
        _leave()


def _leave() -> NoReturn:
    """Clean up and end the process, here and now.

    A KeyboardInterrupt would have to come through whatever library is at work, and not all let it: extension
    modules turn it into an ImportError or swallow it, destructors print it, pools of processes spell it out.
    """
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        os.write(2, f"{_CLEAR if os.isatty(2) else ''}{UNTOUCHED}\n".encode())
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
        watchdog = threading.Timer(5, os._exit, (INTERRUPTED,))
        watchdog.daemon = True
        watchdog.start()
        for child in getattr(sys.modules.get("multiprocessing"), "active_children", list)():
            with suppress(ProcessLookupError):
                os.kill(child.pid, signal.SIGKILL)  # loky's have no kill() of their own
        for remove in list(unfinished.values()):
            remove()
        atexit._run_exitfuncs()  # shared memory and temporary folders of libraries
    finally:
        os._exit(INTERRUPTED)
