"""``python -m faults.sweep``: let every call that a command makes of the system fail, one after the other.

With ``PYTHONPATH=.:tests``. After each fault the command has to end in ten seconds, with a line; its output is the old
or the new one, whole; and the same command without a fault makes what it would have made at first.
"""

from __future__ import annotations

import argparse
import errno
import os
import re
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from itertools import count
from pathlib import Path

from faults import runs, shim
from faults.commands import Command, contents, restore, scores_of, small_world
from faults.shim import Seen, Shim

from ltr.cli.process import INTERRUPTED

FAULTS: dict[str, tuple[int, int, bool]] = {
    "full": (shim.CHANGES & ~shim.REMOVE, errno.ENOSPC, True),
    "full once": (shim.CHANGES & ~shim.REMOVE, errno.ENOSPC, False),
    "io": (shim.CHANGES | shim.READ, errno.EIO, False),
    "broken": (shim.CHANGES | shim.READ | shim.MAP, errno.EIO, True),
    "denied": (shim.CREATE | shim.MKDIR | shim.RENAME | shim.REMOVE | shim.LINK, errno.EACCES, False),
    "unreadable": (shim.OPEN, errno.EACCES, False),
    "files": (shim.CREATE | shim.OPEN, errno.EMFILE, False),
    "no files": (shim.CREATE | shim.OPEN, errno.EMFILE, True),
    "memory": (shim.MAP, errno.ENOMEM, False),
    "short": (shim.WRITE | shim.READ, shim.SHORT, False),
    "kill": (shim.CHANGES, shim.KILL, False),
}
"""Calls, what becomes of them, and whether it lasts."""
SECONDS = 10.0
RANDOM = re.compile(
    r"[0-9a-f]{32}|(?<=riposte-index-)\w{8}|(?<=/\.)\w{8}|(?<=\.)[a-z0-9_]{8}(?=\.part)|(?<=\.tmp)\w{6}|(?<=/tmp)\w{8}|[\w-]+(?=\.npy)|#\d+"
)
"""What is drawn in names of files."""


