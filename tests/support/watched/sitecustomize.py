"""Python imports this before anything else where its folder is on PYTHONPATH, in processes that a process starts too.

It looks at the events that Python raises for an audit hook (PEP 578), and stops other programs, the network, and files
in other places. Each is written to the file RIPOSTE_WATCHED, and refused. Engines in C and Rust raise no events for
files that they open themselves. Code and pickles in input are a matter of the linter (rules S).

| variable | what is allowed, separated by colons |
|---|---|
| RIPOSTE_WRITES | folders that may be written into |
| RIPOSTE_CONNECTS | ports of 127.0.0.1 that may be asked |
| RIPOSTE_LISTENS | anything: a port of 127.0.0.1 may be listened at |
"""

from __future__ import annotations

import os
import sys
from typing import Any

LOG = os.environ.get("RIPOSTE_WATCHED")
WRITES = tuple(map(os.path.realpath, filter(None, os.environ.get("RIPOSTE_WRITES", "").split(":"))))
CONNECTS = set(os.environ.get("RIPOSTE_CONNECTS", "").split(":"))
LISTENS = "RIPOSTE_LISTENS" in os.environ

PROGRAMS = ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "pty.spawn")
NAMES = ("socket.gethostbyname", "socket.gethostbyaddr", "socket.sendto", "socket.sendmsg")
CHANGES = {"os.mkdir": 2, "os.remove": 1, "os.rmdir": 1, "os.chmod": 2, "os.utime": 3, "os.truncate": 9}
"""Event -> the place of that argument which is the open folder that a relative path begins at."""
MOVES = ("os.rename", "os.link", "os.symlink")
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


class NotAllowedError(BaseException):
    """No handler of errors takes it for one of its own."""


def watch(event: str, arguments: tuple[Any, ...]) -> None:
    """The hook."""
    look = LOOKS.get(event)
    what = look(event, arguments) if look else ""
    if what:
        line = f"{event} {what}"[:500].replace("\n", " ") + "\n"
        os.write(_log, line.encode("utf-8", "replace"))
        raise NotAllowedError(line)


def _called_by(*names: str) -> bool:
    """Whether a function with one of these names is running."""
    frame = sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_name in names:
            return True
        frame = frame.f_back  # type: ignore[assignment]
    return False


def _program(event: str, arguments: tuple[Any, ...]) -> str:
    # scikit-learn's k-means counts the cores of the machine; ctypes asks ldconfig for the C library, and loky starts
    # the workers of the command.
    known = _called_by("_count_physical_cores_linux", "_findSoname_ldconfig", "_findLib_ld", "_findLib_gcc")
    return "" if known else f"{arguments!r}"


def _connect(event: str, arguments: tuple[Any, ...]) -> str:
    address = arguments[1] if event == "socket.connect" else arguments[:2]
    if isinstance(address, tuple) and address[0] in ("127.0.0.1", b"127.0.0.1") and str(address[1]) in CONNECTS:
        return ""
    if LISTENS and event == "socket.getaddrinfo" and address[0] == "127.0.0.1":
        return ""
    return f"{address!r}"


def _listen(event: str, arguments: tuple[Any, ...]) -> str:
    here = LISTENS and arguments[1][0] == "127.0.0.1"
    return "" if here or _called_by("_has_ipv6") else f"{arguments[1]!r}"  # urllib3 looks whether there is IPv6


def _open(event: str, arguments: tuple[Any, ...]) -> str:
    path, mode, flags = arguments
    writes = flags & WRITING or (mode and set(mode) & set("wax+"))
    return _place(path) if writes else ""


def _place(path: Any, start: str = ".") -> str:
    """The path, where nothing may be written."""
    if isinstance(path, int):
        return ""
    folder, name = os.path.split(os.path.join(start, os.fsdecode(path)))
    place = os.path.join(os.path.realpath(folder or "."), name)
    if place in ("/dev/null", "/dev/tty") or place.startswith(("/dev/shm/sem.loky-", "/dev/fd/", "/proc/self/fd/")):
        return ""
    return "" if any(place == allowed or place.startswith(f"{allowed}/") for allowed in WRITES) else f"{place!r}"


def _change(event: str, arguments: tuple[Any, ...]) -> str:
    opened = (*arguments, *[-1] * 9)[CHANGES[event]]
    return _place(arguments[0], "." if opened < 0 else os.readlink(f"/proc/self/fd/{opened}"))


def _move(event: str, arguments: tuple[Any, ...]) -> str:
    return _place(arguments[1])


LOOKS = {
    "socket.connect": _connect,
    "socket.getaddrinfo": _connect,
    "socket.bind": _listen,
    "open": _open,
    **dict.fromkeys((*PROGRAMS, *NAMES), _program),
    **dict.fromkeys(CHANGES, _change),
    **dict.fromkeys(MOVES, _move),
}

if LOG:
    _log = os.open(LOG, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    sys.addaudithook(watch)
