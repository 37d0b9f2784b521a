"""A Dask cluster that somebody else started, and that fails: one line, soon, or the same results."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from support.cluster_work import fill_the_disk, slowly

from ltr.commands import predict
from ltr.corpora import base
from ltr.errors import InputError
from ltr.sample import SAMPLE

pytest.importorskip("distributed", reason="Dask is not installed: pip install 'riposte-ltr[dask]'")

from distributed import LocalCluster

from ltr import cluster as dask_cluster
from ltr.cluster import Cluster

pytestmark = pytest.mark.cluster
ROOT = Path(__file__).resolve().parents[3]

Workers = Callable[..., list[subprocess.Popen[bytes]]]


def run(module: str, *arguments: str, folder: Path, before: str = "") -> subprocess.Popen[bytes]:
    """A command of Dask, after these lines of Python."""
    code = f"{before}\nimport sys; sys.argv = {['dask', *arguments]}\nfrom distributed.cli.{module} import main; main()"
    env = os.environ | {"PYTHONPATH": f"{ROOT}:{ROOT / 'tests'}"}
    return subprocess.Popen([sys.executable, "-c", code], cwd=folder, env=env, stderr=subprocess.DEVNULL)


@contextmanager
def ended(process: subprocess.Popen[bytes]) -> Iterator[subprocess.Popen[bytes]]:
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def start_workers(address: str, folder: Path, count: int = 1, before: str = "") -> list[subprocess.Popen[bytes]]:
    """Workers without a nanny, which would start them anew."""
    options = ["--no-nanny", "--nthreads", "1", "--memory-limit", "0", "--no-dashboard"]
    options += ["--local-directory", str(folder)]
    return [run("dask_worker", address, *options, folder=folder, before=before) for _ in range(count)]


@pytest.fixture
def scheduler() -> Iterator[str]:
    with LocalCluster(n_workers=0, dashboard_address="127.0.0.1:0", silence_logs=50) as found:
        yield found.scheduler_address


@pytest.fixture
def workers(scheduler: str, tmp_path: Path) -> Iterator[Workers]:
    """Starts workers of the scheduler, in a folder of their own, and ends them."""
    (tmp_path / "workers").mkdir()
    with ExitStack() as stack:

        def start(count: int = 1, before: str = "") -> list[subprocess.Popen[bytes]]:
            found = start_workers(scheduler, tmp_path / "workers", count, before)
            return [stack.enter_context(ended(one)) for one in found]

        yield start


def when_begun(folder: Path, then: Callable[[], None]) -> threading.Thread:
    """Do this as soon as a piece of `slowly` is at work."""

    def wait() -> None:
        while not any(folder.iterdir()):
            time.sleep(0.01)
        then()

    folder.mkdir()
    thread = threading.Thread(target=wait)
    thread.start()
    return thread


def work(folder: Path, pieces: int = 12) -> list[tuple[Callable[..., int], tuple[int, str]]]:
    return [(slowly, (number, str(folder))) for number in range(pieces)]


def test_all_workers_gone(scheduler: str, workers: Workers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (worker,) = workers()
    with Cluster(scheduler) as cluster:
        monkeypatch.setattr(dask_cluster, "PATIENCE", 1)
        thread = when_begun(tmp_path / "seen", worker.kill)
        with pytest.raises(InputError, match="no worker is left; see their logs, start them and this command again"):
            list(cluster.map(work(tmp_path / "seen")))
        thread.join()


OTHER_PROGRAM = "import ltr; ltr.__version__ = '0.0.1'"
OTHER_PACKAGE = """
import importlib.metadata as found
real = found.version
found.version = lambda name: "1.0" if name == "lightgbm" else real(name)
"""


@pytest.mark.parametrize(
    ("before", "said"),
    [(OTHER_PROGRAM, r"has Riposte 0\.0\.1, and this command"), (OTHER_PACKAGE, r"has lightgbm 1\.0, and")],
)
def test_workers_with_other_versions(before: str, said: str, scheduler: str, workers: Workers, tmp_path: Path) -> None:
    workers(before=before)
    with Cluster(scheduler) as cluster, pytest.raises(InputError, match=said):
        list(cluster.map(work(tmp_path)))


def test_a_worker_that_does_not_see_the_corpus(
    scheduler: str,
    workers: Workers,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """And one whose disk is full: in both cases the file is named, and no other reads the corpus in its place."""
    monkeypatch.setattr(base, "SMALLEST_PART", 40_000)
    workers()
    monkeypatch.chdir(SAMPLE)
    common = ["-i", "/proc/self/cwd/args_processed_sample.csv", "--index", str(tmp_path / "index")]
    with pytest.raises(InputError, match=r"args_processed_sample\.csv: a worker sees no such file; all machines need"):
        predict.main([*common, "-o", str(tmp_path / "out"), "--scheduler", scheduler])
    assert not (tmp_path / "index").exists()
    assert "reading from the first row" not in capsys.readouterr().err
    with Cluster(scheduler) as cluster, pytest.raises(OSError, match=r"No space left on device: '/data/index'"):
        list(cluster.map([(fill_the_disk, ("/data/index",))]))
