"""Labels from four sources: grades of items, vote files, judgments of arguments (distant), labelling functions (weak).

A weak label is the weighted mean of the votes of a dimension's labelling functions, judgments of arguments included.
Where items are graded, the grades are the labels, and weak labels describe the ungraded rest: the graded items show
which grade a mean vote stands for, and each weak label weighs little. Items that vote files vote on have a label of
their own, which the label model makes; it stands between the two.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from features.core.feature import KINDS, ItemKind, checked_numbers
from features.core.registry import ComponentError
from ltr.data.ids import pair_key
from ltr.data.qrels import Grades, Qrels, fold_grades
from ltr.errors import InputError, SettingError
from ltr.learning.functions import WITHOUT_GRADES, Evidence, LabellingFunction, Values, labelling_functions
from ltr.learning.judgments import Judgments
from ltr.learning.label_model import ENOUGH_TRUSTED, Ballot, Combined, combine, correlation, row_means
from ltr.learning.votes import Votes
from ltr.model_folder.store import VOTED
from ltr.ranking.candidates import Candidates
from models.base import TOP_GRADE

SOURCES = ("distant", "weak", "graded", "votes")
WEAK_WEIGHT = 0.1
"""Weight of a weak label; a graded item weighs 1."""
PRIOR_UNITS, PRIOR = 20, 0.5
"""Prior reliability of combined votes, worth `PRIOR_UNITS` trusted grades."""
ENOUGH_GRADED = 200
"""Least number of graded items that may train a dimension alone: those of some ten topics."""
WEAK_ROWS = 150
"""Weakly labelled items per topic, drawn at random; as many again from judged arguments."""


@dataclass(frozen=True)
class Sources:
    """Which supervision is used, and which labelling functions."""

    distant: bool = True
    weak: bool = True
    graded: bool = True
    functions: tuple[str, ...] = ()
    """Empty: all."""
    grades_alone: tuple[str, ...] = ()
    """Dimensions in which graded items, where there are `ENOUGH_GRADED`, and vote files are the only labels."""
    votes: bool = True

    @classmethod
    def of(
        cls,
        names: Sequence[str] | None = None,
        functions: Sequence[str] | None = None,
        grades_alone: tuple[str, ...] = (),
    ) -> Sources:
        """From names of sources, and of labelling functions; None: all. Raises SettingError.

        ``grades_alone`` holds where neither is named.
        """
        used, voting, known = names or SOURCES, functions or (), labelling_functions()
        if unknown := [name for name in used if name not in SOURCES]:
            raise SettingError("sources", f"{unknown[0][:80]!r} is none of {', '.join(SOURCES)}")
        if unknown := [name for name in voting if name not in known]:
            raise SettingError("labels", f"no labelling function {unknown[0]!r}", f"known: {', '.join(known)}")
        alone = grades_alone if names is None and functions is None else ()
        return cls(**{name: name in used for name in SOURCES}, functions=tuple(voting), grades_alone=alone)

    def chosen(self, dimension: str, kind: ItemKind = "pair") -> list[LabellingFunction]:
        """The labelling functions of a dimension that these sources allow."""
        return [
            function
            for function in labelling_functions(dimension, kind).values()
            if (self.distant if function.uses_qrels else self.weak)
            and (function.name in self.functions or not self.functions)
            and (function.name in self.functions or not self.graded or function.name not in WITHOUT_GRADES)
        ]


@dataclass(frozen=True)
class Labels:
    """Labels of one dimension."""

    label: Values
    """(n_rows,) in [0, TOP_GRADE], NaN for items that are not trained on."""
    weight: Values
    """(n_rows,)"""
    counts: dict[str, int]
    """Number of labels by source."""

    @property
    def used(self) -> npt.NDArray[np.bool_]:
        """(n_rows,) rows that train."""
        return ~np.isnan(self.label)

    def only(self, rows: npt.NDArray[np.bool_]) -> Labels:
        """The labels of some rows."""
        return replace(self, label=np.where(rows, self.label, np.nan))


def graded_labels(table: Candidates, qrels: Grades) -> Values:
    """(n_rows,) grades of graded items in [0, TOP_GRADE], NaN for others; the mean of a pair's two orders."""
    return item_values(table, fold_grades(qrels, pair_key))


def item_values(table: Candidates, values: Grades) -> Values:
    """(n_rows,) values of items by topic and `pair_key`, NaN for others."""
    found, ids = np.full(len(table), np.nan), table.ids
    for topic, rows in table.spans.items():
        if of_topic := values.get(topic):
            found[rows] = [of_topic.get(pair_key(item), np.nan) for item in ids[rows]]
    return found


