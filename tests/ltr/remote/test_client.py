"""Retries, limits of time and size, the cache, the budget and the key."""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Callable, Iterator
from email.utils import formatdate
from pathlib import Path
from typing import Any

import pytest
from support.refusals import complaint as refusal
from support.refusals import refuses
from support.web import Clock, Reply, Web, sending, settings

from ltr.errors import InputError
from ltr.remote.answers import member, parsed
from ltr.remote.cache import Request
from ltr.remote.client import PATIENCE, TRIES, Client, checked_address, read_key

KEY = "2a3d0e6c-6bd6-5ea2"
HINT = "put it somewhere"
ASK = Request("/x?y=1")
GOOD = Reply({"a": 1})


@pytest.fixture
def client(web: Web, tmp_path: Path) -> Iterator[Client]:
    with Client("source", web.address, settings(tmp_path), key=KEY, key_hint=HINT) as client:
        yield client


def read_object(answer: str) -> dict[str, Any]:
    return parsed(answer, dict)


def ask(client: Client, request: Request = ASK) -> dict[str, Any]:
    return client.ask(request, read_object)


def complaint(client: Client) -> str:
    line = refusal(lambda: ask(client))
    assert line.startswith("source: ")
    assert KEY not in line
    return line


def files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def all_of(folder: Path) -> str:
    return "".join(path.read_text("utf-8") for path in files(folder))


# ---- tries ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "bad",
    [
        Reply("busy", 503),
        Reply('{"a": 1'),
        Reply({"a": "x" * 1000}, cut=500),
        Reply({}, 429),
        Reply("", 302, {"Location": "https65536ion: https0x10mple.org/new"}),
    ],
    ids=["503", "cut JSON", "half", "429", "no address"],
)
def test_a_failure_is_tried_again(client: Client, web: Web, clock: Clock, bad: Reply) -> None:
    web.replies = [bad, bad, GOOD]
    assert ask(client) == {"a": 1}
    assert len(web.asked) == 3
    first, second = clock.slept  # drawn from 0.5 to 2, then to 4 seconds
    assert 0.5 <= first <= 2
    assert 0.5 <= second <= 4


def test_a_server_that_stays_down_ends_the_run(client: Client, web: Web, clock: Clock, tmp_path: Path) -> None:
    web.answer = lambda _: Reply({"code": 503, "error": True, "message": "down <b>today</b>"}, 503)
    line = complaint(client)
    assert f"the server reports an error (HTTP 503, down today), {TRIES} times; run the same command again" in line
    assert str(tmp_path) in line
    assert len(web.asked) == TRIES
    assert len(clock.slept) == TRIES - 1


def test_a_slow_answer_is_not_waited_for(web: Web, clock: Clock, tmp_path: Path) -> None:
    web.replies = [Reply(silent=True), GOOD]
    with Client("source", web.address, settings(tmp_path, timeout=0.2), key=KEY, key_hint=HINT) as client:
        assert ask(client) == {"a": 1}
    assert len(clock.slept) == 1


# ---- limits of time and size ----------------------------------------------------------------------

OK = b"HTTP/1.1 200 OK\r\n"
ENDLESS: dict[str, tuple[bytes, bytes, float]] = {
    "a header, byte by byte": (OK + b"X-A: ", b"a", 0.02),
    "a body, byte by byte": (OK + b"\r\n", b" ", 0.02),
}


@pytest.mark.parametrize(("start", "part", "pause"), ENDLESS.values(), ids=ENDLESS)
def test_an_answer_without_end_is_given_up_in_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, start: bytes, part: bytes, pause: float
) -> None:
    """No pause is longer than the limit of half a second; the whole request has four times as long."""
    monkeypatch.setattr("ltr.remote.client.TRIES", 1)

    def parts() -> Iterator[bytes]:
        yield start
        while True:
            time.sleep(pause)
            yield part

    before = time.monotonic()
    with (
        sending(parts()) as address,
        Client("source", address, settings(tmp_path, timeout=0.5)) as client,
        pytest.raises(InputError, match="no answer in time, 1 times"),
    ):
        client.ask(ASK, read_object)
    assert time.monotonic() - before < 20


def test_an_endless_answer_is_refused(tmp_path: Path) -> None:
    limits = settings(tmp_path, timeout=60)
    limits.largest = 1 << 20
    with (
        sending(itertools.chain([OK + b"\r\n"], itertools.repeat(b"x" * 65536))) as address,
        Client("source", address, limits) as client,
        pytest.raises(InputError, match="an answer has more than 1 MiB; run the same"),
    ):
        client.ask(ASK, read_object)


