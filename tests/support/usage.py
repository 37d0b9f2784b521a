"""What a process holds with its children, and how fast that grows."""

from __future__ import annotations

import csv
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

FIGURES = ("rss", "private", "files", "threads", "children", "temporary", "shared")
"""MB resident, and of them not of files; open files, threads, processes below it; files in its temporary folder; and
what lies in shared memory under its number or is mapped from there."""

ENDED_TURN = (5, 15, 30, 60)
"""Minutes at which figures are told."""


def usage(process: int, temporary: Path) -> dict[str, float]:
    """The figures of a process with all of its children."""
    found = dict.fromkeys(FIGURES, 0.0)
    family = [process, *children(process)]
    for one in family:
        with suppress(OSError, IndexError):  # it has ended
            status = dict(line.split(":", 1) for line in Path(f"/proc/{one}/status").read_text().splitlines())
            found["rss"] += int(status["VmRSS"].split()[0]) / 1024
            found["private"] += int(status["RssAnon"].split()[0]) / 1024
            found["threads"] += int(status["Threads"])
            found["files"] += len(os.listdir(f"/proc/{one}/fd"))
            found["shared"] += Path(f"/proc/{one}/maps").read_text().count("/dev/shm/")
    found["children"] = len(family) - 1
    found["temporary"] = sum(len(folders) + len(files) for _, folders, files in os.walk(temporary))
    found["shared"] += sum(f"-{process}-" in name for name in os.listdir("/dev/shm"))
    return found


def children(process: int) -> Iterator[int]:
    """The processes that it has started, those that these have started, and so on."""
    with suppress(OSError):
        for task in Path(f"/proc/{process}/task").iterdir():
            for child in map(int, (task / "children").read_text().split()):
                yield child
                yield from children(child)


class Log:
    """Figures over time, in a table that is written as it grows."""

    def __init__(self, file: Path, process: int, temporary: Path) -> None:
        self._file = file.open("w", newline="", encoding="utf-8")
        self._table = csv.writer(self._file)
        self._table.writerow(["minutes", *FIGURES, "done"])
        self._start, self._process, self._temporary = time.monotonic(), process, temporary
        self.rows: list[tuple[float, ...]] = []

    @property
    def minutes(self) -> float:
        """Since the start."""
        return (time.monotonic() - self._start) / 60

    def note(self, done: int) -> None:
        """Measure now, after so many turns or answers."""
        found = usage(self._process, self._temporary)
        self.rows.append((round(self.minutes, 2), *(round(found[name], 1) for name in FIGURES), done))
        self._table.writerow(self.rows[-1])
        self._file.flush()

    def report(self) -> str:
        """Figures at some minutes, and how much each grows in an hour, without the first quarter of the time."""
        lines = ["  ".join(f"{name:>9}" for name in ("minutes", *FIGURES, "done"))]
        last = self.rows[-1][0]
        for minute in [*(one for one in ENDED_TURN if one < last), last]:
            row = min(self.rows, key=lambda row: abs(row[0] - minute))
            lines.append("  ".join(f"{value:9.1f}" for value in row))
        late = [row for row in self.rows if row[0] >= last / 4]
        minutes = [row[0] for row in late]
        for place, name in enumerate(FIGURES, 1):
            slope, low, high = growth(minutes, [row[place] for row in late])
            lines.append(f"{name:>9}: {slope:+.2f} an hour [{low:+.2f}, {high:+.2f}]")
        return "\n".join(lines)


def growth(minutes: Sequence[float], values: Sequence[float]) -> tuple[float, float, float]:
    """The growth in an hour with its interval of 95%: the median of the slopes between any two (Theil and Sen)."""
    from scipy.stats import theilslopes

    found = theilslopes(values, minutes)
    return 60 * found[0], 60 * found[2], 60 * found[3]
