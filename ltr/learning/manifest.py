"""Records of a training or a study: the manifest, and what figures depend on beside the files that are read."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

from features.core.feature import of_columns
from ltr import __version__
from ltr.data.irds import is_dataset
from ltr.escapes import escaped
from ltr.files import sha256
from ltr.index.reader import Index
from ltr.learning.data import TrainingFiles
from ltr.learning.fit import FitSettings, TrainingResult
from ltr.learning.held_out import intervals
from ltr.learning.labels import WEAK_WEIGHT, Sources
from ltr.plugins import LOADED
from ltr.ranking.task import Task
from ltr.text_models.encoders import Encoder

LIBRARIES = ("lightgbm", "numpy", "PyStemmer", "scikit-learn", "spacy", "tantivy", "textstat")


def manifest(
    task: Task, index: Index, settings: FitSettings, files: TrainingFiles, result: TrainingResult
) -> dict[str, Any]:
    """The training as the model folder records it."""
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
            "topics": _digests(files.topics),
            "qrels": {str(judged): _digests(paths) for judged, paths in files.by_judged(task.reads).items()},
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
                    ranker: {m: _rounded(ci._asdict()) for m, ci in rows.items()}
                    for ranker, rows in intervals(board).items()
                }
                for judged, board in result.boards.items()
            },
        },
    }


def _digests(paths: Sequence[Path]) -> dict[str, str]:
    """The hash of each file; ir_datasets itself checks the data behind an id."""
    named = {str(path): str(path) for path in paths if is_dataset(path)}
    return named | {path.name: sha256(path) for path in paths if not is_dataset(path)}


def _rounded(values: dict[str, Any]) -> dict[str, Any]:
    return {name: round(value, 4) if isinstance(value, float) else value for name, value in values.items()}


def dependencies(task: Task, columns: Sequence[str], sources: Sources, encoder: Encoder | None) -> dict[str, Any]:
    """Version, plug-ins, features, labelling functions with their weights, sources and encoder, as plain data."""
    return {
        "version": __version__,
        "plugins": {name: LOADED[name].digest for name in sorted(LOADED)},
        "features": {one.name: [one.group, one.version] for one in of_columns(columns, task.kind)},
        **supervision(task, sources),
        **encoder_facts(encoder),
    }


def encoder_facts(encoder: Encoder | None) -> dict[str, Any]:
    """Name, digest and size of the encoder of a second step; nothing without one."""
    if encoder is None:
        return {}
    return {"encoder": {"name": escaped(Path(encoder.name).name), "digest": encoder.digest, "size": encoder.size}}


def supervision(task: Task, sources: Sources) -> dict[str, Any]:
    """The sources of labels, and the labelling functions that vote in each dimension, as plain data."""
    voting = {name: {one.name: one.weight for one in sources.chosen(name, task.kind)} for name in task.dimensions}
    return {"sources": asdict(sources), "weight_of_weak_labels": WEAK_WEIGHT, "labelling_functions": voting}
