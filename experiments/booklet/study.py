"""Agreement of people with each other and with the reader, and the reader's grades as people would correct them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from experiments.agreement.coefficients import Draws, draw_topics, estimate
from experiments.agreement.grades import FloatArray, GradeTable, Scale, make_table
from experiments.agreement.study import INTERVAL, Couple, Row, Settings, Table, agreement
from experiments.booklet.selection import Levels, design_weights, read_levels
from experiments.pool.grades import Grades
from experiments.pool.selection import PooledPair
from ltr.data.ids import pair_key
from ltr.data.qrels import Qrels, fold_grades
from ltr.data.runs import RunRow
from ltr.errors import InputError
from ltr.evaluation.evaluator import check_match
from ltr.evaluation.measures import judged_share, lab_ndcg
from ltr.evaluation.rankings import rankings
from models.base import DIMENSIONS

Sheet = Mapping[int, Grades]
"""One person's grades by number."""
LEVELS = np.arange(3.0)
READER, MEAN = "reader", "mean of people"
RESERVED = (READER, MEAN, "corrected")
"""Names of tables and files that no person may have."""


@dataclass(frozen=True)
class Correction:
    """What people give where the reader gives 0, 1 and 2.

    ``levels``: (n_draws, 3) people's mean grade; a grade of the reader between two levels becomes one between theirs.
    """

    levels: FloatArray
    units: FloatArray  # (3,) pairs of the booklet with that grade; a fraction counts for both of its neighbours

    def qrels(self, graded: Qrels, draw: int = 0) -> Qrels:
        """The reader's grades, corrected."""
        distinct = sorted({grade for of in graded.values() for grade in of.values()})
        corrected = dict(zip(distinct, (near_levels(np.array(distinct)) @ self.levels[draw]).tolist(), strict=True))
        return Qrels({topic: {id_: corrected[grade] for id_, grade in of.items()} for topic, of in graded.items()},
                     graded.level)  # fmt: skip


class Dimension:
    """People's grades of the booklet in one dimension, beside the reader's.

    Raises InputError where fewer than two people graded it.
    """

    def __init__(
        self,
        name: str,
        sheets: Mapping[str, Mapping[int, Grades]],
        key: Mapping[int, PooledPair],
        graded: Mapping[str, Qrels],
    ):
        self.place, self.read = DIMENSIONS.index(name), fold_grades(graded[name], pair_key)
        self.people = {person: person_qrels(sheet, key, self.place) for person, sheet in sheets.items()}
        given = {person: qrels for person, qrels in self.people.items() if qrels}
        if len(given) < 2:
            raise InputError("--grades", f"fewer than two people graded {name}", "name the grades of two or more")
        self.table = make_table(given, Scale())
        self.reader = np.array([self.read[topic][pair_key(pair)] for topic, pair in self.table.units])
        self.missing = len(sheets) * len(key) - int(np.count_nonzero(~np.isnan(self.table.values)))
        weights = design_weights(by_topic := read_levels(graded))
        levels: dict[tuple[str, str], Levels] = {}
        for topic, pairs in by_topic.items():
            levels |= {(topic, pair_key(pair)): grades for pair, grades in pairs.items()}
        self.weights = np.array([weights[levels[topic, pair_key(pair)]] for topic, pair in self.table.units])

    def tables(self, draws: int, seed: int) -> list[Table]:
        """Agreement of people, then of each with the reader and, of three or more, with the mean of the others."""
        settings = Settings(draws, seed, all_pairs=True)
        values, names = self.table.values, self.table.graders
        several = len(names) > 2
        means = [mean_grade(np.delete(values, row, axis=0)) for row in range(len(names))]
        others = [f"mean without {name}" for name in names]
        columns = np.vstack([values, *means, mean_grade(values), self.reader])
        wide = GradeTable((*names, *others, MEAN, READER), self.table.units, columns, self.table.level)
        last = len(columns) - 1
        couples = [(row, len(names) + row) for row in range(len(names)) if several]
        couples += [(row, last) for row in (*range(len(names)), last - 1)]
        rows = [row for couple in couples for row in Couple(wide, *couple, settings).rows(match=False)]
        return [*agreement(self.table, settings, {}), Table("reader", f"people and the reader {INTERVAL}", rows)]

    def correction(self, draws: int, seed: int) -> Correction:
        """Learned on the booklet; each draw takes topics and people at random.

        Pairs are weighted by `design_weights`, so that means are those of all graded pairs. Of n people a draw takes
        n - 1 with replacement: draws of n would make the interval too narrow (Rao & Wu 1988). Where a draw has no pair
        of a level its mean is that of all, and where the booklet has none the level stays.
        """
        values, topics = self.table.values, self.table.topic_numbers
        near = near_levels(self.reader)
        known = ~np.isnan(values)
        weight = known[:, :, None] * (near * self.weights[:, None])
        sums = np.zeros((2, len(self.table.topics), len(values), len(LEVELS)))  # of weighted grades, and of weights
        np.add.at(sums[0], topics, (np.nan_to_num(values)[:, :, None] * weight).swapaxes(0, 1))
        np.add.at(sums[1], topics, weight.swapaxes(0, 1))
        number = len(values)
        drawn = draw_topics(sums.shape[1], draws, seed)
        chosen = np.random.default_rng(seed).multinomial(number - 1, np.full(number, 1 / number), size=len(drawn))
        chosen[0] = 1
        total, weights = np.einsum("dt,dg,stgl->sdl", drawn, chosen, sums, optimize=True)
        levels = np.divide(total, weights, out=np.full_like(total, np.nan), where=weights > 0)
        levels[0] = np.where(np.isnan(levels[0]), LEVELS, levels[0])
        return Correction(np.where(np.isnan(levels), levels[0], levels), known.any(axis=0).astype(np.float64) @ near)