def file_votes(table: Candidates, votes: Votes) -> tuple[Values, Values]:
    """(n_rows,) votes on items themselves, and those that items have from the arguments that they are parts of.

    A pair is voted as its weaker argument, where both are voted on.
    """
    direct = item_values(table, votes.items)
    if not votes.arguments:
        return direct, np.full(len(table), np.nan)
    return direct, np.asarray(Evidence(table, votes.arguments).grades.min(axis=1))


@dataclass(frozen=True)
class VotedRows:
    """Rows that vote files vote on."""

    ballot: Ballot
    """The votes of all rows."""
    combined: Combined
    direct: npt.NDArray[np.bool_]
    """(n_rows,) rows that are voted on themselves, not only through their arguments."""
    weight: float
    """Weight of a combined vote, where a graded item weighs 1: the square of its reliability."""


def combine_files(table: Candidates, judgments: Judgments, dimension: str, sources: Sources) -> VotedRows:
    """The vote files of a dimension, combined by the label model.

    Trusted are grades of items, and for items that have votes through their arguments alone, judgments of these. The
    reliability of the combined votes is their correlation with trusted grades, shrunk toward `PRIOR`; without any
    trusted grade it is 1, as there is nothing better.
    """
    pairs = [file_votes(table, given) for given in judgments.votes_in(dimension)]
    direct = ~np.isnan(np.column_stack([own for own, _ in pairs])).all(axis=1)
    trusted = graded_labels(table, judgments.graded.get(dimension, {}) if sources.graded else {})
    if sources.distant and (distant := judgments.distant.get(dimension)):
        inherited = TOP_GRADE * Evidence(table, distant).grades.min(axis=1)
        trusted = np.where(np.isnan(trusted) & ~direct, inherited, trusted)
    votes = np.column_stack([np.where(np.isnan(own), through, own) for own, through in pairs])
    ballot = Ballot(votes, trusted / TOP_GRADE)
    some = ~np.isnan(votes).all(axis=1)
    found = combine(Ballot(votes[some], ballot.trusted[some]))
    vote = np.full(len(table), np.nan)
    vote[some] = found.vote
    known = ~np.isnan(trusted) & ~np.isnan(vote)
    agreed = np.nan_to_num(correlation(vote, trusted))
    reliability = (known.sum() * agreed + PRIOR_UNITS * PRIOR) / (known.sum() + PRIOR_UNITS)
    weight = float(np.clip(reliability, 0, 1)) ** 2 if (~np.isnan(trusted)).any() else 1.0
    return VotedRows(ballot, found._replace(vote=vote), np.asarray(direct & ~np.isnan(vote)), round(weight, 6))


def make_labels(
    table: Candidates, judgments: Judgments, dimension: str, sources: Sources | None = None, *, seed: int = 0
) -> Labels:
    """Labels of a dimension from all ``sources``: of each item by the best one that has any."""
    sources = sources or Sources()
    graded = graded_labels(table, judgments.graded.get(dimension, {}) if sources.graded else {})
    counts = {"graded": _count(graded)}
    better, weight = graded, np.ones(len(table))
    if sources.votes and judgments.votes_in(dimension):
        found = combine_files(table, judgments, dimension, sources)
        vote = found.combined.vote
        through = np.isnan(found.ballot.trusted) & _drawn(table, ~np.isnan(vote), seed)
        labelled = np.isnan(graded) & (found.direct | through) & (found.weight > 0)
        voted = np.where(labelled, TOP_GRADE * vote, np.nan)
        few = WEAK_WEIGHT if counts["graded"] or found.direct.any() else 1.0  # of votes on arguments alone
        weight = np.where(np.isnan(voted), weight, found.weight * np.where(found.direct, 1.0, few))
        counts[VOTED] = _count(voted)
        better = np.where(np.isnan(graded), voted, graded)
    alone = counts["graded"] >= ENOUGH_GRADED and dimension in sources.grades_alone
    judged = judgments.distant.get(dimension, Qrels()) if sources.distant else Qrels()
    functions = [] if alone else sources.chosen(dimension, table.kind)
    trusted = graded if counts["graded"] >= ENOUGH_TRUSTED else better
    weak, of_judged = _weak_labels(Evidence(table, judged), functions, trusted, ~np.isnan(better), seed)
    counts |= {"weakly labelled": _count(weak), "of them of judged arguments": _count(weak[of_judged])}
    weight = np.where(np.isnan(weak), weight, WEAK_WEIGHT if _count(better) else 1.0)
    return Labels(np.where(np.isnan(weak), better, weak), weight, counts)


