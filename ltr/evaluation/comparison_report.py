"""A comparison of run files as text, Markdown, LaTeX, CSV and JSON."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from ltr.data.columns import quote
from ltr.data.qrels import Qrels
from ltr.data.runs import RunRow, read_run
from ltr.errors import InputError
from ltr.escapes import clean, is_formula
from ltr.evaluation import output
from ltr.evaluation.evaluator import check_match
from ltr.evaluation.inputs import path_text
from ltr.evaluation.risk import pool_rows, risk_rows
from ltr.evaluation.significance import ALPHA, EFFECT_LIMIT, least_p, p_text
from ltr.progress import Progress

_ACROSS = 4  # measures beside each other; more would not fit a screen or a page
_LATEX_WORDS = {"\\": "backslash", "~": "asciitilde", "^": "asciicircum", "<": "less", ">": "greater", "|": "bar"}
_LATEX = str.maketrans({c: rf"\{c}" for c in "&%$#_{}"} | {c: rf"\text{word}{{}}" for c, word in _LATEX_WORDS.items()})
_MARKDOWN = str.maketrans({c: f"\\{c}" for c in "\\|*_`<"})


def read_runs(
    runs: Mapping[str, Path], judgments: Mapping[str, Qrels], unit: str | None, progress: Progress
) -> Iterator[tuple[str, list[RunRow]]]:
    """Yield runs by name, one in memory at a time. With a ``unit``, runs of others are refused. Raises InputError."""
    with progress.stage("runs", unit="runs", total=len(runs)) as tick:
        for name, path in runs.items():
            rows = read_run(path, unit)
            check_match(path, rows, judgments)
            yield name, rows
            tick()


def run_names(paths: Sequence[Path]) -> list[str]:
    """Run names for tables: the paths below the folder that all runs share. Raises InputError for equal names.

    >>> run_names([Path("/a/ours/run.txt"), Path("/a/bm25/run.txt"), Path("/a/other.txt")])
    ['ours/run.txt', 'bm25/run.txt', 'other.txt']
    """
    shared = os.path.commonpath([path.absolute().parent for path in paths])
    names = [clean(path_text(path.absolute().relative_to(shared))) for path in paths]
    for name, path in zip(names, paths, strict=True):
        if names.count(name) > 1:
            raise InputError(path, f"two runs are shown as {name}", "rename one of them")
    return names


class Table(NamedTuple):
    """Rows of cells under a caption; the first row is the head."""

    caption: str
    rows: list[list[str]]


class ComparisonReport(output.Report):
    """A comparison in the formats that it is printed and written in."""

    def tables(self) -> list[Table]:
        """The means of every measure by each set of judgments, also of topics split, all tests, and risks."""
        means = [table for name in self.comparison.at_random for table in self._means(name)]
        return [*means, *self._pools(), *self._tests()]

    def topic_tables(self, baseline: str) -> list[Table]:
        """The tested measures of every topic, with the difference from ``baseline`` in brackets."""
        measures = self.comparison.plan.measures
        return [self._topics(baseline, name, measure) for name in self.comparison.at_random for measure in measures]

    def notes(self) -> list[str]:
        """Explanations below the tables, a line each."""
        comparison = self.comparison
        topics = max(len(baseline.coverage.judged) for baseline in comparison.at_random.values())
        lines = [
            *super().notes(),
            "p: two-sided paired randomisation test over topics. "
            "Holm p: over all tests of the table, with equal differences counted once.",
            f"d_z: mean difference / its standard deviation, at most {EFFECT_LIMIT:g} either way. "
            f"Verdict: Holm p at most {ALPHA:g}, or no evidence.",
        ]
        if (least := least_p([test.difference for test in comparison.tests])) > ALPHA:
            count = f"{topics} topic{'s' * (topics > 1)}"
            lines.append(f"With {count} no Holm p of this table is below {least:g}, however large the differences.")
        return lines

    def markdown(self) -> str:
        """Pipe tables (GitHub's Markdown) with the notes as a list."""
        parts = []
        for table in self.tables():
            head, *rows = [[cell.translate(_MARKDOWN) for cell in row] for row in table.rows]
            lines = [head, ["---"] * len(head), *rows]
            caption = table.caption.translate(_MARKDOWN)
            parts.append(f"**{caption}**\n\n" + "".join(f"| {' | '.join(line)} |\n" for line in lines))
        parts.append("".join(f"- {line.translate(_MARKDOWN)}\n" for line in self.notes()))
        return "\n".join(parts)

    def latex(self) -> str:
        """``table`` environments for the booktabs package, notes as comments above them."""
        parts = ["% needs \\usepackage{booktabs}\n" + "".join(f"% {line}\n" for line in self.notes())]
        for table in self.tables():
            head, *rows = [list(map(_latex, row)) for row in table.rows]
            parts.append(pd.DataFrame(rows, columns=head).to_latex(index=False, caption=_latex(table.caption)))
        return "\n".join(parts)

    def csv(self) -> str:
        """A row a run, measure, topic and set of judgments, every digit kept. Raises InputError for formulas."""
        rows = [
            (run, measure, topic, value, judgments)
            for run, figures in self.comparison.evaluations.items()
            for judgments, evaluation in figures.items()
            for measure, by_topic in evaluation.values.items()
            for topic, value in by_topic.items()
        ]
        for name in dict.fromkeys(name for run, _, topic, *_ in rows for name in (run, topic)):
            if is_formula(name):
                raise InputError(quote(name), "would be a formula in a spreadsheet", "rename it, or write JSON")
        heads = ["run", "measure", "topic", "value", "judgments"]
        return pd.DataFrame(rows, columns=heads).to_csv(index=False, lineterminator="\n")

    def json(self) -> str:
        """Everything: the runs as ``riposte evaluate --json`` has them, and the tests."""
        comparison = self.comparison
        document = self.settings() | {
            "baseline": comparison.plan.baseline,
            "test": {
                "name": "two-sided paired randomisation",
                "adjustment": "Holm, over all comparisons",
                "alpha": ALPHA,
                "measures": comparison.plan.measures,
            },
            "runs": [output.as_json(name, figures) for name, figures in comparison.evaluations.items()],
            output.RANDOM: output.as_json(output.RANDOM, comparison.at_random),
            "comparisons": [row.pop("difference") | row for row in map(asdict, comparison.tests)],
            "alpha": comparison.plan.alpha,
            "risks": list(map(asdict, comparison.risks)),
        }
        return json.dumps(document, indent=2, allow_nan=False) + "\n"

    def _means(self, judgments: str) -> list[Table]:
        comparison = self.comparison
        rows = [(run, by[judgments]) for run, by in output.with_random(comparison).items()]
        measures = list(comparison.at_random[judgments].means)
        caption = f"{self._prefix(judgments)}means over topics [95% interval]"
        return [
            Table(
                caption, [["run", *group], *([run, *(output.figure_text(e, m, 3) for m in group)] for run, e in rows)]
            )
            for group in (measures[start : start + _ACROSS] for start in range(0, len(measures), _ACROSS))
        ]

    def _pools(self) -> list[Table]:
        comparison, measure = self.comparison, self.comparison.plan.measures[0]
        rows = {name: pool_rows(comparison.evaluations, name, measure) for name in comparison.at_random}
        caption = "topics by the number of their relevant items"
        return [Table(f"{self._prefix(name)}{caption}", table) for name, table in rows.items() if table]

    def _tests(self) -> list[Table]:
        baseline, several = self.comparison.plan.baseline, len(self.comparison.at_random) > 1
        rows = []
        for test in self.comparison.tests:
            d = test.difference
            row = {
                "run": test.run,
                **({} if baseline else {"against": test.baseline}),
                **({"judgments": test.judgments} if several else {}),
                "measure": test.measure,
                "difference [95%]": f"{d.mean:+.3f} [{d.low:+.3f}, {d.high:+.3f}]",
                "d_z [95%]": f"{d.effect:+.2f} [{d.effect_low:+.2f}, {d.effect_high:+.2f}]",
                "wins/ties/losses": f"{d.better}/{d.equal}/{d.worse}",
                "p": p_text(d.p, 4),
                "Holm p": p_text(test.adjusted_p, 4),
                "verdict": test.verdict,
            }
            rows.append(row)
        caption = "paired differences" + (f" from {baseline}" if baseline else "")
        tests = Table(caption, [list(rows[0]), *(list(row.values()) for row in rows)])
        if not (risks := self.comparison.risks):
            return [tests]
        against = f"risk against {baseline}, losses count {1 + self.comparison.plan.alpha:g} times"
        return [tests, Table(against, risk_rows(risks, several=several))]

    def _topics(self, baseline: str, judgments: str, measure: str) -> Table:
        values = {run: figures[judgments].values[measure] for run, figures in self.comparison.evaluations.items()}

        def cell(run: str, topic: str) -> str:
            value, reference = values[run].get(topic), values[baseline].get(topic)
            if value is None:
                return "-"
            return f"{value:.3f}" + ("" if run == baseline or reference is None else f" ({value - reference:+.3f})")

        # An id comes from a file, and may hold what moves a terminal.
        topics = self.comparison.at_random[judgments].coverage.judged
        rows = [[clean(topic), *(cell(run, topic) for run in values)] for topic in topics]
        caption = f"{self._prefix(judgments)}{measure} of every topic (difference from {baseline})"
        return Table(caption, [["topic", *values], *rows])

    def _prefix(self, judgments: str) -> str:
        """The set of judgments, in the captions of a comparison by several."""
        return f"{output.set_title(judgments)}: " if len(self.comparison.at_random) > 1 else ""


def _latex(text: str) -> str:
    # A minus sign, where a hyphen would be set: before a number. A row that begins with [ would be read as an option
    # of the \\ before it.
    escaped = re.sub(r"(?<![\w.-])-(?=\d)", "$-$", text.translate(_LATEX))
    return f"{{}}{escaped}" if escaped.startswith(("[", "*")) else escaped
