"""What a measurement of scale tells: growth, ratios to peers, targets; as a table, in Markdown, JSON and a plot."""

from __future__ import annotations

import io
import json
import math
import os
import platform
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments.scale.synthetic import WHOLE
from ltr.data.files import atomic_text
from ltr.parallel.processes import usable_cores

if TYPE_CHECKING:
    from ltr.progress import Progress

RESULTS = "scale.json"
PLOT = "scale.svg"
GB = 1e9
GROWING = (
    *(("index", "wall"), ("predict", "wall"), ("train", "wall"), ("query", "query_ms")),
    *(("index", "memory"), ("predict", "memory"), ("train", "memory"), ("index", "disk")),
)
QUANTITIES = {"wall": "time", "memory": "memory", "disk": "disk", "query_ms": "mean"}
PACKAGES = ("riposte", "numpy", "pandas", "tantivy", "lightgbm", "scikit-learn", "spacy", "bm25s")
COLOURS = {"index": "#1b6ca8", "predict": "#b35900", "train": "#4d7c0f"}
GREY = "#8a8f98"
BUSY = 0.1
"""The share of the machine from which on other work is mentioned."""
Record = Mapping[str, Any]


def results(records: Sequence[Record], peers: Sequence[Record], share: float) -> dict[str, Any]:
    """Everything that is told; ``share`` is the one that the peers were measured on."""
    found = {(record["key"]["share"], record["key"]["measure"]): record for record in records}
    return {
        "machine": machine(),
        "measures": list(records),
        "growth": growth(found),
        "peers": [{**peer, "name": peer["key"]["measure"]} | ratios(peer, found, share) for peer in peers],
        "targets": targets(found, {peer["key"]["measure"]: peer for peer in peers}),
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


def growth(found: Mapping[tuple[float, str], Record]) -> list[dict[str, Any]]:
    """For each quantity the exponent b of size**b, fitted over all sizes, and the ratio of the two largest."""
    rows = []
    for measure, quantity in GROWING:
        points = sorted(
            (record["key"]["arguments"], record[quantity]) for (_, name), record in found.items() if name == measure
        )
        if len(points) > 1:
            (before, small), (size, large) = points[-2:]
            rows.append(
                {
                    "measure": measure,
                    "quantity": quantity,
                    "exponent": exponent(points),
                    "sizes": size / before,
                    "ratio": large / small,
                }
            )
    return rows


def exponent(points: Sequence[tuple[float, float]]) -> float:
    """The slope of log(y) over log(x) by least squares."""
    logs = [(math.log(x), math.log(y)) for x, y in points]
    x_mean, y_mean = (sum(values) / len(logs) for values in zip(*logs, strict=True))
    return sum((x - x_mean) * (y - y_mean) for x, y in logs) / sum((x - x_mean) ** 2 for x, _ in logs)


def ratios(peer: Record, found: Mapping[tuple[float, str], Record], share: float) -> dict[str, Any]:
    """The peer's figures divided by ours, those that both have."""
    index, query = found.get((share, "index"), {}), found.get((share, "query"), {})
    ours = {name: index.get(name) for name in ("wall", "cpu", "memory", "disk")} | {"query_ms": query.get("query_ms")}
    return {"ratios": {name: peer[name] / value for name, value in ours.items() if value and name in peer}}


def targets(found: Mapping[tuple[float, str], Record], peers: Mapping[str, Record]) -> list[dict[str, Any]]:
    """The figures that the issue asks for at full size, and whether they are met; none for a smaller corpus."""
    sizes = {record["key"]["share"]: record["key"]["arguments"] for record in found.values()}
    share = max(sizes, key=sizes.__getitem__, default=0.0)
    if sizes.get(share, 0) < WHOLE:
        return []
    tenth = next((one for one in sizes if math.isclose(10 * one, share)), None)

    def at(measure: str, quantity: str, unit: float = 1) -> float | None:
        value = found.get((share, measure), {}).get(quantity)
        return value / unit if value is not None else None

    def against(peer: str) -> float | None:
        ours, theirs = at("index", "wall"), peers.get(peer, {})
        return ours / theirs["wall"] if ours and theirs.get("wall") and theirs["key"]["share"] == share else None

    def grown(measure: str, quantity: str) -> float | None:
        small = found.get((tenth, measure), {}).get(quantity) if tenth is not None else None
        large = at(measure, quantity)
        return large / small if small and large else None

    asked: list[tuple[str, float, str, float | None]] = [
        ("index, time", 180, "s", at("index", "wall")),
        ("index, peak memory", 2.0, "GB", at("index", "memory", GB)),
        ("index, disk", 1.2, "GB", at("index", "disk", GB)),
        ("index, time against Lucene", 0.8, "x", against("Lucene")),
        ("index, time against reading the CSV", 6, "x", against("reading the CSV")),
        ("predict, time", 30, "s", at("predict", "wall")),
        ("predict, peak memory", 2.0, "GB", at("predict", "memory", GB)),
        ("first-stage query, mean", 10, "ms", at("query", "query_ms")),
        ("train, time", 150, "s", at("train", "wall")),
        ("train, peak memory", 2.0, "GB", at("train", "memory", GB)),
        ("10% to 100%: index, time", 11, "x", grown("index", "wall")),
        ("10% to 100%: predict, time", 2, "x", grown("predict", "wall")),
        ("10% to 100%: index, memory", 2, "x", grown("index", "memory")),
        ("10% to 100%: predict, memory", 2, "x", grown("predict", "memory")),
        ("10% to 100%: train, memory", 2, "x", grown("train", "memory")),
    ]
    return [
        {"target": name, "limit": limit, "unit": unit, "value": value, "met": value is not None and value <= limit}
        for name, limit, unit, value in asked
    ]


def write(folder: Path, told: Mapping[str, Any], progress: Progress) -> None:
    """scale.json and the plot, each whole or absent."""
    with atomic_text(folder / RESULTS) as out:
        json.dump(told, out, indent=1)
        out.write("\n")
    if not told["measures"]:
        return
    try:
        plot = draw(told)
    except ModuleNotFoundError:
        progress.warn("no plot: it needs matplotlib (pip install 'riposte[plots]')")
        return
    with atomic_text(folder / PLOT) as out:
        out.write(plot)


Table = tuple[str, list[str], list[list[str]]]
"""Caption, heads and rows; the first column is of words, the others of figures."""


def tables(told: Mapping[str, Any]) -> list[Table]:
    """What people read, apart from its layout."""
    made: list[Table] = []
    kinds = {record["memory_kind"] for record in told["measures"]}
    heads = ["", "arguments", "wall s", "cpu s", "peak GB", "disk GB", "query ms"]
    rows = [[one["key"]["measure"], f"{one['key']['arguments']:,}", *figures(one)] for one in told["measures"]]
    if rows:
        made.append((f"our commands; peak is {' or '.join(sorted(kinds))} of all processes together", heads, rows))
    busy = max((record.get("elsewhere") or 0 for record in told["measures"] + told["peers"]), default=0)
    if busy > BUSY:
        caption, heads, rows = made[0]
        made[0] = (
            f"{caption} (other work took up to {busy:.0%} of the machine meanwhile: times are too long)",
            heads,
            rows,
        )
    rows = [
        [
            f"{row['measure']}, {QUANTITIES[row['quantity']]}",
            f"{row['exponent']:.2f}",
            f"{row['ratio']:.2f} for {row['sizes']:.3g} times the arguments",
        ]
        for row in told["growth"]
    ]
    if rows:
        caption = "growth: size to the power of b, and the ratio of the two largest sizes"
        made.append((caption, ["", "b", "ratio"], rows))
    rows = []
    for peer in told["peers"]:
        if "missing" in peer:
            rows.append([peer["name"], peer["missing"]])
        else:
            shown = {name: f"{ratio:.2f}" for name, ratio in peer["ratios"].items()}
            compared = [shown.get(name, "-") for name in ("wall", "memory", "disk", "query_ms")]
            rows.append([peer["name"], *figures(peer), *compared])
    if rows:
        arguments = told["peers"][0]["key"]["arguments"]
        heads = ["", *heads[2:], "time /ours", "memory /ours", "disk /ours", "query /ours"]
        caption = f"peers on the same {arguments:,} arguments, and their figures divided by those of our index"
        made.append((caption, heads, rows))
    rows = [
        [
            row["target"],
            f"{row['limit']:g} {row['unit']}",
            "-" if row["value"] is None else f"{row['value']:.2f} {row['unit']}",
            "not measured" if row["value"] is None else "met" if row["met"] else "NOT met",
        ]
        for row in told["targets"]
    ]
    if rows:
        made.append(("targets at the full size", ["", "at most", "measured", ""], rows))
    return made


def figures(record: Record) -> list[str]:
    """Wall and processor seconds, peak and disk in GB, ms of a query."""
    forms: list[tuple[str, Callable[[float], str]]] = [
        ("wall", "{:.1f}".format),
        ("cpu", "{:.1f}".format),
        ("memory", lambda size: f"{size / GB:.2f}"),
        ("disk", lambda size: f"{size / GB:.3f}"),
        ("query_ms", "{:.2f}".format),
    ]
    return [form(record[name]) if name in record else "-" for name, form in forms]


def table(told: Mapping[str, Any]) -> str:
    """For a terminal."""
    parts = [described(told["machine"])]
    for caption, heads, rows in tables(told):
        whole = [row for row in (heads, *rows) if len(row) == len(heads)]  # others are a name and a remark
        widths = [max(len(row[place]) for row in whole) for place in range(len(heads))]
        widths[0] = max(len(row[0]) for row in rows)
        lines = [caption]
        for row in (heads, *rows):
            cells = [row[0].ljust(widths[0])]
            if len(row) == len(heads):
                cells += [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
            else:
                cells += row[1:]
            lines.append("  ".join(cells).rstrip())
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def markdown(told: Mapping[str, Any]) -> str:
    """For a README."""
    parts = [f"Measured on {described(told['machine'])}."]
    for caption, heads, rows in tables(told):
        lines = [
            f"{caption[0].upper()}{caption[1:]}:",
            "",
            row_of(heads),
            row_of(["---", *["---:"] * (len(heads) - 1)]),
        ]
        lines += [row_of([*row, *[""] * (len(heads) - len(row))]) for row in rows]
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def row_of(cells: Sequence[str]) -> str:
    """A row of Markdown."""
    return f"| {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |"


def described(where: Mapping[str, Any]) -> str:
    """The machine in a line."""
    memory = f", {where['memory'] / GB:.0f} GB of memory" if where["memory"] else ""
    cores = f"{where['cores']} {'core' if where['cores'] == 1 else 'cores'}"
    return f"{where['processor']}, {cores}{memory}, {where['system']}, Python {where['python']}"


def draw(told: Mapping[str, Any]) -> str:
    """SVG: time and memory over size, and peers' ratios. Raises ModuleNotFoundError without matplotlib."""
    import matplotlib
    from matplotlib.figure import Figure

    # Text stays text, and ids come from a fixed salt: the file can be searched, and compared.
    with matplotlib.rc_context({"svg.hashsalt": "riposte", "svg.fonttype": "none"}):
        compared = [peer for peer in told["peers"] if peer["ratios"]]
        figure = Figure(figsize=(8, 3.2 + (0.8 + 0.45 * len(compared) if compared else 0)), layout="constrained")
        heights = [3.2, 0.8 + 0.45 * len(compared)]
        rows: Any = figure.subfigures(2, 1, height_ratios=heights) if compared else [figure]
        upper = rows[0].subplots(1, 2)
        _draw_growth(upper[0], told["measures"], "wall", 1, "wall-clock seconds")
        _draw_growth(upper[1], told["measures"], "memory", GB, "peak memory, GB")
        upper[0].legend(frameon=False, fontsize=8)
        if compared:
            _draw_peers(rows[1].subplots(), compared)
        out = io.StringIO()
        figure.savefig(out, format="svg", metadata={"Date": None})
    return out.getvalue()


def _draw_growth(axes: Any, records: Sequence[Record], quantity: str, unit: float, label: str) -> None:
    from matplotlib.ticker import NullLocator

    sizes = sorted({record["key"]["arguments"] for record in records})
    for name, colour in COLOURS.items():
        points = sorted((r["key"]["arguments"], r[quantity] / unit) for r in records if r["key"]["measure"] == name)
        axes.plot([x for x, _ in points], [y for _, y in points], "o-", color=colour, markersize=4, label=name)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xticks(sizes, [f"{size:,}" for size in sizes])
    axes.xaxis.set_minor_locator(NullLocator())
    _count_by_1_2_5(axes.yaxis)
    axes.set_xlabel("arguments", fontsize=9)
    axes.set_ylabel(label, fontsize=9)
    _plain(axes)


def _draw_peers(axes: Any, peers: Sequence[Record]) -> None:
    shown = (
        ("wall", "time", "#1b6ca8"),
        ("memory", "memory", GREY),
        ("disk", "disk", "#b35900"),
        ("query_ms", "query", "#4d7c0f"),
    )
    for number, (name, label, colour) in enumerate(shown):
        rows = [(place, peer["ratios"][name]) for place, peer in enumerate(peers) if name in peer["ratios"]]
        # A bar begins at 1, where a peer is as good as we are.
        axes.barh(
            [place + 0.2 * number - 0.3 for place, _ in rows],
            [ratio - 1 for _, ratio in rows],
            left=1,
            height=0.18,
            color=colour,
            label=label,
        )
    axes.axvline(1, color="black", linewidth=0.8)
    axes.set_xscale("log")
    _count_by_1_2_5(axes.xaxis)
    axes.set_yticks(range(len(peers)), [peer["name"] for peer in peers])
    axes.set_ylim(len(peers) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    axes.set_xlabel("times ours; right of the line a peer needs more", fontsize=9)
    axes.legend(frameon=False, fontsize=8)
    _plain(axes)


def _plain(axes: Any) -> None:
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def _count_by_1_2_5(axis: Any) -> None:
    """Ticks that a narrow logarithmic axis has too, in plain figures."""
    from matplotlib.ticker import FormatStrFormatter, LogLocator, NullLocator

    axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.set_major_formatter(FormatStrFormatter("%g"))
    axis.set_minor_locator(NullLocator())
