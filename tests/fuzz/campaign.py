"""Trying cases: what an input may do, the bounds on its time and memory, and where findings are kept."""

from __future__ import annotations

import math
import multiprocessing
import re
import resource
import signal
import tempfile
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fuzz.cases import Cases
from fuzz.reader import Read, Reader, find
from ltr.errors import InputError

SECONDS = 10.0
"""Of the processor's time, for a case."""
MEMORY = 2 << 30
"""Bytes that a process may have more than it began with."""
LONGEST_LINE = 3_000
"""Characters of a refusal."""
_SHM = Path("/dev/shm")


class TooSlow(BaseException):
    """A case took more than its time; no Exception, so that no reader catches it."""


@dataclass(frozen=True)
class Finding:
    """What went wrong. Two findings of a kind have the same cause, most likely."""

    kind: str
    report: str
    content: bytes


@dataclass
class Tally:
    """What became of the cases."""

    read: int = 0
    refused: int = 0
    found: int = 0
    """Cases with a finding, of which `findings` has the shortest of a kind."""
    findings: dict[str, Finding] = field(default_factory=dict)
    slowest: tuple[float, int] = (0.0, 0)
    """Seconds of the processor, and the number of the case."""

    def plus(self, other: Tally) -> Tally:
        """Both as one."""
        return Tally(
            self.read + other.read,
            self.refused + other.refused,
            self.found + other.found,
            self.findings | other.findings,
            max(self.slowest, other.slowest),
        )


def judge(read: Read, content: bytes, refusals: tuple[type[BaseException], ...]) -> bool | Finding:
    """Whether an input was read; it may also be refused, in one line, and all else is a finding."""
    try:
        with _timed():
            read(content)
    except KeyboardInterrupt:
        raise
    except refusals as error:
        fault = _fault(str(error)) if isinstance(error, InputError) else ""
        return Finding(f"{fault} at {_place(error)}", repr(str(error)), content) if fault else False
    except BaseException as error:  # a panic of Rust and SystemExit are none of Exception
        report = "".join(traceback.format_exception(error))
        return Finding(f"{type(error).__name__} at {_place(error)}", report[-20_000:], content)
    return True


def _fault(line: str) -> str:
    """What is wrong with a refusal."""
    if not line.isprintable():
        return "refusal with control characters"
    if "; " not in line:
        return "refusal without a hint"
    return "refusal that is too long" if len(line) > LONGEST_LINE else ""


def _place(error: BaseException) -> str:
    """The innermost line of our own code."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if re.search(r"/(ltr|features|models|experiments|tests/fuzz)/", frame.filename)]
    frame = (own or frames)[-1]
    return f"{'/'.join(Path(frame.filename).parts[-3:])}:{frame.lineno}"


@contextmanager
def _timed() -> Iterator[None]:
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


@contextmanager
def bounded() -> Iterator[Path]:
    """An empty folder in memory; inside, a case that takes too long ends in `TooSlow`."""

    def stop(*_: object) -> None:
        raise TooSlow

    before = signal.signal(signal.SIGPROF, stop)
    try:
        with tempfile.TemporaryDirectory(dir=_SHM if _SHM.is_dir() else None) as folder:
            yield Path(folder)
    finally:
        signal.signal(signal.SIGPROF, before)


def limit_memory() -> None:
    """From here on this process gets a `MemoryError` for what is more than `MEMORY`, where the system allows that."""
    size = Path("/proc/self/statm")
    if not size.exists():
        return
    most = int(size.read_text().split()[0]) * resource.getpagesize() + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (most, resource.getrlimit(resource.RLIMIT_AS)[1]))


def run_cases(
    reader: Reader,
    seed: int,
    numbers: Iterable[int],
    until: float = math.inf,
    begun: Callable[[int], None] = lambda _: None,
    keep: Callable[[Finding, int], None] = lambda *_: None,
) -> Tally:
    """Try cases by their numbers, until it is ``until``; keep what is found, the shortest input of each kind."""
    cases, tally = Cases(reader, seed), Tally()
    with bounded() as folder:
        read = reader.start(folder)
        for number in numbers:
            content = cases[number]
            begun(number)
            start = time.process_time()
            found = judge(read, content, reader.refusals)
            tally.slowest = max(tally.slowest, (time.process_time() - start, number))
            if isinstance(found, Finding):
                tally.found += 1
                known = tally.findings.get(found.kind)
                if known is None or len(content) < len(known.content):
                    tally.findings[found.kind] = found
                    keep(found, number)
            elif found:
                tally.read += 1
            else:
                tally.refused += 1
            if time.perf_counter() > until:
                break
    return tally


def save(folder: Path, reader: str, finding: Finding, origin: str) -> Path:
    """Write a finding down: the input, and beside it what happened and where it came from."""
    folder.mkdir(parents=True, exist_ok=True)
    place = folder / re.sub(r"[^\w.-]+", "-", f"{reader}-{finding.kind}")
    old = place.with_name(f"{place.name}.input")
    if not old.exists() or len(finding.content) < old.stat().st_size:
        old.write_bytes(finding.content)
        place.with_name(f"{place.name}.txt").write_text(
            f"{origin}\n{finding.kind}\n\n{finding.report}", "utf-8", "replace"
        )
    return old


# ---- in a process of its own, which may die -----------------------------------------------------


def run_apart(name: str, seed: int, numbers: range, seconds: float, folder: Path) -> Tally:
    """Try cases in a process of its own; one that kills it or hangs in it is a finding too, and the next one follows.

    Findings are in ``folder``.
    """
    context: Any = multiprocessing.get_context("spawn")
    until, total = time.time() + seconds, Tally()
    while numbers and time.time() < until:
        reached, (ours, theirs) = context.RawValue("q", numbers[0] - 1), context.Pipe()
        process = context.Process(target=_child, args=(name, seed, numbers, until, folder, reached, theirs))
        process.start()
        theirs.close()
        part, end = Tally(), ""
        for message in _messages(process, ours, reached):
            if isinstance(message, Finding):
                part.findings[message.kind] = message
            else:
                part = message
        if process.exitcode != 0:
            if reached.value < numbers[0]:
                raise RuntimeError(f"{name} does not start: exit code {process.exitcode}")
            end = f"end of the process ({process.exitcode}) in case {reached.value}"
            part.findings[end] = Finding(end, "", Cases(find(name), seed)[reached.value])
            save(folder, name, part.findings[end], f"seed {seed}, case {reached.value}")
            part.found, part.refused = 1, reached.value - numbers[0]  # the process took along what became of them
        total = total.plus(part)
        if not end:
            break
        numbers = range(reached.value + 1, numbers.stop)
    return total


def _messages(process: Any, ours: Any, reached: Any) -> Iterator[Any]:
    """What a process has to say, until it ends; one that hangs is killed."""
    number, since = -1, time.time()
    while True:
        try:
            while ours.poll(0.2):
                yield ours.recv()
        except EOFError:
            process.join()
            return
        if reached.value != number:
            number, since = reached.value, time.time()
        elif time.time() - since > 30 * SECONDS:  # by the clock: a busy machine is no hang
            process.kill()


def _child(name: str, seed: int, numbers: range, until: float, folder: Path, reached: Any, answer: Any) -> None:
    def begun(number: int) -> None:
        reached.value = number

    def keep(finding: Finding, number: int) -> None:
        save(folder, name, finding, f"seed {seed}, case {number}")
        answer.send(finding)

    reader = find(name)
    limit_memory()
    answer.send(run_cases(reader, seed, numbers, time.perf_counter() + until - time.time(), begun, keep))
