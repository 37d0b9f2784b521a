"""The results of an ablation: JSON, CSV, a plot, and a table for people."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from experiments.ablation.trials import mean_over_draws
from experiments.figures import MEAN, MEASURES, counted, difference, interval_text, mean_with_interval, or_none
from experiments.json_files import write_json
from ltr.data.files import atomic_text
from ltr.evaluation.significance import holm, verdict

if TYPE_CHECKING:
    from experiments.ablation.log import TrialLog
    from experiments.ablation.trials import AblationData
    from experiments.ablation.variants import Variant
    from experiments.figures import Values
    from ltr.progress import Progress
    from models.base import Scores

RESULTS = "results.json"
TABLE = "results.csv"
PLOT = "results.svg"
NAMES = {"correlation": "rank correlation", "condensed": "condensed_nDCG@5", "full": "nDCG@5", "judged": "judged@5"}
BASELINE = "all features"


def summarise(
    log: TrialLog, data: AblationData, variants: Sequence[Variant], plain: Mapping[str, Scores], measure: str
) -> dict[str, Any]:
    """The results as plain data; variants that every dimension has have a row of the mean of the dimensions too."""
    found = {
        (v.dimension, v.name, v.kind): (len(v.columns), mean_over_draws(log, v.dimension, v.columns, data.draws))
        for v in variants
    }
    dimensions = list(data.figures.dimensions)
    if len(dimensions) > 1:
        for _, name, kind in [key for key in found if key[0] == dimensions[0] and key[2] != "forward"]:
            every = [found[dimension, name, kind] for dimension in dimensions]
            found[MEAN, name, kind] = every[0][0], np.mean([values for _, values in every], axis=0)
        dimensions.append(MEAN)
    place = MEASURES.index(measure)
    baselines = [
        {"dimension": dimension, **_described(name, data.figures.values(scores, dimension), place)}
        for dimension in dimensions
        for name, scores in plain.items()
    ]
    return {
        "study": json.loads(json.dumps(log.study)),
        "measure": NAMES[measure],
        "baseline": BASELINE,
        "dimensions": dimensions,
        "topics": len(next(iter(found.values()))[1]),
        "baselines": baselines,
        "variants": compared(found, place),
    }


def compared(found: Mapping[tuple[str, str, str], tuple[int, Values]], place: int) -> list[dict[str, Any]]:
    """Each variant with its paired difference from all features; p-values corrected over all of them."""
    rows, tested = [], []
    for (dimension, name, kind), (columns, values) in found.items():
        row = {"dimension": dimension, "kind": kind, "columns": columns, **_described(name, values, place)}
        rows.append(row)
        if kind != "baseline":
            base = found[dimension, BASELINE, "baseline"][1]
            d = difference(values[:, place], base[:, place])
            tested.append((row, d))
            row |= {"difference": d.mean, "difference_low": d.low, "difference_high": d.high, "p": d.p}
            row |= {"effect": d.effect, "effect_low": d.effect_low, "effect_high": d.effect_high}
            row["changes"] = dict(zip(MEASURES, np.nanmean(values - base, axis=0).tolist(), strict=True))
    for (row, d), adjusted in zip(tested, holm([d.p for _, d in tested]), strict=True):
        row |= {"p_holm": adjusted, "verdict": verdict(d, adjusted)}
    return rows


def _described(name: str, values: Values, place: int) -> dict[str, Any]:
    """A mean with its interval, the means of the other measures, and the figures of topics."""
    return {
        "name": name,
        **mean_with_interval(values[:, place], MEASURES[place]),
        "measures": dict(zip(MEASURES, np.nanmean(values, axis=0).tolist(), strict=True)),
        "values": or_none(values[:, place]),
    }


def write(folder: Path, results: dict[str, Any], progress: Progress) -> None:
    """results.json, results.csv and the plot, each whole or absent."""
    from experiments.ablation.plot import draw

    write_json(folder / RESULTS, results)
    flat = [row | row["measures"] for row in [*results["baselines"], *results["variants"]]]
    fields = [key for key in flat[-1] if key not in ("values", "measures", "changes")]
    with atomic_text(folder / TABLE) as out:
        rows = csv.DictWriter(out, fields, extrasaction="ignore", lineterminator="\n")
        rows.writeheader()
        rows.writerows(flat)
    try:
        plot = draw(results)
    except ModuleNotFoundError:
        progress.warn("no plot: it needs matplotlib (pip install 'riposte[plots]')")
        return
    with atomic_text(folder / PLOT) as out:
        out.write(plot)


def table(results: Mapping[str, Any]) -> str:
    """The study in words and columns."""
    study = results["study"]
    rows = [*results["variants"], *results["baselines"]]
    width = max(len(row["name"]) for row in rows) + 2
    lines = [
        f"{results['measure']} within held-out topics, {counted(results['topics'], 'topic')}, {study['folds']} folds, "
        f"{counted(study['seeds'], 'draw')};",
        f"differences from {results['baseline']} with 95% t intervals over topics, randomisation test, p by Holm over "
        "everything below; beside them the means of lab nDCG@5, judged@5 and condensed nDCG@5",
    ]
    for dimension in results["dimensions"]:
        own = [row for row in results["variants"] if row["dimension"] == dimension]
        lines += ["", "mean of the dimensions" if dimension == MEAN else dimension]
        lines.append(
            f"{'':<{width}}{'columns':>7}  {'mean [95%]':<22}{'difference [95%]':<26}{'p Holm':>7}"
            f"{'full':>7}{'judged':>8}{'cond.':>7}"
        )
        lines += [_line(row, width) for row in results["baselines"] if row["dimension"] == dimension]
        kind = ""
        for row in own:
            if row["kind"] not in (kind, "baseline"):
                lines.append(f"-- {row['kind']}")
            kind = row["kind"]
            lines.append(_line(row, width))
    if any(row["kind"] == "forward" for row in results["variants"]):
        lines.append("forward picks the best of many at each step, by the figures that it then shows: a path, no proof")
    return "\n".join(lines)


def _line(row: Mapping[str, Any], width: int) -> str:
    cells = f"{row['name']:<{width}}{row.get('columns', ''):>7}  {interval_text(row):<22}"
    change = ""
    if "difference" in row:
        change = f"{row['difference']:+.3f} [{row['difference_low']:+.3f}, {row['difference_high']:+.3f}]"
    cells += f"{change:<26}{row['p_holm'] if change else '':>7{'.3f' if change else ''}}"
    full, judged, condensed = (row["measures"][measure] for measure in ("full", "judged", "condensed"))
    return f"{cells}{full:>7.3f}{judged:>8.2f}{condensed:>7.3f}  {row.get('verdict', '')}".rstrip()
