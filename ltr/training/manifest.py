"""Records of a training: the manifest, and how voters agree."""

from __future__ import annotations

import math
import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from importlib.metadata import version
from typing import Any

import pandas as pd

from ltr import __version__
from ltr.data.files import sha256
from ltr.index.reader import Index
from ltr.ranking.task import Task
from ltr.supervision.agreement import Agreement
from ltr.training.data import TrainingFiles
from ltr.training.fit import TrainingResult, TrainingSettings
from ltr.training.identity import supervision
from models.base import TOP_GRADE

TEXT = 220
"""Characters of a unit's text beside a disagreement."""

LIBRARIES = ("lightgbm", "numpy", "PyStemmer", "scikit-learn", "spacy", "tantivy", "textstat")


def manifest(
    task: Task, index: Index, settings: TrainingSettings, files: TrainingFiles, result: TrainingResult
) -> dict[str, Any]:
    """The training as the model folder records it."""
    whole = "argument" if task.parts_of_arguments else task.unit
    return {
        "task": task.name,
        "analysis": index.analyzer.settings(),
        "candidates": asdict(task.config),
        "versions": {
            "riposte": __version__,
            "python": platform.python_version(),
            **{name: version(name) for name in LIBRARIES},
        },
        "data": {
            "corpus": {
                "fingerprint": index.corpus_fingerprint,
                "arguments": index.arguments,
                "sentences": index.sentences,
            },
            "topics": {path.name: sha256(path) for path in files.topics},
            "qrels": {
                str(judged): {path.name: sha256(path) for path in paths}
                for judged, paths in files.by_judged(whole).items()
            },
        },
        **supervision(task, settings.sources),
        "parameters": asdict(settings.parameters),
        "labels": {name: labels.counts for name, labels in result.labels.items()},
        "expected_grades": result.model.expected_grades,
        "cross_validation": {
            "measures": "nDCG@5 (full), judged@5, condensed nDCG@5, on held-out topics",
            "folds": result.folds,
            "relevance_of_top_five": _rounded(result.expected_top._asdict()) if result.expected_top else None,
            "figures": {
                str(judged): {
                    ranker: {m: _rounded(asdict(ci)) for m, ci in rows.items()} for ranker, rows in table.items()
                }
                for judged, table in result.figures.items()
            },
        },
    }


def agreement_frame(by_dimension: Mapping[str, Sequence[Agreement]]) -> pd.DataFrame:
    """A row a dimension and voter: see `Agreement`; its worst disagreements are left out."""
    names = [field.name for field in fields(Agreement) if field.name not in ("name", "worst")]
    rows = {(d, row.name): [getattr(row, name) for name in names] for d, found in by_dimension.items() for row in found}
    index = pd.MultiIndex.from_tuples(rows, names=["dimension", "name"])
    return pd.DataFrame(list(rows.values()), index, names)


def agreement_table(dimension: str, rows: list[Agreement]) -> str:
    """How every vote file and labelling function of a dimension votes."""
    name = max([24, *(len(row.name) + 2 for row in rows)])
    heads = ("coverage", "overlaps", "conflicts", "with the others", "with trusted grades", "weight")
    cells = [
        (
            row.name,
            *(f"{share:.1%}" for share in (row.coverage, row.overlaps, row.conflicts)),
            *(number(row.with_others), number(row.with_grades), _share(row.weight)),
        )
        for row in rows
    ]
    lines = [
        f"  {first:<{name}}" + "".join(f"{cell:>{len(head) + 2}}" for cell, head in zip(rest, heads, strict=True))
        for first, *rest in [("", *heads), *cells]
    ]
    return "\n".join([f"votes on {dimension}", *lines])


def disagreements(dimension: str, rows: list[Agreement], texts: Mapping[str, str]) -> str:
    """The worst disagreements of every source in a dimension, with the texts of the units."""
    lines = []
    for row in rows:
        if not row.worst:
            lines += [f"{row.name}, {dimension}: no vote differs from a grade or from the other votes"]
            continue
        against = "trusted grades" if row.worst[0].trusted else "the mean of the other votes"
        lines += [
            f"{row.name}, {dimension}: the {len(row.worst)} votes furthest from {against}, from 0 to {TOP_GRADE:g}"
        ]
        for bad in row.worst:
            text = " ".join(texts.get(bad.unit, "").split())
            shown = text if len(text) <= TEXT else f"{text[: TEXT - 3]}..."
            other = f"{'grade' if bad.trusted else 'others'} {bad.grade:.1f}"
            lines += [f"  vote {bad.vote:.1f}, {other}, topic {bad.topic}, {bad.unit}", f"    {shown}"]
    return "\n".join(lines)


def _share(weight: float) -> str:
    return "-" if math.isnan(weight) else f"{weight:.0%}"


def number(value: float) -> str:
    """A correlation with its sign, or a dash."""
    return "-" if math.isnan(value) else f"{value:+.2f}"


def _rounded(values: dict[str, Any]) -> dict[str, Any]:
    return {name: round(value, 4) if isinstance(value, float) else value for name, value in values.items()}
