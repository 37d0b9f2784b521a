"""What indexing needs on more machines: computed from measured steps, as tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from experiments.figures import text_table
from ltr.corpora.base import LARGEST_PART, MOST_PARTS, SMALLEST_PART
from ltr.index.copies import ROWS

Record = Mapping[str, Any]
GB = 1e9


class Measured(NamedTuple):
    """Measured steps of indexing."""

    parts: Record
    """All parts of a corpus, one after the other."""
    hashed: Record
    """The fingerprint of the corpus."""
    merges: Sequence[Record]
    """Merges of several copies of the parts, the smallest first."""


class Needs(NamedTuple):
    """What indexing needs: seconds of each step, and bytes."""

    part_tasks: int
    range_tasks: int
    parts: float
    fingerprint: float
    """One process, beside those that work on parts."""
    ranges: float
    merge: float
    """One process."""
    worker_memory: float
    merge_memory: float
    read: float
    """The corpus, by those who index it and by the one who computes its fingerprint; and the parts, for the merge."""
    written: float

    @property
    def seconds(self) -> float:
        """From beginning to end."""
        return max(self.parts, self.fingerprint) + self.ranges + self.merge


def needs(at: Measured, sentences: float, cores: int) -> Needs:
    """What a corpus of so many sentences needs on so many cores, each step of which takes time as it did here."""
    growth, last = sentences / at.parts["sentences"], at.merges[-1]
    size, written = at.hashed["bytes"] * growth, at.parts["bytes"] * growth
    part_tasks = int(max(min(MOST_PARTS, size // SMALLEST_PART), -(-size // LARGEST_PART), 1))
    range_tasks = max(-int(-sentences // ROWS), 1)
    return Needs(
        part_tasks,
        range_tasks,
        in_turns(at.parts["cpu"] * growth, part_tasks, cores),
        at.hashed["cpu"] * growth,
        in_turns(last["ranges"] * sentences / last["sentences"], range_tasks, cores),
        line({record["sentences"]: record["merge"] + record["sums"] for record in at.merges}, sentences),
        at.parts["memory"],
        line({record["sentences"]: record["memory"] for record in at.merges}, sentences),
        2 * size + written,
        written,
    )


def in_turns(seconds: float, tasks: int, cores: int) -> float:
    """Time for equal tasks that take so many seconds together."""
    return -(-tasks // cores) * seconds / tasks


def line(known: Mapping[float, float], at: float) -> float:
    """The value at a size, on the straight line through the values at the smallest and the largest known size.

    Where the largest has a smaller value, they differ by noise: then the line is level.
    """
    (low, first), (high, last) = min(known.items()), max(known.items())
    return last * at / high if low == high else first + max(last - first, 0) * (at - low) / (high - low)


def needs_table(at: Measured, sentences: float, machines: Sequence[int], cores: int) -> str:
    """A row per number of machines with so many cores each."""
    rows = []
    for number in machines:
        found = needs(at, sentences, number * cores)
        rows.append(
            {"": f"{sentences:,.0f} sentences, {number} x {cores} cores"}
            | {"tasks": f"{found.part_tasks} + {found.range_tasks}"}
            | {f"{name} s": f"{getattr(found, name):.0f}" for name in ("parts", "fingerprint", "ranges", "merge")}
            | {"sum s": f"{found.seconds:.0f}"}
            | {"worker GB": f"{found.worker_memory / GB:.2f}", "merge GB": f"{found.merge_memory / GB:.2f}"}
            | {"read GB": f"{found.read / GB:.0f}", "written GB": f"{found.written / GB:.0f}"}
        )
    return text_table(rows)


def steps_table(at: Measured) -> str:
    """A row per measured step; of the merge also the seconds of its three parts."""
    steps = [("parts", at.parts), ("fingerprint", at.hashed), *(("merge", record) for record in at.merges)]
    return text_table(
        {"": f"{name}, {record.get('sentences', at.parts['sentences']):,} sentences"}
        | {"wall s": f"{record['wall']:.1f}", "cpu s": f"{record['cpu']:.1f}"}
        | {"peak GB": f"{record['memory'] / GB:.2f}"}
        | {f"{key} s": f"{record[key]:.1f}" if key in record else "" for key in ("ranges", "merge", "sums")}
        for name, record in steps
    )


def cluster_table(records: Sequence[Record]) -> str:
    """A row per command and number of workers."""
    return text_table(
        {"": f"{record['step']}, {record['workers']} workers"}
        | {"wall s": f"{record['wall']:.1f}", "cpu s": f"{record['cpu']:.1f}"}
        | {"peak GB": f"{record['memory'] / GB:.2f}", "sent MB": f"{record['sent'] / 1e6:.2f}"}
        for record in records
    )
