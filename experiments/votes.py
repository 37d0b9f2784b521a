"""``python -m experiments.votes``: compare label models on votes whose truth is known.

With a folder of real graders (one qrels file each, and `people.qrels` with the truth) they combine those. Without one,
graders are simulated from graded pairs that ship: they err, copy, are lazy, or know a part only. Trusted grades are
drawn repeatedly; what is measured are units without a trusted grade.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from experiments.figures import json_text, text_table, write_all
from ltr.cli.options import Parser, add_file, add_number, add_options
from ltr.cli.process import run_command
from ltr.data.files import writable_place
from ltr.data.ids import pair_key
from ltr.data.qrels import Qrels, read_pair_qrels, read_qrels
from ltr.errors import InputError
from ltr.escapes import say
from ltr.progress import Progress
from ltr.supervision.judgments import fold_units
from ltr.supervision.label_models.base import LABEL_MODELS, Ballot, calibrated, combine, label_models, row_means
from ltr.supervision.label_models.mean import independence, reliability
from ltr.supervision.votes import scaled_votes
from models.base import TOP_GRADE

TRUTH = "people"
"""Name of the file with the truth."""
BASE = "plain"
"""Label model that others are compared with."""
SLOW = ("dawid-skene", "one-coin")
"""Models of crowd-kit: they take seconds and do not read trusted grades, so one run serves all draws."""
GRADED = Path(__file__).parents[1] / "ltr" / "supervision" / "graded" / "pairs-2021-relevance.qrels"

NEEDED = "crowdkit"
"""What `SLOW` models need, from the extra crowd: without it they are left out."""

Values = npt.NDArray[np.float64]
Rows = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Graders:
    """Units, their true grades and the votes on them."""

    names: list[str]
    topic: Rows
    """(n_units,) number of the unit's topic."""
    truth: Values
    """(n_units,) grades from 0 in whole or half steps."""
    votes: Values
    """(n_units, n_graders) in [0, 1]"""
    top: float
    """Highest grade of the truth."""

    def ballot(self, trusted: Rows) -> Ballot:
        """The votes, with the truth of the ``trusted`` units."""
        grades = np.full(len(self.truth), np.nan)
        grades[trusted] = self.truth[trusted] / self.top
        return Ballot(self.votes, grades)


def parser() -> Parser:
    """The command's options."""
    p = Parser(
        prog="python -m experiments.votes",
        description="Compare label models on votes whose truth is known: of real graders, or simulated ones.",
    )
    folder = f"folder with a qrels file for each grader, and {TRUTH}.qrels (default: simulated graders)"
    p.add_argument("folder", nargs="?", type=Path, metavar="DIR", help=folder)
    add_number(p, "--trusted", "trusted grades in a draw", 200, 20, 100_000)
    add_number(p, "--draws", "draws of trusted grades, or of simulated graders", 100, 2, 10_000)
    add_file(p, "--json", "write the figures there too")
    add_options(p, "--quiet")
    return p


def main(argv: list[str] | None = None) -> int:
    """Run the study. Raises InputError for anything that the user can correct."""
    options = parser().parse_args(argv)
    if options.json:
        writable_place(options.json, "figures")
    progress = Progress(quiet=options.quiet)
    if not set(SLOW) & set(usable_models()):
        progress.warn(f"without {' and '.join(SLOW)}: they need crowd-kit (pip install 'riposte-ltr[crowd]')")
    if options.folder:
        results = real_study(read_graders(options.folder), options.trusted, options.draws, progress)
    else:
        results = simulated_study(options.trusted, options.draws, progress)
    if options.json:
        write_all({options.json: json_text(results)})
    say(*"\n\n".join(f"{board['what']}\n{text_table(board['rows'])}" for board in results).split("\n"))
    return 0


def usable_models() -> list[str]:
    """The label models whose extras are installed."""
    return [name for name in label_models() if name not in SLOW or find_spec(NEEDED)]


def read_graders(folder: Path) -> Graders:
    """All graders of a folder. Raises InputError."""
    files = sorted(folder.glob("*.qrels")) if folder.is_dir() else []
    names = [path.stem for path in files if path.stem != TRUTH]
    if not names or len(names) == len(files):
        raise InputError(folder, f"has no {TRUTH}.qrels and a qrels file of a grader beside it", "name another folder")
    truth = read_qrels(folder / f"{TRUTH}.qrels")
    units = sorted((topic, id_) for topic, of in truth.items() for id_ in of)
    topics, topic = np.unique([topic for topic, _ in units], return_inverse=True)
    grades = np.array([max(truth[topic][id_], 0.0) for topic, id_ in units])
    if len(topics) < 2 or np.ptp(grades) == 0:
        raise InputError(folder / f"{TRUTH}.qrels", "needs two topics, and grades that differ", "name another folder")
    votes = []
    for name in names:
        qrels = read_qrels(folder / f"{name}.qrels")
        given = scaled_votes({(topic, id_): grade for topic, of in qrels.items() for id_, grade in of.items()})
        votes.append([given.get(unit, np.nan) for unit in units])
    return Graders(names, topic, grades, np.array(votes).T, float(grades.max()))


# ---- measures -------------------------------------------------------------------------------------


def in_order(topic: Rows, truth: Values, scores: Values) -> float:
    """Share of a topic's differently graded pairs of units that scores put in order, ties half; mean over topics."""
    shares = []
    for number in np.unique(topic):
        rows = topic == number
        better = truth[rows][:, None] > truth[rows][None]
        if better.any():
            apart = np.round(scores[rows][:, None] - scores[rows][None], 9)[better]
            shares.append(float((apart > 0).mean() + 0.5 * (apart == 0).mean()))
    return float(np.mean(shares)) if shares else float("nan")


