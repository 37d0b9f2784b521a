"""What can be wrong with a user's input, and how a command ends when it is."""

from __future__ import annotations

import errno
import os
import signal
import sys
from collections.abc import Callable

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
    try:
        code = main(None) or 0
        sys.stdout.flush()
    except InputError as error:
        code = _complain(str(error))
    except BrokenPipeError:
        # The reader of our output went away (`| head`); nothing is left to say to it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        print("interrupted; earlier output is untouched", file=sys.stderr)
        code = INTERRUPTED
    except OSError as error:
        if error.errno not in _MENDS:
            raise
        where = error.filename or "output"
        code = _complain(str(InputError(where, os.strerror(error.errno).lower(), _MENDS[error.errno])))
    sys.exit(code)


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
