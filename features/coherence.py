"""How well two sentences go together, learned without labels from what stands together in arguments.

A logistic regression over signs of the pair: the words that both share, each weighed by how much the collection
uses it for whole debates or for single points, the kinship of the words that they do not share, their lengths,
and whether both speak in the same manner. The weights and the word vectors behind the kinship are plain numbers
in ``coherence.json`` beside this file, written by ``python -m experiments.coherence``; its ``about`` names the data.

Nothing here looks at ids, places, roles or stances: only at the two texts and the statistics of the collection.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix

from features.registry import feature
from features.statistics import FloatArray
from features.tables import Context, row_dot

WEIGHTS = Path(__file__).with_name("coherence.json")

KINSHIP = "kinship"
MANNERS = ("modal", "negation", "first_person", "second_person", "question", "number", "evidence", "hedge")
"""Text features (`features.argumentativeness`) that say how a sentence speaks."""


@dataclass(frozen=True)
class Space:
    """Vectors of index terms; terms that stand in one argument rather than elsewhere in the debate are near."""

    terms: Sequence[str]
    vectors: FloatArray
    """(n_terms, n_dimensions)"""

    def of(self, terms: Sequence[str]) -> FloatArray:
        """(len(terms), n_dimensions) vectors, zeros for a term that has none."""
        place = {term: row for row, term in enumerate(self.terms)}
        rows = np.array([place.get(term, -1) for term in terms], np.int64)
        found = np.zeros((len(rows), self.vectors.shape[1]), np.float32)
        found[rows >= 0] = self.vectors[rows[rows >= 0]]
        return found


@dataclass(frozen=True)
class Model:
    """A linear model in the log-odds of going together, with the space that one of its signs needs."""

    intercept: float
    weights: Mapping[str, float]
    space: Space


def signs(c: Context) -> dict[str, FloatArray]:
    """What the model sees of each pair apart from the kinship of its words: sign -> (n_pairs,)."""
    cosine = np.clip(row_dot(c.tfidf[c.pairs.first], c.tfidf[c.pairs.second]), 0, 1)
    found = {
        "tf-idf cosine": cosine,
        "tf-idf cosine, root": np.sqrt(cosine),
        "latent cosine": (c.of_first(c.latent) * c.of_second(c.latent)).sum(axis=1),
    }
    return found | _shared(c) | _manners(c)


def kinship(c: Context, space: Space) -> FloatArray:
    """(n_pairs,) cosine of the two sentences as sums of term vectors."""
    rows = sentence_vectors(c, space)
    return np.asarray((c.of_first(rows) * c.of_second(rows)).sum(axis=1))


def sentence_vectors(c: Context, space: Space) -> FloatArray:
    """(n_sentences, n_dimensions) unit-length sums of idf-weighted term vectors; zeros where no term has one."""
    rows = c.tfidf @ space.of(list(c.vocabulary)).astype(np.float64)
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.where(norms > 0, norms, 1))


def score(c: Context, model: Model) -> FloatArray:
    """(n_pairs,) probability that the two sentences of each pair go together, were one pair in two so."""
    odds = np.full(len(c.pairs), model.intercept)
    for name, values in (signs(c) | {KINSHIP: kinship(c, model.space)}).items():
        odds += model.weights.get(name, 0.0) * values
    # The same as 1 / (1 + exp(-odds)), but it cannot overflow.
    return np.asarray(0.5 * (1 + np.tanh(odds / 2)), np.float64)


@feature(
    "pair",
    group="coherence",
    unit="probability",
    range=(0, 1),
    description="learned probability that the two sentences go together rather than merely stand in one debate",
    source="logistic regression on neighbouring sentences, conclusions with their premises, and ArgKP-2021",
)
def coherence(c: Context) -> FloatArray:
    """Looks at the two texts and the statistics of the collection; their ids, places and stances play no part."""
    return score(c, shipped())


@cache
def shipped() -> Model:
    """The weights beside this file, read once a process."""
    return read_model(WEIGHTS)


def read_model(path: Path) -> Model:
    """A model as `write_model` lays it out."""
    document = json.loads(path.read_text("utf-8"))
    terms = document["terms"].split()
    codes = np.frombuffer(base64.b64decode(document["vectors"]), np.int8).reshape(len(terms), -1)
    weights = {str(sign): float(weight) for sign, weight in document["weights"].items()}
    return Model(float(document["intercept"]), weights, Space(terms, codes.astype(np.float32)))


def as_document(model: Model) -> dict[str, Any]:
    """The model as JSON can hold it: vectors as base64 of one signed byte a number."""
    codes = base64.b64encode(model.space.vectors.astype(np.int8).tobytes()).decode("ascii")
    return {
        "intercept": model.intercept,
        "weights": dict(model.weights),
        "terms": " ".join(model.space.terms),
        "vectors": codes,
    }


def _shared(c: Context) -> dict[str, FloatArray]:
    """Signs of the index terms that both sentences hold, and of how many each holds.

    A word that many conclusions use is what debates are about, so every sentence of the debate may have it; a word
    that comes back within arguments, more sentences than arguments, ties just those sentences together.
    """
    held: csr_matrix = c.sentence_counts.copy()
    held.data = np.ones_like(held.data)
    both = held[c.pairs.first].multiply(held[c.pairs.second]).tocsr()
    quantities = _quantities(c)
    found = {f"shared {name}": np.asarray(both @ values) for name, values in quantities.items()}
    idf = quantities["idf"]
    weight = held @ idf
    found["shared idf, most"] = _largest(both, idf)
    for side, lift in (("first", c.of_first), ("second", c.of_second)):
        found[f"share of the {side}"] = found["shared idf"] / np.maximum(lift(weight), 1)
    length = np.log1p(np.asarray(held.sum(axis=1)).ravel())
    first, second = c.of_first(length), c.of_second(length)
    found |= {"first length": first, "second length": second, "lengths apart": abs(first - second)}
    found["lengths"] = first * second
    return found


def _quantities(c: Context) -> dict[str, FloatArray]:
    """What each term of the vocabulary counts, by name: (n_terms,) each; zeros for a term that no candidate holds."""
    idf, recurrence, debated = (np.zeros(len(c.vocabulary)) for _ in range(3))
    used = np.unique(c.sentence_counts.indices)
    names = list(c.vocabulary)
    rows = c.statistics.rows([names[column] for column in used])
    df, size = {}, {}
    for unit, counts in c.statistics.units.items():
        df[unit] = np.where(rows >= 0, counts.df[rows], 0) if len(counts.df) else np.zeros(len(rows))
        size[unit] = counts.size
    idf[used] = np.log((size["sentence"] + 1) / (df["sentence"] + 0.5))
    recurrence[used] = np.log((df["sentence"] + 2) / (df["argument"] + 2))
    share = (df["conclusion"] + 3) / (size["conclusion"] + 3) * (size["argument"] + 3) / (df["argument"] + 3)
    debated[used] = np.log(share)
    return {
        "terms": (idf != 0).astype(np.float64),
        "idf": idf,
        "idf squared": idf**2,
        "recurrence": recurrence * idf,
        "debated": debated * idf,
        "debated squared": debated**2 * idf,
        "debated recurrence": debated * recurrence * idf,
    }


def _largest(both: csr_matrix, values: FloatArray) -> FloatArray:
    """(n_pairs,) largest of the values of the terms in each row, 0 for an empty row."""
    weighed = both.copy()
    weighed.data = values[both.indices]
    if not weighed.shape[1]:
        return np.zeros(weighed.shape[0])
    return np.asarray(weighed.max(axis=1).toarray(), np.float64).ravel()


def _manners(c: Context) -> dict[str, FloatArray]:
    """Do both sentences speak in one manner: 1 when both or neither do, else 0."""
    found: dict[str, FloatArray] = {}
    for name in MANNERS:
        marked: npt.NDArray[np.bool_] = np.asarray(c.text_values[name]) > 0
        found[f"both or neither: {name}"] = (c.of_first(marked) == c.of_second(marked)).astype(np.float64)
        found[f"both: {name}"] = (c.of_first(marked) & c.of_second(marked)).astype(np.float64)
    return found
