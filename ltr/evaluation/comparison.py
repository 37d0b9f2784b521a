"""Runs measured beside each other and tested over topics."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, fields, replace
from typing import TYPE_CHECKING, Any

from ltr.data.qrels import Qrels
from ltr.data.runs import RunRow
from ltr.errors import InputError
from ltr.evaluation.evaluator import DOUBTFUL_NOTE, Evaluation, Settings, check_match, evaluate_sets, frame
from ltr.evaluation.inputs import QRELS, qrels_of, run_rows
from ltr.evaluation.irmeasures import parse_measures
from ltr.evaluation.rankings import random_orders, run_order
from ltr.evaluation.risk import ALPHA, Risk, risks
from ltr.evaluation.significance import CORRECTIONS, PairedTest, paired_tests

if TYPE_CHECKING:
    import pandas as pd

    from ltr.evaluation.inputs import Judged, Run

COMPARED = ("nDCG@5", "judged@5", "condensed_nDCG@5")


@dataclass(frozen=True)
class Plan:
    """The tests: measures by name, and runs against a baseline, or each against every other without one."""

    measures: Sequence[str]
    baseline: str | None = None
    correction: str = "holm"
    alpha: float = ALPHA
    """A loss counts 1 + alpha times in measures of risk."""


@dataclass(frozen=True, repr=False)
class Comparison:
    """Figures by run and set of judgments, and paired tests between runs."""

    settings: Settings
    plan: Plan
    evaluations: Mapping[str, Mapping[str, Evaluation]]
    at_random: Mapping[str, Evaluation]
    """Random orders of what the first run ranks."""
    tests: Sequence[PairedTest]

    @property
    def table(self) -> pd.DataFrame:
        """A row a run, set of judgments and measure: mean, low and high (95% t interval), number of topics."""
        return self._frame(lambda evaluation: evaluation.table)

    @property
    def risks(self) -> list[Risk]:
        """The risk of every run against the baseline in the tested measures; empty where there is no baseline."""
        plan = self.plan
        return risks(self.evaluations, plan.measures, plan.baseline, plan.alpha) if plan.baseline else []

    def risk(self, alpha: float = ALPHA) -> pd.DataFrame:
        """A row a run, set of judgments and measure, see `ltr.evaluation.risk.Risk`; a loss counts 1 + alpha times."""
        found = replace(self, plan=replace(self.plan, alpha=alpha)).risks
        return frame(map(astuple, found), [one.name for one in fields(Risk)])

    @property
    def differences(self) -> pd.DataFrame:
        """A row a test: the difference with its interval, effect size, p, adjusted p and verdict."""
        rows = [row.pop("difference") | row for row in map(asdict, self.tests)]
        return frame((tuple(row.values()) for row in rows), list(rows[0]))

    def __repr__(self) -> str:
        figures, notes, tests = self._shown()
        return "\n".join([figures.to_string(), *notes, "", tests.to_string(index=False)])

    def _repr_html_(self) -> str:
        figures, notes, tests = self._shown()
        return figures.to_html() + "".join(f"<p>{line}</p>" for line in notes) + tests.to_html(index=False)

    def _shown(self) -> tuple[pd.DataFrame, list[str], pd.DataFrame]:
        """Figures, notes and tests as they are printed."""
        columns = ["run", "baseline", "judgments", "measure", "mean", "low", "high", "p", "adjusted_p", "verdict"]
        every = (evaluation for by_set in self.evaluations.values() for evaluation in by_set.values())
        notes = [DOUBTFUL_NOTE] if any(evaluation.doubtful for evaluation in every) else []
        return self._frame(lambda one: one.shown), notes, self.differences.reindex(columns=columns).round(4)

    def _frame(self, frame_of: Callable[[Evaluation], pd.DataFrame]) -> pd.DataFrame:
        """A frame of every evaluation below each other."""
        import pandas as pd  # noqa: PLC0415 a third of a second that the commands need not wait for

        frames = {(run, name): frame_of(one) for run, of in self.evaluations.items() for name, one in of.items()}
        return pd.concat(frames, names=["run", "judgments"])


def compare(
    runs: Mapping[str, Run],
    qrels: Judged,
    measures: Sequence[Any] = COMPARED,
    *,
    baseline: str | None = None,
    correction: str = "holm",
    seed: int = 0,
) -> Comparison:
    """Measure runs by name, and test each against ``baseline`` over the topics.

    Parameters
    ----------
    runs : dict
        Name -> run; runs, ``qrels`` and ``measures`` are as for :func:`ltr.evaluation.evaluate`. Shares of judged
        results are shown and not tested.
    baseline : str, optional
        Name of the run that the others are tested against; by default the first.
    correction : str
        How p of the two-sided paired randomisation tests are corrected over all tests: "holm" or "none".
    seed : int
        Of random orders.

    Raises InputError for fewer than two runs, and as `ltr.evaluation.evaluate`.
    """
    if len(runs) < 2:
        raise InputError("runs", "a comparison needs at least two", "name another run")
    baseline = next(iter(runs)) if baseline is None else baseline
    if baseline not in runs:
        raise InputError("baseline", f"{baseline!r} is not among the runs", f"name one of {', '.join(runs)}")
    if correction not in CORRECTIONS:
        raise InputError("correction", f"{correction!r} is unknown", f"write {' or '.join(CORRECTIONS)}")
    judgments, wanted = {QRELS: qrels_of(qrels)}, parse_measures(measures)
    rows = {name: run_rows(run) for name, run in runs.items()}
    for name, ranked in rows.items():
        check_match(name, ranked, judgments)
    tested = [str(measure) for measure in wanted if measure.NAME.lower() != "judged"]
    return compare_sets(rows.items(), judgments, Settings(wanted, seed=seed), Plan(tested, baseline, correction))


def compare_sets(
    runs: Iterable[tuple[str, Sequence[RunRow]]], judgments: Mapping[str, Qrels], settings: Settings, plan: Plan
) -> Comparison:
    """Measure runs by every set of judgments, and test them; the tests are one family. Raises InputError."""
    evaluations: dict[str, dict[str, Evaluation]] = {}
    at_random: dict[str, Evaluation] = {}
    for name, rows in runs:
        order = run_order(rows)
        evaluations[name] = evaluate_sets([order], judgments, settings)
        at_random = at_random or evaluate_sets(random_orders(order.by_score, settings.seed), judgments, settings)
    names = list(evaluations)
    if plan.baseline is None:
        pairs = [(run, other) for position, run in enumerate(names) for other in names[:position]]
    else:
        pairs = [(run, plan.baseline) for run in names if run != plan.baseline]
    values = {run: {name: figures.values for name, figures in by.items()} for run, by in evaluations.items()}
    tests = paired_tests(values, pairs, plan.measures, plan.correction)
    return Comparison(settings, plan, evaluations, at_random, tests)