def _count(labels: Values) -> int:
    return int((~np.isnan(labels)).sum())


def _weak_labels(
    evidence: Evidence,
    functions: Sequence[LabellingFunction],
    trusted: Values,
    better: npt.NDArray[np.bool_],
    seed: int,
) -> tuple[Values, npt.NDArray[np.bool_]]:
    """(n_rows,) labels by functions of items without a ``better`` one, and whether their arguments are judged.

    With enough ``trusted`` labels they are grades that a mean vote stands for.
    """
    votes = collect_votes(evidence, functions)
    mean = mean_vote(votes, functions)
    judged = np.asarray(~np.isnan(votes[:, [function.uses_qrels for function in functions]]).all(axis=1))
    # Where there are graded pairs, judged arguments need no room of their own.
    drawn = _drawn(evidence.table, judged & np.bool_(not better.any()), seed)
    known = ~np.isnan(trusted) & ~np.isnan(mean)
    grade = TOP_GRADE * mean
    if known.sum() >= ENOUGH_TRUSTED and np.ptp(mean[known]) > 0:  # votes that are all alike are taken as they are
        x, y = mean[known], trusted[known]  # the line that fits the trusted labels best; it never falls
        spread = float(((x - x.mean()) ** 2).sum())
        slope = max(float(((x - x.mean()) * (y - y.mean())).sum()) / spread, 0.0)
        grade = np.round(y.mean() + slope * (mean - x.mean()), 6)
    return np.where(~better & drawn, np.clip(grade, 0, TOP_GRADE), np.nan), judged


def collect_votes(evidence: Evidence, functions: Sequence[LabellingFunction]) -> Values:
    """(n_rows, n_functions) Raises ComponentError for values that are not votes, InputError for unknown columns."""
    size, hint = len(evidence.table), "return a number from 0 to 1 for each item, NaN to abstain"
    votes = np.full((size, len(functions)), np.nan)
    for column, function in enumerate(functions if size else ()):
        where = f"labelling function {function.name!r}"
        try:
            given = function.vote(replace(evidence, declared=function))
        except KeyError as error:  # evidence.table has what is described, and no more
            raise InputError(where, f"there is no column {error.args[0]!r}", "docs/features.md lists them") from error
        votes[:, column] = checked_numbers(where, given, size, hint, abstains=True)
        if ((votes[:, column] < 0) | (votes[:, column] > 1)).any():
            raise ComponentError(where, "gave votes outside of 0 to 1", hint)
    return votes


def mean_vote(votes: Values, functions: Sequence[LabellingFunction]) -> Values:
    """(n_rows,) weighted mean of the votes, NaN where all functions abstain."""
    return np.round(row_means(votes, np.array([function.weight for function in functions])), 9)


def vote_qrels(table: Candidates, judgments: Judgments, dimension: str, sources: Sources) -> Qrels | None:
    """Combined votes of the rows in [0, TOP_GRADE], for figures where nobody graded or judged in this dimension.

    They are those of vote files, or of labelling functions where there is no judgment or vote at all. None otherwise.
    """
    if judgments.graded.get(dimension) or judgments.distant.get(dimension):
        return None
    if sources.votes and judgments.votes_in(dimension):
        found = combine_files(table, judgments, dimension, sources)
        vote = np.where(found.direct | ~found.direct.any(), found.combined.vote, np.nan)
    elif not judgments.topics():
        functions = sources.chosen(dimension, table.kind)
        vote = mean_vote(collect_votes(Evidence(table), functions), functions)
    else:
        return None
    qrels: dict[str, dict[str, float]] = {}
    for topic, item, grade in zip(table["qid"], table.ids, (TOP_GRADE * vote).tolist(), strict=True):
        if not np.isnan(grade):
            qrels.setdefault(topic, {})[pair_key(item)] = grade
    return Qrels(qrels, KINDS[table.kind].level)


def _drawn(table: Candidates, judged: npt.NDArray[Any], seed: int) -> npt.NDArray[np.bool_]:
    """(n_rows,) the weakly labelled pairs that train: some of each topic, and some of its judged arguments."""
    drawn = np.zeros(len(table), bool)
    rng = np.random.default_rng(seed)
    for _, rows in table.spans.items():
        order = rng.permutation(rows.stop - rows.start) + rows.start
        drawn[order[:WEAK_ROWS]] = True
        drawn[order[judged[order]][:WEAK_ROWS]] = True
    return drawn