# ---- pauses ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("header", "pause"),
    [("7", 7.0), (" 0 ", 0.0), (lambda now: formatdate(now + 90, usegmt=True), 90.0), ("soon", None)],
    ids=["seconds", "none", "date", "nonsense"],
)
def test_the_pause_that_the_server_asks_for(
    client: Client, web: Web, clock: Clock, header: str | Callable[[float], str], pause: float | None
) -> None:
    value = header if isinstance(header, str) else header(clock.now)
    web.replies = [Reply({}, 429, {"Retry-After": value}), GOOD]
    assert ask(client) == {"a": 1}
    if pause is None:
        assert 0.5 <= clock.slept[0] <= 2
    else:
        assert pause < clock.slept[0] <= pause + 0.2, "a little more, by chance, and never less"


def test_a_long_pause_is_not_waited_for(client: Client, web: Web, clock: Clock) -> None:
    web.answer = lambda _: Reply({"message": "daily limit"}, 429, {"Retry-After": f"{PATIENCE + 3300:.0f}"})
    line = complaint(client)
    assert "the quota is used up (HTTP 429, daily limit), until 3,600 seconds from now; run the same command" in line
    assert len(web.asked) == 1
    assert not clock.slept


# ---- what no patience mends -----------------------------------------------------------------------

ERRORS = [
    (Reply({"code": 401, "error": "auth", "message": f"key {KEY} expired"}, 401), "the key is refused (HTTP 401, key "),
    (Reply({"error": {"code": 403, "message": "blocked"}}, 403), "access is refused (HTTP 403, blocked); ask the"),
    (Reply("nothing", 404), "the request is refused (HTTP 404); check that http://127.0.0.1"),
    (
        Reply("", 301, {"Location": f"https://{KEY}.org/x?y=1"}),
        "the request is refused (HTTP 301); check that http://127.0.0.1",
    ),
    (Reply({"error": {"message": "no results for you"}, "a": 1}, 200), "'b' of the answer is missing, no results for"),
    (Reply([1, 2]), "the interface has changed: the answer is not an object; check that http://127.0.0.1"),
]


@pytest.mark.parametrize(("reply", "said"), ERRORS, ids=lambda value: str(getattr(value, "status", "")))
def test_an_error_is_said_once(client: Client, web: Web, clock: Clock, tmp_path: Path, reply: Reply, said: str) -> None:
    def read(answer: str) -> Any:
        return member(parsed(answer, dict), "b", int, "the answer")

    web.answer = lambda _: reply
    with pytest.raises(InputError) as caught:
        client.ask(ASK, read)
    assert said in str(caught.value)
    assert KEY.lower() not in str(caught.value).lower()
    assert len(web.asked) == 1
    assert not clock.slept
    assert not list(tmp_path.iterdir()), "an error is not kept"


# ---- the cache ------------------------------------------------------------------------------------


def test_what_was_answered_is_not_asked_again(client: Client, web: Web, tmp_path: Path) -> None:
    web.answer = lambda asked: Reply({"path": asked.path, "body": asked.body})
    requests = [ASK, Request("/x"), Request("/x", "a"), Request("/x", "b"), Request("/x", "a", "text/plain")]
    first = [ask(client, request) for request in requests]
    assert len(web.asked) == 5, "another path, query, body or kind of body is another request"
    nobody = Client("source", web.address, settings(tmp_path, budget=0), key_hint=HINT)
    assert [ask(nobody, request) for request in requests] == first
    assert len(web.asked) == 5
    other = Client("source", f"{web.address}/other", settings(tmp_path), key=KEY, key_hint=HINT)
    ask(other)
    assert web.asked[-1].path == "/other/x", "another server is asked anew"


@pytest.mark.parametrize("what", ["link", "pipe"])
def test_a_file_that_is_not_ours_is_neither_read_nor_written(
    what: str, client: Client, web: Web, tmp_path: Path
) -> None:
    web.replies = [GOOD, GOOD]
    ask(client)
    (entry,) = [path for path in tmp_path.rglob("*.json") if path.is_file()]
    victim = entry.rename(tmp_path / "victim")
    before = victim.read_bytes()
    if what == "link":
        entry.symlink_to(victim)
    else:
        os.mkfifo(entry)
    ask(client)
    assert (len(web.asked), victim.read_bytes()) == (2, before)
    assert entry.is_file()
    assert not entry.is_symlink()


