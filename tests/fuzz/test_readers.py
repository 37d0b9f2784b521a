"""Malformed input: every reader reads it or refuses it in one line, in time and memory that are bounded."""

from __future__ import annotations

import signal
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fuzz.damage import damaged
from fuzz.readers import CORPORA, READERS, Reader
from ltr.corpora.base import READERS as REGISTERED
from ltr.errors import InputError

SECONDS = 10.0
"""Processor time for an input."""


class TooSlow(BaseException):
    """A reader took more than its time; not an Exception, so that no reader catches it."""


@contextmanager
def timed() -> Iterator[None]:
    def stop(*_: object) -> None:
        raise TooSlow

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def refusal_of(reader: Reader, path: Path) -> str:
    """The line that refuses a file, or nothing."""
    try:
        with timed():
            reader.read(path)
    except InputError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("name", READERS)
@settings(suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_malformed_input(name: str, data: st.DataObject) -> None:
    reader = READERS[name]
    packed_first = reader.pack is not None and data.draw(st.booleans())
    seeds = [reader.pack(seed) for seed in reader.seeds] if reader.pack and packed_first else reader.seeds
    content = data.draw(damaged(seeds))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / reader.file
        path.write_bytes(reader.pack(content) if reader.pack and not packed_first else content)
        refusal = refusal_of(reader, path)
    assert refusal.isprintable()
    assert not refusal or "; " in refusal, "a refusal has a hint"
    assert len(refusal) < 3_000


@pytest.mark.parametrize("name", READERS)
def test_valid_input(name: str, tmp_path: Path) -> None:
    """Otherwise damaged input would not get far."""
    reader = READERS[name]
    for seed in reader.seeds:
        path = tmp_path / reader.file
        path.write_bytes(reader.pack(seed) if reader.pack else seed)
        reader.read(path)


def test_every_corpus_reader_of_files_is_fuzzed() -> None:
    files = [reader.file for reader in CORPORA.values()]
    for name, registered in REGISTERED.search().items():
        assert registered.scheme or any(file.endswith(registered.suffixes) for file in files), name
