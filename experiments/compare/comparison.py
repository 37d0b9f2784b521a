"""Runs from files, by the names that they are shown under."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ltr.data.qrels import Qrels
from ltr.data.runs import RunRow, read_run
from ltr.evaluation.comparison import Comparison
from ltr.evaluation.evaluator import check_match
from ltr.evaluation.judgments import JudgmentFiles, path_text
from ltr.progress import Progress


@dataclass(frozen=True)
class FileComparison:
    """A comparison with the files of judgments that it was made with."""

    files: JudgmentFiles
    k: int
    found: Comparison


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
    for place, own in enumerate(parts):
        others = parts[:place] + parts[place + 1 :]
        depth = next((d for d in range(1, len(own)) if all(own[-d:] != other[-d:] for other in others)), len(own))
        name = "/".join(own[-depth:])
        names.append(name if name not in names else f"{name} ({place + 1})")
    return names
