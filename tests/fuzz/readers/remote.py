"""What comes from servers: whole responses, the JSON in them, and answers that are kept on disk."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from unittest.mock import patch

import httpx
from support.web import Clock, settings

from fuzz.cases import NUMBERS
from fuzz.reader import Read, reader
from ltr.corpora import argsme
from ltr.corpora.argsme import SentenceSplitter
from ltr.corpora.source import open_corpus
from ltr.data.topics import Topic
from ltr.errors import InputError
from ltr.remote import client as remote_client
from ltr.remote.answers import AnswerError, parsed
from ltr.remote.cache import Cache, Request
from ltr.remote.client import Client
from ltr.remote.collector import Hit, args_json, merge, result_lines
from ltr.remote.sources import ArgsMe, ChatNoir, Targer

TOPIC = Topic("1", "Which is better, tea or coffee?")
KEY = "2a3d0e6c-6bd6-5ea2"

RESULT = {
    "uuid": "Kj0ObGvWXqKvHZPR1dm6DA",
    "trec_id": "clueweb12-1-2-3",
    "title": "<em>Tea</em> &amp; coffee",
    "snippet": "Tea is <em>better</em>.<br>Or so.",
    "target_hostname": "example.org",
    "target_uri": "https://example.org/a?b",
    "index": "cw12",
    "score": 1.5,
    "page_rank": 1e-9,
    "spam_rank": None,
}
ARGUMENT = {
    "id": "S1-A1",
    "conclusion": "Ban &quot;cars&quot;",
    "premises": [{"text": "Cars smell.\nThey are loud.", "stance": "CON"}],
    "context": {"sourceTitle": "Page", "sourceUrl": "https://example.org", "topic": None},
    "stance": "PRO",
}
ANSWERS: dict[str, object] = {
    "chatnoir": {"meta": {"total_results": 2}, "results": [RESULT, {"uuid": "x", "title": "t", "snippet": ""}]},
    "argsme": {"arguments": [ARGUMENT, {**ARGUMENT, "id": "S1-A2", "context": {}, "stance": "CON"}]},
    "targer": [[{"label": "C-B", "token": "a"}, {"label": "O"}], [{"label": "MP-I"}]],
}
TOKENS: Sequence[bytes] = [
    *NUMBERS,
    *(f'"{key}": '.encode() for key in {**RESULT, **ARGUMENT, "meta": 0, "results": 0, "label": 0}),
    *b'{} [] "" null true NaN , : <script> </script> <!-- --> <a &lt; &#0; &#xD800; &#1114112;'.split(),
    *(b'"\\ud83d"', b'"\\u0000"', b'"\\u2028"', b"<p>\n\n", b"<" * 50, b"&" * 50, b'"a b"', b'"a,b"', b'"a|b"'),
]


class Canned:
    """A client that has one answer."""

    def __init__(self, answer: bytes) -> None:
        self._answer = answer.decode("utf-8", "replace")

    def ask(self, request: Request, read: Callable[[str], Any], **_: object) -> Any:
        """What ``read`` makes of it, whatever is asked."""
        return read(self._answer)


def seed(name: str) -> Callable[[], Sequence[bytes]]:
    """An answer of the source, in two layouts."""
    return lambda: [json.dumps(ANSWERS[name], indent=indent).encode() for indent in (None, 1)]


def collected(folder: Path, name: str, make: Callable[[Any], ArgsMe | ChatNoir], lines: Callable[..., Any]) -> Read:
    """A reader of answers whose hits are written as a corpus, which has to be one that commands read."""
    split = SentenceSplitter()  # it takes long to make

    def take(content: bytes) -> None:
        hits: list[Hit] = merge([make(Canned(content)).search(TOPIC.title, 20)], 20)
        text = "".join(lines([TOPIC], {"1": hits}))
        if hits:
            (folder / name).write_text(text, "utf-8")
            try:
                with patch.object(argsme, "SentenceSplitter", lambda: split):
                    assert len(list(open_corpus(str(folder / name)))) <= len(hits)
            except InputError as error:
                raise AssertionError(str(error)) from error

    return take


REFUSED = (AnswerError, InputError)


@reader("answer-chatnoir", seed("chatnoir"), tokens=TOKENS, refusals=REFUSED)
def _chatnoir(folder: Path) -> Read:
    return collected(folder, "results.jsonl", ChatNoir, result_lines)


@reader("answer-argsme", seed("argsme"), tokens=TOKENS, refusals=REFUSED)
def _argsme(folder: Path) -> Read:
    return collected(folder, "args.json", ArgsMe, args_json)


@reader("answer-targer", seed("targer"), tokens=[*TOKENS, b"C-B", b"P-I", b"MC", b"-"], refusals=REFUSED)
def _targer(_: Path) -> Read:
    def take(content: bytes) -> None:
        shares = Targer(Canned(content)).describe("a text")  # type: ignore[arg-type]
        assert all(0 <= share <= 1 for share in shares.values())

    return take


WHOLE = b"200\ncontent-type: application/json\n\n" + b'{"a": 1}'
"""A status, headers, an empty line and a body: what a server may send."""


def other_responses() -> list[bytes]:
    """Those that are refused as they are."""
    found = [b"%d\nretry-after: 7\n\n{}" % status for status in (201, 204, 404, 408, 429, 500, 503, 999)]
    found += [b"302\nlocation: https://example.org/new\n\n", b'401\n\n{"error": {"message": "no \\"key\\""}}']
    found += [b"200\ncontent-encoding: gzip\n\n\x1f\x8b\x08\0", b"429\nretry-after: Wed, 21 Oct 2015 07:28:00 GMT\n\n"]
    return [*found, b"403\nx: " + KEY.encode() + b"\n\n" + KEY.encode()]


WORDS = [
    *b"retry-after: location: content-encoding: content-length: transfer-encoding: content-type: set-cookie:".split(),
    *(*NUMBERS, b"gzip", b"deflate", b"br", b"zstd", b"identity", b"chunked", b"http://[", b"//", b"\n\n", b"\n"),
    *(b"Fri, 31 Dec 9999 23:59:59 GMT", b"Wed, 00 Jan 0000 99:99:99 +9999", b'"message": "', b"100", b"301", b"304"),
]


@reader("response", lambda: [WHOLE], tokens=WORDS, write=lambda rng: rng.choice(other_responses()))
def _response(folder: Path) -> Read:
    """All that may go wrong before an answer is read; every try of the client gets the same response."""
    client = Client("source", "http://127.0.0.1", settings(folder, budget=1 << 60), key=KEY, key_hint="put it there")

    def take(content: bytes) -> None:
        def respond(_: httpx.Request) -> httpx.Response:
            head, _, body = content.partition(b"\n\n")
            status, *lines = head.split(b"\n")
            pairs = [line.split(b": ", 1) for line in lines]
            headers = [(pair[0], pair[-1]) for pair in pairs]
            number = int(status) if status.isdigit() and len(status) < 4 else 200
            return httpx.Response(number, headers=headers, stream=httpx.ByteStream(body))

        client._http = httpx.AsyncClient(transport=httpx.MockTransport(respond), timeout=1.0)
        try:
            clock = Clock()
            with patch.object(remote_client, "time", clock), patch.object(remote_client, "sleep", clock.sleep):
                client.ask(Request("/"), lambda answer: parsed(answer, dict), keyed=True)
        except InputError as error:
            if KEY in str(error):
                raise AssertionError("the key is shown") from error
            raise
        finally:
            for path in folder.rglob("*.json"):
                assert KEY not in path.read_text("utf-8")
                path.unlink()

    return take


ASKED = Request("/x?y=1")


KEPT = {"asked": {"server": "s", "path": ASKED.path, "media": ASKED.media}, "answer": "{}"}


@reader("answer-kept", lambda: [json.dumps(KEPT).encode()], tokens=TOKENS)
def _kept(folder: Path) -> Read:
    cache = Cache(folder)
    cache.keep("s", ASKED, "{}")
    (path,) = folder.rglob("*.json")

    def take(content: bytes) -> None:
        path.write_bytes(content)
        answer = cache.find("s", ASKED)
        assert answer is None or isinstance(answer, str)
        if answer is None:
            raise InputError("the answer", "is asked for again", "none")

    return take
