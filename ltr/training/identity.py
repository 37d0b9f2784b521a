"""What figures of a training or a study depend on, beside the files that it reads."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Sequence
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import Any

from features.core.feature import of_columns
from features.core.plugins import LOADED, plugin_of
from ltr import __version__
from ltr.encoders.base import Encoder
from ltr.escapes import escaped
from ltr.ranking.task import Task
from ltr.supervision.labels import WEAK_WEIGHT, Sources


def dependencies(task: Task, columns: Sequence[str], sources: Sources, encoder: Encoder | None) -> dict[str, Any]:
    """Version, plug-ins, features, labelling functions with their weights, sources and encoder, as plain data."""
    return {
        "version": __version__,
        "plugins": {name: LOADED[name].digest for name in sorted(LOADED)},
        "features": {one.name: [one.group, one.version] for one in of_columns(columns, task.unit)},
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
    voting = {name: sources.chosen(name, task.unit) for name in task.dimensions}
    return {
        "sources": asdict(sources),
        "weight_of_weak_labels": WEAK_WEIGHT,
        "labelling_functions": {
            name: {one.name: one.weight for one in functions} for name, functions in voting.items()
        },
    }


def source_digest(*parts: Any) -> str:
    """Hex SHA-256 of the source of the modules that define these functions and classes."""
    digest = sha256()
    for name in sorted({part.__module__ for part in parts}):
        plugin = plugin_of(name)
        digest.update((plugin.digest if plugin else inspect.getsource(sys.modules[name])).encode())
    return digest.hexdigest()
