"""The command that serves: how it starts, what it refuses, how it ends."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from support.sample_model import sample_index, sample_model
from support.served import get

from ltr.answers.select import Selection
from ltr.cli.process import INTERRUPTED, UNTOUCHED
from ltr.commands import serve
from ltr.errors import InputError
from ltr.progress import Progress
from ltr.web.answerer import Asked
from ltr.web.loading import load_answerers
from ltr.web.settings import ServerSettings


def common() -> list[str]:
    return ["--index", str(sample_index()), "--port", "0", "--jobs", "1", "--processes", "1", "--quiet"]


@contextmanager
def started(*options: str) -> Iterator[tuple[subprocess.Popen[str], str, list[str]]]:
    """The process, its address, and the lines before it."""
    process = subprocess.Popen(
        [sys.executable, "-m", "ltr.cli.main", "serve", *common(), *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    lines = []
    assert process.stdout is not None
    for line in process.stdout:
        if line.startswith("http://"):
            yield process, line.split("/ ")[0], lines
            break
        lines.append(line)
    process.kill()
    process.communicate()


def test_it_says_what_answers_and_ends_by_ctrl_c(tmp_path: Path) -> None:
    with started("-m", str(sample_model())) as (process, address, lines):
        assert [line.partition(":")[0] for line in lines] == ["pairs", "arguments", "comparative"]
        assert sample_model().name in lines[0]
        status, health = get(address, "/health")
        assert (status, health["tasks"]["pairs"]["corpus"]) == (200, "the sample")
        with socket.create_connection(("127.0.0.1", int(address.rpartition(":")[2]))):  # somebody says nothing
            process.send_signal(signal.SIGINT)
            assert process.wait(30) == 0
        assert process.stderr is not None
        assert process.stderr.read() == ""


def test_beyond_this_machine_is_warned_of() -> None:
    with started("--host", "0.0.0.0") as (process, address, _):
        port = address.rpartition(":")[2]
        assert get(f"http://127.0.0.1:{port}", "/health")[0] == 200
        process.send_signal(signal.SIGTERM)
        process.wait(30)
        assert process.stderr is not None
        (warning,) = process.stderr.read().splitlines()
        assert warning.startswith("warning: whoever reaches 0.0.0.0 can search")


def test_processes_give_the_same_answers(tmp_path: Path) -> None:
    """The index is built once; each process opens it. Ctrl-C ends all of them, and one that was killed is replaced."""
    with started("-m", str(sample_model()), "--processes", "2") as (process, address, _):
        expected = [get(address, "/api/search", q="zoos") for _ in range(4)]
        assert expected == expected[:1] * 4
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        workers = [int(pid) for pid in children.read_text().split()] if children.exists() else []
        if workers:
            os.kill(workers[-1], signal.SIGKILL)
        assert get(address, "/api/search", q="zoos") == expected[0]
        process.send_signal(signal.SIGINT)
        # By itself, or by force where uvicorn waits longer than the grace for a process that it has just started again.
        ended = process.wait(60), process.stderr.read() if process.stderr else None  # read: nobody holds it open
        assert ended in ((0, ""), (INTERRUPTED, f"{UNTOUCHED}\n"))


def test_processes_end_with_a_server_that_is_killed() -> None:
    """They would hold its port for ever."""
    with started("-m", str(sample_model()), "--processes", "2") as (process, address, _):
        assert get(address, "/health")[0] == 200
        process.kill()
        deadline = time.monotonic() + 60
        while not is_free(int(address.rpartition(":")[2])):
            assert time.monotonic() < deadline
            time.sleep(0.2)


def is_free(port: int) -> bool:
    try:
        serve.bind("127.0.0.1", port).close()
    except InputError:
        return False
    return True


def refusal(*options: str) -> str:
    with pytest.raises(InputError) as found:
        serve.main([*common(), *options])
    return str(found.value)


def test_a_port_that_is_taken_is_one_line() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        said = refusal("--port", str(port))
    assert said.startswith(f"--port: port {port} of 127.0.0.1 is not available (address already in use)")


@pytest.mark.parametrize("host", ["no.such.host.invalid", "203.0.113.1", "a b", "x" * 300, ""])
def test_an_address_of_others_is_refused(host: str) -> None:
    assert refusal("--host", host).startswith(("--host", "--port"))


def test_models_are_known_by_their_task(tmp_path: Path) -> None:
    model = str(sample_model())
    assert "both models of pairs" in refusal("-m", model, "-m", model)
    assert "both models of" in refusal("-m", "bm25", "-m", "length")
    assert "neither a model folder nor a baseline" in refusal("-m", str(tmp_path))
    (tmp_path / "manifest.json").write_text("[" * 100_000)
    assert "neither a model folder nor a baseline" in refusal("-m", str(tmp_path))


def test_a_baseline_answers_tasks_without_a_model() -> None:
    settings = ServerSettings(model=["bm25", str(sample_model())])
    answerers = load_answerers(settings, Progress(quiet=True))
    assert {task: answerer.names["model"] for task, answerer in answerers.items()} == {
        "pairs": sample_model().name, "arguments": "bm25", "comparative": "bm25"
    }  # fmt: skip
    answerer = answerers["arguments"]
    asked = Asked("Should zoos be closed?", Selection(2))
    answer, reasons = answerer.answer(asked), answerer.reasons(asked)
    assert (answer["weights"], answer["expected_relevance"]) == ({}, None)
    assert {result["id"] for result in answer["results"]} == {*reasons["units"]}
    assert reasons["families"]
    assert answerer.run(asked).startswith("1 ")


def test_a_corpus_that_is_none_is_refused(tmp_path: Path) -> None:
    assert refusal("-i", str(tmp_path / "nix"))
    assert refusal("-i", "").startswith("--input: '' is not a path")
    assert refusal("--comparative", str(tmp_path))
