"""Commands run in forks of this process, which has imported what they need: a run takes as long as its work."""

from __future__ import annotations

import atexit
import importlib
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, NoReturn

PATIENCE = 600.0
"""Seconds after which a run is killed, and found to hang."""

Main = Callable[[list[str] | None], int | None]


class Ended(NamedTuple):
    """How a run ended."""

    code: int
    """Of the exit; that of a signal is negative."""
    out: str
    err: str
    at: float
    """When, in seconds of the monotonic clock."""
    left: bool
    """Workers that it started live on."""


def run(
    module: str,
    argv: Sequence[str],
    folder: Path,
    watch: Callable[[int], object] = lambda _: None,
    stopped: Callable[[], object] = lambda: None,
) -> Ended:
    """`start` a command, and `wait` for its end."""
    return wait(start(module, argv, folder), folder, watch, stopped)


def start(module: str, argv: Sequence[str], folder: Path) -> int:
    """Run ``module.main`` in a fork that leads a process group; its output goes to files in ``folder``."""
    sys.stdout.flush()
    return os.fork() or _child(module, argv, folder)


def wait(
    child: int,
    folder: Path,
    watch: Callable[[int], object] = lambda _: None,
    stopped: Callable[[], object] = lambda: None,
) -> Ended:
    """Wait for a command. ``watch`` is called with it again and again, and ``stopped`` whenever it stops itself."""
    end, status = time.monotonic() + PATIENCE, None
    while status is None:
        found, raw = os.waitpid(child, os.WNOHANG | os.WUNTRACED)
        if found and os.WIFSTOPPED(raw):
            stopped()
            os.kill(child, signal.SIGCONT)
        elif found:
            status = os.waitstatus_to_exitcode(raw)
        else:
            watch(child)
            if time.monotonic() > end:
                os.killpg(child, signal.SIGKILL)
                end += PATIENCE
            time.sleep(0.002)
    at, left = time.monotonic(), _group_ends(child)
    return Ended(status, _read(folder / "out"), _read(folder / "err"), at, left)


def warm(folder: Path) -> None:
    """Import what the run before this call had imported in the end."""
    for name in _read(folder / "modules").split():
        with suppress(Exception):
            importlib.import_module(name)


def _group_ends(group: int) -> bool:
    """Kill what is left of a process group; was there something for longer than processes need to end."""
    for _ in range(200):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return False
        time.sleep(0.01)
    os.killpg(group, signal.SIGKILL)
    return True


def _read(path: Path) -> str:
    return path.read_text("utf-8", "replace") if path.exists() else ""


def _child(module: str, argv: Sequence[str], folder: Path) -> NoReturn:
    code = 70
    try:
        os.setsid()
        for descriptor, name in ((1, "out"), (2, "err")):
            os.dup2(os.open(folder / name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644), descriptor)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        sys.argv = [module, *argv]
        from ltr.cli.process import run_command

        main = importlib.import_module(module).main
        os.chdir(folder)
        run_command(main)
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 1
    except BaseException:
        traceback.print_exc()
        code = 1
    finally:
        with suppress(BaseException):
            (folder / "modules").write_text("\n".join(sys.modules))
        with suppress(BaseException):
            atexit._run_exitfuncs()
        with suppress(BaseException):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)
