"""The sample served on a port of this machine, in a thread of the tests; a hostile corpus among what is served."""

from __future__ import annotations

import json
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

import uvicorn

from ltr.commands.serve import bind
from ltr.progress import Progress
from ltr.ranking.task import find_task
from ltr.sample import SAMPLE
from ltr.web.answerer import Answerer
from ltr.web.app import SERVER, make_app
from ltr.web.loading import load_answerers
from ltr.web.settings import ServerSettings
from support.sample_model import sample_model

BREAD = "Which keeps bread fresh longer, a bread box or a linen bag?"
QUESTION = "Should cities ban cars from their centres?"
ALONE = "Should tourism to Antarctica be limited?"
"""A question to whose candidates nothing on the matter is added."""
PLAIN = "Space in a city centre is scarce"
HOSTILE = "Space in a <img src=x onerror=alert(1)> city </script><b>centre</b> is &lt;scarce&gt;"
_KEPT: list[tempfile.TemporaryDirectory[str]] = []


@cache
def served_corpus() -> Path:
    """The folder of the sample, one of whose sentences is hostile."""
    _KEPT.append(tempfile.TemporaryDirectory())
    place = Path(_KEPT[0].name)
    text = (SAMPLE / "args_processed_sample.csv").read_text("utf-8")
    assert PLAIN in text
    (place / "args_processed_sample.csv").write_text(text.replace(PLAIN, HOSTILE), "utf-8")
    (place / "comparative").mkdir()
    passages = find_task("comparative").sample.folder / "passages.jsonl"
    (place / "comparative" / "passages.jsonl").write_bytes(passages.read_bytes())
    return place


@cache
def answerers() -> dict[str, Answerer]:
    """Those of that sample; pairs by a model of few trees."""
    documents = str(served_corpus() / "comparative")
    settings = ServerSettings(input=str(served_corpus()), comparative=documents, model=[str(sample_model())])
    return load_answerers(settings, Progress(quiet=True))


@contextmanager
def serving(some: Mapping[str, Answerer], **limits: int) -> Iterator[str]:
    """The address at which these answer; ``limits`` replace those of the command."""
    with bind("127.0.0.1", 0) as where:
        config = uvicorn.Config(make_app(some), **{**SERVER, **limits})
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, args=([where],), daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.01)
        yield f"http://127.0.0.1:{where.getsockname()[1]}"
        server.should_exit = True
        thread.join(10)


def get(address: str, path: str, *, headers: Mapping[str, str] | None = None, **query: str) -> tuple[int, Any]:
    """Status and JSON of a request."""
    url = f"{address}{path}{'?' if query else ''}{urlencode(query)}"
    try:
        with urlopen(Request(url, headers=dict(headers or {}))) as response:
            return response.status, json.load(response)
    except HTTPError as error:
        return error.code, json.load(error)
