"""What a comparison is written as: text, Markdown and LaTeX of its tables, its values as CSV, all of it as JSON."""

from __future__ import annotations

import json
import re
from dataclasses import asdict
from typing import Any

import pandas as pd

from experiments.compare.tables import FileComparison, notes, tables
from ltr.data.columns import quote
from ltr.errors import InputError
from ltr.escapes import is_formula
from ltr.evaluation import output
from ltr.evaluation.significance import ALPHA, FLIPS


def as_markdown(compared: FileComparison) -> str:
    """Pipe tables (GitHub's Markdown) with the notes as a list."""
    parts = []
    for table in tables(compared.comparison):
        head, *rows = [[_markdown(cell) for cell in row] for row in table.rows]
        lines = [head, ["---"] * len(head), *rows]
        parts.append(f"**{_markdown(table.caption)}**\n\n" + "".join(f"| {' | '.join(line)} |\n" for line in lines))
    parts.append("".join(f"- {_markdown(line)}\n" for line in notes(compared)))
    return "\n".join(parts)


def as_latex(compared: FileComparison) -> str:
    """``table`` environments for the booktabs package, notes as comments above them."""
    parts = ["% needs \\usepackage{booktabs}\n" + "".join(f"% {line}\n" for line in notes(compared))]
    for table in tables(compared.comparison):
        head, *rows = [" & ".join(map(_latex, row)) + r" \\" for row in table.rows]
        # A row that begins with [ would be read as an option of the \\ before it; names may begin so.
        rows = [f"{{}}{row}" if row.startswith(("[", "*")) else row for row in rows]
        columns, caption = "l" * len(table.rows[0]), _latex(table.caption)
        body = "\n    ".join([r"\toprule", head, r"\midrule", *rows, r"\bottomrule"])
        inner = f"  \\begin{{tabular}}{{{columns}}}\n    {body}\n  \\end{{tabular}}"
        parts.append(f"\\begin{{table}}\n  \\centering\n  \\caption{{{caption}}}\n{inner}\n\\end{{table}}\n")
    return "\n".join(parts)


def as_csv(compared: FileComparison) -> str:
    """A row a run, measure, topic and set of judgments, every digit kept."""
    rows = [
        (run, measure, topic, value, judgments)
        for run, figures in compared.comparison.evaluations.items()
        for judgments, evaluation in figures.items()
        for measure, by_topic in evaluation.values.items()
        for topic, value in by_topic.items()
    ]
    for name in dict.fromkeys(name for run, _, topic, *_ in rows for name in (run, topic)):
        if is_formula(name):
            raise InputError(quote(name), "would be a formula in a spreadsheet", "rename it, or write JSON")
    heads = ["run", "measure", "topic", "value", "judgments"]
    return pd.DataFrame(rows, columns=heads).to_csv(index=False, lineterminator="\n")


def as_json(compared: FileComparison) -> str:
    """Everything: the runs as ``riposte evaluate --json`` has them, and the tests."""
    comparison = compared.comparison
    document: dict[str, Any] = {
        **compared.files.described(next(iter(comparison.at_random.values())).level),
        "strict_order": comparison.settings.strict_order,
        "k": compared.k,
        "seed": comparison.settings.seed,
        "baseline": comparison.plan.baseline,
        "test": {
            "name": "two-sided paired randomisation",
            "resamples": FLIPS,
            "adjustment": "Holm, over all comparisons",
            "alpha": ALPHA,
            "measures": comparison.plan.measures,
        },
        "runs": [output.as_json(name, figures) for name, figures in comparison.evaluations.items()],
        output.RANDOM: output.as_json(output.RANDOM, comparison.at_random),
        "comparisons": [row.pop("difference") | row for row in map(asdict, comparison.tests)],
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
