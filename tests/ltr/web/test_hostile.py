"""Hostile requests: every error is one line of JSON without a path, and the next question is answered."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit
from urllib.request import urlopen

import pytest
from support.served import QUESTION, answerers, get, serving

from ltr.errors import InputError
from ltr.progress import Progress
from ltr.web.answerer import Asked
from ltr.web.app import HEADERS
from ltr.web.loading import load_answerers
from ltr.web.settings import ServerSettings

HERE = ("/", ".py", "Traceback", "ltr", "File ")
"""What no error may hold."""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with serving({"pairs": answerers()["pairs"]}) as found:
        yield found


@pytest.fixture(autouse=True)
def still_answers(address: str) -> Iterator[None]:
    yield
    assert get(address, "/api/search", q=QUESTION)[0] == 200


def connect(address: str) -> socket.socket:
    parts = urlsplit(address)
    return socket.create_connection((str(parts.hostname), int(parts.port or 0)), timeout=20)


def send(address: str, raw: bytes, *, end: bool = False) -> bytes:
    """All that comes back, until the server hangs up; with ``end``, nothing more is to come from here."""
    with connect(address) as line:
        line.sendall(raw)
        if end:
            line.shutdown(socket.SHUT_WR)
        found = b""
        while part := line.recv(65536):
            found += part
    return found


def request(target: str = "/", method: str = "GET", host: str = "127.0.0.1", more: str = "") -> bytes:
    return f"{method} {target} HTTP/1.1\r\nHost: {host}\r\n{more}\r\n".encode()


def status(answer: bytes) -> int:
    return int(answer.split(b" ")[1])


def error(answer: bytes) -> str:
    """The one line of an answer that is an error."""
    head, _, body = answer.partition(b"\r\n\r\n")
    assert b"content-type: application/json" in head
    document = json.loads(body)
    assert list(document) == ["error"]
    line = str(document["error"])
    assert line
    assert "\n" not in line
    assert not [word for word in HERE if word in line]
    return line


QUESTIONS = {
    "there is no question": ["", "q=", "q=+%09+"],
    "501 characters": ["q=" + "x" * 501],
    "no word to search for": ["q=%ff%fe", "q=of+the", "q=%F0%9F%98%80"],
    "twice": ["q=zoos&q=zoos"],
    "unknown parameter": ["q=zoos&page=2"],
    "task is": ["q=zoos&task=nix"],
    "one word": ["q=zoos&topic=a%20b", "q=zoos&topic=" + "x" * 501],
    "as_typed is": ["q=zoos&as_typed=2", "q=zoos&as_typed="],
    "moved is": ["q=zoos&moved=UP:a", "q=zoos&moved=a"],
    "k: ": ["q=zoos&k=0", "q=zoos&k=1e9", "q=zoos&k=%D9%A3"],
    "blend is": [f"q=zoos&blend={blend}" for blend in ("1,1", "nan,1,1", "inf,1,1", "-1,1,1", "0,0,0", "readible")],
}


@pytest.mark.parametrize(("said", "query"), [(said, query) for said, queries in QUESTIONS.items() for query in queries])
def test_wrong_questions(address: str, query: str, said: str) -> None:
    answer = send(address, request(f"/api/{'run' if 'topic' in query else 'search'}?{query}"))
    assert status(answer) == 400
    assert said in error(answer)


BODY = "Content-Length: 5\r\n"
PATHS = "/nix /../../etc/passwd /%2e%2e/%2e%2e/etc/passwd // /ask.css/ /ask.html /api/search/ /%00".split()
IDS = ("", "../../etc/passwd", "S0-A0", "\0")
HOSTS = ("evil.example", "evil.example:80", "127.0.0.1.evil.example", "localhost@evil.example", "127.0.0.1/x", "", "[",
         "192.168.0.1", "0.0.0.0")  # fmt: skip
REFUSED = [
    *((404, request(path)) for path in PATHS),
    *((404, request(f"/api/argument?id={quote(id_)}")) for id_ in IDS),
    *((405, request("/", method, more=BODY) + b"a=b&c") for method in "POST PUT BREW".split()),
]


@pytest.mark.parametrize(("code", "raw"), REFUSED, ids=range(len(REFUSED)))
def test_requests_that_are_refused(address: str, code: int, raw: bytes) -> None:
    """Unknown paths and arguments, and other methods."""
    answer = send(address, raw)
    assert status(answer) == code
    error(answer)


@pytest.mark.parametrize("host", HOSTS)
def test_other_host_names_are_refused(address: str, host: str) -> None:
    answer = send(address, request("/api/search?q=zoos", host=host))
    assert status(answer) == 400
    assert not [word for word in (b"Traceback", b"results") if word in answer]


def test_host_names_that_are_served(address: str) -> None:
    for host in ("localhost", "LOCALHOST:1234", "127.0.0.1", "[::1]:8000"):
        assert status(send(address, request("/health", host=host))) == 200


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_pages_of_other_sites_may_not_ask(address: str, site: str) -> None:
    answer = send(address, request("/api/search?q=zoos", more=f"Sec-Fetch-Site: {site}\r\n"))
    assert status(answer) == 403
    error(answer)
    assert status(send(address, request("/?q=zoos", more=f"Sec-Fetch-Site: {site}\r\n"))) == 200, "a link may lead here"


def test_every_answer_has_the_headers_of_safety(address: str) -> None:
    targets = [request(path) for path in ("/", "/ask.js", "/health", "/nix")]
    for target in (*targets, request(host="evil"), request("/", "POST")):
        head = send(address, target).partition(b"\r\n\r\n")[0].decode().lower()
        for name, value in HEADERS.items():
            assert f"{name}: {value}".lower() in head.split("\r\n")
    policy = HEADERS["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "server:" not in head


@pytest.mark.parametrize(
    ("fault", "question", "printed"),
    [
        (RuntimeError("/secret/path.py"), "zebras", ""),
        (InputError("texts.bin", "is damaged"), "otters", "error: texts.bin: is damaged\n"),
    ],
)
def test_a_fault_says_nothing_of_itself(
    address: str, fault: Exception, question: str, printed: str, capfd: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise fault

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(answerers()["pairs"], "answer", fail)
        answer = send(address, request(f"/api/search?q={question}"))
    assert status(answer) == 500
    assert "error of the server" in error(answer)
    assert printed in capfd.readouterr().err
    assert get(address, "/api/search", q=question)[0] == 200, "and it is not remembered"


# ---- many requests ---------------------------------------------------------------------------------


class Gate:
    """Searches wait until it is open."""

    def __init__(self) -> None:
        self.reached, self.opened = threading.Event(), threading.Event()
        self._answer = answerers()["pairs"].answer

    def answer(self, *asked: Any, **options: Any) -> Any:
        self.reached.set()
        assert self.opened.wait(30)
        return self._answer(*asked, **options)


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Iterator[Gate]:
    found = Gate()
    monkeypatch.setattr(answerers()["pairs"], "answer", found.answer)
    yield found
    found.opened.set()


def test_a_question_at_work_blocks_neither_the_page_nor_known_answers(gate: Gate) -> None:
    with serving({"pairs": answerers()["pairs"]}) as address, ThreadPoolExecutor() as threads:
        gate.opened.set()
        known = get(address, "/api/search", q="zoos")
        gate.opened.clear()
        gate.reached.clear()
        waiting = threads.submit(get, address, "/api/search", q="cars")
        assert gate.reached.wait(30)
        assert get(address, "/health")[0] == 200
        assert get(address, "/api/search", q="zoos") == known
        assert not waiting.done()
        gate.opened.set()
        assert waiting.result(30)[0] == 200


def test_too_many_requests_are_refused(gate: Gate) -> None:
    with serving({"pairs": answerers()["pairs"]}, limit_concurrency=2) as address, ThreadPoolExecutor() as threads:
        waiting = threads.submit(get, address, "/api/search", q="bread")
        assert gate.reached.wait(30)
        answer = send(address, request("/api/search?q=bears"))
        assert (status(answer), answer.endswith(b"Service Unavailable")) == (503, True)
        gate.opened.set()
        assert waiting.result(30)[0] == 200


def test_silent_and_slow_connections_do_not_lock_the_page_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ltr.web.connections.WITHIN", 1)
    with serving({"pairs": answerers()["pairs"]}, limit_concurrency=5) as address:
        lines = [connect(address) for _ in range(6)]
        for line in lines[3:]:
            line.sendall(b"GET / HTTP/1.1\r\nx: ")
        for line in lines:
            assert line.recv(10) == b"" or line.fileno() >= 0
            line.close()
        assert get(address, "/health")[0] == 200


def test_a_question_that_takes_longer_than_a_request_may_is_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ltr.web.connections.WITHIN", 0.01)
    answerer = answerers()["pairs"]
    monkeypatch.setattr(answerer, "argument", lambda id_: time.sleep(0.2) or {"id": id_})
    with serving({"pairs": answerer}) as address:
        id_ = next(iter(answerer.index.row_of))
        assert get(address, "/api/argument", id=id_) == (200, {"id": id_})


# ---- what the answers hold ----------------------------------------------------------------------------

CONTROLS = "\x00\x07\x1b[200~\x9b31m\u202e"


def test_control_characters_reach_neither_page_nor_answers(tmp_path: Path) -> None:
    odd = f"Zoos {CONTROLS} should be closed because they harm animals."
    arguments = [
        {"id": f"c0-A{n}", "conclusion": odd, "premises": [{"text": f"{odd} {n}", "stance": "PRO"}]} for n in range(3)
    ]
    for argument in arguments:
        argument["context"] = {"sourceId": "c0", "discussionTitle": odd}
    (tmp_path / "a.json").write_text(json.dumps({"arguments": arguments}))
    settings = ServerSettings(input=str(tmp_path / "a.json"), model=["bm25"], index=tmp_path / "index")
    with serving(load_answerers(settings, Progress(quiet=True))) as address:
        for path in ("/", "/health", "/api/search?q=zoos", "/api/argument?id=c0-A1"):
            text = urlopen(f"{address}{path}").read().decode()
            said = text if path == "/" else "".join(strings(json.loads(text)))
            assert "Zoos" in said or path == "/health"
            assert not {*said} & {*CONTROLS} - {*"[200~31m"}, path


def strings(value: Any) -> Iterator[str]:
    """All strings of a JSON document."""
    if isinstance(value, str):
        yield value
    for one in [*value, *value.values()] if isinstance(value, dict) else value if isinstance(value, list) else []:
        yield from strings(one)


def test_a_long_argument_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    answerer = answerers()["pairs"]
    id_ = next(iter(answerer.index.row_of))
    whole = [one["id"] + one["text"] for one in answerer.argument(id_)["sentences"]]
    for largest in (sum(map(len, whole)), sum(map(len, whole)) - 1, len(whole[0]) - 1, 1):
        monkeypatch.setattr("ltr.web.answerer.LARGEST", largest)
        cut = [one["id"] + one["text"] for one in answerer.argument(id_)["sentences"]]
        assert sum(map(len, cut)) <= largest
        assert (cut == whole) == (largest >= sum(map(len, whole)))


def test_long_texts_of_results_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ltr.web.answerer.LARGEST", 10)
    results = answerers()["arguments"].answer(Asked(QUESTION))["results"]
    assert (
        max(len(text) for result in results for one in result["sentences"] for text in (one["text"], one["shown"]))
        == 10
    )
