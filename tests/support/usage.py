"""Memory, files, threads and processes of a process with its children."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

FIGURES = ("rss", "private", "files", "threads", "children", "temporary", "shared")
"""MB resident, and of them not of files; open files, threads, processes below it; files in its temporary folder; and
what lies in shared memory under its number or is mapped from there."""


def usage(process: int, temporary: Path) -> dict[str, float]:
    """The figures of a process with all of its children."""
    figures = dict.fromkeys(FIGURES, 0.0)
    family = [process, *children(process)]
    for member in family:
        with suppress(OSError, IndexError):  # it has ended
            status = dict(line.split(":", 1) for line in Path(f"/proc/{member}/status").read_text().splitlines())
            figures["rss"] += int(status["VmRSS"].split()[0]) / 1024
            figures["private"] += int(status["RssAnon"].split()[0]) / 1024
            figures["threads"] += int(status["Threads"])
            figures["files"] += len(os.listdir(f"/proc/{member}/fd"))
            figures["shared"] += Path(f"/proc/{member}/maps").read_text().count("/dev/shm/")
    figures["children"] = len(family) - 1
    figures["temporary"] = sum(len(folders) + len(files) for _, folders, files in os.walk(temporary))
    figures["shared"] += sum(f"-{process}-" in name for name in os.listdir("/dev/shm"))
    return figures


def children(process: int) -> Iterator[int]:
    """The processes that it has started, those that these have started, and so on."""
    with suppress(OSError):
        for task in Path(f"/proc/{process}/task").iterdir():
            for child in map(int, (task / "children").read_text().split()):
                yield child
                yield from children(child)
