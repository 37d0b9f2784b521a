"""``python tests/support/grades_needed.py``: how many grades does each way to choose units need for the same nDCG?

All grades are taken to be unknown. The same few are drawn at random, then each strategy chooses more. ``--purpose
learn``: a ranker that is trained on what was chosen ranks the graded units of held-out topics. ``--purpose measure``:
the baselines' nDCG@5 by the chosen grades alone is compared with that by all grades.
"""

from __future__ import annotations

from argparse import ArgumentTypeError
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from experiments.figures import INTERVAL, difference, interval_text, text_table
from experiments.study import Study, baseline_scores, finish, set_up
from experiments.study_options import add_data_options, study_settings
from ltr.cli.options import Parser, add_file, add_number
from ltr.cli.process import run_command
from ltr.errors import InputError
from ltr.evaluation.measures import lab_ndcg
from ltr.evaluation.significance import mean_ci
from ltr.progress import Progress
from ltr.supervision.labels import graded_labels
from ltr.training.examples import Examples
from ltr.training.held_out import UnitEvaluator
from ltr.training.splits import copies_of_graded
from models.base import DIMENSIONS, Scores, TrainingSet, make_parameters
from models.learned import fit_selected

FloatArray = NDArray[np.float64]
STRATEGIES: Mapping[str, Callable[[FloatArray], FloatArray]] = {
    "disagreement": lambda discounts: discounts.std(axis=0),
    "top": lambda discounts: discounts.mean(axis=0),
}
"""Name -> priority of units, (n_units,), from 1 / log2(1 + rank) by several rankers, (n_rankers, n_units)."""
RANDOM, UNSURE = "random", "spread of models' grades"
SIZES = (50, 100, 200, 400, 800)
COMMITTEE = 5
"""Models whose ranks say where the model is sure; each learns from a bootstrap sample of the grades."""
BOOTSTRAP = 1000

Rows = NDArray[np.int64]


def sizes(text: str) -> tuple[int, ...]:
    """An argparse ``type``: at least two rising numbers of grades, joined by commas."""
    parts = text.split(",")
    found = tuple(int(part) for part in parts if part.isascii() and part.isdigit() and len(part) < 8)
    if len(found) < max(len(parts), 2) or found[0] < 10 or list(found) != sorted(set(found)):
        raise ArgumentTypeError(f"{text[:40]!r} is not rising numbers from 10, as in 50,100,200")
    return found


def parser() -> Parser:
    """The command's options."""
    p = Parser(prog="python tests/support/grades_needed.py", description="Grades needed, by the way to choose units.")
    text = f"numbers of grades; the first are drawn at random (default: {','.join(map(str, SIZES))})"
    p.add_argument("--sizes", type=sizes, default=SIZES, metavar="N,N,...", help=text)
    p.add_argument("--dimension", choices=DIMENSIONS, default="relevance", help="what is learned (default: relevance)")
    p.add_argument(
        "--purpose", choices=("learn", "measure"), default="learn", help="what grades are for (default: learn)"
    )
    add_number(p, "--trees", "trees of a ranker", 100, 1, 5000)
    add_number(p, "--seeds", "draws of folds and of first units", 5, 1, 50)
    add_data_options(p)
    add_file(p, "--json", "write the figures there too")
    return p


def main(argv: list[str] | None = None) -> int:
    """Run the study. Raises InputError for anything that the user can correct."""
    options = parser().parse_args(argv)
    progress = Progress(quiet=options.quiet)
    study = set_up(study_settings(vars(options)), progress, options.json)
    if options.dimension not in study.judgments.graded:
        raise InputError("--dimension", f"no file has grades of {options.dimension}", "name one, or another dimension")
    simulation = Simulation.of(study, options.dimension, options.trees)
    learn = options.purpose == "learn"
    ways = [way for way in simulation.ways if learn or way == RANDOM or way.endswith(" of baselines")]
    values = {name: np.zeros((study.settings.seeds, len(options.sizes), simulation.topics)) for name in ways}
    known = simulation.examples.matrix.topics
    for draw, split in enumerate(study.splits):
        named = [[study.matrix.topics[topic] for topic in fold] for fold in split]
        folds = [[known.index(topic) for topic in fold if topic in known] for fold in named]
        with progress.stage("choose, train and rank"):
            for name, of_draws in values.items():
                if learn:
                    of_draws[draw] = simulation.held_out_values(name, options.sizes, draw, folds)
                else:
                    of_draws[draw] = simulation.nearness(name, options.sizes, draw)
        progress.say(f"draw {draw + 1} of {len(study.splits)}")
    about = {"purpose": options.purpose, "dimension": options.dimension, "draws": len(study.splits)}
    results = summarise(values, options.sizes) | about
    return finish(results, table(results), options.json, progress if options.timings else None)


