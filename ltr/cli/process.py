"""Run a command as a process: exit codes, and one line for whatever the user can correct."""

from __future__ import annotations

import atexit
import errno
import gc
import os
import signal
import sys
import time
from collections.abc import Callable
from io import TextIOWrapper
from threading import Thread

from ltr.errors import InputError
from ltr.files import remove_unfinished
from ltr.parallel import block_signals, kill_workers, relax_gc
from ltr.plugins import plugin_error

INPUT_ERROR = 2
INTERRUPTED = 130
"""Exit codes."""

UNTOUCHED = "interrupted; earlier output is untouched"

GRACE = 3
"""Seconds after a signal until the process is ended by force."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C. Where a KeyboardInterrupt itself passed through exec(), CPython ends the process by a signal."""


_interrupts: list[int] = []
"""The interrupts that came: some libraries turn them into errors of their own."""


def run_command(main: Callable[[list[str] | None], int | None]) -> None:
    """Run ``main`` as a process: exit 0, 2 with one line on stderr, 130 after Ctrl-C, or 143 after SIGTERM."""
    if None in (sys.stdin, sys.stdout, sys.stderr):  # a file that is written would take its number, and the text for it
        print("error: a standard stream is closed; redirect it to /dev/null", file=sys.stderr)
        sys.exit(INPUT_ERROR)
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # a terminal that lacks a letter shows its escape
            stream.reconfigure(errors="backslashreplace")
    os.environ.setdefault("PYTHONSAFEPATH", "1")  # worker processes would import a random.py of the user, for instance
    _watch_signals()
    ours = signal.getsignal(signal.SIGINT) is signal.default_int_handler  # nohup has it ignored
    if ours:
        signal.signal(signal.SIGINT, _interrupt)
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:  # its workers and their folders go with it, as after Ctrl-C
        signal.signal(signal.SIGTERM, _interrupt)
    sys.unraisablehook = _ignored
    relax_gc()
    atexit.register(gc.freeze)
    try:
        code = main(None) or 0
        sys.stdout.flush()
    except BaseException as error:
        if isinstance(error, SystemExit) and not _interrupts:
            raise
        code = _exit_code(error)
    if _interrupts:
        kill_workers()  # or Python would wait for the calls that they have
    if ours:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # nothing is left to interrupt
    sys.exit(code)


def _interrupt(number: int, _: object) -> None:
    """The handler of SIGINT and SIGTERM. Only the first one is raised: another could interrupt the tidying up."""
    _interrupts.append(number)
    if len(_interrupts) == 1:
        raise Interrupted


def _ignored(error: sys.UnraisableHookArgs) -> None:
    """Tell of an error where none can be raised, in ``__del__``; but nothing of an interrupt: see `_watch_signals`."""
    if not isinstance(error.exc_value, Interrupted):
        sys.__unraisablehook__(error)


def _watch_signals() -> None:
    """End the process by force some seconds after a signal: an exception from a handler can come where it is ignored,
    leave a library's lock closed, or wait for the end of a long call into C."""
    received, sent = os.pipe()
    os.set_blocking(sent, False)
    signal.set_wakeup_fd(sent, warn_on_full_buffer=False)  # Python writes the number of each signal that it handles

    def watch() -> None:
        number = 0
        while number not in (signal.SIGINT, signal.SIGTERM):
            (number,) = os.read(received, 1)
        time.sleep(GRACE)
        kill_workers()
        remove_unfinished()
        os.write(2, f"{UNTOUCHED}\n".encode())
        os._exit(128 + number)

    with block_signals():  # they are the main thread's
        Thread(target=watch, daemon=True).start()


def _exit_code(error: BaseException) -> int:
    """Print the line of an error, and return its exit code. Raises the error where it is a mistake of ours."""
    if isinstance(error, KeyboardInterrupt) or _interrupts:
        print(UNTOUCHED, file=sys.stderr)
        return 128 + _interrupts[0] if _interrupts else INTERRUPTED
    if isinstance(error, BrokenPipeError):  # the reader of our output went away (`| head`)
        _close_stdout()
        return 0
    if (of_plugin := plugin_error(error)) is not None:
        error = of_plugin
    elif isinstance(error, ModuleNotFoundError):
        extra = _EXTRAS.get((error.name or "").partition(".")[0])
        hint = "install Riposte with its packages, or activate the environment where they are"
        hint = f"pip install 'riposte-ltr[{extra}]'" if extra else hint
        error = InputError(error.name, "this Python package is not installed", hint)
    elif isinstance(error, MemoryError):
        error = InputError("memory", "out of memory", "give it more memory, or fewer --jobs")
    elif isinstance(error, OSError) and error.errno in _HINTS:
        _close_stdout()  # it may be the very file that is full
        error = InputError(error.filename or "output", os.strerror(error.errno).lower(), _HINTS[error.errno])
    if not isinstance(error, InputError):
        raise error
    print(f"error: {error}", file=sys.stderr)
    return INPUT_ERROR


def _close_stdout() -> None:
    """Send the rest of stdout nowhere, or the interpreter complains of it again when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


_EXTRAS = {"starlette": "web", "uvicorn": "web", "httpx": "remote", "distributed": "dask"}
"""Package -> the optional extra that brings it."""

_FULL = "free some space or write elsewhere; earlier output is untouched"
_PATH = "check the path and its permissions, or name another"

_HINTS = {
    **dict.fromkeys((errno.ENOSPC, errno.EDQUOT, errno.EFBIG), _FULL),
    **dict.fromkeys((errno.EACCES, errno.EPERM, errno.EROFS), _PATH),
    **dict.fromkeys((errno.EISDIR, errno.ENOTDIR, errno.ENOENT, errno.ENAMETOOLONG, errno.ELOOP), _PATH),
    errno.EIO: "check the disk, and whether it is full",
    errno.EMFILE: "raise the limit of open files",
    errno.ENOMEM: "give it more memory, or fewer --jobs",
}
