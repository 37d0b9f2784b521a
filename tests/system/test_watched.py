"""Side effects of commands: no program is started, no network is used, nothing is written elsewhere.

`tests/support/watched/sitecustomize.py` watches the audit events of each process, and stops what is not allowed.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from urllib.request import urlopen

import pytest
from support.processes import ROOT, python
from support.web import Reply, serving

from ltr.data.runs import read_run
from ltr.ranking.task import find_task
from ltr.sample import SAMPLE
from models.base import DIMENSIONS

WATCH = ROOT / "tests" / "support" / "watched"
BREAD = "Which keeps bread fresh longer, a bread box or a linen bag?"
FEW = ["--trees", "2", "--folds", "2", "--jobs", "1", "--quiet"]
STUDY = [*FEW, "--columns", "0", "--seeds", "1"]


class Place:
    """A folder in which a command may write, and the log of what it did."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.log = folder, folder / "seen"
        for name in ("tmp", "home", "out"):
            (folder / name).mkdir()

    def environment(self, **allowed: str) -> dict[str, str]:
        own = {
            "HOME": str(self.folder / "home"),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONPATH": os.pathsep.join(map(str, (WATCH, ROOT, ROOT / "tests"))),
            "RIPOSTE_CACHE": str(self.folder / "out" / "cache"),
            "RIPOSTE_WATCHED": str(self.log),
            "RIPOSTE_WRITES": f"{self.folder / 'tmp'}:{self.folder / 'out'}",
            "TMPDIR": str(self.folder / "tmp"),
        }
        return {**os.environ, **own, **allowed}

    def run(self, *arguments: object, **allowed: str) -> subprocess.CompletedProcess[str]:
        return python(*arguments, **self.environment(**allowed))

    def assert_clean(self, done: subprocess.CompletedProcess[str]) -> None:
        assert self.log.read_text() == ""
        assert done.returncode == 0, done.stderr


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def graded(part: str, option: str = "--pair-qrels") -> list[str]:
    return [word for name in DIMENSIONS for word in (option, f"{name}={SAMPLE}/qrels-{part}-pairs-{name}.qrels")]


def of_pairs(out: Path) -> list[list[object]]:
    here = ["-i", SAMPLE, "--index", out / "index", "--quiet"]
    run, other, train = out / "a" / "run.txt", out / "b" / "run.txt.gz", SAMPLE / "topics-train.xml"
    return [
        ["ltr.predict", *here, "-o", out / "a", "--jobs", 1, "--metadata", "--stance", "question", "--timings"],
        ["ltr.predict", *here, "-o", out / "b", "--jobs", 1, "-m", "bm25", "--gzip"],
        ["ltr.train", "-m", out / "m", "--index", out / "index", *FEW, "--seeds", 1],
        ["ltr.predict", *here, "-o", out / "c", "--jobs", 1, "-m", out / "m", "--second-step-depth", 50],
        ["ltr.evaluate", "--run", run, "--run", other, *graded("test"), "--per-topic"],
        ["ltr.search", "Should cities ban cars?", *here],
        ["ltr.commands.explain", *here[:-1], "--run", run, "--topic", 2, "--rank", 1, "--against", 7],
        *[["ltr.commands.export", *here, "--grades", "-o", out / f"matrix.{name}"] for name in ("svm", "parquet")],
        ["ltr.commands.fuse", "--run", run, "--run", other, "-o", out / "fused"],
        ["ltr.evaluate", run, other, *graded("test"), "--test", "nDCG@5", "--write", out / "report.html"],
        ["experiments.pool.command", "-i", SAMPLE, "--run", other, "-o", out / "pool"],
        ["experiments.learning_curve", *here, "--topics", train, *graded("train"), "--sizes", 2, *STUDY],
    ]


def of_arguments(out: Path) -> list[list[object]]:
    here = ["-i", SAMPLE, "--task", "arguments", "--index", out / "index", "--quiet"]
    run, qrels = out / "a" / "run.txt", ["--qrels", SAMPLE / "qrels-train-relevance.qrels"]
    train = ["--topics", SAMPLE / "topics-train.xml", *qrels]
    test = SAMPLE / "qrels-test-relevance.qrels"
    return [
        ["ltr.predict", *here, "-o", out / "a", "--jobs", 1],
        *[["ltr.predict", *here, "-o", out / name, "--jobs", 1, "-m", name] for name in ("elrond", "heimdall")],
        ["ltr.train", *here, *train, "-m", out / "m", *FEW, "--seeds", 1],
        ["ltr.evaluate", "--run", run, "--argument-qrels", f"relevance={test}"],
        ["ltr.search", "Should cities ban cars?", *here, "--json", out / "found.json"],
        ["ltr.commands.export", *here, "-o", out / "matrix.csv"],
    ]


