from __future__ import annotations

import numpy as np

from features.learned.argumentative import features, score, shipped
from features.learned.linear_model import LinearModel

CLAIM = "Banning the sale of such weapons would reduce violent crime and make our cities safer."
NOISE = "Thanks to my opponent for accepting, and good luck in the next round!"


def test_claims_score_above_talk():
    claim, noise = score([CLAIM, NOISE], shipped())
    assert claim > 0.5 > noise


def test_features_of_a_sentence():
    found = features(["Taxes should fall [3]."])
    row = found.matrix(found.names).toarray()[0].tolist()
    # Three distinct stems, but at least four are assumed: 1 / sqrt(4). The reference is a marker, not a word.
    words = ["tax", "should", "fall", "tax should", "should fall", "~taxes", "~should", "~fall"]
    shape = ["longer than 1", "longer than 2", "ends .", "begins A", "reference"]
    expected = dict.fromkeys(words, 0.5) | {f"={name}": 1.0 for name in shape}
    assert {name: value for name, value in zip(found.names, row, strict=True) if value} == expected


def test_score_by_hand():
    model = LinearModel.binary(-1.0, {"should": 2.0, "should fall": 1.0, "=ends .": 0.25, "elsewhere": 9.0})
    # -1 + 0.5 * 2 + 0.5 * 1 + 1 * 0.25 = 0.75, and 1 / (1 + exp(-0.75)) = 0.679179
    # The empty text has no features: 1 / (1 + exp(1)) = 0.268941
    np.testing.assert_allclose(score(["Taxes should fall.", ""], model), [0.679179, 0.268941], atol=1e-6)
