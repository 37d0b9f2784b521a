"""Scores of re-rankers that are kept: read back as they were, and never wrong."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ltr.index import kept_scores
from ltr.index.kept_scores import KeptScores, key_of

KEYS = [key_of("question", text) for text in ("a", "b", "c")]


def known(found: KeptScores, keys: list[bytes] = KEYS) -> list[float | None]:
    return [None if np.isnan(score) else score for score in found.read(keys)]


def test_what_was_kept_is_read(tmp_path: Path) -> None:
    found = KeptScores(tmp_path, "digest")
    assert known(found) == [None] * 3
    found.keep(KEYS[:2], np.array([1.5, -1e300]))
    found.keep(KEYS[2:], np.array([0.1]))
    assert known(KeptScores(tmp_path, "digest")) == [1.5, -1e300, 0.1]
    assert known(KeptScores(tmp_path, "other digest"), KEYS) == [None] * 3
    assert known(found, [key_of("another question", "a"), KEYS[1]]) == [None, -1e300]


def test_without_a_digest_or_by_the_variable_nothing_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    KeptScores(tmp_path, None).keep(KEYS, np.zeros(3))
    monkeypatch.setenv("RIPOSTE_VALUES", "0")
    KeptScores(tmp_path, "digest").keep(KEYS, np.zeros(3))
    assert not list(tmp_path.iterdir())


def test_after_half_a_record(tmp_path: Path) -> None:
    found = KeptScores(tmp_path, "digest")
    found.keep(KEYS[:2], np.array([1.0, 2.0]))
    os.truncate(found.path, found.path.stat().st_size - 5)
    assert known(found) == [1, None, None]
    found.keep(KEYS[2:], np.array([3.0]))
    assert known(found) == [1, None, 3]


@given(data=st.data())
@settings(max_examples=50)
def test_damage_costs_scores_and_makes_none(data: st.DataObject, tmp_path_factory: pytest.TempPathFactory) -> None:
    found = KeptScores(tmp_path_factory.mktemp("kept"), "digest")
    found.keep(KEYS, np.array([1.0, 2.0, 3.0]))
    raw = bytearray(found.path.read_bytes())
    raw[data.draw(st.integers(0, len(raw) - 1))] ^= data.draw(st.integers(1, 255))
    found.path.write_bytes(raw)
    for score, right in zip(known(found), (1, 2, 3), strict=True):
        assert score in (None, right)


def test_a_full_file_begins_anew_and_others_are_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = KeptScores(tmp_path, "digest")
    found.keep(KEYS, np.zeros(3))
    monkeypatch.setattr(kept_scores, "LIMIT", 50)
    assert known(found) == [None] * 3
    assert not found.path.exists()
    (tmp_path / "other").write_text("theirs")
    found.path.symlink_to(tmp_path / "other")
    found.keep(KEYS, np.zeros(3))
    assert known(found) == [None] * 3
    assert (tmp_path / "other").read_text() == "theirs"


def test_keys_differ_by_where_a_text_ends() -> None:
    assert len({key_of("ab", "c"), key_of("a", "bc"), key_of("abc"), key_of("", "abc"), key_of("c", "ab")}) == 5
    assert len(key_of("\udcff")) == 16
