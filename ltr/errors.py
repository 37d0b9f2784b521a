"""What can be wrong with a user's input, and how a command ends when it is."""

from __future__ import annotations

import atexit
import errno
import os
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NoReturn

INPUT_ERROR = 2
INTERRUPTED = 130


class InputError(Exception):
    """Something the user can mend. The message is one line: where, what, and the mend.

    ``InputError("topics.xml", "topic 3 has no title", "give it a <title>")`` reads
    ``topics.xml: topic 3 has no title; give it a <title>``.
    """

    def __init__(self, where: object, what: str, mend: str = "") -> None:
        text = f"{where}: {what}" + (f"; {mend}" if mend else "")
        super().__init__(" ".join(text.split()))


def run_command(main: Callable[[list[str] | None], int | None]) -> None:
    """Run ``main`` as a process: exit 0, 2 with one line on stderr, or 130 after Ctrl-C."""
    _watch_interrupts()
    try:
        code = main(None) or 0
        sys.stdout.flush()
        _ignore_interrupts()  # what was to be done is done
        _interrupted.clear()
    except BaseException as error:
        _ignore_interrupts()
        code = _ending(error)
    sys.exit(code)


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
        if _interrupted:
            _stop()


def _ending(error: BaseException) -> int:
    """The exit code for ``error``, which is being handled; one that is our own fault goes on."""
    if isinstance(error, KeyboardInterrupt) or _interrupted:
        # C code may have turned the interrupt into an error of its own, an ImportError of numpy for one.
        print("interrupted; earlier output is untouched", file=sys.stderr, flush=True)
        return INTERRUPTED
    if isinstance(error, InputError):
        return _complain(str(error))
    if isinstance(error, BrokenPipeError):
        # The reader of our output went away (`| head`); nothing is left to say to it.
        _close_stdout()
        return 0
    if isinstance(error, OSError) and error.errno in _MENDS:
        _close_stdout()  # it may be the very file that is full
        where = error.filename or "output"
        return _complain(str(InputError(where, os.strerror(error.errno).lower(), _MENDS[error.errno])))
    raise error


_interrupted: list[int] = []
"""The signals that came, for those who no longer see the exception itself."""
_holds: list[None] = []
"""One entry for every block that holds interrupts back."""


def _watch_interrupts() -> None:
    """Remember every Ctrl-C, unless the process was started deaf to it, as by nohup."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _interrupt)
        sys.unraisablehook = _unraisable
        # Registered first, so run last. CPython ends by a signal of its own where the interrupt passed
        # through exec(), caught or not; leaving before that keeps the exit code.
        atexit.register(lambda: os._exit(INTERRUPTED) if _interrupted else None)


def _ignore_interrupts() -> None:
    if signal.getsignal(signal.SIGINT) is _interrupt:
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def _interrupt(number: int, frame: object) -> None:
    _interrupted.append(number)
    if not _holds:
        _stop()


def _stop() -> NoReturn:
    warnings.simplefilter("ignore")  # libraries warn of work that is cut short
    if "multiprocessing" in sys.modules:
        # At once: a worker that is still starting would complain of what its parent clears away.
        for child in sys.modules["multiprocessing"].active_children():
            child.kill()
    raise KeyboardInterrupt


def _unraisable(details: sys.UnraisableHookArgs) -> None:
    if isinstance(details.exc_value, KeyboardInterrupt):
        # It came inside a destructor, which cannot raise: say it again when that is over.
        threading.Timer(0.01, signal.pthread_kill, (threading.get_ident(), signal.SIGINT)).start()
    else:
        sys.__unraisablehook__(details)


def _close_stdout() -> None:
    """Let the rest of stdout go nowhere, or the interpreter complains of it again when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


_MENDS = {
    errno.ENOSPC: "free some space or write elsewhere; earlier output is untouched",
    errno.EDQUOT: "free some space or write elsewhere; earlier output is untouched",
    errno.EFBIG: "raise the file size limit or write elsewhere; earlier output is untouched",
    errno.EACCES: "check the permissions or name another place",
    errno.EPERM: "check the permissions or name another place",
    errno.EROFS: "name a place that can be written",
    errno.EIO: "check the disk",
    errno.EISDIR: "name a file",
    errno.ENOTDIR: "name a directory",
    errno.ENOENT: "check the path",
    errno.EMFILE: "raise the limit of open files",
}


def _complain(line: str) -> int:
    print(f"error: {line}", file=sys.stderr)
    return INPUT_ERROR