def weighted_kappa(truth: Values, levels: Values) -> float:
    """Cohen's kappa with quadratic weights (Cohen 1968)."""
    apart = float(((truth - levels) ** 2).mean())
    by_luck = float(truth.var() + levels.var() + (truth.mean() - levels.mean()) ** 2)
    return 1.0 - apart / by_luck if by_luck else 0.0


def figures(graders: Graders, votes: Values, rows: npt.NDArray[np.bool_]) -> tuple[float, float]:
    """The order and the kappa of votes in [0, 1] on some rows; units without a vote have the mean vote."""
    vote = np.nan_to_num(votes[rows], nan=float(np.nanmean(votes[rows])))
    levels = np.rint(vote * graders.top)
    truth = graders.truth[rows]
    return in_order(graders.topic[rows], truth, vote), weighted_kappa(truth, levels)


# ---- ways that were tried, beside the label models -------------------------------------------------


def _weighted(weights: Callable[[Ballot], Values]) -> Callable[[Ballot], Values]:
    return lambda ballot: row_means(ballot.centred, np.where(ballot.constant, 0.0, weights(ballot)))


def standardised(ballot: Ballot) -> Values:
    """(n_units, n_graders) centred votes with deviation 1, 0 where a grader abstains."""
    spread = np.where(ballot.constant, 1.0, np.nanstd(ballot.centred, axis=0))
    return np.nan_to_num(ballot.centred / spread)


def standardised_mean(ballot: Ballot) -> Values:
    """The mean of standardised votes."""
    return row_means(np.where(np.isnan(ballot.centred), np.nan, standardised(ballot)))


def first_component(ballot: Ballot) -> Values:
    """Scores on the first principal component of the standardised votes."""
    filled = standardised(ballot)
    weights = np.linalg.svd(filled, full_matrices=False)[2][0]
    return np.asarray(filled @ weights * np.sign(weights.sum()))


def plain_ridge(ballot: Ballot) -> Values:
    """Ridge regression of trusted grades on the votes, penalty 10, toward 0."""
    inputs = standardised(ballot)
    known = ~np.isnan(ballot.trusted)
    rows, grades = inputs[known], ballot.trusted[known]
    middle = rows.mean(axis=0)
    learned = np.linalg.solve(
        (rows - middle).T @ (rows - middle) + 10 * np.eye(inputs.shape[1]), (rows - middle).T @ grades
    )
    return np.asarray((inputs - middle) @ learned)


def isotonic_graders(ballot: Ballot) -> Values:
    """Each grader's votes as the grades that they stand for by isotonic regression, averaged by independence."""
    from sklearn.isotonic import IsotonicRegression  # noqa: PLC0415 takes a second

    votes = np.full(ballot.votes.shape, np.nan)
    for source, mine in enumerate(ballot.votes.T):
        voted, known = ~np.isnan(mine), ~np.isnan(mine) & ~np.isnan(ballot.trusted)
        if known.any():
            line = IsotonicRegression(out_of_bounds="clip").fit(mine[known], ballot.trusted[known])
            votes[voted, source] = line.predict(mine[voted])
    return row_means(votes, independence(ballot))


def stacked(ballot: Ballot) -> Values:
    """The model ``ridge``, then isotonic regression; ties in the order of ``ridge``."""
    from sklearn.isotonic import IsotonicRegression  # noqa: PLC0415 takes a second

    vote = LABEL_MODELS["ridge"].combine(ballot).vote
    known = ~np.isnan(vote) & ~np.isnan(ballot.trusted)
    line = IsotonicRegression(out_of_bounds="clip").fit(vote[known], ballot.trusted[known])
    return np.where(np.isnan(vote), np.nan, line.predict(np.nan_to_num(vote)) + 1e-6 * vote)


TRIED: Mapping[str, tuple[bool, Callable[[Ballot], Values]]] = {
    "centred": (False, _weighted(lambda ballot: np.ones(ballot.votes.shape[1]))),
    "standardised": (False, standardised_mean),
    "independence alone": (False, _weighted(independence)),
    "reliability alone": (False, _weighted(lambda ballot: reliability(ballot) / (1 - reliability(ballot) ** 2))),
    "first component": (False, first_component),
    "ridge toward 0": (True, plain_ridge),
    "isotonic graders": (True, isotonic_graders),
    "stacked, isotonic": (True, stacked),
}
"""Name -> whether it needs trusted grades, and (n_units,) votes on any scale."""


def least_squares(vote: Values, trusted: Values) -> Values:
    """Votes as grades by the line of least squares."""
    known = ~np.isnan(vote) & ~np.isnan(trusted)
    return np.asarray(np.polyval(np.polyfit(vote[known], trusted[known], 1), vote))


def same_distribution(vote: Values, trusted: Values) -> Values:
    """Votes as grades, so that the grades of all units have the distribution of the trusted ones."""
    known = trusted[~np.isnan(trusted)]
    rank = (np.argsort(np.argsort(np.nan_to_num(vote), kind="stable"), kind="stable") + 0.5) / len(vote)
    return np.asarray(np.quantile(known, rank, method="inverted_cdf") + 1e-6 * vote)  # no ties


# ---- real graders ---------------------------------------------------------------------------------


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


# ---- simulated graders ----------------------------------------------------------------------------


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


if __name__ == "__main__":
    run_command(main)
