"""Values of text features that are kept beside an index save time and change nothing."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest
from support.corpora import SMALL, build, write_corpus

from features.content import matching
from features.learned import argumentative, convincing
from ltr.data.topics import Topic
from ltr.index import values
from ltr.index.reader import Index
from ltr.index.values import VALUES, known_values
from ltr.ranking.describe import FirstStage, describe_topic
from ltr.tasks import find_task

COLUMNS = ["convincing_min", "argumentative_max", "number_max", "n_words_min", "coherence"]


@pytest.fixture
def index(tmp_path: Path) -> Index:
    return build(write_corpus(tmp_path / "corpus", SMALL), tmp_path / "index")


def describe(index: Index) -> bytes:
    task = find_task("pairs")
    block = describe_topic(FirstStage(task, index, task.config), Topic("1", "Should cars be banned?"), COLUMNS)
    assert len(block)
    return block.features.to_numpy().tobytes()


refuse = Mock(side_effect=AssertionError("computed anew"))


@pytest.fixture
def nothing_computed(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    monkeypatch.setattr(convincing, "score", refuse)
    monkeypatch.setattr(argumentative, "score", refuse)
    monkeypatch.setattr(matching.Tokens, "read", refuse)
    return monkeypatch


def test_a_second_run_computes_nothing_and_gives_the_same_bytes(index: Index, request: pytest.FixtureRequest) -> None:
    first = describe(index)
    request.getfixturevalue("nothing_computed")
    assert describe(index) == first


def test_what_was_not_asked_for_is_added(index: Index) -> None:
    rows = np.arange(3)
    with known_values(index, rows) as known:
        assert all(np.isnan(own).all() for own in known.values())
        known["convincing"][:2] = 0.25, 0.5
    with known_values(index, rows[::-1]) as known:
        assert known["convincing"].tolist()[1:] == [0.5, 0.25]
        known["n_words"][0] = 7
    with known_values(index, rows) as known:
        assert (known["n_words"][2], known["convincing"][1]) == (7, 0.5)
        assert np.isnan([known["convincing"][2], *known["n_words"][:2]]).all()


def test_nothing_is_kept_after_an_error(index: Index) -> None:
    with pytest.raises(KeyError), known_values(index, np.arange(2)) as known:
        known["no such feature"][:] = known["convincing"].fill(1)
    assert not (index.folder / VALUES).exists()


def test_another_state_of_features_or_corpus_has_values_of_its_own(
    index: Index, nothing_computed: pytest.MonkeyPatch
) -> None:
    nothing_computed.undo()
    describe(index)
    nothing_computed.setattr(values, "version", lambda package: "another")
    nothing_computed.setattr(convincing, "score", refuse)
    values._state.cache_clear()
    with pytest.raises(AssertionError, match="computed anew"):
        describe(index)
    values._state.cache_clear()


@pytest.mark.parametrize(
    "damage",
    [
        lambda raw: raw[:20] + bytes([raw[20] ^ 1]) + raw[21:],
        lambda raw: b"no records",
        lambda raw: raw[:3000],
        lambda raw: b"x" + raw,
        lambda raw: bytes(len(raw)),
        lambda raw: b"",
    ],
)
def test_what_is_damaged_is_computed_anew(
    index: Index, damage: Callable[[bytes], bytes], request: pytest.FixtureRequest
) -> None:
    first = describe(index)
    (index.folder / VALUES).write_bytes(damage((index.folder / VALUES).read_bytes()))
    assert describe(index) == first
    assert describe(index) == first
    request.getfixturevalue("nothing_computed")
    assert describe(index) == first


@pytest.mark.parametrize("plant", ["file", "pipe", "zero", "folder"])
def test_what_is_planted_in_its_place_is_neither_read_nor_written(plant: str, index: Index, tmp_path: Path) -> None:
    first = describe(index)
    place, theirs = index.folder / VALUES, tmp_path / "theirs"
    theirs.write_bytes(place.read_bytes())
    place.unlink()
    if plant == "pipe":
        os.mkfifo(place)
    elif plant == "folder":
        place.mkdir()
    else:
        place.symlink_to(theirs if plant == "file" else "/dev/zero")
    before = theirs.read_bytes()
    assert describe(index) == first
    assert theirs.read_bytes() == before
    assert not place.is_file() or place.is_symlink()


def test_it_can_be_left_alone_or_out_of_reach(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RIPOSTE_VALUES", "0")
    first = describe(index)
    assert not (index.folder / VALUES).exists()
    monkeypatch.delenv("RIPOSTE_VALUES")
    monkeypatch.setattr(os, "open", Mock(side_effect=PermissionError))
    assert describe(index) == first


@pytest.mark.parametrize("size", [0, 500])
def test_a_disk_that_is_full_costs_the_values_alone(size: int, index: Index) -> None:
    first = describe(index)
    whole = (index.folder / VALUES).stat().st_size
    assert whole > size
    (index.folder / VALUES).unlink()
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        assert describe(index) == first
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert describe(index) == first
    kept = (index.folder / VALUES).stat().st_size
    assert kept >= whole
    assert describe(index) == first
    assert (index.folder / VALUES).stat().st_size == kept  # nothing was missing


def test_it_stays_small(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    first = describe(index)
    monkeypatch.setattr(values, "LIMIT", 20_000)
    place, sizes = index.folder / VALUES, []
    for start in range(0, 3000, 50):
        with known_values(index, np.arange(start, start + 50)) as known:
            known["convincing"][:] = 0.5
        sizes.append(place.stat().st_size)
    assert min(sizes[9:]) < 20_000 <= max(sizes) < 40_000
    assert describe(index) == first


def test_a_file_that_changes_meanwhile_is_read_as_it_is(index: Index) -> None:
    for start, value in ((0, 0.25), (10, 0.5)):
        with known_values(index, np.arange(start, start + 10)) as known:
            known["convincing"][:] = value
    place = index.folder / VALUES
    whole = place.read_bytes()
    half = len(whole) // 2
    for raw in (whole, whole[half:] + whole[:half], whole[half:]):
        place.write_bytes(raw)
        with known_values(index, np.array([9, 10])) as known:
            found = known["convincing"].copy()
        # What is not found where it was is computed anew, and nothing is taken for another.
        assert (np.isnan(found) | (found == [0.25, 0.5])).all()


def test_several_may_write_at_once(index: Index) -> None:
    def write(start: int) -> None:
        with known_values(index, np.arange(start, start + 40)) as known:
            known["convincing"][:] = np.arange(start, start + 40) / 1000

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, range(0, 800, 20)))
    with known_values(index, np.arange(800)) as known:
        assert known["convincing"].tolist() == np.float32(np.arange(800) / 1000).tolist()


def test_half_a_record_at_the_end_may_be_one_that_is_being_written(index: Index) -> None:
    first = describe(index)
    file = index.folder / VALUES
    whole = file.read_bytes()
    file.write_bytes(whole + whole[:20])
    assert describe(index) == first
    assert file.read_bytes() == whole + whole[:20]


KILLED = """
import sys
from pathlib import Path
import numpy as np
from ltr.index.reader import Index
from ltr.index.values import VALUES, known_values

index = Index(Path(sys.argv[1]))
for start in range(0, 10**9, 100):
    with known_values(index, np.arange(start, start + 100)) as known:
        known["convincing"][:] = 0.5
    print(start, flush=True)
"""


def test_a_process_may_be_killed_while_it_writes(index: Index) -> None:
    writer = subprocess.Popen([sys.executable, "-c", KILLED, str(index.folder)], stdout=subprocess.PIPE)
    assert writer.stdout is not None
    for _ in range(5):
        assert writer.stdout.readline()
    os.kill(writer.pid, signal.SIGKILL)
    writer.wait()
    with known_values(index, np.arange(500)) as known:
        assert known["convincing"].tolist() == [0.5] * 500


def test_it_goes_with_its_index(index: Index, tmp_path: Path) -> None:
    describe(index)
    write_corpus(tmp_path / "corpus", SMALL[:3])
    build(tmp_path / "corpus", tmp_path / "index")
    assert not list(tmp_path.rglob(VALUES))