def test_the_budget_counts_every_try(web: Web, tmp_path: Path) -> None:
    web.answer = lambda asked: Reply({}, 503) if len(web.asked) == 2 else GOOD
    client = Client("source", web.address, settings(tmp_path, budget=3), key=KEY, key_hint=HINT)
    ask(client, Request("/1"))
    ask(client, Request("/2"))
    ask(client, Request("/1"))  # from the cache: free
    assert "the budget of 3 requests is used up; run the same command again to resume" in complaint(client)
    assert len(web.asked) == 3


# ---- the key --------------------------------------------------------------------------------------


def test_the_key_goes_in_a_header_and_nowhere_else(client: Client, web: Web, tmp_path: Path) -> None:
    web.answer = lambda asked: Reply({"you": asked.headers.get("authorization", "")})
    assert ask(client) == {"you": "Bearer [key]"}, "a server may repeat it"
    assert web.asked[0].headers["authorization"] == f"Bearer {KEY}"
    assert web.asked[0].query == {"y": "1"}
    assert "[key]" in all_of(tmp_path)
    assert KEY not in all_of(tmp_path)


def test_a_key_that_is_not_there(web: Web, tmp_path: Path) -> None:
    web.replies = [Reply({"message": "who are you?"}, 401)]
    with pytest.raises(InputError, match=r"source: it needs a key \(HTTP 401, who are you\?\); put it somewhere"):
        ask(Client("source", web.address, settings(tmp_path), key_hint=HINT))
    assert "authorization" not in web.asked[0].headers


def test_where_the_key_comes_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "key"
    file.write_text(f"  {KEY}\n")
    monkeypatch.delenv("A_KEY", raising=False)
    assert read_key(None, "A_KEY") == ""
    monkeypatch.setenv("A_KEY", "other==")
    assert read_key(None, "A_KEY") == "other=="
    assert read_key(file, "A_KEY") == KEY


@pytest.mark.parametrize("content", [f"{KEY} {KEY}", f"a{KEY}\r\nX: y", f"ä{KEY}", f"{KEY}\0", '{"key": 1}'])
def test_what_is_not_a_key(tmp_path: Path, content: str) -> None:
    file = tmp_path / "key"
    for text, said in ((content, "key: is not a key: one word"), (" \n", "is empty"), (None, "cannot be read")):
        file.unlink(missing_ok=True)
        if text is not None:
            file.write_text(text, "utf-8")
        with pytest.raises(InputError, match=said) as caught:
            read_key(file, "A_KEY")
        assert KEY not in str(caught.value)


@pytest.mark.parametrize(
    ("address", "said"),
    [
        *((address, "is not the address") for address in ("ftp://example.org", "example.org", "https://")),
        *((f"https://{rest}", "is not the address") for rest in ("[::1", "example.org:http", "example.org?apikey=1")),
        ("https://ex\x00ample.org\ud800", "is not the address"),
        ("https://me:secret@example.org", "holds a name or a password"),
        ("http://example.org", "the key would be sent unencrypted to example.org"),
    ],
)
def test_what_is_not_an_address(address: str, said: str) -> None:
    refuses(lambda: checked_address("source", address, secure=True), "", said)
    assert checked_address("s", "https://example.org/api/", secure=True) == "https://example.org/api"
    assert checked_address("s", "http://localhost:80", secure=True) == "http://localhost:80"
    assert checked_address("s", "http://example.org", secure=False) == "http://example.org"


def test_a_proxy_sees_nothing_that_is_for_this_machine(
    web: Web, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor the key, which goes there unencrypted; and the proxy's localhost is another machine."""
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    web.answer = lambda asked: GOOD
    with Client("source", web.address, settings(tmp_path), key=KEY, key_hint=HINT) as client:
        assert ask(client) == {"a": 1}
    assert web.asked[0].headers["authorization"] == f"Bearer {KEY}"


def test_passwords_in_addresses_and_proxies_are_not_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    secret = "me:hidden@example.org"
    for address in (f"ftp://{secret}", f"https://{secret}:x", secret, "a?key=hidden"):
        with pytest.raises(InputError, match="what is given is not the address of a server") as caught:
            checked_address("source", address, secure=False)
        assert "hidden" not in str(caught.value)
    for proxy in (f"foo://{secret}", f"socks9://{secret}"):
        monkeypatch.setenv("ALL_PROXY", proxy)
        with pytest.raises(InputError, match="the proxy that the environment names cannot be used; correct") as caught:
            Client("source", "https://example.org", settings(tmp_path))
        assert "hidden" not in str(caught.value)
