"""Scores that are kept beside an index."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ltr.text_models.kept_scores import KeptScores, key_of


def test_scores_of_rerankers(tmp_path: Path) -> None:
    keys = [key_of("question", text) for text in ("a", "b", "c")]
    kept = KeptScores(tmp_path, "digest")
    kept.keep(keys[:2], np.array([1.5, -1e300]))
    np.testing.assert_array_equal(KeptScores(tmp_path, "digest").read(keys), [1.5, -1e300, np.nan])
    assert np.isnan(KeptScores(tmp_path, "other digest").read(keys)).all()
    nobody = KeptScores(tmp_path, None)
    nobody.keep(keys, np.zeros(3))
    assert np.isnan(nobody.read(keys)).all()
    assert len([*tmp_path.iterdir()]) == 1


def test_keys_differ_by_where_a_text_ends() -> None:
    assert len({key_of("ab", "c"), key_of("a", "bc"), key_of("abc"), key_of("", "abc"), key_of("c", "ab")}) == 5
    assert 0 <= key_of("\udcff") < 2**64
