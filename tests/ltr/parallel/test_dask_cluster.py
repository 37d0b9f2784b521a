"""A Dask cluster of two processes makes the same index and the same run, whatever happens to a worker."""

from __future__ import annotations

import os
import shutil
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.cluster_work import fail, slowly
from support.parts import columns, write
from support.refusals import refuses
from support.trained import FEW, trained_on_sample

from ltr.commands import predict, train
from ltr.corpora import base
from ltr.corpora.args_csv import CsvCorpus
from ltr.errors import InputError
from ltr.index.build import build_index
from ltr.parallel import Workers
from ltr.progress import Progress
from ltr.sample import SAMPLE

pytest.importorskip("distributed", reason="Dask is not installed: pip install 'riposte-ltr[dask]'")

from ltr.cluster import Cluster

QUIET = Progress(quiet=True)
pytestmark = pytest.mark.cluster


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with Cluster(workers=2) as found:
        yield found


@pytest.fixture
def mortal() -> Iterator[Cluster]:
    """A cluster for one test: where a worker was killed, its successor may be long in coming."""
    with Cluster(workers=2) as found:
        yield found


def address_of(cluster: Cluster) -> str:
    return str(cluster.client.scheduler.address)


def test_results_come_in_order(cluster: Cluster, tmp_path: Path) -> None:
    calls = [(slowly, (number, str(tmp_path))) for number in range(6)]
    assert list(cluster.map(calls)) == list(range(6))
    assert len({path.name.split("-")[1] for path in tmp_path.iterdir()}) == 2
    assert cluster.jobs == 2


def test_the_error_of_a_worker_is_ours(cluster: Cluster) -> None:
    refuses(lambda: list(cluster.map([(fail, (1,)), (fail, (2,))])), "corpus.csv: row 7: is not a row; correct it")


def kill_one(cluster: Cluster, when: Any) -> threading.Thread:
    """Kill a worker of the cluster as soon as ``when()`` holds."""

    def wait() -> None:
        while not when():
            time.sleep(0.005)
        os.kill(next(iter(pids.values())), signal.SIGKILL)

    cluster.client.wait_for_workers(2, timeout=30)
    pids = cluster.client.run(os.getpid)
    thread = threading.Thread(target=wait)
    thread.start()
    return thread


def test_the_index_is_the_same(mortal: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base, "SMALLEST_PART", 4_000)
    corpus = CsvCorpus(write(tmp_path / "args_processed.csv"))
    build_index(corpus, tmp_path / "alone", QUIET, Workers(1))
    thread = kill_one(mortal, lambda: any(tmp_path.glob("together/*/parts/part-*")))
    build_index(corpus, tmp_path / "together", QUIET, mortal)
    thread.join()
    assert columns(tmp_path / "together") == columns(tmp_path / "alone")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("corpus")
    shutil.copy(SAMPLE / "args_processed_sample.csv", folder)
    shutil.copy(SAMPLE / "topics-train.xml", folder / "topics.xml")
    return folder


def test_the_run_is_the_same_and_a_killed_worker_loses_nothing(corpus: Path, mortal: Cluster, tmp_path: Path) -> None:
    address = address_of(mortal)
    common = ["-i", corpus, "-m", trained_on_sample(), "--index", tmp_path / "index", "--quiet"]
    predict.main(list(map(str, [*common, "-o", tmp_path / "alone", "--jobs", "1"])))
    predict.main(list(map(str, [*common, "-o", tmp_path / "together", "--scheduler", address])))
    done: list[float] = []
    thread = kill_one(mortal, lambda: len(done) > 0)
    done.append(time.monotonic())  # in the very beginning of the work
    predict.main(list(map(str, [*common, "-o", tmp_path / "killed", "--scheduler", address])))
    thread.join()
    alone, together, killed = ((tmp_path / n / "run.txt").read_bytes() for n in ("alone", "together", "killed"))
    assert together == alone
    assert killed == alone


def test_the_model_is_the_same(cluster: Cluster, tmp_path: Path) -> None:
    model = trained_on_sample()
    place = tmp_path / "model"
    index = str(model.parent / "index")
    assert train.main(["-m", str(place), *FEW, "--index", index, "--scheduler", address_of(cluster)]) == 0
    names = sorted(path.name for path in model.iterdir())
    assert names == sorted(path.name for path in place.iterdir())
    for name in names:
        assert (place / name).read_bytes() == (model / name).read_bytes(), name


def test_no_scheduler_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ltr.cluster.PATIENCE", 1)
    with pytest.raises(InputError, match=r"tcp://127\.0\.0\.1:9: no cluster to work on .*start `dask scheduler`"):
        Cluster("tcp://127.0.0.1:9")


def test_scheduler_and_workers_exclude_each_other(capsys: pytest.CaptureFixture[str]) -> None:
    asked = predict.main.read("-i", "x", "-o", "y", "--scheduler", "tcp://a:1", "--workers", "2")
    refuses(lambda: asked.open_workers(1), "workers: does not go with scheduler")
    assert predict.main.read("-i", "x", "-o", "y").workers is None
