"""``python tests/support/simulated_people.py``: do the figures of a booklet find the reliability of simulated people?

A person's grade depends on the reader's alone, by a matrix of chances, so each figure has a known value. The table of
docs/booklet.md is what this prints.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from experiments.agreement.coefficients import Estimate, kappa
from experiments.booklet.selection import draw_pairs, read_levels
from experiments.booklet.study import Dimension, correction_tables
from experiments.pool.selection import PooledPair
from ltr.data.qrels import Qrels, read_pair_qrels
from models.base import DIMENSIONS

GRADED = Path(__file__).resolve().parents[2] / "ltr" / "supervision" / "graded"


class Person(NamedTuple):
    """``bias``: chance of one grade more (below 0: less); ``flip``: chance of any grade; ``lazy``: chance of a 1."""

    bias: float = 0.0
    flip: float = 0.1
    lazy: float = 0.0

    @property
    def chances(self) -> np.ndarray:
        """(3, 3): from the reader's grade (rows) to the person's."""
        moved = np.zeros((3, 3))
        for grade in range(3):
            moved[grade, grade] += 1 - abs(self.bias)
            moved[grade, np.clip(grade + np.sign(self.bias), 0, 2).astype(int)] += abs(self.bias)
        rest = 1 - self.flip - self.lazy
        return rest * moved + self.flip / 3 + self.lazy * (np.arange(3) == 1)


PEOPLE = {
    "two careful": [Person(), Person()],
    "two hasty": [Person(flip=0.5), Person(flip=0.5)],
    "three, strict": [Person(-0.3, 0.15), Person(-0.3, 0.25), Person(-0.4, 0.15)],
    "four, one kind": [Person(), Person(flip=0.2), Person(flip=0.3), Person(0.5, 0.1)],
    "five, one lazy": [Person(), Person(flip=0.2), Person(flip=0.2), Person(-0.2, 0.2), Person(flip=0.1, lazy=0.8)],
}


@cache
def reader() -> Mapping[str, Qrels]:
    """The grades of topics 51-100, halves rounded up so that chances are those of whole grades."""
    read = read_pair_qrels([(name, GRADED / f"pairs-2021-{name}.qrels") for name in DIMENSIONS])
    return {
        name: Qrels({topic: {id_: int(g + 0.5) for id_, g in of.items()} for topic, of in qrels.items()}, "pair")
        for name, qrels in read.items()
    }


def grades_by(
    people: Sequence[Person], key: Mapping[int, PooledPair], rng: np.random.Generator
) -> dict[str, dict[int, tuple[float, ...]]]:
    """What each of the people writes."""
    levels = read_levels(reader())
    return {
        f"p{number}": {
            pair: tuple(float(rng.choice(3, p=person.chances[grade])) for grade in levels[item.topic][item.pair])
            for pair, item in key.items()
        }
        for number, person in enumerate(people)
    }


class Trial(NamedTuple):
    """A figure that a booklet found, and its known value."""

    figure: str
    found: Estimate
    known: float

    @property
    def covered(self) -> bool:
        """Whether the interval has the known value."""
        return self.found.low is not None and self.found.low <= self.known <= self.found.high


def trials(people: Sequence[Person], seed: int, draws: int = 200) -> list[Trial]:
    """A booklet, graded, with the figures that `experiments.booklet` prints about relevance."""
    read, rng = reader(), np.random.default_rng(seed)
    key = dict(enumerate(draw_pairs(read_levels(read), 100, 4, seed), 1))
    dimension = Dimension("relevance", grades_by(people, key, rng), key, read)
    tables = {table.key: table.rows for table in dimension.tables(draws, seed)}
    rows = {row["graders"]: row["quadratic kappa"] for row in (*tables["agreement"], *tables["reader"])}
    shares = np.bincount(dimension.reader.astype(int), minlength=3)
    chances = [person.chances for person in people]
    found = [
        Trial("kappa with the reader", rows[f"p{n} / reader"], float(kappa(shares[:, None] * each, "quadratic")))
        for n, each in enumerate(chances)
    ]
    for one, first in enumerate(chances):
        for other, second in list(enumerate(chances))[one + 1 :]:
            joint = first.T @ (shares[:, None] * second)
            found.append(Trial("kappa of two people", rows[f"p{one} / p{other}"], float(kappa(joint, "quadratic"))))
    correction = dimension.correction(draws, seed)
    levels, (mean,) = (table.rows for table in correction_tables(dimension, correction))
    known = np.mean(chances, axis=0) @ np.arange(3)
    found += [
        Trial("mean of people where the reader gave 0, 1 or 2", row["people"], known[at])
        for at, row in enumerate(levels)
    ]
    of_all = [int(grade) for of in read["relevance"].values() for grade in of.values()]
    return [*found, Trial("mean of all grades, corrected", mean["corrected"], float(known[of_all].mean()))]


def main() -> None:
    """Print the table."""
    print("| people | figure | known | found (mean) | intervals with the known value |\n" + "|---" * 5 + "|")
    for name, people in PEOPLE.items():
        found = [trial for seed in range(100) for trial in trials(people, seed)]
        for figure in dict.fromkeys(trial.figure for trial in found):
            of = [trial for trial in found if trial.figure == figure]
            known, mean, covered = (
                np.mean(values)
                for values in ([t.known for t in of], [t.found.value for t in of], [t.covered for t in of])
            )
            print(f"| {name} | {figure} | {known:.2f} | {mean:.2f} | {covered:.0%} |")


if __name__ == "__main__":
    main()
