"""The study of real graders: each alone, and label models without and with trusted grades."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from experiments.votes.graders import SLOW, Graders, Rows, Values, figures, usable_models
from experiments.votes.tried import TRIED, least_squares, same_distribution
from ltr.progress import Progress
from ltr.supervision.label_models.base import LABEL_MODELS, calibrated, combine

BASE = "plain"
"""Label model that others are compared with."""


def draws_of(
    graders: Graders, trusted: int, draws: int, *, few_topics: bool
) -> Iterator[tuple[Rows, npt.NDArray[np.bool_]]]:
    """Units with trusted grades, and those that measure: the rest, or with ``few_topics`` those of the other topics.

    Trusted grades are as many from every topic, or from two topics of five.
    """
    topics = np.unique(graders.topic)
    number = max(round(0.4 * len(topics)), 1) if few_topics else len(topics)
    for draw in range(draws):
        rng = np.random.default_rng(draw)
        chosen = rng.permutation(topics)[:number]
        each = [rng.permutation(np.flatnonzero(graders.topic == topic))[: -(-trusted // number)] for topic in chosen]
        rows = np.concatenate(each)[:trusted]
        measured = np.ones(len(graders.truth), bool)
        measured[rows] = False
        yield rows, measured & ~np.isin(graders.topic, chosen) if few_topics else measured


def real_study(graders: Graders, trusted: int, draws: int, progress: Progress) -> list[dict[str, Any]]:
    """Boards of the graders themselves, and of label models without and with trusted grades."""
    every = np.ones(len(graders.truth), bool)
    nobody = graders.ballot(np.array([], np.int64))
    alone = [
        _row(name, *figures(graders, votes, every)) for name, votes in zip(graders.names, graders.votes.T, strict=True)
    ]
    votes = {name: combine(nobody, name).vote for name in usable_models() if name != "ridge"}
    rough = {name: way(nobody) for name, (needs, way) in TRIED.items() if not needs}
    rows = [_row(name, *figures(graders, vote, every)) for name, vote in votes.items()]
    rows += [_row(name, figures(graders, vote, every)[0]) for name, vote in rough.items()]
    base = per_topic(graders, votes[BASE])
    for row, vote in zip(rows, [*votes.values(), *rough.values()], strict=True):
        row[f"order - {BASE} [95%]"] = _bootstrap(per_topic(graders, vote) - base)
    boards = [
        {"what": f"{len(graders.truth)} units of {len(base)} topics: each grader alone", "rows": alone},
        {"what": "no trusted grade: intervals by bootstrap over topics", "rows": rows},
    ]
    slow = {name: vote for name, vote in votes.items() if name in SLOW}
    for few in (False, True):
        boards.append(trusted_board(graders, slow, list(draws_of(graders, trusted, draws, few_topics=few)), few))
        progress.say(f"{trusted} trusted grades, {'few' if few else 'all'} topics: {draws} draws")
    return boards


def per_topic(graders: Graders, vote: Values) -> Values:
    """(n_topics,) shares of pairs in order."""
    return np.array([figures(graders, vote, graders.topic == topic)[0] for topic in np.unique(graders.topic)])


def trusted_board(
    graders: Graders,
    slow: Mapping[str, Values],
    draws: Sequence[tuple[Rows, npt.NDArray[np.bool_]]],
    few: bool,
) -> dict[str, Any]:
    """Label models with trusted grades: figures on other units, and of all labels, trusted grades in their place."""
    found: dict[str, list[list[float]]] = {}
    every = np.ones(len(graders.truth), bool)
    for rows, measured in draws:
        ballot = graders.ballot(rows)
        votes = {name: combine(ballot, name).vote for name in usable_models() if name not in slow}
        votes |= {name: calibrated(vote, ballot.trusted) for name, vote in slow.items()}
        votes |= {name: calibrated(way(ballot), ballot.trusted) for name, (_, way) in TRIED.items()}
        mean = LABEL_MODELS["mean"].combine(ballot).vote
        votes["mean, least squares"] = least_squares(mean, ballot.trusted)
        votes["mean, same distribution"] = same_distribution(mean, ballot.trusted)
        for name, vote in votes.items():
            labels = np.where(np.isnan(ballot.trusted), vote, ballot.trusted)
            numbers = [*figures(graders, vote, measured), *figures(graders, labels, every)]
            found.setdefault(name, []).append(numbers)
    base = np.array(found[BASE])
    table = []
    for name, runs in found.items():
        values = np.array(runs)
        row = {"": name, "order": _spread(values[:, 0]), f"order - {BASE}": _spread(values[:, 0] - base[:, 0], "+")}
        row |= {"kappa": _spread(values[:, 1]), "order, all labels": _spread(values[:, 2])}
        table.append(row | {"kappa, all labels": _spread(values[:, 3])})
    number = len(draws[0][0])
    where = "two topics of five, measured on the others" if few else "all topics, measured on the other units"
    what = f"{number} trusted grades of {where}; {len(draws)} draws, in brackets 95% of them"
    return {"what": what, "rows": table}


def _row(name: str, order: float, kappa: float | None = None) -> dict[str, str]:
    return {"": name, "order": f"{order:.4f}", "kappa": "" if kappa is None else f"{kappa:.3f}"}


def _spread(values: Values, sign: str = "") -> str:
    low, high = np.quantile(values, [0.025, 0.975])
    return f"{values.mean():{sign}.4f} [{low:{sign}.3f}, {high:{sign}.3f}]"


def _bootstrap(differences: Values, times: int = 2000) -> str:
    rng = np.random.default_rng(0)
    means = differences[rng.integers(0, len(differences), (times, len(differences)))].mean(axis=1)
    low, high = np.quantile(means, [0.025, 0.975])
    return f"{differences.mean():+.4f} [{low:+.4f}, {high:+.4f}]"
