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
from ltr.interrupts import INTERRUPTED, UNTOUCHED, on_interrupt
from ltr.parallel import calm_collector

INPUT_ERROR = 2


def run_command(main: Callable[[list[str] | None], int | None]) -> None:
    """Run ``main`` as a process: exit 0, 2 with one line on stderr, or 130 after Ctrl-C."""
    _open_streams()
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # not deaf to it, as nohup makes one
        signal.signal(signal.SIGINT, on_interrupt)
    calm_collector()
    atexit.register(gc.freeze)
    try:
        code = main(None) or 0
        sys.stdout.flush()
    except InputError as error:
        code = _complain(str(error))
    except ModuleNotFoundError as error:
        hint = "install Riposte with its packages, or activate the environment where they are"
        code = _complain(str(InputError(error.name, "this Python package is not installed", hint)))
    except (MemoryError, ImportError) as error:
        if isinstance(error, ImportError) and "failed to map segment" not in str(error):
            raise
        code = _complain(str(InputError("memory", "there is not enough of it", _HINTS[errno.ENOMEM])))
    except BrokenPipeError:
        # The reader of our output went away (`| head`); nothing is left to say to it.
        _close_stdout()
        code = 0
    except KeyboardInterrupt:
        print(UNTOUCHED, file=sys.stderr)
        code = INTERRUPTED
    except OSError as error:
        if error.errno not in _HINTS:
            raise
        _close_stdout()  # it may be the very file that is full
        where = error.filename or ("this process" if error.errno in _OF_PROCESS else "output")
        code = _complain(str(InputError(where, os.strerror(error.errno).lower(), _HINTS[error.errno])))
    if signal.getsignal(signal.SIGINT) is on_interrupt:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # nothing is left to interrupt
    sys.exit(code)


def _open_streams() -> None:
    """Whoever closed one of them wants to see nothing; and a terminal need not know all letters."""
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
    """Let the rest of stdout go nowhere, or the interpreter complains of it again when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


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
"""Errors that are those of no file."""


def _complain(line: str) -> int:
    print(f"error: {line}", file=sys.stderr)
    return INPUT_ERROR