class Sweep:
    """One command, tried."""

    def __init__(
        self, name: str, command: Command, folder: Path, below: Shim | None, report: Callable[[str], None]
    ) -> None:
        self.name, self.command, self.below = name, command, below
        self.work, self.kept, self.streams = folder / "work", folder / "kept", folder / "streams"
        self.say = report
        self.limit = SECONDS
        self.findings = 0

    def run(
        self, watch: Callable[[int], object] = lambda _: None, stopped: Callable[[], object] = lambda: None
    ) -> runs.Ended:
        def interrupt(process: int) -> None:
            watch(process)
            if self.command.until and self.command.until in (self.streams / "out").read_text("utf-8", "replace"):
                os.kill(process, signal.SIGINT)
                time.sleep(0.1)

        done = runs.run(self.command.module, self.command.argv, self.streams, interrupt, stopped)
        interrupted = self.command.until in done.out and done.code == INTERRUPTED
        return done._replace(code=0, err="") if interrupted else done

    def prepare(self) -> None:
        """What stands there before, and what there is to be after."""
        shutil.rmtree(self.work, ignore_errors=True)
        shutil.rmtree(self.kept, ignore_errors=True)
        self.work.mkdir()
        self.streams.mkdir(exist_ok=True)
        for module, argv in self.command.before:
            done = runs.run(module, argv, self.streams)
            assert done.code == 0, done
        if (self.work / "all.csv").exists():
            scores_of(self.work / "all.csv", self.work / "scores")
        for name in self.command.without:
            for path in (*self.work.glob(name), self.work / f".{name}.lock"):
                shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
        shutil.copytree(self.work, self.kept, symlinks=True)
        self.old = contents(self.work, self.command.makes)
        done = self.run()
        assert done.code == 0, done
        runs.warm(self.streams)
        self.right = contents(self.work)
        self.new = contents(self.work, self.command.makes)
        restore(self.kept, self.work)
        began = time.monotonic()
        done = self.run()
        self.seconds = done.at - began
        self.listed = self.calls() if self.below else []
        if contents(self.work) != self.right:
            self.found("twice", 0, "not the same bytes without any fault", done)

    def calls(self) -> list[tuple[int, str]]:
        """All calls that the command makes in its folder."""
        restore(self.kept, self.work)
        return self.below.calls(self.run, str(self.work))

    def distinct(self, kinds: int, tried: set[str]) -> list[int]:
        """Numbers of the first call of each name of each file.

        Of files that the command does not make, those that were ``tried`` before are left out.
        """
        places: dict[str, list[int]] = {}
        for number, (_, what) in enumerate([call for call in self.listed if call[0] & kinds], 1):
            places.setdefault(RANDOM.sub("*", what), []).append(number)
        found = set()
        for what, numbers in places.items():
            made = any(f"{self.work}/{name}" in what or f"/.{name}." in what for name in self.command.makes)
            if made or what not in tried:
                found.add(numbers[0])
            tried.add(what)
        return sorted(found)

    def found(self, fault: str, number: int, what: str, done: runs.Ended, at: str = "") -> None:
        self.findings += 1
        lines = done.err.strip().splitlines()
        tail = " | ".join([*lines[:1], "...", *lines[-3:]] if len(lines) > 4 else lines)
        self.say(f"FOUND {self.name}, {fault} {number} ({at}): {what}; exit {done.code}; {tail}")

    def fault(self, fault: str, number: int) -> str:
        """Let one call go wrong; what it ended in, or nothing when there were fewer calls."""
        assert self.below is not None
        kinds, error, lasting = FAULTS[fault]
        restore(self.kept, self.work)
        self.below.arm(kinds, number, error, str(self.work), lasting=lasting)
        done = self.run()
        seen = self.below.disarm()
        if not seen.fired:
            return ""
        self.judge(fault, number, done, seen, killed=error == shim.KILL)
        self.look(fault, number, done, seen.what)
        whole, before = contents(self.work), contents(self.kept)
        if whole in (before, self.right):  # what a run makes of these is known
            return str(done.code)
        self.heal(fault, number, seen.what)
        return f"{done.code}{' left' if whole.keys() - self.right.keys() - before.keys() else ''}"

    def heal(self, fault: str, number: int, at: str = "") -> None:
        """Run it once more: it ends well, and all is as after a run without a fault."""
        again = self.run()
        if again.code:
            self.found(fault, number, "the next run fails", again, at)
        elif wrong := self.wrong():
            self.found(fault, number, f"the next run makes others: {wrong}", again, at)

    def wrong(self) -> str:
        """Names of the first files that are not as after a run without a fault."""
        now = contents(self.work)
        return ", ".join(sorted(name for name in {*now, *self.right} if now.get(name) != self.right.get(name))[:5])

    def judge(self, fault: str, number: int, done: runs.Ended, seen: Seen, *, killed: bool = False) -> None:
        """How a run ended: soon, and in a line."""
        lines = [line for line in done.err.splitlines() if not line.startswith("warning: ")]
        one_line = len(lines) == 1 and lines[0].startswith("error: ")
        for wrong, what in [
            (done.code > 0 and done.at - seen.fired > self.limit, f"ended {done.at - seen.fired:.0f} s after it"),
            (done.left, "left processes"),
            ("Traceback" in done.err or "panicked" in done.err, "a traceback"),
            (done.code not in ((-signal.SIGKILL,) if killed else (0, 1, 2)), "a strange exit"),
            (done.code > 0 and not one_line, "not one line"),
            (not done.code and lines, "more than a warning"),
        ]:
            if wrong:
                self.found(fault, number, what, done, seen.what)
                return

    def look(self, fault: str, number: int, done: runs.Ended, at: str) -> None:
        """What it made: each the old or the new one, and whole."""
        for name in self.command.makes:
            now = contents(self.work, [name])
            old, new = ({key: one for key, one in state.items() if key == name or key.startswith(f"{name}/")}
                        for state in (self.old, self.new))  # fmt: skip
            if now not in (old, new) and not self.goes_on(name):
                self.found(fault, number, f"{name} is neither old nor new", done, at)
            elif not done.code and now != new:
                self.found(fault, number, f"no error, and {name} is not new", done, at)

    def goes_on(self, name: str) -> bool:
        """A study is a folder that grows; its files are checked by what the next run makes of them."""
        return name == "study"

    def sweep(self, fault: str, numbers: Iterable[int]) -> None:
        """Let each of these calls go wrong, until there are fewer."""
        ended: Counter[str] = Counter()
        began = time.monotonic()
        for number in numbers:
            result = self.fault(fault, number)
            if not result:
                break
            ended[result] += 1
        took = time.monotonic() - began
        told = ", ".join(f"{count} x {result}" for result, count in sorted(ended.items()))
        self.say(f"{self.name}, {fault}: {sum(ended.values())} faults ({told}) in {took:.0f} s")


