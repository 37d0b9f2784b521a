"""Measure what machines share out: commands on clusters of this machine, and the steps of indexing one by one."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import psutil

from experiments.scale.machines.needs import Measured
from experiments.scale.measure import measure
from experiments.scale.study import python

Record = dict[str, Any]


def measure_clusters(
    corpus: str, topics: Path, folder: Path, sizes: Sequence[int], say: Callable[[str], None]
) -> list[Record]:
    """Index and predict on clusters of so many workers; ``sent`` are bytes over the loopback interface."""
    records = []
    for workers in sizes:
        index = folder / "index"
        say(f"index, {workers} workers")
        shutil.rmtree(index, ignore_errors=True)
        records.append(
            _measured("index", python("experiments.scale.merging", "cluster", corpus, index, workers), workers)
        )
        say(f"predict, {workers} workers")
        options = ["-i", corpus, "--index", index, "--topics", topics, "-o", folder / "run", "--quiet"]
        records.append(_measured("predict", python("ltr.predict", *options, "--workers", workers), workers))
    return records


def _measured(step: str, command: Sequence[str], workers: int) -> Record:
    before = _sent()
    record = measure(command, step)
    return {"step": step, "workers": workers} | record | {"sent": _sent() - before}


def _sent() -> int:
    """Bytes sent over the loopback interface so far, by all programs."""
    return sum(card.bytes_sent for name, card in psutil.net_io_counters(pernic=True).items() if name.startswith("lo"))


def measure_steps(corpus: str, folder: Path, times: Sequence[int], say: Callable[[str], None]) -> Measured:
    """Measure the steps that are shared out, each in a process of its own, and the merge of several copies."""

    def step(name: str, *arguments: object) -> Record:
        return measure(python("experiments.scale.merging", name, *arguments), name)

    for name in ("parts", "copies", "merged"):
        shutil.rmtree(folder / name, ignore_errors=True)
    say("parts, one after the other")
    parts = step("parts", corpus, folder / "parts")
    hashed = step("hash", corpus)
    merges = []
    for number in times:
        say(f"merge, {number} x {parts['sentences']} sentences")
        step("copies", folder / "parts", folder / "copies", number)
        merges.append(step("merge", folder / "copies", folder / "merged"))
        for name in ("copies", "merged"):
            shutil.rmtree(folder / name)
    return Measured(parts, hashed, merges)