def of_documents(out: Path) -> list[list[object]]:
    folder = find_task("comparative").sample.folder
    here = ["-i", folder, "--task", "comparative", "--index", out / "index", "--quiet"]
    return [
        ["ltr.predict", *here, "-o", out / "a", "--jobs", 1],
        ["ltr.predict", *here, "-o", out / "b", "--jobs", 1, "-m", "katana-2020"],
        ["ltr.train", "--task", "comparative", "-m", out / "m", "--index", out / "index", "--folds", 2, "--jobs", 1],
        ["ltr.search", BREAD, *here],
    ]


@pytest.mark.parametrize("commands", [of_pairs, of_arguments, of_documents], ids=lambda one: one.__name__)
def test_commands_of_a_task(commands: Callable[[Path], Sequence[Sequence[object]]], place: Place) -> None:
    called = json.dumps([[str(word) for word in command] for command in commands(place.folder / "out")])
    place.assert_clean(place.run(WATCH / "commands.py", called))
    assert list((place.folder / "home").iterdir()) == []
    assert list((place.folder / "tmp").iterdir()) == []


def test_processes_that_a_command_starts(place: Place) -> None:
    out = place.folder / "out"
    called = "from ltr.cli.main import main; main()"
    done = place.run("-c", called, "predict", "-i", SAMPLE, "-o", out, "-m", "bm25", "--jobs", 2, "--quiet")
    place.assert_clean(done)
    assert read_run(out / "run.txt")


def test_the_server(place: Place) -> None:
    options = ["-i", str(SAMPLE), "--port", "0", "--processes", "2", "--quiet"]
    command = [sys.executable, "-m", "ltr.cli.main", "serve", *options]
    allowed = place.environment(RIPOSTE_LISTENS="")
    with subprocess.Popen(command, env=allowed, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        lines = iter(process.stdout.readline, "")
        address = next(line.split("/ ")[0] for line in lines if line.startswith("http://"))
        for path in ("/", "/api/search?q=Should+cities+ban+cars%3F"):
            with urlopen(f"{address}{path}", timeout=120) as response:
                assert response.read()
        process.send_signal(signal.SIGINT)
    assert (process.returncode, place.log.read_text()) == (0, "")


def test_collecting_from_a_web_api(place: Place) -> None:
    (key := place.folder / "key.txt").write_text("secret")
    with serving() as web:
        web.answer = lambda _: Reply({"results": [{"trec_id": "d1", "snippet": "They smell."}]})
        out = place.folder / "out" / "found.jsonl"
        options = ["--topics", SAMPLE / "topics.xml", "--key-file", key, "--address", web.address, "-o", out]
        port = web.address.rpartition(":")[2]
        place.assert_clean(place.run("-m", "ltr.cli.main", "collect", *options, RIPOSTE_CONNECTS=port))
        assert out.exists()
        other = place.run(
            "-m", "ltr.cli.main", "collect", *options, "--cache", place.folder / "out" / "new", RIPOSTE_CONNECTS="1"
        )
        assert other.returncode != 0
        assert port in place.log.read_text()


# ---- the watch sees what is planted -----------------------------------------------------------------------------

PLANTED = {
    "a program": "import subprocess; subprocess.run(['true'])",
    "a shell": "import os; os.system('true')",
    "spawned": "import os; os.posix_spawn('/bin/true', ['true'], os.environ)",
    "a connection": "import socket; socket.create_connection(('127.0.0.1', 9))",
    "a name": "import socket; socket.getaddrinfo('example.org', 80)",
    "a door": "import socket; socket.socket().bind(('127.0.0.1', 0))",
    "a file": "open(HOME + '/x', 'w')",
    "a descriptor": "import os; os.open(HOME + '/x', os.O_CREAT | os.O_WRONLY)",
    "a folder": "import os; os.mkdir(HOME + '/x')",
    "a loss": "import os; os.rename(OUT, HOME + '/x')",
}


@pytest.mark.parametrize("what", PLANTED)
def test_planted_code_is_stopped(what: str, place: Place) -> None:
    code = PLANTED[what]
    for name in ("out", "home"):
        code = code.replace(name.upper(), repr(str(place.folder / name)))
    done = place.run("-c", code)
    assert done.returncode != 0
    assert "NotAllowedError" in done.stderr
    assert place.log.read_text().count("\n") == 1


def test_harmless_code_is_not_stopped(place: Place) -> None:
    place.assert_clean(place.run("-c", "import os, tempfile; tempfile.TemporaryFile(); open(os.devnull, 'w')"))