@dataclass(frozen=True)
class Simulation:
    """Graded units that are chosen from, and how a ranker is trained on the chosen ones."""

    examples: Examples
    """Of graded units alone."""
    grades: Scores
    """(n_rows,)"""
    baselines: FloatArray
    """(n_baselines, n_rows) scores"""
    evaluator: UnitEvaluator
    trees: int

    @classmethod
    def of(cls, study: Study, dimension: str, trees: int) -> Simulation:
        """The units of a study that are graded in a dimension."""
        qrels = study.judgments.graded[dimension]
        grades = graded_labels(study.matrix, qrels)
        known = ~np.isnan(grades)
        matrix = study.matrix.only(known)
        examples = Examples(matrix, study.judgments, study.examples.inputs, study.examples.values[known], (dimension,))
        plain = [scores[known] for name, scores in baseline_scores(study.matrix).items() if name != RANDOM]
        return cls(examples, grades[known], np.array(plain), UnitEvaluator(matrix, qrels), trees)

    @property
    def topics(self) -> int:
        """Number of topics with a unit of a grade above 0."""
        return self.evaluator.topics

    @property
    def ways(self) -> list[str]:
        """Names of the ways to choose: at random, by the baselines' ranks, by those of models of the grades so far."""
        of_ranks = [f"{name} of {rankers}" for rankers in ("baselines", "models") for name in STRATEGIES]
        return [RANDOM, *of_ranks, UNSURE]

    def held_out_values(
        self, way: str, numbers: Sequence[int], draw: int, split: Sequence[Sequence[int]]
    ) -> FloatArray:
        """(n_numbers, n_topics) nDCG@5 of held-out topics after so many grades. Raises InputError for too few units."""
        scores = np.zeros((len(numbers), len(self.grades)))
        matrix, judgments = self.examples.matrix, self.examples.judgments
        for fold, topics in enumerate(split):
            held = np.isin(matrix.topic_of_row, topics)
            pool = np.flatnonzero(~held & ~copies_of_graded(matrix, judgments, topics))
            if len(pool) < numbers[-1]:
                what = f"{len(pool)} graded units are not held out, fewer than {numbers[-1]}"
                raise InputError("--sizes", what, "name smaller numbers")
            rng = np.random.default_rng((draw, fold))
            for step, chosen in enumerate(self.chosen(way, numbers, pool, rng)):
                scores[step][held] = self.expected(chosen, draw, np.flatnonzero(held))
        return np.array([self.evaluator.values(of_step)[:, 0] for of_step in scores])

    def nearness(self, way: str, numbers: Sequence[int], draw: int) -> FloatArray:
        """(n_numbers, n_topics) 1 - |error| of the baselines' nDCG@5 by so many grades, mean of the baselines."""
        matrix, pool = self.examples.matrix, np.arange(len(self.grades))
        orders = [-self.discounts(scores, pool) for scores in self.baselines]

        def figures(known: NDArray[np.bool_]) -> FloatArray:
            found = []
            for _, rows in matrix:
                if self.grades[rows].max() > 0:
                    ids = matrix.ids[rows]
                    grades = dict(zip(ids[known[rows]], self.grades[rows][known[rows]], strict=True))
                    found.append([lab_ndcg(list(ids[np.argsort(order[rows])]), grades) for order in orders])
            return np.array(found)

        everything = figures(np.ones(len(pool), bool))
        chosen = self.chosen(way, numbers, pool, np.random.default_rng(draw))
        return np.array([1 - np.abs(figures(np.isin(pool, rows)) - everything).mean(axis=1) for rows in chosen])

    def chosen(self, way: str, numbers: Sequence[int], pool: Rows, rng: np.random.Generator) -> Iterator[Rows]:
        """The rows with grades at each number of them; the first are the same for each way."""
        order = rng.permutation(pool)
        yield (rows := order[: numbers[0]])
        strategy, _, rankers = way.partition(" of ")
        for number in numbers[1:]:
            left = order[~np.isin(order, rows)]
            if way != RANDOM:
                rankings = self.baselines if rankers == "baselines" else self.committee(rows, pool, rng)
                if way == UNSURE:
                    priority = rankings.std(axis=0)
                else:
                    priority = STRATEGIES[strategy](np.array([self.discounts(scores, pool) for scores in rankings]))
                left = left[np.argsort(-priority[left], kind="stable")]
            yield (rows := np.concatenate([rows, left[: number - len(rows)]]))

    def committee(self, rows: Rows, pool: Rows, rng: np.random.Generator) -> FloatArray:
        """(COMMITTEE, n_rows) grades that models of bootstrap samples of the graded ``rows`` expect in the pool."""
        expected = np.zeros((COMMITTEE, len(self.grades)))
        for member in expected:
            member[pool] = self.expected(rng.choice(rows, len(rows)), int(rng.integers(1 << 30)), pool)
        return expected

    def discounts(self, scores: Scores, pool: Rows) -> FloatArray:
        """(n_rows,) discounts of the ranks among the pool's rows of a topic, 0 outside the pool."""
        found = np.zeros(len(scores))
        topics = pd.Series(scores[pool]).groupby(self.examples.matrix.topic_of_row[pool])
        found[pool] = 1 / np.log2(1 + topics.rank(method="first", ascending=False).to_numpy())
        return found

    def expected(self, rows: Rows, seed: int, others: Rows) -> Scores:
        """(n_others,) expected grades of other rows, learned from the grades of some rows, which may repeat."""
        rows = np.sort(rows)
        groups = np.bincount(self.examples.matrix.topic_of_row[rows])
        data = TrainingSet(self.examples.values[rows], self.grades[rows], np.ones(len(rows)), groups[groups > 0])
        given = {"trees": self.trees, "columns": 0, "seed": seed, "rows_a_leaf": max(min(30, len(rows) // 10), 3)}
        return fit_selected(data, self.examples.inputs, make_parameters("regression", given)).score_values(
            self.examples.values[others]
        )


def summarise(values: Mapping[str, FloatArray], numbers: Sequence[int]) -> dict[str, Any]:
    """Figures of (n_draws, n_numbers, n_topics) values by way to choose, as plain data.

    ``needed`` is the number of grades for the nDCG of half of the largest number at random, with a bootstrap interval
    over topics.
    """
    curves = {name: of_draws.mean(axis=0) for name, of_draws in values.items()}
    target = len(numbers) - 2
    topics = next(iter(curves.values())).shape[1]
    drawn = np.random.default_rng(0).integers(topics, size=(BOOTSTRAP, topics))
    rows = []
    for name, curve in curves.items():
        points = []
        for at, number in enumerate(numbers):
            test = difference(curve[at], curves[RANDOM][at])
            gain = {"mean": test.mean, "low": test.low, "high": test.high}
            mean = mean_ci(curve[at])
            points.append({"grades": number, **{part: getattr(mean, part) for part in INTERVAL}, "gain": gain})
        needed = needed_grades(curve.mean(axis=1), curves[RANDOM][target].mean(), numbers)
        samples = [
            needed_grades(curve[:, some].mean(axis=1), curves[RANDOM][target, some].mean(), numbers) for some in drawn
        ]
        low, high = np.quantile(samples, (0.025, 0.975)).tolist()
        rows.append({"name": name, "points": points, "needed": {"mean": needed, "low": low, "high": high}})
    return {"grades": list(numbers), "target": numbers[target], "topics": topics, "ways": rows}


def needed_grades(curve: FloatArray, target: float, numbers: Sequence[int]) -> float:
    """The number of grades at which a curve first reaches the target, on straight lines over the logarithm.

    The largest number where it never does, the smallest where it begins above.

    >>> needed_grades(np.array([0.5, 0.6, 0.8]), 0.7, [50, 100, 400])
    200.0
    """
    if curve[0] >= target:
        return float(numbers[0])
    for at in range(1, len(curve)):
        if curve[at] >= target:
            share = (target - curve[at - 1]) / (curve[at] - curve[at - 1])
            return round(float(numbers[at - 1] * (numbers[at] / numbers[at - 1]) ** share), 6)
    return float(numbers[-1])


def table(results: Mapping[str, Any]) -> str:
    """The figures in words and columns."""
    target, gains = results["target"], []
    for way in results["ways"]:
        cells = {f"{point['grades']}": interval_text(point["gain"], "+") for point in way["points"][1:]}
        needed = "{mean:.0f} [{low:.0f}, {high:.0f}]".format(**way["needed"])
        gains.append({"": way["name"], **cells, f"as {target} at random": needed})
    rows = [
        {"": way["name"]} | {f"{point['grades']} grades": f"{point['mean']:.3f}" for point in way["points"]}
        for way in results["ways"]
    ]
    learned = "nDCG@5 ({dimension}) of the graded units of {topics} held-out topics, mean of {draws} draws"
    measured = "1 - error of the baselines' nDCG@5 ({dimension}) on {topics} topics, mean of {draws} draws"
    return (
        f"{(learned if results['purpose'] == 'learn' else measured).format(**results)}\n\n{text_table(rows)}\n\n"
        f"gain over random with 95% t intervals, and grades for the mean of {target} at random with 95% bootstrap "
        f"intervals over topics\n\n{text_table(gains)}"
    )


if __name__ == "__main__":
    run_command(main)
