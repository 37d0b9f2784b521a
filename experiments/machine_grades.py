"""How many machine grades are worth one trusted grade: rows for the study of supervision, and their picture.

A simulated machine replaces a share of the study's grades, drawn at random, by another grade of the scale. Rankers
learn from its grades alone, as votes, for few or many topics, and from trusted grades for as many.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from experiments.figures import MEAN, MEASURES, Figures, mean_over, mean_with_interval, text_table
from experiments.study import FewGraded, Study
from ltr.data.ids import pair_key
from ltr.data.qrels import Qrels
from ltr.supervision.judgments import Judgments, fold_units
from ltr.supervision.votes import Votes
from models.base import TOP_GRADE, Scores

SIZES = (5, 10, 20, 40)
"""Numbers of topics that train."""

TOGETHER = 10
"""Topics with trusted grades in rows that have votes on all topics beside them."""

MEASURE = "correlation"
"""What machine and trusted grades are compared by: of all graded units, so less is left to luck than in nDCG@5."""

GRADED, ALL = "graded", "all"


def flipped(grades: Qrels, share: float, seed: int) -> Qrels:
    """Grades of which a ``share`` is replaced by another of the whole grades from 0 to `TOP_GRADE`, as [0, 1]."""
    rng = np.random.default_rng(seed)
    levels = np.arange(TOP_GRADE + 1)
    found: dict[str, dict[str, float]] = {}
    for topic, of in fold_units(grades).items():
        for unit, grade in of.items():
            others = levels[levels != np.rint(grade)]
            wrong = rng.random() < share
            found.setdefault(topic, {})[pair_key(unit)] = float(rng.choice(others) if wrong else grade) / TOP_GRADE
    return Qrels(found, grades.level)


def row_name(machine: float | None, size: int | str) -> str:
    """The row of grades by a machine, or of trusted ones (None), on ``size`` topics or `ALL`."""
    who = GRADED if machine is None else f"{machine:.0%} flipped"
    return who if size == ALL else f"{who}, {size} topics"


def machine_rows(study: Study, machines: Sequence[float]) -> dict[str, list[Judgments]]:
    """Row -> the judgments that train in each draw: few trusted grades, machine grades, and both."""
    rows: dict[str, list[Judgments]] = {}
    if not machines:
        return rows
    graded, topics = study.judgments.graded, study.matrix.topics
    most = min(len(topics) - len(fold) for split in study.splits for fold in split)
    for draw in range(len(study.splits)):
        order = tuple(topics[topic] for topic in np.random.default_rng(draw).permutation(len(topics)))
        votes = {
            share: [Votes("machine", name, flipped(qrels, share, draw), Qrels()) for name, qrels in graded.items()]
            for share in machines
        }
        for size in (size for size in SIZES if size < most):
            rows.setdefault(row_name(None, size), []).append(FewGraded(graded, {}, order, size))
            for share, given in votes.items():
                few = FewGraded({}, {}, order, size, few_votes=True, votes=given)
                rows.setdefault(row_name(share, size), []).append(few)
        for share, given in votes.items():
            rows.setdefault(row_name(share, ALL), []).append(Judgments(votes=given))
            both = FewGraded(graded, {}, order, TOGETHER, votes=given)
            rows.setdefault(f"{row_name(None, TOGETHER)} + {row_name(share, ALL)}", []).append(both)
    return rows


def worth(study: Study, scores: Mapping[str, Sequence[Scores]]) -> dict[str, Any]:
    """The curves of `MEASURE` over the number of training topics, as plain data, and what machine grades are worth."""
    figures = Figures(study.matrix, study.judgments.graded)
    dimension = MEAN if len(figures.dimensions) > 1 else figures.dimensions[0]
    column = MEASURES.index(MEASURE)
    every = float(np.mean([len(study.matrix.topics) - len(fold) for split in study.splits for fold in split]))
    curves: dict[str, list[dict[str, float]]] = {}
    for row, draws in scores.items():
        who, comma, size = row.partition(", ")
        if "+" in row or (not comma and who != GRADED and "flipped" not in who) or (comma and " topics" not in size):
            continue
        topics = float(size.split()[0]) if comma else every
        values = mean_over(figures.values(of, dimension) for of in draws)[:, column]
        curves.setdefault(who, []).append({"trained": topics, **mean_with_interval(values, MEASURE)})
    for points in curves.values():
        points.sort(key=lambda point: point["trained"])
    trusted = curves[GRADED]
    rows = [
        {"grades": who, "topics": point["trained"], "mean": point["mean"], "trusted": as_many(trusted, point["mean"])}
        for who, points in curves.items()
        if who != GRADED
        for point in points
    ]
    return {"measure": MEASURE, "dimension": dimension, "curves": curves, "rows": rows}


def as_many(trusted: Sequence[Mapping[str, float]], value: float) -> float | None:
    """The number of topics with trusted grades that reach ``value``, None where it lies outside the curve.

    Between points of the curve the logarithm of the number is interpolated.
    """
    topics = np.log([point["trained"] for point in trusted])
    means = np.maximum.accumulate([point["mean"] for point in trusted])
    if not means[0] <= value <= means[-1]:
        return None
    return float(np.exp(np.interp(value, means, topics)))


def worth_table(found: Mapping[str, Any]) -> str:
    """How many trusted grades do as well as machine grades, as text."""
    low, high = (found["curves"][GRADED][end] for end in (0, -1))
    rows = []
    for row in found["rows"]:
        fewer = row["mean"] < low["mean"]
        alike = row["trusted"]
        reached = f"{'fewer than' if fewer else 'more than'} {(low if fewer else high)['trained']:g}"
        ratio = "" if alike is None else f"{row['topics'] / alike:.1f}"
        rows.append(
            {
                "": row["grades"],
                "topics": f"{row['topics']:g}",
                found["measure"]: f"{row['mean']:.3f}",
                "as good as trusted grades of": reached if alike is None else f"{alike:.1f}",
                "machine grades for one": ratio,
            }
        )
    what = "the mean of the dimensions" if found["dimension"] == MEAN else found["dimension"]
    return f"machine grades and trusted grades, rank correlation of held-out topics, {what}\n{text_table(rows)}"


def picture(found: Mapping[str, Any]) -> str:
    """The curves as SVG, the same bytes for the same results. Raises ModuleNotFoundError without matplotlib."""
    import matplotlib  # noqa: PLC0415 optional: the study has everything but the picture without it
    from matplotlib.figure import Figure  # noqa: PLC0415 an extra

    with matplotlib.rc_context({"svg.hashsalt": "riposte", "svg.fonttype": "none"}):
        figure = Figure(figsize=(7, 4.2), layout="constrained")
        axes = figure.subplots()
        for who, points in found["curves"].items():
            topics, means = ([point[name] for point in points] for name in ("trained", "mean"))
            style: dict[str, Any] = {"color": "black", "linewidth": 2.0} if who == GRADED else {"linewidth": 1.4}
            axes.plot(
                topics, means, marker="o", label="trusted grades" if who == GRADED else f"machine, {who}", **style
            )
        axes.set_xscale("log")
        ticks = sorted({round(point["trained"]) for points in found["curves"].values() for point in points})
        axes.set_xticks(ticks, [str(tick) for tick in ticks], minor=False)
        axes.minorticks_off()
        axes.set_xlabel("topics with grades to learn from")
        axes.set_ylabel("rank correlation with trusted grades, held-out topics")
        axes.legend(frameon=False)
        out = io.StringIO()
        figure.savefig(out, format="svg", metadata={"Date": None})
    return out.getvalue()
