"""What training tells of itself: to the manifest, and to the user."""

from __future__ import annotations

import platform
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

from ltr import __version__
from ltr.candidates import Settings
from ltr.files import sha256
from ltr.index import Index
from ltr.labelling import labelling_functions
from ltr.learning import Lesson, Teaching


def account(
    index: Index,
    settings: Settings,
    topics: list[Path],
    qrels: dict[str, list[Path]],
    teaching: dict[str, Teaching],
    lesson: Lesson,
) -> dict[str, Any]:
    """What the manifest tells about the training."""
    return {
        "analysis": index.analyzer.settings(),
        "candidates": settings.as_dict(),
        "versions": {
            "riposte": __version__,
            "python": platform.python_version(),
            **{name: version(name) for name in ("lightgbm", "numpy", "scikit-learn", "spacy", "tantivy", "textstat")},
        },
        "data": {
            "corpus": {
                "fingerprint": index.corpus_fingerprint,
                "arguments": index.arguments,
                "sentences": index.sentences,
            },
            "topics": {path.name: sha256(path) for path in topics},
            "qrels": {name: {path.name: sha256(path) for path in paths} for name, paths in qrels.items()},
        },
        "labels": {
            name: {
                "functions": [asdict(row) for row in one.labels.explained],
                "overlaps": {row.name: list(labelling_functions()[row.name].overlaps) for row in one.labels.explained},
                "account": one.labels.account,
            }
            for name, one in teaching.items()
        },
        "cross_validation": {
            "measure": "argument-level condensed lab nDCG@5 on held-out topics, judged candidates",
            "folds": lesson.folds,
            "curves": {
                name: {str(trees): round(value, 4) for trees, value in curve.items()}
                for name, curve in lesson.curves.items()
            },
            "figures": {
                name: {
                    ranker: {
                        "mean": round(f.mean, 4),
                        "low": round(f.low, 4),
                        "high": round(f.high, 4),
                        "topics": f.topics,
                    }
                    for ranker, f in figures.items()
                }
                for name, figures in lesson.figures.items()
            },
        },
    }


def explain(dimension: str, one: Teaching) -> str:
    """What every labelling function of a dimension does, as a table."""
    lines = [f"labels of {dimension}: {one.labels.account['pairs labelled']:,} pairs train"]
    lines += [f"  {'function':<20}{'coverage':>9}{'overlap':>9}{'conflict':>9}{'accuracy':>9}{'voices':>8}"]
    for row in one.labels.explained:
        shares = f"{row.coverage:>9.1%}{row.overlap:>9.1%}{row.conflict:>9.1%}"
        lines += [f"  {row.name:<20}{shares}{row.accuracy:>9.3f}{row.voices:>8.2f}"]
    return "\n".join(lines)


def summary(teaching: dict[str, Teaching], lesson: Lesson, idle: dict[str, int]) -> str:
    """What was used, absent and dropped; the held-out figures beside the baselines."""
    lines = []
    for name, one in teaching.items():
        lines += [f"judgments of {name}"]
        lines += [f"  {what:<44}{count:>9,}" for what, count in one.labels.account.items()]
    lines += ["topics"] + [f"  {what:<44}{count:>9,}" for what, count in idle.items()]
    for name, figures in lesson.figures.items():
        topics = figures[name].topics
        lines += [f"held-out argument-level nDCG@5 of {name}, judged arguments only, {topics} topics"]
        lines += [f"  {ranker:<20}{figure}" for ranker, figure in figures.items()]
        lines += [f"  {lesson.trees[name]} trees on a signed ridge, chosen on the held-out curve"]
    weights = ", ".join(f"{weight:g} {name}" for name, weight in lesson.model.weights.items())
    return "\n".join([*lines, f"blend: {weights}"])
