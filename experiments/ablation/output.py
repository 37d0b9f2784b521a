"""The results of an ablation: JSON, CSV, and a table for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from experiments.ablation.trials import Trials, Variant
from experiments.figures import MEASURES, Draws, Values, correct, difference, mean_with_interval, or_none
from experiments.output import counted, interval_text, json_text, least_note, text_table, write_all
from ltr.evaluation.evaluator import DOUBTFUL_NOTE, MEAN, doubt
from ltr.evaluation.output import set_title
from ltr.evaluation.significance import Difference, p_text, verdict

MEASURE = "correlation"
"""The measure that is tested and drawn: the least noisy one."""
BASELINE = "all features"


def summarise(trials: Trials, variants: Sequence[Variant], plain: Draws, study: Mapping[str, Any]) -> dict[str, Any]:
    """The results as plain data; each variant has a row of the mean of the dimensions too."""
    tried = {(v.dimension, v.name, v.kind): (len(v.columns), trials.values(v.dimension, v.columns)) for v in variants}
    dimensions = list(trials.figures.dimensions)
    if len(dimensions) > 1:
        for _, name, kind in [key for key in tried if key[0] == dimensions[0]]:
            every = [tried[dimension, name, kind] for dimension in dimensions]
            tried[MEAN, name, kind] = every[0][0], np.mean([values for _, values in every], axis=0)
        dimensions.append(MEAN)
    baselines = [
        {"dimension": dimension, **_described(name, values)}
        for dimension in dimensions
        for name, values in trials.figures.of_rows(plain, dimension).items()
    ]
    return {
        "study": study,
        "measure": "rank correlation",
        "baseline": BASELINE,
        "dimensions": dimensions,
        "topics": len(next(iter(tried.values()))[1]),
        "baselines": baselines,
        "variants": compared(tried),
    }


def compared(tried: Mapping[tuple[str, str, str], tuple[int, Values]]) -> list[dict[str, Any]]:
    """Each variant with its paired difference from all features; p-values corrected over a dimension and kind."""
    rows: list[dict[str, Any]] = []
    column = MEASURES.index(MEASURE)
    families: dict[tuple[str, str], list[tuple[dict[str, Any], Difference]]] = {}
    for (dimension, name, kind), (columns, values) in tried.items():
        row = {"dimension": dimension, "kind": kind, "columns": columns, **_described(name, values)}
        rows.append(row)
        if kind != "baseline":
            base = tried[dimension, BASELINE, "baseline"][1]
            d = difference(values[:, column], base[:, column])
            families.setdefault((dimension, kind), []).append((row, d))
            row |= {"difference": d.mean, "difference_low": d.low, "difference_high": d.high, "p": d.p}
            row |= {"effect": d.effect, "effect_low": d.effect_low, "effect_high": d.effect_high}
    for family in families.values():
        correct(family)
        for row, d in family:
            row["verdict"] = verdict(d, row["p_holm"])
    return rows


def _described(name: str, values: Values) -> dict[str, Any]:
    """A mean with its interval, the means of the other measures, and the figures of topics."""
    tested = values[:, MEASURES.index(MEASURE)]
    return {
        "name": name,
        **mean_with_interval(tested, MEASURE),
        "measures": dict(zip(MEASURES, np.nanmean(values, axis=0).tolist(), strict=True)),
        "values": or_none(tested),
    }


def write(folder: Path, results: dict[str, Any]) -> None:
    """results.json and results.csv."""
    rows = [row | row["measures"] for row in [*results["baselines"], *results["variants"]]]
    fields = [key for key in rows[-1] if key not in ("values", "measures")]
    csv_text = pd.DataFrame(rows, columns=fields, dtype=object).to_csv(index=False, lineterminator="\n")
    write_all({folder / "results.json": json_text(results), folder / "results.csv": csv_text})


def table(results: Mapping[str, Any]) -> str:
    """The study in words and columns."""
    study = results["study"]
    parts = [
        f"{results['measure']} within held-out topics, {counted(results['topics'], 'topic')}, {study['folds']} folds, "
        f"{counted(study['seeds'], 'draw')};\n"
        f"differences from {results['baseline']} with 95% t intervals over topics, randomisation test, p by Holm over "
        "the rows of a kind in a dimension; beside them the means of nDCG@5, judged@5 and condensed nDCG@5.\n"
        f"{DOUBTFUL_NOTE}"
    ]
    for dimension in results["dimensions"]:
        rows = [row for row in [*results["baselines"], *results["variants"]] if row["dimension"] == dimension]
        parts.append(f"{set_title(dimension)}\n{text_table(map(_cells, rows))}{least_note(rows)}")
    return "\n\n".join(parts)


def _cells(row: Mapping[str, Any]) -> dict[str, str]:
    full, judged, condensed = (row["measures"][measure] for measure in ("full", "judged", "condensed"))
    cells = {"": row["name"], "columns": str(row.get("columns", "")), "mean [95%]": interval_text(row)}
    cells |= {"full": f"{full:.3f}", "judged": f"{judged:.2f}", "cond.": f"{condensed:.3f}" + doubt(judged)}
    if "difference" in row:
        change = {"mean": row["difference"], "low": row["difference_low"], "high": row["difference_high"]}
        cells |= {"difference [95%]": interval_text(change, "+"), "p Holm": p_text(row["p_holm"]), " ": row["verdict"]}
    return cells
