"""Argument judgments to weak pair labels (distant supervision).

The labelling functions of `ltr.labelling` vote; where there are several, a label model (`ltr.label_model`) learns
how far each can be believed and makes one label of their votes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ltr.errors import InputError
from ltr.formats import Qrels
from ltr.label_model import LabelModel, learn_label_model
from ltr.labelling import Evidence, LabellingFunction, Values, labelling_functions
from ltr.matrix import Matrix

DEFAULT: Mapping[str, tuple[str, ...]] = {
    "relevance": ("minimum_grade", "twin_grade", "representative", "argues", "well_written", "contradicts"),
    "quality": ("minimum_grade", "twin_grade", "representative", "argues", "well_written", "contradicts"),
}
"""Functions by dimension, chosen by cross-validation; see the README."""

UNJUDGED: Mapping[str, float] = {"relevance": 0.1, "quality": 0.06}
"""What all unjudged pairs of a topic weigh as negatives, as a share of its judged ones.

Judges saw what earlier systems found, so judged arguments alone cannot teach what is off the topic; but many
an unjudged argument is a good one that no system happened to find."""


@dataclass(frozen=True)
class Explained:
    """What a labelling function did."""

    name: str
    coverage: float
    """Share of the judged topics' pairs that it votes on."""
    overlap: float
    """Share of its votes on pairs where another votes too."""
    conflict: float
    """Share of its votes that stand against the vote of another on the same pair."""
    accuracy: float
    """Learned, without labels of pairs."""
    voices: float
    """How many speak when it votes: more than 1 where others err with it."""


@dataclass(frozen=True)
class WeakLabels:
    """Labels for training, with an account of the judgments and of the functions."""

    label: Values
    """(n_rows,) NaN where no anchor voted and the pair is no negative either."""
    weight: Values
    """(n_rows,)"""
    account: dict[str, int]
    """What became of the judgments."""
    explained: list[Explained]

    @property
    def used(self) -> npt.NDArray[np.bool_]:
        """(n_rows,) rows that train."""
        return ~np.isnan(self.label)


def weak_labels(
    matrix: Matrix,
    qrels: Qrels,
    known: frozenset[str],
    names: Sequence[str],
    dimension: str = "relevance",
    *,
    unjudged: float = 0.0,
) -> WeakLabels:
    """Label pairs by the label model over the functions ``names``; a function alone is taken at its word.

    ``unjudged`` is the weight of the unjudged pairs of a topic together, as negatives, relative to that of
    its judged ones; each counts the more, the less the teachers think of it (see `UNJUDGED`).

    ``known`` holds the judged arguments that the corpus has: the others are counted, never negatives.
    Topics in which no judged pair was found train nothing, and are counted too.
    """
    functions = check_functions(names)
    evidence = Evidence(matrix, qrels, dimension)
    judged = ~np.isnan(evidence.grades[0]) & ~np.isnan(evidence.grades[1])
    per_topic = np.bincount(matrix.topic_of_row, judged, minlength=len(matrix.topics))
    heard = per_topic[matrix.topic_of_row] > 0 if len(matrix) else np.zeros(0, bool)
    votes = (
        np.column_stack([function.vote(evidence) for function in functions])
        if len(matrix)
        else np.zeros((0, len(functions)))
    )
    votes[~heard] = np.nan
    anchored = ~np.isnan(votes[:, [function.anchor for function in functions]]).all(axis=1)
    model = _learn(votes[heard], evidence.share[heard] if len(matrix) else np.zeros(0), functions)
    if len(functions) == 1:
        label, support = votes[:, 0], np.ones(len(matrix))
    else:
        label, support = model.label(votes), model.support(votes)
    weight = evidence.share * support
    label = np.where(anchored, label, np.nan)
    negative = np.zeros(len(matrix), bool)
    if unjudged > 0 and len(matrix):
        negative = heard & ~anchored & np.isnan(evidence.grades[0]) & np.isnan(evidence.grades[1])
        doubt = np.where(negative, evidence.share * (1 - evidence.teachers.mean(axis=0)) ** 2, 0.0)
        topic = matrix.topic_of_row
        judged_mass, mass = (np.bincount(topic, w, len(matrix.topics)) for w in (weight * anchored, doubt))
        scale = np.divide(unjudged * judged_mass, mass, out=np.zeros_like(mass), where=mass > 0)
        negative &= (doubt > 0) & (scale[topic] > 0)
        label, weight = np.where(negative, 0.0, label), np.where(negative, doubt * scale[topic], weight)
    account = _account(evidence, known, per_topic, np.asarray(anchored), negative)
    return WeakLabels(label, weight, account, _explain(votes[heard], functions, model))


def check_functions(names: Sequence[str]) -> list[LabellingFunction]:
    """The functions of these names, one at least an anchor. Raises InputError otherwise."""
    known = labelling_functions()
    for name in names:
        if name not in known:
            raise InputError("--labels", f"no labelling function {name!r}", f"known: {', '.join(known)}")
    if not any(known[name].anchor for name in names):
        anchors = ", ".join(name for name, function in known.items() if function.anchor)
        raise InputError("--labels", "none of these functions looks at the judgments", f"add one of: {anchors}")
    return [known[name] for name in names]


def _learn(votes: Values, share: Values, functions: Sequence[LabellingFunction]) -> LabelModel:
    """The label model of the rows on which some anchor votes: the others could only agree with each other."""
    anchors = np.array([function.anchor for function in functions])
    judged = ~np.isnan(votes[:, anchors]).all(axis=1)
    expected = np.array([function.expected for function in functions])
    return learn_label_model(votes[judged], share[judged], expected, anchors=anchors)


def _explain(votes: Values, functions: Sequence[LabellingFunction], model: LabelModel) -> list[Explained]:
    voted = ~np.isnan(votes)
    side = np.where(voted, np.sign(votes - 0.5), 0)
    rows = []
    for place, function in enumerate(functions):
        mine = voted[:, place]
        number = max(int(mine.sum()), 1)
        others = np.delete(voted, place, axis=1)[mine]
        against = (np.delete(side, place, axis=1)[mine] * side[mine, place][:, None] < 0) & others
        rows.append(
            Explained(
                function.name,
                float(mine.mean()) if len(mine) else 0.0,
                float(others.any(axis=1).sum() / number),
                float(against.any(axis=1).sum() / number),
                float(model.accuracy[place]),
                float(model.voices[place]),
            )
        )
    return rows


def _account(
    evidence: Evidence,
    known: frozenset[str],
    per_topic: npt.NDArray[Any],
    used: npt.NDArray[Any],
    negative: npt.NDArray[Any],
) -> dict[str, int]:
    matrix, qrels = evidence.matrix, evidence.qrels
    reached = {
        (matrix.topics[t], a) for ids in evidence.arguments for t, a in zip(matrix.topic_of_row, ids, strict=True)
    }
    pairs = [(topic, argument) for topic, grades in qrels.items() for argument in grades]
    here = [pair for pair in pairs if pair[1] in known]
    found = [pair for pair in here if pair in reached]
    return {
        "judgments": len(pairs),
        "absent from the corpus": len(pairs) - len(here),
        "in the corpus but not among the candidates": len(here) - len(found),
        "used": len(found),
        "topics": len(matrix.topics),
        "topics without a judged candidate": int((per_topic == 0).sum()),
        "pairs labelled": int(used.sum()),
        "unjudged pairs as light negatives": int(negative.sum()),
        "pairs left out": int((~used & ~negative).sum()),
    }
