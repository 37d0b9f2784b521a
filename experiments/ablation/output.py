"""The report of an ablation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from experiments.ablation.trials import Tried
from experiments.figures import MEASURES, TITLES, Draws, Figures, Values, as_data, evaluations
from ltr.evaluation.evaluator import MEAN, values_frame
from ltr.evaluation.report import Plan, Report
from ltr.evaluation.runs import INTERVALS_NOTE
from ltr.evaluation.significance import ALPHA, PairedTest, least_p, paired_tests
from ltr.evaluation.tables import Table, counted

MEASURE = "correlation"
"""The measure that is tested and drawn: the least noisy one."""
BASELINE = "all features"


def report_of(figures: Figures, tried: Tried, plain: Draws, study: Mapping[str, Any]) -> Report:
    """Figures of rankers that learn nothing and of variants, each of the mean of the dimensions too."""
    tried = dict(tried)
    dimensions = list(figures.dimensions)
    if len(dimensions) > 1:
        for _, name, kind in [key for key in tried if key[0] == dimensions[0]]:
            every = [tried[dimension, name, kind] for dimension in dimensions]
            tried[MEAN, name, kind] = every[0][0], np.mean([found for _, found in every], axis=0)
        dimensions.append(MEAN)
    baselines = {dimension: figures.of_rows(plain, dimension) for dimension in dimensions}
    return compared(tried, baselines, figures.topics, study)


def compared(
    tried: Tried, baselines: Mapping[str, Mapping[str, Values]], topics: Sequence[str], study: Mapping[str, Any]
) -> Report:
    """Each variant with its paired difference from all features; p-values corrected over a dimension and kind."""
    rows = {dimension: dict(of) for dimension, of in baselines.items()}
    for (dimension, name, _), (_, values) in tried.items():
        rows.setdefault(dimension, {})[name] = values
    figures = evaluations(rows, topics)
    plan = Plan([TITLES[MEASURE]], BASELINE, alpha=None)
    kinds: dict[tuple[str, str], list[str]] = {}
    for dimension, name, kind in tried:
        if kind != "baseline":
            kinds.setdefault((dimension, kind), []).append(name)
    frame = values_frame(figures)
    families = [
        paired_tests(frame.loc[[dimension]], [(name, BASELINE) for name in names], plan.measures)
        for (dimension, _), names in kinds.items()
    ]
    tests = {(test.judgments, test.run): _test(test, family) for family in families for test in family}

    def row(dimension: str, name: str) -> dict[str, Any]:
        found = figures[name][dimension]
        means = {measure: found.means[TITLES[measure]] for measure in MEASURES}
        return {"dimension": dimension, "name": name, **as_data(found, MEASURE, topics), "measures": means}

    document = {
        "study": study,
        "measure": TITLES[MEASURE],
        "baseline": BASELINE,
        "dimensions": list(dict.fromkeys(dimension for dimension, *_ in tried)),
        "topics": len(topics),
        "baselines": [row(dimension, name) for dimension, of in baselines.items() for name in of],
        "variants": [
            {"kind": kind, "columns": columns, **row(dimension, name), **tests.get((dimension, name), {})}
            for (dimension, name, kind), (columns, _) in tried.items()
        ],
    }
    counts = {name: str(columns) for (_, name, _), (columns, _) in tried.items()}
    title = f"{TITLES[MEASURE]} within held-out topics, {counted(len(topics), 'topic')}, {study['folds']} folds, "
    return Report(
        figures,
        plan,
        families,
        title=title + counted(study["seeds"], "draw"),
        further=[Table("columns that rankers see", [["", "columns"], *map(list, counts.items())])],
        remarks=[INTERVALS_NOTE],
        document=document,
    )


def _test(test: PairedTest, family: Sequence[PairedTest]) -> dict[str, Any]:
    """A difference as plain data, with the least p that its family could give where that is above `ALPHA`."""
    d, least = test.difference, least_p([one.difference for one in family])
    row = {"difference": d.mean, "difference_low": d.low, "difference_high": d.high, "p": d.p}
    row |= {"effect": d.effect, "effect_low": d.effect_low, "effect_high": d.effect_high, "p_holm": test.adjusted_p}
    return row | ({"p_holm_least": least} if least > ALPHA else {}) | {"verdict": test.verdict}
