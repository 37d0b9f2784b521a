"""What can be wrong with a user's input, and how a command ends when it is."""

from __future__ import annotations

import atexit
import errno
import gc
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
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

    def __reduce__(self) -> tuple[Callable[[str], InputError], tuple[str]]:
        """Travel from a worker with the finished line."""
        return _remade, (str(self),)


def _remade(line: str) -> InputError:
    error = InputError.__new__(InputError)
    error.args = (line,)
    return error


def run_command(main: Callable[[list[str] | None], int | None]) -> None:
    """Run ``main`` as a process: exit 0, 2 with one line on stderr, or 130 after Ctrl-C."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # not deaf to it, as nohup makes one
        signal.signal(signal.SIGINT, _interrupt)
    calm_collector()
    atexit.register(gc.freeze)
    try:
        code = main(None) or 0
        sys.stdout.flush()
    except InputError as error:
        code = _complain(str(error))
    except ModuleNotFoundError as error:
        mend = "install Riposte with its packages, or activate the environment where they are"
        code = _complain(str(InputError(error.name, "this Python package is not installed", mend)))
    except BrokenPipeError:
        # The reader of our output went away (`| head`); nothing is left to say to it.
        _close_stdout()
        code = 0
    except KeyboardInterrupt:
        print(_UNTOUCHED, file=sys.stderr)
        code = INTERRUPTED
    except OSError as error:
        if error.errno not in _MENDS:
            raise
        _close_stdout()  # it may be the very file that is full
        where = error.filename or "output"
        code = _complain(str(InputError(where, os.strerror(error.errno).lower(), _MENDS[error.errno])))
    if signal.getsignal(signal.SIGINT) is _interrupt:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # nothing is left to interrupt
    sys.exit(code)


def calm_collector() -> None:
    """Let the garbage collector look seldom.

    Features and indexing make dictionaries of 100,000s of objects. None is ever garbage, and looking through them again
    and again, while they grow and once more at the end, would be a third of the time of a short command.
    """
    gc.set_threshold(1_000_000)


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
_UNTOUCHED = "interrupted; earlier output is untouched"
_holds: list[None] = []
"""One entry for every block that holds interrupts back."""
_late: list[int] = []
"""The signals that came in such a block."""


def _interrupt(number: int, frame: object) -> None:
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
        os.write(2, f"{_CLEAR if os.isatty(2) else ''}{_UNTOUCHED}\n".encode())
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
    errno.ENAMETOOLONG: "give it a shorter name",
    errno.ELOOP: "name a path without circular links",
    errno.EMFILE: "raise the limit of open files",
}


def _complain(line: str) -> int:
    print(f"error: {line}", file=sys.stderr)
    return INPUT_ERROR
