"""The study of simulated graders: they err, copy, are lazy, or know a part only."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from experiments.votes.graders import SLOW, Graders, Values, figures, usable_models
from ltr.data.ids import pair_key
from ltr.data.qrels import Qrels, read_pair_qrels
from ltr.progress import Progress
from ltr.supervision.judgments import fold_units
from ltr.supervision.label_models.base import combine
from models.base import TOP_GRADE

GRADED = Path(__file__).parents[2] / "ltr" / "supervision" / "graded" / "pairs-2021-relevance.qrels"


def flip(truth: Values, share: float, rng: np.random.Generator) -> Values:
    """Whole grades of 0 to `TOP_GRADE`, a share of them replaced by another."""
    levels = int(TOP_GRADE) + 1
    grades = np.rint(truth)
    other = (grades + rng.integers(1, levels, len(truth))) % levels
    return np.where(rng.random(len(truth)) < share, other, grades)


def some(votes: Values, share: float, rng: np.random.Generator) -> Values:
    """Votes on a share of the units, NaN on the others."""
    return np.where(rng.random(len(votes)) < share, votes, np.nan)


def crowd(truth: Values, rng: np.random.Generator) -> list[Values]:
    """Five graders who err in .1 to .4 of all units."""
    return [flip(truth, share, rng) for share in (0.1, 0.2, 0.3, 0.4, 0.4)]


def scenarios(truth: Values, rng: np.random.Generator) -> dict[str, list[Values]]:
    """Name -> votes of each grader."""
    five = crowd(truth, rng)
    ones = np.ones(len(truth))
    copies = [np.where(rng.random(len(truth)) < 0.02, flip(truth, 0.4, rng), five[-1]) for _ in range(4)]
    wrong = flip(truth, 0.5, rng)
    gang = [np.where(rng.random(len(truth)) < 0.2, flip(truth, 0.3, rng), wrong) for _ in range(4)]
    idle = np.where(rng.random(len(truth)) < 0.05, flip(truth, 0.3, rng), 1)
    kind = [np.where((rng.random(len(truth)) < 0.7) & (of < TOP_GRADE), of + 1, of) for of in five[1:3]]
    top_half = np.where(truth + rng.random(len(truth)) > 1, flip(truth, 0.2, rng), np.nan)
    return {
        "five graders, .1 to .4 wrong": five,
        "and 4 copies of the worst": five + copies,
        "and 3 copies of the best": five + [five[0]] * 3,
        "and a lazy one, and one nearly so": [
            *five,
            ones,
            idle,
        ],
        "and one who turns grades round": [*five, TOP_GRADE - flip(truth, 0.2, rng)],
        "two good, three at random": [flip(truth, share, rng) for share in (0.2, 0.3, 2 / 3, 2 / 3, 2 / 3)],
        "a good and a poor one": [flip(truth, 0.2, rng), flip(truth, 0.4, rng)],
        "two, and four who share errors": [flip(truth, 0.2, rng), flip(truth, 0.3, rng), *gang],
        "five, each on .3 of the units": [some(of, 0.3, rng) for of in five],
        "the same with two kind ones": [some(of, 0.3, rng) for of in [five[0], *kind, *five[3:]]],
        "the same with two lazy ones": [some(of, 0.3, rng) for of in [*five, ones, ones]],
        "five, one on the better half": [some(of, 0.3, rng) for of in five] + [top_half],
    }


def simulated_study(trusted: int, draws: int, progress: Progress) -> list[dict[str, Any]]:
    """A board of orders, and one of kappas: label models by scenario, without and with trusted grades."""
    grades: Qrels = fold_units(read_pair_qrels([("relevance", GRADED)])["relevance"])
    units = [(topic, pair_key(id_), grade) for topic, of in grades.items() for id_, grade in of.items()]
    topic = np.unique([topic for topic, _, _ in units], return_inverse=True)[1]
    truth = np.array([grade for _, _, grade in units])
    found: dict[str, dict[str, list[tuple[float, float]]]] = {}
    for draw in range(draws):
        rng = np.random.default_rng(draw)
        for scenario, votes in scenarios(truth, rng).items():
            known = rng.permutation(len(truth))[:trusted]
            graders = Graders([], topic, truth, np.column_stack(votes) / TOP_GRADE, TOP_GRADE)
            measured = np.asarray(np.isfinite(graders.votes).any(axis=1))
            measured[known] = False
            for name in usable_models():
                for rows in (known[:0], known):
                    if (len(rows) and name in SLOW) or (name == "ridge" and not len(rows)):
                        continue
                    vote = combine(graders.ballot(rows), name).vote
                    label = f"{name}, {len(rows)} trusted" if len(rows) else name
                    found.setdefault(label, {}).setdefault(scenario, []).append(figures(graders, vote, measured))
        progress.say(f"draw {draw + 1} of {draws}")
    boards = []
    for number, measure in enumerate(("share of pairs in order", "weighted kappa")):
        rows_of = [
            {"": scenario, **{name: _mean_error([run[number] for run in of[scenario]]) for name, of in found.items()}}
            for scenario in next(iter(found.values()))
        ]
        what = f"{len(truth)} graded pairs, simulated graders, {draws} draws: {measure}, mean and standard deviation"
        boards.append({"what": what, "rows": rows_of})
    return boards


def _mean_error(values: Sequence[float]) -> str:
    return f"{np.mean(values):.3f} ({np.std(values):.3f})"
