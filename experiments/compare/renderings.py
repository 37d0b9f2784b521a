"""What a comparison of runs looks like: tables once, written as text, Markdown or LaTeX; values as CSV; all as JSON."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from experiments.compare.command import Comparison
    from ltr.evaluation.measures import Evaluation

Rows = list[list[str]]
"""A table's cells; the first row is its head."""

_ACROSS = 4  # measures beside each other; more would not fit a screen or a page


@dataclass(frozen=True)
class Table:
    """Rows under a caption."""

    caption: str
    rows: Rows


# ---- names ----------------------------------------------------------------------------------------


def run_names(paths: Sequence[Path]) -> list[str]:
    """What to call each run: its file name, or as many of its last directories as tell it from the others.

    >>> run_names([Path("/a/ours/run.txt"), Path("/a/bm25/run.txt"), Path("/a/other.txt")])
    ['ours/run.txt', 'bm25/run.txt', 'other.txt']
    """
    from ltr.evaluation.boards import path_text

    # A name must stay on its line, whatever a file may be called.
    texts = ["".join(c if c.isprintable() else "\ufffd" for c in path_text(path.absolute())) for path in paths]
    parts = [text.split("/") for text in texts]
    names: list[str] = []
    for place, own in enumerate(parts):
        others = parts[:place] + parts[place + 1 :]
        depth = next((d for d in range(1, len(own)) if all(own[-d:] != other[-d:] for other in others)), len(own))
        name = "/".join(own[-depth:])
        names.append(name if name not in names else f"{name} ({place + 1})")
    return names


# ---- tables ---------------------------------------------------------------------------------------


def tables(found: Comparison) -> list[Table]:
    """The means of every measure by each set of judgments, and all tests."""
    return [*(table for name in found.by_luck for table in _means(found, name)), _tests(found)]


def topic_tables(found: Comparison, baseline: str) -> list[Table]:
    """The tested measures of every topic, with the difference from ``baseline`` in brackets."""
    return [_topics(found, baseline, name, measure) for name in found.by_luck for measure in found.tested]


def _topics(found: Comparison, baseline: str, judgments: str, measure: str) -> Table:
    from ltr.cli.terminal import clean

    values = {run: figures[judgments].values[measure] for run, figures in found.evaluations.items()}
    caption = f"{_prefix(found, judgments)}{measure} of every topic (difference from {baseline})"
    rows = [["topic", *values]]
    for topic, reference in values[baseline].items():
        cells = [
            f"{by_topic[topic]:.3f}" + ("" if name == baseline else f" ({by_topic[topic] - reference:+.3f})")
            for name, by_topic in values.items()
        ]
        rows.append([clean(topic), *cells])  # an id comes from a file, and may hold what moves a terminal
    return Table(caption, rows)


