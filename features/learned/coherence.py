"""How well two sentences go together, learned without labels from what stands together in arguments.

A logistic regression over features of the pair: the words that both share, each weighed by how much the collection
uses it for whole debates or for single points, and by how rare it is among the candidates of the topic; the kinship of
the words that they do not share, their lengths, and whether both speak in the same manner. Nothing here looks at ids,
places, roles or stances: only at the two texts, all other candidate sentences of the topic together, and the
statistics of the collection.

The weights and the word vectors behind the kinship are plain numbers in ``coherence.json`` beside this file. Version
0.1.0 wrote it (``experiments/coherence.py`` of that version), and its ``about`` names the data.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix

from features.core.feature import feature
from features.core.statistics import FloatArray
from features.core.tables import Context, once, unit_rows
from features.learned.linear_model import LinearModel, expit, read_model

WEIGHTS = Path(__file__).with_name("coherence.json")

KINSHIPS = ("kinship", "kinship, local", "kinship, local and global", "kinship, off the mean", "kinship, whitened")
"""Features that need the model's term vectors."""

RIDGES = (1.0, 0.1)
"""Added to each variance before whitening, as a multiple of the mean variance."""

LEAST = 1e-6
"""A vector shorter than this is rounding error and counts as zero."""

STYLE_MARKERS = ("modal", "negation", "first_person", "second_person", "question", "number", "evidence", "hedge")
"""Text features (`features.content.argumentativeness`) that say how a sentence speaks."""


@dataclass(frozen=True)
class Coherence:
    """A linear model in the log-odds of going together, with the term vectors that some of its features need."""

    linear: LinearModel
    row_of: Mapping[str, int]
    """Index term -> its row in ``vectors``; terms that stand in one argument are near."""
    vectors: FloatArray
    """(n_terms, n_dimensions)"""

    def vectors_of(self, terms: Sequence[str]) -> FloatArray:
        """(len(terms), n_dimensions), zeros for a term that has no vector."""
        rows = np.array([self.row_of.get(term, -1) for term in terms], np.int64)
        found = np.zeros((len(rows), self.vectors.shape[1]))
        found[rows >= 0] = self.vectors[rows[rows >= 0]]
        return found


@cache
def shipped() -> Coherence:
    """The weights beside this file, read once per process. Vectors are base64 of one signed byte per number."""
    document = json.loads(WEIGHTS.read_text("utf-8"))
    terms = document["terms"].split()
    codes = np.frombuffer(base64.b64decode(document["vectors"]), np.int8).reshape(len(terms), -1)
    return Coherence(read_model(WEIGHTS), {term: row for row, term in enumerate(terms)}, codes.astype(np.float64))


def score(c: Context, model: Coherence) -> FloatArray:
    """(n_pairs,) probability that the two sentences of each pair go together, were one pair in two so."""
    odds = np.full(len(c.pairs), model.linear.intercept[0])
    for name, values in (pair_features(c) | kinships(c, model)).items():
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


def pair_features(c: Context) -> dict[str, FloatArray]:
    """Features of each pair apart from the kinships of its words: name -> (n_pairs,)."""
    cosine = c.tfidf_cosine
    features = {"tf-idf cosine": cosine, "tf-idf cosine, root": np.sqrt(cosine), "latent cosine": _cosine(c, c.latent)}
    return features | _shared(c) | _local(c) | _style(c)


def kinships(c: Context, model: Coherence) -> dict[str, FloatArray]:
    """(n_pairs,) cosines of the two sentences as sums of term vectors, by name as in `KINSHIPS`."""
    vectors = model.vectors_of(list(c.vocabulary))
    local, both = _local_rows(c)
    mixed = _unit(both @ vectors)
    apart = _off_the_mean(mixed)
    rows = (_unit(c.tfidf @ vectors), _unit(local @ vectors), mixed, _unit(apart), *_whitened(apart, RIDGES[:1]))
    return {name: _cosine(c, kind) for name, kind in zip(KINSHIPS, rows, strict=True)}


def _shared(c: Context) -> dict[str, FloatArray]:
    """Features of the index terms that both sentences hold, and of how many each holds.

    A word that many conclusions use is what debates are about, so every sentence of the debate may have it; a word
    that comes back within arguments, more sentences than arguments, ties just those sentences together.
    """
    present, both = c.held, c.shared
    quantities = _quantities(c)
    features = {f"shared {name}": np.asarray(both @ values) for name, values in quantities.items()}
    idf = quantities["idf"]
    weight = present @ idf
    features["shared idf, most"] = _largest(both, idf)
    for side, lift in (("first", c.of_first), ("second", c.of_second)):
        features[f"share of the {side}"] = features["shared idf"] / np.maximum(lift(weight), 1)
    length = np.log1p(np.asarray(present.sum(axis=1)).ravel())
    first, second = c.of_first(length), c.of_second(length)
    features |= {"first length": first, "second length": second, "lengths apart": abs(first - second)}
    features["lengths"] = first * second
    return features


