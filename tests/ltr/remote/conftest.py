from __future__ import annotations

from collections.abc import Iterator

import pytest
from support.web import Clock, Web, serving

from ltr.remote import client


@pytest.fixture
def web(monkeypatch: pytest.MonkeyPatch) -> Iterator[Web]:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    with serving() as server:
        yield server


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """No test waits between two tries."""
    clock = Clock()
    monkeypatch.setattr(client, "time", clock)
    monkeypatch.setattr(client, "sleep", clock.sleep)
    return clock
