"""Figures as studies print them and write them as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pandas as pd

from ltr.data.files import atomic_text
from ltr.evaluation.evaluator import doubt

INTERVAL = ("mean", "low", "high")


def least_note(tests: Iterable[Mapping[str, Any]]) -> str:
    """A line for tables whose p could not come out, after a line break; empty where all could."""
    least = [test["p_holm_least"] for test in tests if "p_holm_least" in test]
    return (
        f"\n(no Holm p here is below {min(least):.3g}, however large the difference: too few topics)" if least else ""
    )


def interval_text(row: Mapping[str, float], sign: str = "") -> str:
    """``.5 [.4, .6]`` with three decimals."""
    mean, low, high = (f"{row[name]:{sign}.3f}" for name in INTERVAL)
    return f"{mean} [{low}, {high}]"


def list_cells(full: Mapping[str, float], judged: float, condensed: Mapping[str, float]) -> dict[str, str]:
    """Full, judged and condensed figures of a row."""
    condensed_text = interval_text(condensed) + doubt(judged)
    return {"full [95%]": interval_text(full), "judged": f"{judged:.2f}", "condensed [95%]": condensed_text}


def text_table(rows: Iterable[dict[str, str]]) -> str:
    """Aligned columns: the first one to the left, and empty cells where a row lacks one of the first row's."""
    frame = pd.DataFrame(list(rows)).fillna("")
    return "\n".join(map(str.rstrip, frame.set_index(frame.columns[0]).rename_axis(None).to_string().split("\n")))


def counted(things: Sequence[Any] | int, noun: str) -> str:
    """How many, in words: "1 run", "2 runs"."""
    number = things if isinstance(things, int) else len(things)
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def json_text(results: Any) -> str:
    """Results as JSON. Raises ValueError for numbers that JSON lacks."""
    return json.dumps(results, indent=1, allow_nan=False) + "\n"


def write_all(texts: Mapping[Path, str]) -> None:
    """Write every text or, where one of the files cannot be written, none."""
    with ExitStack() as stack:
        for out, text in [(stack.enter_context(atomic_text(path)), text) for path, text in texts.items()]:
            out.write(text)
            out.flush()
