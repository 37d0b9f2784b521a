"""Processes that answer: what they share, how they end, and what happens when one does not answer."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest
from support.served import QUESTION, answerers, get, serving

from ltr.errors import InputError
from ltr.web.app import perform
from ltr.web.processes import Call, FailedCallError, Processes
from ltr.web.queue import WorkQueue

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")


def work(call: Call) -> bytes:
    """Says who is at work; fails, ends the process or waits where it is asked to."""
    what, *rest = call
    if what == "wait":
        Path(str(rest[0]), str(os.getpid())).touch()
        while len(list(Path(str(rest[0])).iterdir())) < 2:
            time.sleep(0.01)
    if what == "end":
        os.kill(os.getpid(), signal.SIGKILL)
    if what == "end once" and not Path(str(rest[0])).exists():
        Path(str(rest[0])).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    if what == "damaged":
        raise InputError("text-0000.bin", "is damaged")
    if what == "defect":
        raise RuntimeError("a defect")
    return str(os.getpid()).encode()


def nothing(_: int) -> list[Callable[[], object]]:
    """Nothing is prepared."""
    return []


def is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.fixture
def two() -> Iterator[Processes]:
    with Processes(2, work, nothing) as processes:
        yield processes


def test_calls_are_shared_out(two: Processes, tmp_path: Path) -> None:
    with ThreadPoolExecutor(2) as threads:  # each waits for the other
        assert len({*threads.map(two, [("wait", str(tmp_path))] * 2)}) == 2
    assert two(("who",)) == two(("who",)), "who was at work last knows the question"


@pytest.mark.parametrize(
    ("what", "printed"), [("damaged", "error: text-0000.bin: is damaged\n"), ("defect", "RuntimeError: a defect\n")]
)
def test_a_call_that_fails_ends_nothing(what: str, printed: str, capfd: pytest.CaptureFixture[str]) -> None:
    with Processes(2, work, nothing) as two:
        before = two(("who",))
        with pytest.raises(FailedCallError):
            two((what,))
        assert capfd.readouterr().err.endswith(printed)
        assert two(("who",)) == before


def test_a_process_that_ended_is_replaced(two: Processes, tmp_path: Path) -> None:
    before = int(two(("who",)))
    os.kill(before, signal.SIGKILL)
    after = int(two(("who",)))
    assert after != before
    assert not is_running(before), "nor is it left as a zombie"
    assert int(two(("end once", str(tmp_path / "once")))) != after, "the call is made again"
    with pytest.raises(FailedCallError):
        two(("end",))
    assert two(("who",))


def test_nothing_is_left_running() -> None:
    with Processes(2, work, nothing) as processes:
        copies = [process.pid for process, _ in processes._copies]
        assert all(is_running(copy or 0) for copy in copies)
    assert not any(is_running(copy or 0) for copy in copies)


def test_they_end_with_their_server() -> None:
    """Even where it is killed, and where one of them was started later, with more files open."""
    script = """
import os, signal, socket, sys
from ltr.web.processes import Processes
processes = Processes(2, lambda call: str(os.getpid()).encode(), lambda number: ())
ours, theirs = socket.socketpair()  # a client's connection
os.kill(int(processes(("who",))), signal.SIGKILL)
processes(("who",))
theirs.close()
assert not ours.recv(1), "a copy would hold it"
print("killed now", flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""
    # All have their end of this pipe open: it is read to its end when the last one has ended.
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=60)
    assert done.stdout == "killed now\n", done.stderr


def test_each_prepares_between_calls(tmp_path: Path) -> None:
    def jobs(number: int) -> Iterator[Callable[[], object]]:
        yield (tmp_path / f"{number} begun").touch
        yield partial(work, ("damaged",))
        yield (tmp_path / f"{number} not reached").touch

    with Processes(2, work, jobs) as two:
        deadline = time.monotonic() + 20
        while len(list(tmp_path.iterdir())) < 2 and time.monotonic() < deadline:
            time.sleep(0.01)
        assert two(("who",))
    assert {path.name for path in tmp_path.iterdir()} == {"0 begun", "1 begun"}


def test_answers_are_those_of_one_process() -> None:
    work = partial(perform, answerers())
    with Processes(2, work, nothing) as processes, serving(answerers(), WorkQueue(processes, 2)) as address:
        with ThreadPoolExecutor(4) as threads:
            asked = [QUESTION, "zoos", "bears", QUESTION]
            found = list(threads.map(lambda question: get(address, "/api/search", q=question), asked))
        with serving(answerers()) as alone:
            assert found == [get(alone, "/api/search", q=question) for question in asked]
        assert get(address, "/health")[1]["waiting"] == 0
