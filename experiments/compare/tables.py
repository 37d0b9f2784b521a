"""The tables of a comparison of runs, and what a reader must know beside them."""

from __future__ import annotations

from typing import NamedTuple

from experiments.compare.comparison import FileComparison
from ltr.escapes import clean
from ltr.evaluation import output
from ltr.evaluation.comparison import Comparison
from ltr.evaluation.output import figure_text, random_title, set_title
from ltr.evaluation.significance import ALPHA, EFFECT_LIMIT, FLIPS

Rows = list[list[str]]
"""A table's cells; the first row is its head."""

_ACROSS = 4  # measures beside each other; more would not fit a screen or a page


class Table(NamedTuple):
    """Rows under a caption."""

    caption: str
    rows: Rows


def tables(found: Comparison) -> list[Table]:
    """The means of every measure by each set of judgments, and all tests."""
    return [*(table for name in found.at_random for table in _means(found, name)), _tests(found)]


def topic_tables(found: Comparison, baseline: str) -> list[Table]:
    """The tested measures of every topic, with the difference from ``baseline`` in brackets."""
    return [_topics(found, baseline, name, measure) for name in found.at_random for measure in found.plan.measures]


def _topics(found: Comparison, baseline: str, judgments: str, measure: str) -> Table:
    values = {run: figures[judgments].values[measure] for run, figures in found.evaluations.items()}
    caption = f"{_prefix(found, judgments)}{measure} of every topic (difference from {baseline})"

    def cell(run: str, topic: str) -> str:
        value, reference = values[run].get(topic), values[baseline].get(topic)
        if value is None:
            return "-"
        return f"{value:.3f}" + ("" if run == baseline or reference is None else f" ({value - reference:+.3f})")

    # An id comes from a file, and may hold what moves a terminal.
    topics = found.at_random[judgments].coverage.judged
    return Table(
        caption, [["topic", *values], *([clean(topic), *(cell(run, topic) for run in values)] for topic in topics)]
    )


def notes(compared: FileComparison) -> list[str]:
    """What a reader must know beside the tables, a line each."""
    found = compared.found
    topics = max(len(one.coverage.judged) for one in found.at_random.values())
    lines = [
        *output.notes(found.evaluations, found.at_random, found.settings, guessed=compared.files.guessed),
        f"p: two-sided paired randomisation test over topics, exact or with {FLIPS:,} draws. "
        "Holm p: over all tests of the table, those of the same differences counted once.",
        f"d_z: mean difference / its standard deviation, at most {EFFECT_LIMIT:g} either way. "
        f"Verdict: Holm p at most {ALPHA:g}, or no evidence.",
    ]
    if (least := 2.0 ** (1 - topics)) > ALPHA:
        lines.append(f"With {topics} topic{'s' * (topics > 1)} no p falls below {least:g}, whatever the runs do.")
    return lines


def _prefix(found: Comparison, judgments: str) -> str:
    """What tells the tables of several sets of judgments apart."""
    return f"{set_title(judgments)}: " if len(found.at_random) > 1 else ""


def _means(found: Comparison, judgments: str) -> list[Table]:
    by_set = {**found.evaluations, random_title(next(iter(found.evaluations))): found.at_random}
    rows = [(run, figures[judgments]) for run, figures in by_set.items()]
    measures = list(found.at_random[judgments].means)
    groups = [measures[start : start + _ACROSS] for start in range(0, len(measures), _ACROSS)]
    return [
        Table(
            f"{_prefix(found, judgments)}means over topics [95% interval]",
            [["run", *group], *([name, *(figure_text(e, m, 3) for m in group)] for name, e in rows)],
        )
        for group in groups
    ]


def _tests(found: Comparison) -> Table:
    several = len(found.at_random) > 1
    head = ["run", *([] if found.plan.baseline else ["against"]), *(["judgments"] if several else []), "measure"]
    rows = [[*head, "difference [95%]", "d_z [95%]", "wins/ties/losses", "p", "Holm p", "verdict"]]
    for test in found.tests:
        d = test.difference
        rows.append(
            [
                *([test.run] if found.plan.baseline else [test.run, test.baseline]),
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
    return Table("paired differences" + (f" from {found.plan.baseline}" if found.plan.baseline else ""), rows)


def _p(p: float) -> str:
    return "<.0001" if p < 0.0001 else f"{p:.4f}"
