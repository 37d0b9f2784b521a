"""Grading and answering by chat servers that others wrote: llama.cpp's, llama-cpp-python's and LiteLLM's proxy."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import support
from support.environments import python_with
from support.servers import running

from experiments.grade.command import main as grade
from experiments.grade.prompt import GRADES
from ltr.commands import collect
from ltr.data.answers import read_answers
from ltr.errors import InputError

pytestmark = pytest.mark.system

TINY = Path(support.__file__).with_name("tiny_gguf.py")
KEY = "sk-proxy-2a3d0e6c"
DIMENSIONS = ("coherence", "quality", "relevance")
SERVE_LLAMA = """
import sys, threading
import xllamacpp

parameters = xllamacpp.CommonParams()
parameters.model.path, parameters.model_alias = sys.argv[1], {"tiny"}
parameters.hostnames, parameters.port = ["127.0.0.1"], int(sys.argv[2])
parameters.n_ctx, parameters.n_parallel, parameters.cpuparams.n_threads = 8192, 1, 1
server = xllamacpp.Server(parameters)
threading.Event().wait()
"""
PROXY = """
model_list:
  - {model_name: grader, litellm_params: {model: openai/grader, api_key: none, mock_response: 'Well:
      {"relevance": "2", "quality": 1, "coherence": 0}'}}
  - {model_name: refuser, litellm_params: {model: openai/refuser, api_key: none, mock_response: I cannot grade this.}}
  - {model_name: limited, litellm_params: {model: openai/limited, api_key: none,
      mock_response: litellm.RateLimitError}}
general_settings: {master_key: %s}
"""


@pytest.fixture(scope="module")
def pool(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twelve pairs, in ASCII as the tiny model reads it."""
    folder = tmp_path_factory.mktemp("pool")
    rows = [(n, f"{50 + n % 3}", f"a{n},b{n}") for n in range(1, 13)]
    texts = [f"{n}\tShould we ban {n} cars?\tNumber {n} kills.\tSo we should.\n" for n, *_ in rows]
    (folder / "pairs.tsv").write_text("number\ttopic\tfirst\tsecond\n" + "".join(texts))
    lines = ["\t".join(map(str, [*row, "no"])) + "\n" for row in rows]
    (folder / "key.tsv").write_text("number\ttopic\tpair\tanchor\n" + "".join(lines))
    return folder


def votes(pool: Path, out: Path, address: str, model: str, *more: object) -> list[list[dict[str, Any]]]:
    options = ["-i", pool, "-o", out, "--endpoint", f"{address}/v1", "--model", model, "--cache", out / "cache"]
    assert grade(list(map(str, [*options, "--max-tokens", 700, *more]))) == 0
    files = sorted(out.glob("votes-*.jsonl"))
    assert [path.stem.removeprefix("votes-") for path in files] == list(DIMENSIONS)
    return [[json.loads(line) for line in path.read_text("utf-8").splitlines()] for path in files]


def answered(folder: Path, address: str, model: str, *more: object) -> dict[str, str]:
    (folder / "topics.xml").write_text("<topics><topic><number>7</number><title>Tea?</title></topic></topics>")
    options = [
        "answers",
        "--topics",
        folder / "topics.xml",
        "-o",
        folder / "answers.jsonl",
        "--cache",
        folder / "cache",
    ]
    options += ["--endpoint", f"{address}/v1", "--model", model, *more]
    assert collect.main(list(map(str, options))) == 0
    return read_answers(folder / "answers.jsonl")


def tiny_model(python: Path, folder: Path) -> Path:
    path = folder / "tiny.gguf"
    subprocess.run([python, TINY, path], check=True, timeout=300)
    return path


@pytest.fixture(scope="module", params=["llama.cpp", "llama-cpp-python"])
def llama(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """llama.cpp's own server as the package xllamacpp runs it, or that of llama-cpp-python."""
    folder = tmp_path_factory.mktemp("llama")
    if request.param == "llama.cpp":
        python = python_with("xllamacpp", "gguf")
        command: list[object] = [python, "-c", SERVE_LLAMA, tiny_model(python, folder), "{port}"]
    else:
        python = python_with("llama-cpp-python[server]", "gguf", compiled=True)
        command = [python, "-m", "llama_cpp.server", "--model", tiny_model(python, folder), "--model_alias", "tiny"]
        command += ["--host", "127.0.0.1", "--port", "{port}", "--n_ctx", 8192, "--n_threads", 1]
    with running(command, folder, ready="/v1/models") as address:
        yield address


def test_random_weights_give_valid_grades_by_structured_output(pool: Path, llama: str, tmp_path: Path) -> None:
    found = votes(pool, tmp_path, llama, "tiny", "--readings", 2)
    assert all(len(of) == 12 for of in found)
    assert {grade for of in found for vote in of for grade in vote["readings"]} <= {*GRADES}
    assert {vote["by"] for of in found for vote in of} == {"tiny"}


@pytest.fixture(scope="module")
def proxy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("proxy")
    python = python_with("litellm[proxy]")
    (folder / "config.yaml").write_text(PROXY % KEY)
    command = [python.parent / "litellm", "--config", "config.yaml", "--host", "127.0.0.1", "--port", "{port}"]
    with running(command, folder, ready="/health/liveliness") as address:
        yield address


@pytest.fixture
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RIPOSTE_API_KEY", KEY)


@pytest.mark.usefixtures("key")
def test_a_proxy_with_a_key(pool: Path, proxy: str, tmp_path: Path) -> None:
    found = votes(pool, tmp_path, proxy, "grader", "--parallel", 4)
    assert [{vote["grade"] for vote in of} for of in found] == [{0}, {1}, {2}]
    assert not any(KEY in path.read_text("utf-8") for path in tmp_path.rglob("*") if path.is_file())


@pytest.mark.usefixtures("key")
def test_a_proxy_whose_model_refuses(pool: Path, proxy: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="10 prompts in a row without a usable answer, the last one: no grades are"):
        votes(pool, tmp_path, proxy, "refuser")
    assert answered(tmp_path, proxy, "refuser") == {"7": "I cannot grade this."}


@pytest.mark.usefixtures("key")
def test_a_proxy_at_its_limit(pool: Path, proxy: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(InputError, match=r"the quota is used up \(HTTP 429, .*mock rate limit.*\), 5 times"):
        votes(pool, tmp_path, proxy, "limited")
    assert "try 2 of 5" in capsys.readouterr().err


def test_a_proxy_and_the_wrong_key(pool: Path, proxy: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RIPOSTE_API_KEY", "sk-of-somebody-else")
    with pytest.raises(InputError) as caught:
        votes(pool, tmp_path, proxy, "grader")
    assert "sk-of-somebody-else" not in str(caught.value)
