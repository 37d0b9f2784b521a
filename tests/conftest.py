"""What every test starts from."""

import gc
import os
import resource
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", "100"))
settings.register_profile("riposte", deadline=None, max_examples=EXAMPLES)  # a busy machine may be slow
settings.load_profile("riposte")

SYSTEM = Path(__file__).parent / "system"
MARKS = {"browser": "browser", "whole_study": "slow"}
"""A test that asks for one of these fixtures has a mark."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        marks = [mark for fixture, mark in MARKS.items() if fixture in getattr(item, "fixturenames", ())]
        for mark in [*marks, *(["system"] if item.path.is_relative_to(SYSTEM) else [])]:
            item.add_marker(mark)


MEMORY = 8 << 30
"""Bytes of data that a test process, or a process that it starts, may allocate."""


def pytest_configure() -> None:
    """Limit the memory of this process: what grows without end fails here and does not stop the machine."""
    with suppress(ValueError, OSError):  # macOS has no such limit
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, resource.getrlimit(resource.RLIMIT_DATA)[1]))


@pytest.fixture(scope="session", autouse=True)
def cache_of_its_own(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Nothing is read from the user's cache or written into it, by processes that tests start neither."""
    os.environ["RIPOSTE_CACHE"] = str(tmp_path_factory.mktemp("cache"))


@pytest.fixture(scope="session")
def whole_study() -> None:
    """Asked for by fixtures that run a whole study: it takes its time."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    from support.browser import chromium  # skips where selenium is not installed

    with chromium() as found:
        yield found


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Any:
    """No client waits between two tries."""
    from support.web import Clock

    from ltr.remote import client

    clock = Clock()
    monkeypatch.setattr(client, "time", clock)
    monkeypatch.setattr(client, "sleep", clock.sleep)
    return clock


@pytest.fixture
def web(monkeypatch: pytest.MonkeyPatch, clock: Any) -> Iterator[Any]:
    """A server of our own, which is asked without proxies, keys and waiting."""
    from support.web import serving

    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy", "CHATNOIR_API_KEY", "RIPOSTE_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    with serving() as server:
        yield server


@pytest.fixture(autouse=True)
def as_a_process_begins() -> Iterator[None]:
    """A command ends its process; here the process goes on, and the processes it starts inherit what is ignored."""
    gc_threshold = gc.get_threshold()
    signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored, where the tests run in the background
    terminated, safe_path = signal.getsignal(signal.SIGTERM), os.environ.get("PYTHONSAFEPATH")
    yield
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, terminated)
    if safe_path is None:
        os.environ.pop("PYTHONSAFEPATH", None)
    gc.set_threshold(*gc_threshold)
