"""Figures of runs as the commands print them and write them as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ltr.data.runs import RunRow, read_run
from ltr.errors import InputError
from ltr.evaluation.comparison import Comparison, Plan, compare_sets
from ltr.evaluation.composition import COMPOSITION, composition
from ltr.evaluation.evaluator import DOUBTFUL, DOUBTFUL_NOTE, LAB, MEAN, Evaluation, Settings, check_match
from ltr.evaluation.inputs import QRELS, JudgmentFiles, path_text
from ltr.evaluation.rankings import RANDOM_ORDERS
from ltr.evaluation.risk import ALPHA, Figures, pool_rows, risk_rows
from ltr.evaluation.stance import StanceFigures, read_stances, stance_figures

RANDOM = "random"
"""The name of random orders in JSON; people read `random_title`."""


def set_title(name: str) -> str:
    """The heading of a set of judgments."""
    return "mean of the dimensions" if name == MEAN else name


def random_title(run: str) -> str:
    """The name of random orders of the results of ``run``, for people."""
    return f"random order of {run}"


def with_random(comparison: Comparison) -> Figures:
    """The figures of the runs, and last those of the random order."""
    return {**comparison.evaluations, random_title(next(iter(comparison.evaluations))): comparison.at_random}


def figure_text(evaluation: Evaluation, measure: str, decimals: int) -> str:
    """``.5 [.4, .6]``, marked where it is doubtful."""
    mean, low, high = (f"{value:.{decimals}f}" for value in (evaluation.means[measure], *evaluation.intervals[measure]))
    return f"{mean} [{low}, {high}]" + f" {DOUBTFUL}" * (measure in evaluation.doubtful)


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """A line a row, columns under each other."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]


def as_json(run: str, by_set: Mapping[str, Evaluation]) -> dict[str, Any]:
    """A run's figures as plain data: those without a dimension, and those of each dimension."""
    dimensions = {name: _figures(evaluation) for name, evaluation in by_set.items()}
    without = dimensions.pop(QRELS, {})
    return {"run": run, **without, **({"dimensions": dimensions} if dimensions else {})}


def _figures(evaluation: Evaluation) -> dict[str, Any]:
    measures = {}
    for measure, mean in evaluation.means.items():
        low, high = evaluation.intervals[measure]
        measures[measure] = {"mean": mean, "low": low, "high": high, "per_topic": evaluation.values[measure]}
    coverage = asdict(evaluation.coverage)
    topics = {key: value for key, value in coverage.items() if isinstance(value, tuple)}
    counts = coverage | {key: len(value) for key, value in topics.items()}
    return {"measures": measures, "counts": counts, "topics": topics}


def coverage_lines(figures: Figures) -> list[str]:
    """The number of judged topics per set of judgments, and what runs lack or have too much, without zeros."""
    sets = [name for name in next(iter(figures.values())) if name != MEAN]
    remarks = [("", _judged(by_set[name]), name) for by_set in list(figures.values())[:1] for name in sets]
    for name in sets:
        exceptions = {run: _exceptions(by_set[name]) for run, by_set in figures.items()}
        alike = len(exceptions) > 1 and len(set(exceptions.values())) == 1
        shown = {"every run": next(iter(exceptions.values()))} if alike else exceptions
        remarks += [(run, what, name) for run, what in shown.items() if what]
    lines: dict[tuple[str, str], list[str]] = {}  # run and remark -> the sets of judgments that it is true for
    for run, what, name in remarks:
        lines.setdefault((run, what), []).append(name)
    texts = []
    for (run, what), names in lines.items():
        subject = ", ".join(filter(None, [run, *(names if len(names) < len(sets) else [])]))
        texts.append(f"{subject}: {what}." if subject else f"{what}.")
    return texts


def _judged(evaluation: Evaluation) -> str:
    lacking = len(evaluation.coverage.without_relevant)
    words = f", {lacking} without a relevant id (scored 0 in nDCG)" if lacking else ""
    return _number(len(evaluation.coverage.judged), "judged topic") + words


