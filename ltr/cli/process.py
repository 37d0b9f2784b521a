"""Run a command as a process: exit codes, and one line for whatever the user can correct."""

from __future__ import annotations

import atexit
import errno
import gc
import os
import signal
import sys
from collections.abc import Callable
from io import TextIOWrapper

from ltr.errors import InputError
from ltr.parallel import calm_collector
from ltr.plugins import plugin_error

INPUT_ERROR = 2
INTERRUPTED = 130
"""Exit codes."""

UNTOUCHED = "interrupted; earlier output is untouched"


class Interrupted(KeyboardInterrupt):
    """Ctrl-C. Where a KeyboardInterrupt itself passed through exec(), CPython ends the process by a signal."""


_interrupts: list[int] = []
"""The interrupts that came: some libraries turn them into errors of their own."""


def run_command(main: Callable[[list[str] | None], int | None]) -> None:
    """Run ``main`` as a process: exit 0, 2 with one line on stderr, 130 after Ctrl-C, or 143 after SIGTERM."""
    _open_streams()
    os.environ.setdefault("PYTHONSAFEPATH", "1")  # worker processes would import a random.py of the user, for instance
    ours = signal.getsignal(signal.SIGINT) is signal.default_int_handler  # nohup has it ignored
    if ours:
        signal.signal(signal.SIGINT, _interrupt)
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:  # its workers and their folders go with it, as after Ctrl-C
        signal.signal(signal.SIGTERM, _interrupt)
    calm_collector()
    atexit.register(gc.freeze)
    try:
        code = main(None) or 0
        sys.stdout.flush()
    except BaseException as error:
        if isinstance(error, SystemExit) and not _interrupts:
            raise
        code = _exit_code(error)
    if ours:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # nothing is left to interrupt
    sys.exit(code)


def _interrupt(number: int, _: object) -> None:
    """The handler of SIGINT and SIGTERM."""
    _interrupts.append(number)
    raise Interrupted


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
        hint = "install Riposte with its packages, or activate the environment where they are"
        error = InputError(error.name, "this Python package is not installed", hint)
    elif isinstance(error, MemoryError) or (isinstance(error, ImportError) and _NO_MEMORY in str(error)):
        error = InputError("memory", "there is not enough of it", _HINTS[errno.ENOMEM])
    elif isinstance(error, OSError) and error.errno in _HINTS:
        _close_stdout()  # it may be the very file that is full
        where = error.filename or ("this process" if error.errno in _OF_PROCESS else "output")
        error = InputError(where, os.strerror(error.errno).lower(), _HINTS[error.errno])
    if not isinstance(error, InputError):
        raise error
    print(f"error: {error}", file=sys.stderr)
    return INPUT_ERROR


def _open_streams() -> None:
    """Replace streams that are closed, and let a terminal that lacks a letter show its escape."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            # It takes the lowest number that is free, or a file of ours would.
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)
    sys.stdin = sys.stdin or os.fdopen(0)
    sys.stdout, sys.stderr = sys.stdout or os.fdopen(1, "w"), sys.stderr or os.fdopen(2, "w")
    if isinstance(sys.stdout, TextIOWrapper) and sys.stdout.errors == "strict":
        sys.stdout.reconfigure(errors="backslashreplace")


def _close_stdout() -> None:
    """Send the rest of stdout nowhere, or the interpreter complains of it again when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


_NO_MEMORY = "failed to map segment"

_HINTS = {
    errno.ENOSPC: "free some space or write elsewhere; earlier output is untouched",
    errno.EDQUOT: "free some space or write elsewhere; earlier output is untouched",
    errno.EFBIG: "raise the file size limit or write elsewhere; earlier output is untouched",
    errno.EACCES: "check the permissions or name another place",
    errno.EPERM: "check the permissions or name another place",
    errno.EROFS: "name a place that can be written",
    errno.EIO: "check the disk, and whether it is full",
    errno.EISDIR: "name a file",
    errno.ENOTDIR: "name a directory",
    errno.ENOENT: "check the path",
    errno.ENAMETOOLONG: "give it a shorter name",
    errno.ELOOP: "name a path without circular links",
    errno.EMFILE: "raise the limit of open files",
    errno.ENFILE: "raise the limit of open files",
    errno.ENOMEM: "give it more memory, or fewer --jobs",
    errno.ESTALE: "check the server that the file is on",
    errno.ENOLCK: "name a place on a file system that can lock files",
}

_OF_PROCESS = {errno.EMFILE, errno.ENFILE, errno.ENOMEM}
"""Errors of the whole process, not of a file."""
