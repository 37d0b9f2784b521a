"""What a measurement of scale says: growth with the size of the corpus, and ratios to peers; as data and as a table."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

from ltr.parallel.processes import usable_cores

GB = 1e9
GROWING = (
    *(("index", "wall"), ("predict", "wall"), ("train", "wall"), ("query", "query_ms")),
    *(("index", "memory"), ("predict", "memory"), ("train", "memory"), ("index", "disk")),
)
QUANTITIES = {"wall": "time", "memory": "memory", "disk": "disk", "query_ms": "mean"}
PACKAGES = ("riposte", "numpy", "pandas", "tantivy", "lightgbm", "scikit-learn", "spacy", "bm25s")
BUSY = 0.1
"""The share of the machine from which on other work is mentioned."""
CELLS: dict[str, Callable[[float], str]] = {
    "wall": "{:.1f}".format,
    "cpu": "{:.1f}".format,
    "memory": lambda size: f"{size / GB:.2f}",
    "disk": lambda size: f"{size / GB:.3f}",
    "query_ms": "{:.2f}".format,
}
HEADS = ["wall s", "cpu s", "peak GB", "disk GB", "query ms"]
Record = Mapping[str, Any]


def results(records: Sequence[Record], peers: Sequence[Record]) -> dict[str, Any]:
    """Everything that is found out."""
    own = {(record["key"]["share"], record["key"]["measure"]): record for record in records}
    return {
        "machine": machine(),
        "measures": list(records),
        "growth": growth(records),
        "peers": [{**peer, "name": peer["key"]["measure"], "ratios": ratios(peer, own)} for peer in peers],
    }


def machine() -> dict[str, Any]:
    """Where it was measured."""
    versions: dict[str, str | None] = {}
    for name in PACKAGES:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            versions[name] = None
    try:
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (OSError, ValueError):
        memory = None
    return {
        "system": platform.system(),
        "processor": processor(),
        "cores": usable_cores(),
        "memory": memory,
        "python": sys.version.split()[0],
        "versions": versions,
    }


def processor() -> str:
    """Its name, or else its kind."""
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8", "replace").splitlines()
    except OSError:
        lines = []
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())


def growth(records: Sequence[Record]) -> list[dict[str, Any]]:
    """For each quantity the exponent b of size**b, fitted over all sizes, and the ratio of the two largest."""
    rows = []
    for measure, quantity in GROWING:
        own = (record for record in records if record["key"]["measure"] == measure)
        points = sorted((record["key"]["arguments"], record[quantity]) for record in own)
        if len(points) > 1:
            (before, small), (size, large) = points[-2:]
            ratio = {"exponent": exponent(points), "sizes": size / before, "ratio": large / small}
            rows.append({"measure": measure, "quantity": quantity, **ratio})
    return rows


def exponent(points: Sequence[tuple[float, float]]) -> float:
    """The slope of log(y) over log(x) by least squares."""
    x, y = np.log(np.array(points)).T
    return round(float(np.polyfit(x, y, 1)[0]), 9) + 0.0


def ratios(peer: Record, own: Mapping[tuple[float, str], Record]) -> dict[str, float]:
    """The peer's figures divided by those of our index of the same corpus, where both have them."""
    share = peer["key"]["share"]
    index, query = own.get((share, "index"), {}), own.get((share, "query"), {})
    ours = {name: (query if name == "query_ms" else index).get(name) for name in CELLS}
    return {name: peer[name] / value for name, value in ours.items() if value and name in peer}


def table(found: Mapping[str, Any]) -> str:
    """For a terminal."""
    parts = [described(found["machine"])]
    if found["measures"]:
        kinds = " or ".join(sorted({record["memory_kind"] for record in found["measures"]}))
        parts.append(f"our commands; peak is {kinds} of all processes together")
        busy = max(record.get("elsewhere") or 0 for record in found["measures"] + found["peers"])
        if busy > BUSY:
            parts[-1] += f" (other work took up to {busy:.0%} of the machine meanwhile: times are too long)"
        rows = [[one["key"]["measure"], f"{one['key']['arguments']:,}", *cells(one)] for one in found["measures"]]
        parts[-1] += f"\n{columns(['', 'arguments', *HEADS], rows)}"
    if found["growth"]:
        rows = [
            [f"{row['measure']}, {QUANTITIES[row['quantity']]}", f"{row['exponent']:.2f}", f"{row['ratio']:.2f}"]
            for row in found["growth"]
        ]
        times = f"{found['growth'][0]['sizes']:.3g}"
        caption = f"growth: size to the power of b, and the ratio for {times} times the arguments, the two largest"
        parts.append(f"{caption}\n{columns(['', 'b', 'ratio'], rows)}")
    if found["peers"]:
        rows = []
        for peer in found["peers"]:
            shown = {name: f"{ratio:.2f}" for name, ratio in peer["ratios"].items()}
            own = [*cells(peer), *(shown.get(name, "-") for name in QUANTITIES)]
            rows.append([peer["name"], *([peer["missing"]] if "missing" in peer else own)])
        arguments = found["peers"][0]["key"]["arguments"]
        caption = f"peers on the same {arguments:,} arguments, and their figures divided by those of our index"
        heads = ["", *HEADS, "time /ours", "memory /ours", "disk /ours", "query /ours"]
        parts.append(f"{caption}\n{columns(heads, rows)}")
    return "\n\n".join(parts)


def cells(record: Record) -> list[str]:
    """Wall and processor seconds, peak and disk in GB, ms of a query."""
    return [form(record[name]) if name in record else "-" for name, form in CELLS.items()]


def columns(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Names to the left, figures to the right; a shorter row is a name and a remark."""
    whole = [row for row in (heads, *rows) if len(row) == len(heads)]
    widths = [max(len(row[place]) for row in whole) for place in range(len(heads))]
    widths[0] = max(len(row[0]) for row in rows)
    lines = []
    for name, *others in (heads, *rows):
        right = widths[1:] if len(others) == len(heads) - 1 else [0] * len(others)
        cells = [cell.rjust(width) for cell, width in zip(others, right, strict=True)]
        lines.append("  ".join([name.ljust(widths[0]), *cells]).rstrip())
    return "\n".join(lines)


def described(where: Mapping[str, Any]) -> str:
    """The machine in a line."""
    memory = f", {where['memory'] / GB:.0f} GB of memory" if where["memory"] else ""
    cores = f"{where['cores']} {'core' if where['cores'] == 1 else 'cores'}"
    return f"{where['processor']}, {cores}{memory}, {where['system']}, Python {where['python']}"