def _local(c: Context) -> dict[str, FloatArray]:
    """Features of the pair among the candidates of its topic: a word that few hold ties two sentences together."""
    present, both = c.held, c.shared
    idf, df = _local_idf(c), np.asarray(present.sum(axis=0)).ravel()
    features = {
        "local: shared idf": np.asarray(both @ idf),
        "local: shared idf squared": np.asarray(both @ idf**2),
        "local: shared idf, both": np.asarray(both @ (idf * _idf(c))),
        "local: shared idf, most": _largest(both, idf),
    }
    for least, most in ((0, 3), (3, 10), (10, 30)):
        few = ((df > least) & (df <= most)).astype(np.float64)
        features[f"local: shared by {most} at most"] = np.asarray(both @ few)
    weight = present @ idf
    for side, lift in (("first", c.of_first), ("second", c.of_second)):
        features[f"local: share of the {side}"] = features["local: shared idf"] / np.maximum(lift(weight), 1)
    for name, weights, rows in zip(("local", "both"), (idf, idf * _idf(c)), _local_rows(c), strict=True):
        lengths = np.sqrt(present @ weights**2)
        both_lengths = c.of_first(lengths) * c.of_second(lengths)
        cosine = np.clip(both @ weights**2 / np.where(both_lengths > 0, both_lengths, 1), 0, 1)
        features |= {f"{name}: tf-idf cosine": cosine, f"{name}: tf-idf cosine, root": np.sqrt(cosine)}
        latent = c.latent_rows(rows)
        apart = _off_the_mean(latent)
        features |= {f"{name}: latent cosine": _cosine(c, latent), f"{name}: off the mean": _cosine(c, _unit(apart))}
        for ridge, white in zip(RIDGES, _whitened(apart, RIDGES), strict=True):
            features[f"{name}: whitened, {ridge}"] = _cosine(c, white)
    return features | _neighbours(c)


def _neighbours(c: Context) -> dict[str, FloatArray]:
    """How much the two sentences have to do with all the others, and with the same ones of them."""
    rows = _local_rows(c)[0]
    like = np.asarray((rows @ rows.T).todense(), np.float32)
    np.fill_diagonal(like, 0)
    # Set against the mean of all, so that it means the same however many candidates there are.
    total = like.sum(axis=1, dtype=np.float64)
    central = np.log1p(total / max(float(total.sum()) / max(len(total), 1), LEAST))
    size = np.sqrt((like * like).sum(axis=1))
    common = np.zeros(len(c.pairs))
    for start in range(0, len(common), 128):  # few at a time: they stay in the processor's cache
        part = slice(start, start + 128)
        common[part] = (like[c.pairs.first[part]] * like[c.pairs.second[part]]).sum(axis=1)
    first, second = c.of_first(central), c.of_second(central)
    return {
        "local: first, central": first,
        "local: second, central": second,
        "local: central": first * second,
        "local: common": common,
        "local: common, share": common / np.maximum(c.of_first(size) * c.of_second(size), LEAST),
    }


def _local_idf(c: Context) -> FloatArray:
    """(n_terms,) inverse document frequency among the candidates; zeros for a term that none holds."""
    df = np.bincount(c.sentence_counts.indices, minlength=len(c.vocabulary))
    return np.where(df > 0, np.log((len(c.sentences) + 1) / (df + 0.5)), 0)


@once
def _local_rows(c: Context) -> tuple[csr_matrix, csr_matrix]:
    """(n_sentences, n_terms) unit-length rows weighed by the local idf, and by both the local and the global one."""
    local, both = c.held.copy(), c.held.copy()
    local.data = _local_idf(c)[local.indices]
    both.data = local.data * _idf(c)[both.indices]
    return unit_rows(local), unit_rows(both)


def _unit(rows: FloatArray) -> FloatArray:
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(np.where(norms > LEAST, rows, 0) / np.where(norms > LEAST, norms, 1))


def _cosine(c: Context, rows: FloatArray) -> FloatArray:
    """(n_pairs,) products of the rows of the two sentences."""
    return np.vecdot(c.of_first(rows), c.of_second(rows))


def _off_the_mean(rows: FloatArray) -> FloatArray:
    """Unit-length rows less their mean, which is the subject of the topic; zeros stay zeros."""
    mean = rows.sum(axis=0) / max(len(rows), 1)
    apart = np.where(abs(rows).sum(axis=1, keepdims=True) > 0, rows - mean, 0)
    return np.where(np.linalg.norm(apart, axis=1, keepdims=True) > LEAST, apart, 0)


def _whitened(apart: FloatArray, ridges: Sequence[float]) -> list[FloatArray]:
    """For each ridge unit-length rows in a space where the candidates vary about equally in every direction."""
    covariance = apart.T @ apart / max(len(apart), 1)
    identity = np.eye(len(covariance))
    mean = np.trace(covariance) / len(covariance)
    roots = [np.linalg.cholesky(covariance + (ridge * mean + LEAST**2) * identity) for ridge in ridges]
    return [_unit(apart @ np.linalg.inv(root).T) for root in roots]


def _idf(c: Context) -> FloatArray:
    """(n_terms,) inverse document frequency in the collection; zeros for a term that no candidate holds."""
    return _quantities(c)["idf"]


@once
def _quantities(c: Context) -> dict[str, FloatArray]:
    """Weights of the terms of the vocabulary by name, (n_terms,) each; zeros for a term that no candidate holds."""
    idf, recurrence, debated = (np.zeros(len(c.vocabulary)) for _ in range(3))
    used = np.unique(c.sentence_counts.indices)
    rows = c.statistics.rows(c.hashes[used])
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
    largest, filled = np.zeros(both.shape[0]), np.diff(both.indptr) > 0
    if filled.any():
        largest[filled] = np.maximum.reduceat(values[both.indices], both.indptr[:-1][filled])
    return largest


def _style(c: Context) -> dict[str, FloatArray]:
    """Do both sentences speak in one manner: 1 when both or neither do, else 0."""
    features: dict[str, FloatArray] = {}
    for name in STYLE_MARKERS:
        marked: npt.NDArray[np.bool_] = np.asarray(c.text_values[name]) > 0
        features[f"both or neither: {name}"] = (c.of_first(marked) == c.of_second(marked)).astype(np.float64)
        features[f"both: {name}"] = (c.of_first(marked) & c.of_second(marked)).astype(np.float64)
    return features
