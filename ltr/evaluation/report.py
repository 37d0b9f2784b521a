"""One report of runs: figures by run, set of judgments, measure and topic, with tests, risks and notes.

Runs are rankings, or the rows of a study. A report renders as text, Markdown, LaTeX, CSV, JSON and HTML.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ltr.data.columns import quote
from ltr.errors import InputError
from ltr.escapes import clean, is_formula
from ltr.evaluation import tables
from ltr.evaluation.evaluator import DOUBTFUL_NOTE, MEAN, Evaluation, Figures, figures_of, run_data, values_frame
from ltr.evaluation.notes import coverage_notes, tested_notes
from ltr.evaluation.page import charts, html_page, html_tables
from ltr.evaluation.rankings import RANDOM, random_title
from ltr.evaluation.risk import Risk, pool_rows, risk_rows, risks
from ltr.evaluation.significance import ALPHA, PairedTest, comparison, paired_tests, tested_rows
from ltr.evaluation.tables import Table

if TYPE_CHECKING:
    import pandas as pd

Pairs = Sequence[tuple[str, str]]
"""Runs whose difference is measured, the minuend first."""


@dataclass(frozen=True)
class Plan:
    """Which measures are compared, with a baseline, or each run with every other without one."""

    measures: Sequence[str] = ()
    baseline: str | None = None
    tested: bool = True
    """Whether differences are tested."""
    alpha: float | None = 1
    """A loss against the baseline counts 1 + alpha times in measures of risk; None: risk is not measured."""
    brief: bool = False
    """Whether there is one table in place of all means."""
    strict_order: bool = False
    """Whether a pair matches a judged one in the same order alone."""

    def pairs(self, runs: Sequence[str]) -> list[tuple[str, str]]:
        """The pairs of runs that are tested, the minuend first."""
        if self.baseline is None:
            return [(run, other) for position, run in enumerate(runs) for other in runs[:position]]
        return [(run, self.baseline) for run in runs if run != self.baseline]


@dataclass(frozen=True, repr=False)
class Report:
    """Figures by run and set of judgments, and paired tests between runs."""

    figures: Figures
    plan: Plan = Plan(tested=False)
    families: Sequence[Sequence[PairedTest]] = ()
    """Tests, by what their p is corrected over."""
    at_random: Mapping[str, Evaluation] = field(default_factory=dict)
    """Set of judgments -> random orders of what the first run ranks, shown as the last row."""
    title: str = ""
    further: Sequence[Table] = ()
    """Further tables."""
    remarks: Sequence[str] = ()
    """Notes that stand above those of every report."""
    facts: Mapping[str, Any] = field(default_factory=dict)
    """What was measured, and how, as plain data: the document begins with it."""
    of_runs: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Run -> further plain data about it, for the document."""
    untested: Sequence[PairedTest] = ()
    """Differences of runs that are known to differ: they have no adjusted p, and are in the document alone."""

    @classmethod
    def of_values(
        cls, values: pd.DataFrame, plan: Plan, families: Sequence[Pairs] = (), untested: Pairs = (), **about: Any
    ) -> Report:
        """A report of rankers, or rows of a study, that are measured already; ``about`` are fields of the report.

        ``values``: see :attr:`values`. ``families``: lists of pairs of runs, which are tested in the measures of the
        plan; by each set of judgments they are a family of tests.
        """
        by_set = [values.loc[[name]] for name in dict.fromkeys(values.index.get_level_values(0))]
        tests = [paired_tests(rows, pairs, plan.measures) for rows in by_set for pairs in families if pairs]
        plain = [test for rows in by_set for test in paired_tests(rows, untested, plan.measures)]
        return cls(figures_of(values), plan, tests, untested=plain, **about)

    # ---- frames -----------------------------------------------------------------------------------

    @property
    def sets(self) -> Mapping[str, Evaluation]:
        """Set of judgments -> figures of the first run."""
        return next(iter(self.figures.values()))

    @property
    def values(self) -> pd.DataFrame:
        """A row a (set of judgments, topic), a column a (run, measure); NaN where a topic has no value."""
        return values_frame(self.figures)

    @property
    def table(self) -> pd.DataFrame:
        """A row a run, set of judgments and measure: mean, low and high (95% t interval), number of topics."""
        rows = [
            (run, name, measure, *found)
            for run, by_set in self._rows.items()
            for name, one in by_set.items()
            for measure, found in one.summary.items()
        ]
        keys = ["run", "judgments", "measure"]
        return _frame(rows, [*keys, "mean", "low", "high", "topics"]).set_index(keys)

    @property
    def means(self) -> pd.DataFrame:
        """A row a run, a column a measure: means by the last set of judgments, which is the mean of several."""
        *_, last = self.sets
        return _frame({"run": run, **by_set[last].means} for run, by_set in self._rows.items()).set_index("run")

    @property
    def tests(self) -> list[PairedTest]:
        """The tests of all families."""
        return [test for family in self.families for test in family]

    @property
    def differences(self) -> pd.DataFrame:
        """A row a test: the difference with its interval, effect size, p, adjusted p and verdict."""
        return _frame(map(comparison, self.tests))

    @property
    def risks(self) -> list[Risk]:
        """The risk of every run against the baseline in the compared measures; empty where it is not measured."""
        plan = self.plan
        if plan.baseline is None or plan.alpha is None:
            return []
        return risks(self.figures, plan.measures, plan.baseline, plan.alpha)

    # ---- renderings -------------------------------------------------------------------------------

    def __repr__(self) -> str:
        return "\n".join(self.lines())

    def _repr_html_(self) -> str:
        return html_tables(self.tables(), self.notes())

    def lines(self, *, per_topic: bool = False, plain: bool = False) -> list[str]:
        """Text: tables and notes; with ``per_topic`` the values of every topic.

        Programs read what ``riposte evaluate`` prints: with ``plain`` the means have four decimals, and those by one
        set of judgments have their head in the first line.
        """
        start = [*self.title.split("\n"), ""] if self.title else []
        first, *others = self.tables(4 if plain else 3)
        if plain and len(self.sets) == 1:
            first = first._replace(caption="")
        shown = [first, *others, *(self.topic_tables() if per_topic else [])]
        return [*start, *tables.table_lines(shown, self.notes())]

    def markdown(self) -> str:
        """Pipe tables (GitHub's Markdown)."""
        return tables.markdown(self.tables(), self.notes())

    def latex(self) -> str:
        """``table`` environments for the booktabs package."""
        return tables.latex(self.tables(), self.notes())

    def csv(self) -> str:
        """A row a run, measure, topic and set of judgments, every digit kept. Raises InputError for formulas."""
        rows = [
            (run, measure, topic, value, judgments)
            for run, by_set in self.figures.items()
            for judgments, evaluation in by_set.items()
            for measure, by_topic in evaluation.values.items()
            for topic, value in by_topic.items()
        ]
        for name in dict.fromkeys(name for run, _, topic, *_ in rows for name in (run, topic)):
            if is_formula(name):
                raise InputError(quote(name), "would be a formula in a spreadsheet", "rename it, or write JSON")
        return str(_frame(rows, ["run", "measure", "topic", "value", "judgments"]).to_csv(index=False))

    @property
    def document(self) -> dict[str, Any]:
        """The report as plain data, for programs: its facts, then figures, risks and tests."""
        plan, of_runs = self.plan, self.of_runs
        runs = [run_data(run, by_set) | dict(of_runs.get(run, {})) for run, by_set in self.figures.items()]
        found: dict[str, Any] = {**self.facts, "runs": runs}
        if risks := self.risks:
            found["risks"] = list(map(asdict, risks))
        if self.at_random:
            found[RANDOM] = run_data(RANDOM, self.at_random)
        if plan.tested:
            holm = "Holm, over all comparisons" + " of a table" * (len(self.families) > 1)
            test = {"name": "two-sided paired randomisation", "adjustment": holm, "alpha": ALPHA}
            found |= {"baseline": plan.baseline, "test": test | {"measures": plan.measures}}
            found["comparisons"] = list(map(comparison, self.tests))
        if self.untested:
            rows = map(comparison, self.untested)
            found["untested"] = [{key: row[key] for key in row if key not in ("adjusted_p", "verdict")} for row in rows]
        return found

    def json(self) -> str:
        """The document as JSON."""
        return json.dumps(self.document, indent=2, allow_nan=False) + "\n"

    def html(self) -> str:
        """A page in one file, without scripts: charts, all tables and notes."""
        drawn = charts(self.figures, self.at_random, self.plan.measures, self.plan.baseline)
        return html_page(self.title, drawn, self.tables(), self.topic_tables(), self.notes())

    # ---- tables -----------------------------------------------------------------------------------

    def tables(self, decimals: int = 3) -> list[Table]:
        """The means by each set of judgments, also of topics split by their relevant items; then what is compared."""
        means = [table for name in self.sets for table in self._means(name, decimals)]
        return _cleaned([*([self._brief()] if self.plan.brief else means), *self._compared()])

    def topic_tables(self) -> list[Table]:
        """The measures of every topic by each set of judgments, with the difference from the baseline in brackets."""
        return _cleaned(self._topics(name, measure) for name, first in self.sets.items() for measure in first.means)

    def notes(self) -> list[str]:
        """Explanations below the tables, a line each."""
        lines = [*self.remarks]
        if not self.plan.brief and any(
            evaluation.doubtful for by_set in self._rows.values() for evaluation in by_set.values()
        ):
            lines.append(DOUBTFUL_NOTE)
        return [clean(line) for line in (*lines, *tested_notes(self.families), *coverage_notes(self.figures))]

    @cached_property
    def _rows(self) -> Figures:
        """The figures of the runs, and last those of the random order."""
        if not self.at_random:
            return self.figures
        return {**self.figures, random_title(next(iter(self.figures))): self.at_random}

    def _prefix(self, judgments: str) -> str:
        """The set of judgments, in the captions of a report of several."""
        return f"{set_title(judgments)}: " if len(self.sets) > 1 else ""

    def _means(self, judgments: str, decimals: int) -> list[Table]:
        measures, of_set = list(self.sets[judgments].means), self._prefix(judgments)
        rows = [[run, *(by_set[judgments].text(m, decimals) for m in measures)] for run, by_set in self._rows.items()]
        pools = pool_rows(self.figures, judgments, next(iter(self.plan.measures or measures)))
        found = [Table(f"{of_set}means over topics [95% interval]", [["run", *measures], *rows])]
        return [*found, *([Table(f"{of_set}topics by the number of their relevant items", pools)] if pools else [])]

    def _compared(self) -> list[Table]:
        """Tests, risks and further tables."""
        made = [self._tests(family) for family in self.families]
        if found := self.risks:
            caption = f"risk against {self.plan.baseline}, losses count {1 + (self.plan.alpha or 0):g} times"
            made.append(Table(caption, risk_rows(found, several=len(self.sets) > 1)))
        return [*made, *self.further]

    def _tests(self, family: Sequence[PairedTest]) -> Table:
        baseline = self.plan.baseline
        of_set = list(dict.fromkeys(test.judgments for test in family))
        caption = (self._prefix(of_set[0]) if len(of_set) == 1 else "") + "paired differences"
        caption += f" from {baseline}" if baseline else ""
        return Table(caption, tested_rows(family, several=len(of_set) > 1, against=not baseline))

    def _topics(self, judgments: str, measure: str) -> Table:
        values = {run: by_set[judgments].values.get(measure, {}) for run, by_set in self.figures.items()}
        baseline = self.plan.baseline or next(iter(values))
        caption = f"{self._prefix(judgments)}{measure} of every topic"
        caption += f" (difference from {baseline})" if len(values) > 1 else ""
        return Table(caption, tables.topic_rows(values, self.sets[judgments].coverage.judged, baseline))

    def _brief(self) -> Table:
        """The nDCG of each set of judgments, that of the last with its interval, and what else was asked for."""
        *_, last = self.sets
        ndcg, _, judged, _, *asked = self.sets[last].means  # the standard measures come first
        rows = [[ndcg, *map(set_title, self.sets), *asked, judged]]
        for run, by_set in self._rows.items():
            means = [f"{evaluation.means[ndcg]:.2f}" for evaluation in by_set.values()]
            means[-1] = by_set[last].summary[ndcg].text(2)
            rows.append([run, *means, *(f"{by_set[last].means[measure]:.2f}" for measure in [*asked, judged])])
        return Table("", rows)


def _cleaned(made: Iterable[Table]) -> list[Table]:
    """Names of runs and topics come from files, and may hold what moves a terminal."""
    return [Table(clean(caption), [list(map(clean, row)) for row in rows]) for caption, rows in made]


def _frame(rows: Iterable[Any], columns: list[str] | None = None) -> pd.DataFrame:
    import pandas as pd  # noqa: PLC0415 a third of a second that the commands need not wait for

    return pd.DataFrame(list(rows), columns=columns)


def set_title(name: str) -> str:
    """The heading of a set of judgments."""
    return "mean of the dimensions" if name == MEAN else name
