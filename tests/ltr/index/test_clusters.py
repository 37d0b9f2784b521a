from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
from support.corpora import build, write_corpus

from ltr.index.latent import conclusion_centres


def test_few_conclusions_are_each_a_centre() -> None:
    """K-means of as many clusters as there are points would choose by the last bits, which processors differ in."""
    vectors = {"car": [3.0, 4.0], "zoo": [1.0, 0.0]}
    statistics: Any = SimpleNamespace(
        idf=lambda unit, terms: np.ones(len(terms)), latent=lambda terms: np.array([vectors[term] for term in terms])
    )
    texts = [["car"], ["zoo"], ["car", "car"]]  # the third is the first, and a little more than the same in floats
    found = conclusion_centres(np.arange(3), texts.__getitem__, statistics)
    assert found.round(6).tolist() == [[0.6, 0.8], [1, 0]]


def test_a_corpus_without_conclusions_has_no_centres(tmp_path: Path) -> None:
    write_corpus(tmp_path / "corpus", [("S1-A1", "", "", ["Cars pollute.", "Cities breathe without cars."])])
    index = build(tmp_path / "corpus", tmp_path / "index")
    assert index.statistics.find_centres().shape == (0, 1)