def check_key(path: Path, key: Mapping[int, PooledPair], graded: Mapping[str, Qrels]) -> None:
    """Raise InputError unless every pair of the key has a grade of the reader in each dimension."""
    known = {(topic, pair_key(pair)) for topic, pairs in read_levels(graded).items() for pair in pairs}
    for number, item in key.items():
        if (item.topic, pair_key(item.pair)) not in known:
            what = f"pair {number} has no grade of the reader in each dimension"
            raise InputError(path, what, "name the --pair-qrels that the booklet was drawn from")


def person_qrels(sheet: Sheet, key: Mapping[int, PooledPair], place: int) -> Qrels:
    """One person's grades in the dimension at ``place`` as qrels."""
    qrels = Qrels(level="pair")
    for number, grades in sheet.items():
        if not np.isnan(grades[place]):
            qrels.setdefault(key[number].topic, {})[key[number].pair] = float(grades[place])
    return qrels


def mean_grade(values: FloatArray) -> FloatArray:
    """Mean of the graders (n_graders, n_units), NaN where no one graded."""
    known = ~np.isnan(values)
    return np.divide(np.nansum(values, axis=0), count := known.sum(axis=0), out=np.full(values.shape[1], np.nan),
                     where=count > 0)  # fmt: skip


def near_levels(grades: FloatArray) -> FloatArray:
    """(n_grades, 3) how near each grade is to 0, 1 and 2; rows sum to 1.

    >>> near_levels(np.array([0.0, 1.5])).tolist()
    [[1.0, 0.0, 0.0], [0.0, 0.5, 0.5]]
    """
    return np.clip(1 - np.abs(grades[:, None] - LEVELS), 0, 1)


def correction_tables(dimension: Dimension, correction: Correction) -> list[Table]:
    """People's mean at each grade of the reader, and the mean of all read grades before and after correction."""
    grades = np.array([grade for of in dimension.read.values() for grade in of.values()])
    near = near_levels(grades)
    rows: list[Row] = [
        {"reader": f"{level:g}", "pairs in the booklet": f"{units:g}", "people": estimate(found)}
        for level, units, found in zip(LEVELS, correction.units, correction.levels.T, strict=True)
    ]
    mean = correction.levels @ near.mean(axis=0)
    both: Row = {"grades": f"{len(grades):,} pairs", "as read": float(grades.mean()), "corrected": estimate(mean)}
    interval = "[95% interval over topics and people]"
    return [
        Table("levels", f"mean grade of people by the reader's grade {interval}", rows),
        Table("mean", f"mean of all read grades {interval}", [both]),
    ]


def run_table(runs: Mapping[str, Sequence[RunRow]], dimension: Dimension, correction: Correction, seed: int) -> Table:
    """nDCG@5 of runs by read and by corrected grades. The intervals of the first are over topics.

    Those of the second draw the topics of the runs, too. Raises InputError for a run of other topics.
    """
    read = dimension.read
    drawn: Draws = draw_topics(len(read), len(correction.levels) - 1, seed)
    means: dict[str, list[float]] = {run: [] for run in runs}
    ranked = {}
    for run, lines in runs.items():
        check_match(run, lines, {"qrels": read})
        by_score = rankings(lines)
        ranked[run] = {topic: list(dict.fromkeys(map(pair_key, by_score.get(topic, ()))))[:5] for topic in read}
    for row, weights in enumerate(drawn):
        corrected = correction.qrels(read, row)
        for run, top in ranked.items():
            by_topic = [lab_ndcg(top[topic], grades) for topic, grades in corrected.items()]
            means[run].append(float(np.average(by_topic, weights=weights)))
    rows: list[Row] = []
    for run, top in ranked.items():
        values, judged = (np.array([of(top[t], read[t]) for t in read]) for of in (lab_ndcg, judged_share))
        as_read = estimate(drawn @ values / drawn.sum(axis=1))
        rows.append({"run": run, "judged@5": float(judged.mean()), "nDCG@5 as read": as_read}
                    | {"nDCG@5 corrected": estimate(np.array(means[run]))})  # fmt: skip
    return Table("runs", f"runs over {len(read)} topics [95% interval; of corrected grades over people, too]", rows)