def notes(found: Comparison) -> list[str]:
    """What a reader must know beside the tables, a line each."""
    from ltr.evaluation.figures import notes
    from ltr.evaluation.significance import ALPHA, EFFECT_LIMIT, FLIPS

    topics = max(len(one.coverage.judged) for one in found.by_luck.values())
    lines = [
        *notes(list(found.evaluations.items()), found.options),
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
    from ltr.evaluation.figures import set_title

    return f"{set_title(judgments)}: " if len(found.by_luck) > 1 else ""


def _means(found: Comparison, judgments: str) -> list[Table]:
    from ltr.evaluation.figures import RANDOM

    luck = found.by_luck[judgments]
    rows = [(run, figures[judgments]) for run, figures in found.evaluations.items()] + [(RANDOM, luck)]
    groups = [list(luck.means)[start : start + _ACROSS] for start in range(0, len(luck.means), _ACROSS)]
    return [
        Table(
            f"{_prefix(found, judgments)}means over topics [95% interval]",
            [["run", *group], *([name, *(_mean(e, m) for m in group)] for name, e in rows)],
        )
        for group in groups
    ]


def _mean(evaluation: Evaluation, measure: str) -> str:
    low, high = evaluation.intervals[measure]
    return f"{evaluation.means[measure]:.3f} [{low:.3f}, {high:.3f}]"


def _tests(found: Comparison) -> Table:
    several = len(found.by_luck) > 1
    head = ["run", *([] if found.baseline else ["against"]), *(["judgments"] if several else []), "measure"]
    rows = [[*head, "difference [95%]", "d_z [95%]", "wins/ties/losses", "p", "Holm p", "verdict"]]
    for test in found.tests:
        d = test.difference
        rows.append(
            [
                *([test.run] if found.baseline else [test.run, test.baseline]),
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
    return Table("paired differences" + (f" from {found.baseline}" if found.baseline else ""), rows)


def _p(p: float) -> str:
    return "<.0001" if p < 0.0001 else f"{p:.4f}"


# ---- renderings -----------------------------------------------------------------------------------


def as_text(table: Table) -> str:
    """Aligned columns under the caption."""
    widths = [max(map(len, column)) for column in zip(*table.rows, strict=True)]
    lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in table.rows]
    return "\n".join([table.caption, *lines]) + "\n"


def as_markdown(found: Comparison) -> str:
    """Pipe tables (GitHub's Markdown) with the notes as a list."""
    parts = []
    for table in tables(found):
        head, *rows = [[_markdown(cell) for cell in row] for row in table.rows]
        lines = [head, ["---"] * len(head), *rows]
        parts.append(f"**{_markdown(table.caption)}**\n\n" + "".join(f"| {' | '.join(line)} |\n" for line in lines))
    parts.append("".join(f"- {_markdown(line)}\n" for line in notes(found)))
    return "\n".join(parts)


def as_latex(found: Comparison) -> str:
    """``table`` environments for the booktabs package, notes as comments above them."""
    parts = ["% needs \\usepackage{booktabs}\n" + "".join(f"% {line}\n" for line in notes(found))]
    for table in tables(found):
        head, *rows = [" & ".join(map(_latex, row)) + r" \\" for row in table.rows]
        # A row that begins with [ would be read as an option of the \\ before it; names may begin so.
        rows = [f"{{}}{row}" if row.startswith(("[", "*")) else row for row in rows]
        lines = [
            r"\begin{table}",
            r"  \centering",
            rf"  \caption{{{_latex(table.caption)}}}",
            rf"  \begin{{tabular}}{{{'l' * len(table.rows[0])}}}",
            r"    \toprule",
            f"    {head}",
            r"    \midrule",
            *(f"    {row}" for row in rows),
            r"    \bottomrule",
            r"  \end{tabular}",
            r"\end{table}",
        ]
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)


def as_csv(found: Comparison) -> str:
    """A row a run, measure, topic and set of judgments, every digit kept."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["run", "measure", "topic", "value", "judgments"])
    for run, figures in found.evaluations.items():
        for judgments, evaluation in figures.items():
            for measure, by_topic in evaluation.values.items():
                writer.writerows([run, measure, topic, repr(value), judgments] for topic, value in by_topic.items())
    return out.getvalue()


def as_json(found: Comparison) -> str:
    """Everything: the runs as ``ltr.evaluate --json`` has them, and the tests."""
    from ltr.evaluation.figures import RANDOM, as_json, described
    from ltr.evaluation.significance import ALPHA, FLIPS

    document: dict[str, Any] = {
        **described(found.options, next(iter(found.by_luck.values())).level),
        "baseline": found.baseline,
        "test": {
            "name": "two-sided paired randomisation",
            "resamples": FLIPS,
            "adjustment": "Holm, over all comparisons",
            "alpha": ALPHA,
            "measures": found.tested,
        },
        "runs": [as_json(name, figures) for name, figures in found.evaluations.items()],
        RANDOM: as_json(RANDOM, found.by_luck),
        "comparisons": [
            {
                "judgments": test.judgments,
                "measure": test.measure,
                "run": test.run,
                "baseline": test.baseline,
                **asdict(test.difference),
                "adjusted_p": test.adjusted_p,
                "verdict": test.verdict,
            }
            for test in found.tests
        ],
    }
    return json.dumps(document, indent=2, allow_nan=False) + "\n"


RENDERINGS = {"json": as_json, "csv": as_csv, "latex": as_latex, "markdown": as_markdown}
"""The formats that can be written to a file, by the name of their option."""

_LATEX_WORDS = {"\\": "backslash", "~": "asciitilde", "^": "asciicircum", "<": "less", ">": "greater", "|": "bar"}
_LATEX = str.maketrans({c: rf"\{c}" for c in "&%$#_{}"} | {c: rf"\text{word}{{}}" for c, word in _LATEX_WORDS.items()})
_MARKDOWN = str.maketrans({c: f"\\{c}" for c in "\\|*_`<"})


def _latex(text: str) -> str:
    # A minus sign, where a hyphen would be set: before a number.
    return re.sub(r"(?<![\w.-])-(?=\d)", "$-$", text.translate(_LATEX))


def _markdown(text: str) -> str:
    return text.translate(_MARKDOWN)


# ---- files ----------------------------------------------------------------------------------------


def write_all(texts: dict[Path, str]) -> None:
    """Write every text or, when one of the files cannot be written, none."""
    from ltr.data.files import atomic_text

    with ExitStack() as stack:
        files = [(stack.enter_context(atomic_text(path)), text) for path, text in texts.items()]
        for out, text in files:
            out.write(text)
            out.flush()
