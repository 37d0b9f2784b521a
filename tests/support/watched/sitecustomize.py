"""Python imports this before anything else where its folder is on PYTHONPATH, in processes that a process starts too.

It looks at every event that Python raises for an audit hook (PEP 578), and stops what no command has any business
with: code that is no module, pickles of strangers, other programs, the network, libraries and files in other places.
Each is written to the file RIPOSTE_WATCHED, and refused. Engines in C and Rust raise no events for files that they
open themselves.

| variable | what is allowed, separated by colons |
|---|---|
| RIPOSTE_WRITES | folders that may be written into |
| RIPOSTE_CONNECTS | ports of 127.0.0.1 that may be asked |
| RIPOSTE_LISTENS | anything: a port of 127.0.0.1 may be listened at |
"""

from __future__ import annotations

import os
import site
import sys
import sysconfig
from types import FrameType
from typing import Any

LOG = os.environ.get("RIPOSTE_WATCHED")
WRITES = tuple(map(os.path.realpath, filter(None, os.environ.get("RIPOSTE_WRITES", "").split(":"))))
CONNECTS = set(os.environ.get("RIPOSTE_CONNECTS", "").split(":"))
LISTENS = "RIPOSTE_LISTENS" in os.environ

PACKAGES = tuple({os.path.realpath(path) for path in (*site.getsitepackages(), *sysconfig.get_paths().values())})
LIBRARIES = (*PACKAGES, "/lib", "/usr/lib", "/usr/local/lib")
IMPORT = "<frozen importlib._bootstrap_external>"
FROZEN = "<frozen importlib._bootstrap>"
"""Since Python 3.13 modules that are part of it raise events as well."""

MAKERS = (
    ("ast.py", "parse"),  # a tree, and nothing that could be executed
    ("collections/__init__.py", "namedtuple"),
    ("dataclasses.py", "_create_fn"),
    ("dataclasses.py", "add_fns_to_class"),  # since Python 3.13
    ("functools.py", "_make_key"),
    ("attr/_make.py", "_compile_and_eval"),
    ("typing.py", "__init__"),  # of ForwardRef: an annotation
    ("typing.py", "_evaluate"),
    ("jinja2/environment.py", "_compile"),  # of templates, which are files of ours
    ("jinja2/environment.py", "from_code"),
    ("jinja2/environment.py", "_from_code"),
)
"""Who may make code out of text that comes from no user: the end of its file, and the function."""

WORKERS = ("/loky/", "/cloudpickle/", "/multiprocessing/", "/joblib/externals/")
"""Who may unpickle what another process of the same command sent."""

PROGRAMS = ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.startfile", "pty.spawn")
WEB = ("urllib.Request", "http.client.connect", "http.client.send", "ftplib.connect", "smtplib.connect")
NAMES = ("socket.gethostbyname", "socket.gethostbyaddr", "socket.getnameinfo", "socket.sendto", "socket.sendmsg")
CHANGES = {"os.mkdir": 2, "os.remove": 1, "os.rmdir": 1, "os.chmod": 2, "os.utime": 3, "os.truncate": 9}
"""Event -> which of its arguments is the open folder that a relative path begins at."""
MOVES = ("os.rename", "os.link", "os.symlink")
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


class NotAllowedError(BaseException):
    """No handler of errors takes it for one of its own."""


def watch(event: str, arguments: tuple[Any, ...]) -> None:
    """The hook."""
    look = LOOKS.get(event)
    if look is None:
        return
    what = look(event, arguments)
    if what:
        stack = " < ".join(f"{frame.f_code.co_filename}:{frame.f_lineno}" for frame in _frames()[:12])
        line = f"{event} {what}"[:500].replace("\n", " ") + f" [{stack}]\n"
        descriptor = os.dup(_log)
        try:
            os.write(descriptor, line.encode("utf-8", "replace"))
        finally:
            os.close(descriptor)
        raise NotAllowedError(line)


def _frames() -> list[FrameType]:
    """Those outside this file, the innermost first."""
    frames, frame = [], sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_filename != __file__:
            frames.append(frame)
        frame = frame.f_back  # type: ignore[assignment]
    return frames


def _importing(frames: list[FrameType]) -> bool:
    """A module is being loaded: what it does then does not depend on what a command was given."""
    return any(frame.f_code.co_filename == IMPORT and frame.f_code.co_name == "exec_module" for frame in frames)


def _code(event: str, arguments: tuple[Any, ...]) -> str:
    frames = _frames()
    if not frames or frames[0].f_code.co_filename in (IMPORT, FROZEN, "<frozen runpy>"):
        return ""
    if _importing(frames):
        return ""
    made = frames[0].f_code
    if any(made.co_filename.endswith(file) and made.co_name == name for file, name in MAKERS):
        return ""
    return f"{arguments!r}"


def _pickle(event: str, arguments: tuple[Any, ...]) -> str:
    frames = _frames()
    ours = any(place in frame.f_code.co_filename for frame in frames for place in WORKERS)
    return "" if ours or _importing(frames) else f"{arguments!r}"


def _marshal(event: str, arguments: tuple[Any, ...]) -> str:
    return "" if _frames()[0].f_code.co_filename in (IMPORT, FROZEN) else "of what is no module"


def _program(event: str, arguments: tuple[Any, ...]) -> str:
    frames = _frames()  # trio, where it is installed, looks for the C library, and Python asks ldconfig for it
    looking = _importing(frames) and any(frame.f_code.co_filename.endswith("ctypes/util.py") for frame in frames)
    # scikit-learn's k-means counts the cores of the machine, by lscpu.
    counting = any(frame.f_code.co_name.startswith("_count_physical_cores") for frame in frames)
    return "" if looking or counting else f"{arguments!r}"


def _connect(event: str, arguments: tuple[Any, ...]) -> str:
    address = arguments[1] if event == "socket.connect" else arguments[:2]
    if isinstance(address, tuple) and address[0] in ("127.0.0.1", b"127.0.0.1") and str(address[1]) in CONNECTS:
        return ""
    if LISTENS and event == "socket.getaddrinfo" and address[0] == "127.0.0.1":
        return ""
    return f"{address!r}"


def _listen(event: str, arguments: tuple[Any, ...]) -> str:
    here = LISTENS and arguments[1][0] == "127.0.0.1"
    return "" if here or _importing(_frames()) else f"{arguments[1]!r}"  # urllib3 looks whether there is IPv6


def _library(event: str, arguments: tuple[Any, ...]) -> str:
    name = arguments[0]
    if name is None or os.path.basename(os.fsdecode(name)) == os.fsdecode(name):  # the linker's own places
        return ""
    return "" if os.path.realpath(os.fsdecode(name)).startswith(LIBRARIES) else f"{name!r}"


def _open(event: str, arguments: tuple[Any, ...]) -> str:
    path, mode, flags = arguments
    if isinstance(path, int) or not (flags & WRITING or (mode and set(mode) & set("wax+"))):
        return ""
    return _place(path)


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
    "compile": _code,
    "exec": _code,
    "pickle.find_class": _pickle,
    "marshal.loads": _marshal,
    "marshal.load": _marshal,
    "socket.connect": _connect,
    "socket.getaddrinfo": _connect,
    "socket.bind": _listen,
    "ctypes.dlopen": _library,
    "open": _open,
    **dict.fromkeys((*PROGRAMS, *WEB, *NAMES), _program),
    **dict.fromkeys(CHANGES, _change),
    **dict.fromkeys(MOVES, _move),
}

if LOG:
    _log = os.open(LOG, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    sys.addaudithook(watch)
