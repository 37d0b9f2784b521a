"""Workers of this machine, and what they leave."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from support.cluster_work import fail, size_of, slowly
from support.refusals import refuses
from support.usage import children

from ltr.errors import InputError, WorkersError
from ltr.parallel import Workers


@pytest.fixture
def nothing_left() -> Iterator[None]:
    """No worker lives on, and what it worked on is not in shared memory."""
    yield
    commands = [Path(f"/proc/{child}/cmdline").read_text() for child in children(os.getpid())]
    assert not [command for command in commands if "popen_loky" in command]
    assert not list(Path("/dev/shm").glob(f"joblib*_{os.getpid()}_*"))


@pytest.mark.usefixtures("nothing_left")
@pytest.mark.filterwarnings("error")
def test_results_come_in_order_and_arrays_whole(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert list(Workers(2).map([(slowly, (number, str(tmp_path))) for number in range(4)])) == [0, 1, 2, 3]
    assert len({path.name.split("-")[1] for path in tmp_path.iterdir()}) == 2
    assert list(Workers(2).map([(size_of, (np.ones((2_000, 1_000)),))] * 2)) == [16_000_000] * 2
    assert capfd.readouterr() == ("", "")


@pytest.mark.usefixtures("nothing_left")
@pytest.mark.filterwarnings("error")
def test_results_that_nobody_reads_end_the_work(tmp_path: Path) -> None:
    results = Workers(2).map([(slowly, (number, str(tmp_path))) for number in range(40)])
    assert next(results) == 0
    results.close()  # type: ignore[attr-defined]
    assert len(list(tmp_path.iterdir())) < 10


@pytest.mark.usefixtures("nothing_left")
def test_threads_share_no_workers(tmp_path: Path) -> None:
    """Each has workers of its own, which end with its own calls: a page and a notebook rank in several threads."""
    found = dict[int, list[int]]()

    def work(number: int) -> None:
        calls = [(slowly, (place, str(tmp_path))) for place in range(2 + 4 * number)]
        found[number] = list(Workers(2 + number).map(calls))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {0: [0, 1], 1: [0, 1, 2, 3, 4, 5]}


@pytest.mark.usefixtures("nothing_left")
def test_the_error_of_a_worker_is_ours() -> None:
    with pytest.raises(InputError, match=r"^corpus\.csv: row 7: is not a row; correct it$"):
        list(Workers(2).map([(fail, (1,)), (fail, (2,))]))


@pytest.mark.usefixtures("nothing_left")
def test_a_worker_that_was_ended_is_told_of_in_a_line() -> None:
    with pytest.raises(WorkersError, match=r"a worker process: it was ended from outside, .*; run the command again"):
        list(Workers(2).map([(os._exit, (1,))] * 2))


def test_workers_end_with_a_parent_that_is_killed() -> None:
    code = "import time; from ltr.parallel import Workers; print(list(Workers(2).map([(time.sleep, (600,))] * 2)))"
    with subprocess.Popen([sys.executable, "-c", code]) as parent:
        deadline = time.monotonic() + 60
        while len(workers := [*children(parent.pid)]) < 3 and time.monotonic() < deadline:  # and joblib's tracker
            time.sleep(0.1)
        assert len(workers) >= 3
        time.sleep(1)
        parent.kill()
    while alive := [worker for worker in workers if Path(f"/proc/{worker}").exists()]:
        assert time.monotonic() < deadline, alive
        time.sleep(0.1)


def test_what_cannot_be_sent_is_one_line() -> None:
    calls = [(repr, (threading.Lock(),)), (repr, (2,))]
    refuses(lambda: list(Workers(2).map(calls)), "this work", "(TypeError: cannot pickle '_thread.lock' object)")