def _exceptions(evaluation: Evaluation) -> str:
    coverage = evaluation.coverage
    lab = next((name for name in evaluation.means if name.startswith(LAB)), LAB)
    nothing_judged = f"with nothing judged in the first {lab.removeprefix(LAB)} (left out of {lab})"
    words = {
        f"{len(coverage.missing)} missing from the run (scored 0)": coverage.missing,
        f"{_number(len(coverage.unjudged), 'topic')} of the run without judgments (left out)": coverage.unjudged,
        f"{len(coverage.outside_lab_mean)} {nothing_judged}": coverage.outside_lab_mean,
        f"{_number(coverage.repeated, 'repeated result')} (only the first place counts)": coverage.repeated,
    }
    return "; ".join(text for text, affected in words.items() if affected)


def _number(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


@dataclass(frozen=True)
class Report:
    """Figures of runs at depth ``k``, with the files of judgments that they were measured by."""

    files: JudgmentFiles
    k: int
    comparison: Comparison

    def settings(self) -> dict[str, Any]:
        """How runs were measured, and by which judgments, as plain data."""
        first, how = next(iter(self.comparison.at_random.values())), self.comparison.settings
        return self.files.described(first.level) | {"strict_order": how.strict_order, "k": self.k, "seed": how.seed}

    def notes(self) -> list[str]:
        """Notes for the reader of the figures, a line each."""
        figures, at_random = self.comparison.evaluations, self.comparison.at_random
        first = next(iter(at_random.values()))  # the level is the same in all runs
        pairs = first.level == "pair"
        level = "pair" if pairs else "whole item"
        order = ", in the judged order only" if first.strict_order else ", in either order"
        level_line = f"Level: {level}{order * pairs}{', guessed from the ids of the qrels' * self.files.guessed}."
        lines = [level_line, *self.short_notes()]
        if any(evaluation.doubtful for by_set in [*figures.values(), at_random] for evaluation in by_set.values()):
            lines.append(DOUBTFUL_NOTE)
        return [*lines, *coverage_lines(figures)]

    def short_notes(self) -> list[str]:
        """Explain the intervals and the random order."""
        shuffled = f"mean over {RANDOM_ORDERS} shuffles of its results, seed {self.comparison.settings.seed}."
        at_random = random_title(next(iter(self.comparison.evaluations)))
        return ["[low, high]: 95% t interval over topics.", f"{at_random}: {shuffled}"]


@dataclass(frozen=True)
class RunReport(Report):
    """The figures of runs, with what else their results show."""

    composition: Mapping[str, Mapping[str, float]]
    sides: Mapping[str, StanceFigures]

    @classmethod
    def of(
        cls,
        runs: Sequence[Path],
        files: JudgmentFiles,
        settings: Settings,
        k: int,
        stance_qrels: Path | None,
        against: tuple[Path | None, float] = (None, ALPHA),
    ) -> RunReport:
        """Measure runs at depth ``k``, and their risk ``against`` one of them, with alpha. Raises InputError."""
        names, (baseline, alpha) = list(map(path_text, runs)), against
        if baseline and (path_text(baseline) not in names or len(names) < 2):
            raise InputError("--baseline", f"{baseline} is not one of several runs", "name it with --run too")
        judgments = files.read()
        topics = {topic for qrels in judgments.values() for topic in qrels}
        stances = read_stances(stance_qrels) if stance_qrels else {}
        parts: dict[str, dict[str, float]] = {}
        sides: dict[str, StanceFigures] = {}

        def read() -> Iterator[tuple[str, list[RunRow]]]:
            for path, name in zip(runs, names, strict=True):
                if name in parts:
                    raise InputError(path, "is named twice", "name each run once")
                rows = read_run(path)
                check_match(path, rows, judgments)
                parts[name] = composition(rows, k, topics)
                sides.update({name: stance_figures(rows, stances)} if stances else {})
                yield name, rows

        plan = Plan([f"nDCG@{k}"], path_text(baseline), alpha=alpha) if baseline else Plan(())
        return cls(files, k, compare_sets(read(), judgments, settings, plan), parts, sides)

    def json(self) -> str:
        """Everything, for programs."""
        runs = [
            as_json(run, by_set)
            | {"composition": self.composition[run]}
            | ({"stance": asdict(self.sides[run])} if self.sides else {})
            for run, by_set in self.comparison.evaluations.items()
        ]
        document = self.settings() | {"runs": runs}
        if risks := self.comparison.risks:
            document["risks"] = list(map(asdict, risks))
        document[RANDOM] = as_json(RANDOM, self.comparison.at_random)
        return json.dumps(document, indent=2, allow_nan=False) + "\n"

    def lines(self, *, per_topic: bool = False) -> list[str]:
        """Tables for people, and what they must know beside them."""
        lines = [*self._tables(), *self._risks(), *self._composition(), *self._sides(), "", *self.notes()]
        return lines + (self._topics() if per_topic else [])

    def brief(self) -> list[str]:
        """The nDCG of each set of judgments. The last one, the mean where there are several, has its interval."""
        sets = list(self.comparison.at_random)
        ndcg, judged, last = f"nDCG@{self.k}", f"judged@{self.k}", sets[-1]
        rows = [[ndcg, *map(set_title, sets), judged]]
        for run, by_set in with_random(self.comparison).items():
            low, high = by_set[last].intervals[ndcg]
            *means, share = *(evaluation.means[ndcg] for evaluation in by_set.values()), by_set[last].means[judged]
            rows.append([run, *(f"{mean:.2f}" for mean in means), f"{share:.2f}"])
            rows[-1][-2] += f" [{low:.2f}, {high:.2f}]"
        return [*aligned(rows), *self._risks(), *self._sides(), *self.short_notes()]

    def _tables(self) -> list[str]:
        lines: list[str] = []
        sets = self.comparison.at_random
        for name, evaluation in sets.items():
            rows = [
                [run, *(figure_text(by_set[name], measure, 4) for measure in evaluation.means)]
                for run, by_set in with_random(self.comparison).items()
            ]
            heading = [set_title(name)] if len(sets) > 1 else []
            lines += [*heading, *aligned([["run", *evaluation.means], *rows]), ""]
            if split := pool_rows(self.comparison.evaluations, name, f"nDCG@{self.k}"):
                lines += [*aligned(split), ""]
        return lines[:-1]

    def _risks(self) -> list[str]:
        risks = self.comparison.risks
        table = risk_rows(risks, several=len(self.comparison.at_random) > 1)
        return ["", f"against {risks[0].baseline}", *aligned(table)] if risks else []

    def _composition(self) -> list[str]:
        rows = [[run, *(f"{v:.2f}" for v in parts.values())] for run, parts in self.composition.items() if parts]
        return ["", *aligned([[f"first {self.k} of a topic", *COMPOSITION.values()], *rows])] if rows else []

    def _sides(self) -> list[str]:
        """Macro-F1 of the sides that the runs name, and how many judged documents of each side they name which."""
        rows = [["side", "macro-F1", "judged", "judged side: documents by the side that the run names"]]
        for run, figures in self.sides.items():
            named = (
                f"{side}: " + " ".join(f"{number} {name}" for name, number in names.items() if number)
                for side, names in figures.confusion.items()
            )
            rows.append([run, f"{figures.macro_f1:.3f}", f"{figures.documents:,}", "; ".join(named)])
        return ["", *aligned(rows)] if self.sides else []

    def _topics(self) -> list[str]:
        lines = []
        for run, by_set in self.comparison.evaluations.items():
            for name, evaluation in by_set.items():
                rows: list[list[Any]] = [
                    [topic, *(f"{row[topic]:.4f}" if topic in row else "-" for row in evaluation.values.values())]
                    for topic in evaluation.coverage.judged
                ]
                heading = f"{run}, {set_title(name)}" if len(by_set) > 1 else run
                lines += ["", heading, *aligned([["topic", *evaluation.values], *rows])]
        return lines
