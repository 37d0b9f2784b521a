"""How well two sentences go together, learned without labels from what stands together in arguments.

A logistic regression over features of the pair: the words that both share, each weighed by how much the collection
uses it for whole debates or for single points, and by how rare it is among the candidates of the topic, where the
words of the question itself say little; the kinship of the words that they do not share, their lengths, and
whether both speak in the same manner. The weights and the word vectors behind the kinship are plain numbers
in ``coherence.json`` beside this file. Version 0.1.0 wrote it (``experiments/coherence.py`` of that version), and its
``about`` names the data.
"""

from __future__ import annotations

import base64
import json
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from features.core.feature import feature
from features.core.statistics import FloatArray
from features.core.tables import Context
from features.learned.linear_model import LinearModel, expit, read_model
from features.learned.pair_features import Space, embedding_similarities, pair_features

WEIGHTS = Path(__file__).with_name("coherence.json")


class Coherence(NamedTuple):
    """A linear model in the log-odds of going together, with the term vectors that some of its features need."""

    linear: LinearModel
    space: Space


def score(c: Context, model: Coherence) -> FloatArray:
    """(n_pairs,) probability that the two sentences of each pair go together, were one pair in two so."""
    odds = np.full(len(c.pairs), model.linear.intercept[0])
    for name, values in (pair_features(c) | embedding_similarities(c, model.space)).items():
        odds += model.linear.plain.get(name, 0.0) * values
    return np.asarray(expit(odds), np.float64)


@feature(
    "pair",
    group="coherence",
    measured_in="probability",
    range=(0, 1),
    source="logistic regression on neighbouring sentences, conclusions with their premises, and ArgKP-2021",
)
def coherence(c: Context) -> FloatArray:
    """Learned probability that the two sentences go together rather than merely stand in one debate.

    From the texts of the candidates and the statistics of the collection alone, never from ids, places or stances.
    """
    return score(c, shipped())


@cache
def shipped() -> Coherence:
    """The weights beside this file, read once per process. Vectors are base64 of one signed byte per number."""
    document = json.loads(WEIGHTS.read_text("utf-8"))
    terms = document["terms"].split()
    codes = np.frombuffer(base64.b64decode(document["vectors"]), np.int8).reshape(len(terms), -1)
    return Coherence(read_model(WEIGHTS), Space(terms, codes.astype(np.float32)))