def try_all(options: argparse.Namespace, trial: Callable[[Sweep], object], jobs: int = 1) -> int:
    """Try some commands without a shim; 1 where there are findings."""
    findings = 0
    with ExitStack() as stack:
        folder = (options.folder or Path(stack.enter_context(tempfile.TemporaryDirectory()))).resolve()
        every = stack.enter_context(small_world(folder, jobs))
        for name in options.commands:
            one = Sweep(name, every[name], folder, None, lambda line: print(line, flush=True))
            one.prepare()
            one.say(f"{name}: {one.seconds:.2f} s undisturbed")
            trial(one)
            findings += one.findings
    print(f"{findings} findings")
    return min(findings, 1)


def main() -> int:
    p = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    p.add_argument("commands", nargs="*", help="names (default: all)")
    p.add_argument("--fault", action="append", choices=FAULTS, help="may repeat (default: all)")
    p.add_argument("--every", type=int, metavar="N", help="every N-th call (default: distinct ones)")
    p.add_argument("--start", type=int, default=1, metavar="N", help="the first call")
    text = "in which a command has to end after a fault (default: %(default)s); more on a busy machine"
    p.add_argument("--seconds", type=float, default=SECONDS, metavar="S", help=text)
    p.add_argument("--folder", type=Path, help="where it works (default: a temporary one)")
    return begin_again("faults.sweep", p.parse_args(), sweep_all)


def begin_again(module: str, options: argparse.Namespace, work: Callable[[argparse.Namespace, Path, Shim], int]) -> int:
    """Begin this program again with the shim below it, which has to be there before Python is; then ``work``."""
    if reason := shim.why_not():
        print(f"skipped: {reason}")
        return 0
    with ExitStack() as stack:
        folder = (options.folder or Path(stack.enter_context(tempfile.TemporaryDirectory()))).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        below = Shim(folder)
        if below.loaded:
            return work(options, folder, below)
        calm = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "RIPOSTE_CACHE": str(folder / "cache")}
        argv = [sys.executable, "-m", module, *sys.argv[1:], "--folder", str(folder)]
        return os.spawnve(os.P_WAIT, sys.executable, argv, {**os.environ, **calm, **below.environment})


def sweep_all(options: argparse.Namespace, folder: Path, below: Shim) -> int:
    findings, tried = 0, dict[str, set[str]]()
    with small_world(folder) as every:
        for name in options.commands or every:
            one = Sweep(name, every[name], folder, below, lambda line: print(line, flush=True))
            one.limit = options.seconds
            one.prepare()
            print(f"{name}: {one.seconds:.2f} s, {len(one.listed)} calls", flush=True)
            for fault in options.fault or FAULTS:
                distinct = one.distinct(FAULTS[fault][0], tried.setdefault(fault, set()))
                one.sweep(fault, count(options.start, options.every) if options.every else distinct)
            findings += one.findings
    print(f"{findings} findings")
    return min(findings, 1)


if __name__ == "__main__":
    sys.exit(main())
