"""Runs of files, the tables of their comparison, and what a reader must know beside them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from ltr.data.qrels import Qrels
from ltr.data.runs import RunRow, read_run
from ltr.escapes import clean
from ltr.evaluation import output
from ltr.evaluation.comparison import Comparison
from ltr.evaluation.evaluator import check_match
from ltr.evaluation.judgments import JudgmentFiles, path_text
from ltr.evaluation.output import figure_text, random_title, set_title
from ltr.evaluation.significance import ALPHA, EFFECT_LIMIT, FLIPS
from ltr.progress import Progress

Rows = list[list[str]]
"""A table's cells; the first row is its head."""

_ACROSS = 4  # measures beside each other; more would not fit a screen or a page


@dataclass(frozen=True)
class FileComparison:
    """A comparison with the files of judgments that it was made with."""

    files: JudgmentFiles
    k: int
    comparison: Comparison


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
    """What to call each run: its file name, or as many of its last directories as tell it from the others.

    >>> run_names([Path("/a/ours/run.txt"), Path("/a/bm25/run.txt"), Path("/a/other.txt")])
    ['ours/run.txt', 'bm25/run.txt', 'other.txt']
    """
    # A name must stay on its line, whatever a file may be called.
    texts = ["".join(c if c.isprintable() else "\ufffd" for c in path_text(path.absolute())) for path in paths]
    parts = [text.split("/") for text in texts]
    names: list[str] = []
    for number, path in enumerate(parts):
        others = parts[:number] + parts[number + 1 :]
        depth = next((d for d in range(1, len(path)) if all(path[-d:] != other[-d:] for other in others)), len(path))
        name = "/".join(path[-depth:])
        names.append(name if name not in names else f"{name} ({number + 1})")
    return names


# ---- tables ----


class Table(NamedTuple):
    """Rows under a caption."""

    caption: str
    rows: Rows


def tables(comparison: Comparison) -> list[Table]:
    """The means of every measure by each set of judgments, and all tests."""
    return [*(table for name in comparison.at_random for table in _means(comparison, name)), _tests(comparison)]


def topic_tables(comparison: Comparison, baseline: str) -> list[Table]:
    """The tested measures of every topic, with the difference from ``baseline`` in brackets."""
    return [
        _topics(comparison, baseline, name, measure)
        for name in comparison.at_random
        for measure in comparison.plan.measures
    ]


def _topics(comparison: Comparison, baseline: str, judgments: str, measure: str) -> Table:
    values = {run: figures[judgments].values[measure] for run, figures in comparison.evaluations.items()}
    caption = f"{_prefix(comparison, judgments)}{measure} of every topic (difference from {baseline})"

    def cell(run: str, topic: str) -> str:
        value, reference = values[run].get(topic), values[baseline].get(topic)
        if value is None:
            return "-"
        return f"{value:.3f}" + ("" if run == baseline or reference is None else f" ({value - reference:+.3f})")

    # An id comes from a file, and may hold what moves a terminal.
    topics = comparison.at_random[judgments].coverage.judged
    return Table(
        caption, [["topic", *values], *([clean(topic), *(cell(run, topic) for run in values)] for topic in topics)]
    )


def notes(compared: FileComparison) -> list[str]:
    """What a reader must know beside the tables, a line each."""
    comparison = compared.comparison
    topics = max(len(baseline.coverage.judged) for baseline in comparison.at_random.values())
    lines = [
        *output.notes(
            comparison.evaluations, comparison.at_random, comparison.settings, guessed=compared.files.guessed
        ),
        f"p: two-sided paired randomisation test over topics, exact or with {FLIPS:,} draws. "
        "Holm p: over all tests of the table, with equal differences counted once.",
        f"d_z: mean difference / its standard deviation, at most {EFFECT_LIMIT:g} either way. "
        f"Verdict: Holm p at most {ALPHA:g}, or no evidence.",
    ]
    if (least := 2.0 ** (1 - topics)) > ALPHA:
        lines.append(f"With {topics} topic{'s' * (topics > 1)} no p is below {least:g}, however large the differences.")
    return lines


def _prefix(comparison: Comparison, judgments: str) -> str:
    """What tells the tables of several sets of judgments apart."""
    return f"{set_title(judgments)}: " if len(comparison.at_random) > 1 else ""


def _means(comparison: Comparison, judgments: str) -> list[Table]:
    by_set = {**comparison.evaluations, random_title(next(iter(comparison.evaluations))): comparison.at_random}
    rows = [(run, figures[judgments]) for run, figures in by_set.items()]
    measures = list(comparison.at_random[judgments].means)
    groups = [measures[start : start + _ACROSS] for start in range(0, len(measures), _ACROSS)]
    return [
        Table(
            f"{_prefix(comparison, judgments)}means over topics [95% interval]",
            [["run", *group], *([name, *(figure_text(e, m, 3) for m in group)] for name, e in rows)],
        )
        for group in groups
    ]


def _tests(comparison: Comparison) -> Table:
    several = len(comparison.at_random) > 1
    head = ["run", *([] if comparison.plan.baseline else ["against"]), *(["judgments"] if several else []), "measure"]
    rows = [[*head, "difference [95%]", "d_z [95%]", "wins/ties/losses", "p", "Holm p", "verdict"]]
    for test in comparison.tests:
        d = test.difference
        rows.append(
            [
                *([test.run] if comparison.plan.baseline else [test.run, test.baseline]),
                *([test.judgments] if several else []),
                test.measure,
                f"{d.mean:+.3f} [{d.low:+.3f}, {d.high:+.3f}]",
                f"{d.effect:+.2f} [{d.effect_low:+.2f}, {d.effect_high:+.2f}]",
                f"{d.better}/{d.equal}/{d.worse}",
                _p(d.p),
                _p(test.adjusted_p),
                test.verdict,
            ]
        )
    return Table("paired differences" + (f" from {comparison.plan.baseline}" if comparison.plan.baseline else ""), rows)


def _p(p: float) -> str:
    return "<.0001" if p < 0.0001 else f"{p:.4f}"
