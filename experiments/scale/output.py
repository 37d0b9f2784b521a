"""What a measurement of scale says: growth with the size of the corpus, and ratios to peers; as data and as a table."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

import numpy as np

from experiments.figures import counted, text_table
from ltr.parallel import usable_cores

GB = 1e9
CELLS = {
    "wall": ("wall s", 1, 1),
    "cpu": ("cpu s", 1, 1),
    "memory": ("peak GB", GB, 2),
    "disk": ("disk GB", GB, 3),
    "query_ms": ("query ms", 1, 2),
}
"""Quantity -> its name in tables, its unit there, and decimals."""
PACKAGES = ("riposte-ltr", "numpy", "pandas", "tantivy", "lightgbm", "scikit-learn", "spacy", "bm25s")
Record = Mapping[str, Any]


def results(records: Sequence[Record], peers: Sequence[Record]) -> dict[str, Any]:
    """Everything that is found out."""
    own = {(record["key"]["share"], record["key"]["measure"]): record for record in records}
    return {
        "machine": machine(),
        "measures": list(records),
        "growth": list(growth(records)),
        "peers": [{**peer, "name": peer["key"]["measure"], "ratios": ratios(peer, own)} for peer in peers],
    }


def machine() -> dict[str, Any]:
    """Where it was measured; None for what the system does not say."""
    try:
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        lines = Path("/proc/cpuinfo").read_text("utf-8", "replace").splitlines()
    except (OSError, ValueError):
        memory, lines = None, []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return {
        "system": platform.system(),
        "processor": models[0] if models else platform.machine(),
        "cores": usable_cores(),
        "memory": memory,
        "python": platform.python_version(),
        "versions": {one.name: one.version for one in distributions() if one.name in PACKAGES},
    }


def growth(records: Sequence[Record]) -> Iterator[dict[str, Any]]:
    """For each measure and quantity the exponent b of size**b over all sizes, and the ratio of the two largest."""
    for measure in dict.fromkeys(record["key"]["measure"] for record in records):
        for quantity in CELLS:
            own = [one for one in records if one["key"]["measure"] == measure and quantity in one]
            points = sorted((one["key"]["arguments"], one[quantity]) for one in own)
            if len(points) > 1:
                (before, small), (size, large) = points[-2:]
                ratio = {"exponent": exponent(points), "sizes": size / before, "ratio": large / small}
                yield {"measure": measure, "quantity": quantity, **ratio}


def exponent(points: Sequence[tuple[float, float]]) -> float:
    """The slope of log(y) over log(x) by least squares."""
    x, y = np.log(np.array(points)).T
    return round(float(np.polyfit(x, y, 1)[0]), 9) + 0.0


def ratios(peer: Record, own: Mapping[tuple[float, str], Record]) -> dict[str, float]:
    """The peer's figures divided by those of our index of the same corpus, where both have them."""
    share = peer["key"]["share"]
    ours = {**own.get((share, "index"), {}), "query_ms": own.get((share, "query"), {}).get("query_ms")}
    return {name: peer[name] / ours[name] for name in CELLS if name in peer and ours.get(name)}


def table(found: Mapping[str, Any]) -> str:
    """For a terminal."""
    where, measures, peers = found["machine"], found["measures"], found["peers"]
    memory = f", {where['memory'] / GB:.0f} GB of memory" if where["memory"] else ""
    parts = [
        f"{where['processor']}, {counted(where['cores'], 'core')}{memory}, {where['system']}, Python {where['python']}"
    ]
    if measures:
        kinds = " or ".join(sorted({record["memory_kind"] for record in measures}))
        caption = f"our commands; peak is {kinds} of all processes together"
        rows = [
            {"": f"{one['key']['measure']}, {one['key']['arguments']:,} arguments", **cells(one)} for one in measures
        ]
        parts.append(f"{caption}\n{text_table(rows)}")
    if found["growth"]:
        times = f"{found['growth'][0]['sizes']:.3g}"
        caption = f"growth: size to the power of b, and the ratio for {times} times the arguments, the two largest"
        rows = [
            {"": f"{row['measure']}, {CELLS[row['quantity']][0]}"}
            | {name: f"{row[of]:.2f}" for name, of in (("b", "exponent"), ("ratio", "ratio"))}
            for row in found["growth"]
        ]
        parts.append(f"{caption}\n{text_table(rows)}")
    if peers:
        caption = f"peers on the same {peers[0]['key']['arguments']:,} arguments; /ours: divided by those of our index"
        rows = [
            {"": peer["name"], **cells(peer)}
            | {f"{CELLS[name][0]} /ours": f"{ratio:.2f}" for name, ratio in peer["ratios"].items()}
            for peer in peers
            if "missing" not in peer
        ]
        missing = [f"{peer['name']}: {peer['missing']}" for peer in peers if "missing" in peer]
        parts.append("\n".join([caption, *([text_table(rows)] if rows else []), *missing]))
    return "\n\n".join(parts)


def cells(record: Record) -> dict[str, str]:
    """Column -> figure in its unit, those that there are."""
    return {head: f"{record[name] / unit:.{digits}f}" for name, (head, unit, digits) in CELLS.items() if name in record}
