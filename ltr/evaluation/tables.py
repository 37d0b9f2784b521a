"""Tables for people: aligned text, Markdown and LaTeX."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from typing import NamedTuple

_LATEX_WORDS = {"\\": "backslash", "~": "asciitilde", "^": "asciicircum", "<": "less", ">": "greater", "|": "bar"}
_LATEX = str.maketrans({c: rf"\{c}" for c in "&%$#_{}"} | {c: rf"\text{word}{{}}" for c, word in _LATEX_WORDS.items()})
_MARKDOWN = str.maketrans({c: f"\\{c}" for c in "\\|*_`<"})


class Table(NamedTuple):
    """Rows of cells under a caption, where there is one; the first row is the head."""

    caption: str
    rows: Sequence[Sequence[str]]


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """A line a row, columns under each other."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]


def table_lines(tables: Sequence[Table], notes: Sequence[str]) -> Iterator[str]:
    """Captions, aligned tables and notes, an empty line after each table."""
    for caption, rows in tables:
        yield from (*filter(None, [caption]), *aligned(rows), "")
    yield from notes


def markdown(tables: Sequence[Table], notes: Sequence[str]) -> str:
    """Pipe tables (GitHub's Markdown) with the notes as a list."""
    parts = []
    for caption, rows in tables:
        head, *cells = [[cell.translate(_MARKDOWN) for cell in row] for row in rows]
        lines = "".join(f"| {' | '.join(line)} |\n" for line in (head, ["---"] * len(head), *cells))
        parts.append(f"**{caption.translate(_MARKDOWN)}**\n\n{lines}" if caption else lines)
    return "\n".join([*parts, "".join(f"- {note.translate(_MARKDOWN)}\n" for note in notes)])


def latex(tables: Sequence[Table], notes: Sequence[str]) -> str:
    """``table`` environments for the booktabs package, with the notes as comments above them."""
    parts = ["% needs \\usepackage{booktabs}\n" + "".join(f"% {note}\n" for note in notes)]
    for caption, rows in tables:
        head, *cells = [" & ".join(map(_latex, row)) + r" \\" for row in rows]
        begin = [r"\begin{table}", rf"\caption{{{_latex(caption)}}}", rf"\begin{{tabular}}{{{'l' * len(rows[0])}}}"]
        end = [r"\bottomrule", r"\end{tabular}", r"\end{table}", ""]
        parts.append("\n".join([*begin, r"\toprule", head, r"\midrule", *cells, *end]))
    return "\n".join(parts)


def _latex(text: str) -> str:
    # A minus sign, where a hyphen would be set: before a number. A row that begins with [ would be read as an option
    # of the \\ before it.
    escaped = re.sub(r"(?<![\w.-])-(?=\d)", "$-$", text.translate(_LATEX))
    return f"{{}}{escaped}" if escaped.startswith(("[", "*")) else escaped


def topic_rows(values: Mapping[str, Mapping[str, float]], topics: Iterable[str], baseline: str) -> list[list[str]]:
    """A row a topic, a column a run, of run -> topic -> value, with differences from the ``baseline`` in brackets."""

    def cell(run: str, topic: str) -> str:
        value, reference = values[run].get(topic), values[baseline].get(topic)
        if value is None:
            return "-"
        return f"{value:.3f}" + ("" if run == baseline or reference is None else f" ({value - reference:+.3f})")

    return [["topic", *values], *([topic, *(cell(run, topic) for run in values)] for topic in topics)]


def interval_text(mean: float, low: float, high: float, sign: str = "", decimals: int = 3) -> str:
    """A figure with its interval.

    >>> interval_text(0.5, 0.4, 0.6)
    '0.500 [0.400, 0.600]'
    """
    first, *ends = (f"{value:{sign}.{decimals}f}" for value in (mean, low, high))
    return f"{first} [{', '.join(ends)}]"


def counted(things: Sized | int, noun: str) -> str:
    """A number and a noun.

    >>> counted(1, "run"), counted(["a", "b"], "run")
    ('1 run', '2 runs')
    """
    number = things if isinstance(things, int) else len(things)
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
