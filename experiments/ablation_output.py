"""What an ablation tells: JSON, CSV, a plot, and a table for people."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments.report_page import counted
from ltr.files import atomic_text
from ltr.significance import holm, mean_interval, paired_difference, verdict

if TYPE_CHECKING:
    from experiments.ablation_study import Variant
    from ltr.progress import Progress
    from models.base import Scores

RESULTS = "results.json"
TABLE = "results.csv"
PLOT = "results.svg"


def described(name: str, values: Scores) -> dict[str, Any]:
    """A mean with its interval."""
    low, high = mean_interval(values, (0, 1))
    return {"name": name, "mean": float(values.mean()), "low": low, "high": high}


def compared(variants: Sequence[Variant], figures: Mapping[str, Scores]) -> list[dict[str, Any]]:
    """Each variant with its paired difference from the baseline; p-values corrected over the variants of its kind."""
    base = figures[next(variant.name for variant in variants if variant.kind == "baseline")]
    tested = [variant for variant in variants if variant.kind != "baseline"]
    differences = {variant.name: paired_difference(figures[variant.name], base) for variant in tested}
    adjusted: dict[str, float] = {}
    for kind in dict.fromkeys(variant.kind for variant in tested):
        names = [variant.name for variant in tested if variant.kind == kind]
        adjusted |= dict(zip(names, holm([differences[name].p for name in names]), strict=True))
    rows = []
    for variant in variants:
        row = described(variant.name, figures[variant.name])
        row |= {"kind": variant.kind, "columns": len(variant.columns)}
        if variant.kind != "baseline":
            d = differences[variant.name]
            row |= {
                "difference": d.mean,
                "difference_low": d.low,
                "difference_high": d.high,
                "effect": d.effect,
                "effect_low": d.effect_low,
                "effect_high": d.effect_high,
                "p": d.p,
                "p_holm": adjusted[variant.name],
                "verdict": verdict(d, adjusted[variant.name]),
            }
        rows.append(row | {"values": figures[variant.name].tolist()})
    return rows


def write(folder: Path, results: dict[str, Any], progress: Progress) -> None:
    """results.json, results.csv and the plot, each whole or absent."""
    from experiments.ablation_plot import draw

    with atomic_text(folder / RESULTS) as out:
        json.dump(results, out, indent=1)
        out.write("\n")
    fields = [key for key in results["variants"][-1] if key != "values"]
    with atomic_text(folder / TABLE) as out:
        rows = csv.DictWriter(out, fields, extrasaction="ignore", lineterminator="\n")
        rows.writeheader()
        rows.writerows([*results["teachers"], *results["variants"]])
    try:
        plot = draw(results)
    except ModuleNotFoundError:
        progress.warn("no plot: it needs matplotlib (pip install 'riposte[plots]')")
        return
    with atomic_text(folder / PLOT) as out:
        out.write(plot)


def table(results: dict[str, Any]) -> str:
    """The study in words and columns."""
    study = results["study"]
    width = max(len(row["name"]) for row in [*results["variants"], *results["teachers"]]) + 2
    lines = [
        f"argument-level {results['measure']} of {study['dimension']} over "
        f"{counted(results['topics'], 'held-out topic')}, {study['folds']} folds, {counted(study['seeds'], 'seed')};",
        "differences from all features, with 95% t intervals over topics, randomisation test, "
        "p by Holm over the variants of a kind",
        f"{'':<{width}}{'columns':>7}  {'mean [95%]':<22}{'difference [95%]':<26}{'d_z':>6}{'p':>8}{'p Holm':>8}",
    ]
    kind = ""
    for row in results["teachers"]:
        lines.append(f"{row['name']:<{width}}{'':>7}  {_interval(row)}")
    for row in results["variants"]:
        if row["kind"] != kind and row["kind"] not in ("baseline", "reference"):
            lines.append(f"-- {row['kind']}")
        kind = row["kind"]
        cells = f"{row['name']:<{width}}{row['columns']:>7}  {_interval(row):<22}"
        if "difference" in row:
            change = f"{row['difference']:+.3f} [{row['difference_low']:+.3f}, {row['difference_high']:+.3f}]"
            cells += f"{change:<26}{row['effect']:>+6.2f}{row['p']:>8.4f}{row['p_holm']:>8.4f}  {row['verdict']}"
        lines.append(cells.rstrip())
    if kind == "forward":
        lines.append("forward picks the best of many at each step, by the figures that it then shows: a path, no proof")
    return "\n".join(lines)


def _interval(row: dict[str, Any]) -> str:
    return f"{row['mean']:.3f} [{row['low']:.3f}, {row['high']:.3f}]"
