"""Trials of an ablation: rankers that see some of the features, each judged on topics it never saw."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any, NamedTuple

import numpy as np

from experiments.figures import Figures, Values, mean_over
from experiments.study import Study, ranker_parameters
from features.core.feature import all_columns
from features.core.plugins import plugin_of
from ltr import __version__
from ltr.files import sha256
from ltr.training.fit import FitSettings, cross_validate
from models.base import Parameters, learner
from models.learned import column_of

OBJECTIVE = "regression"
"""Least-squares trees take half the time of the two that riposte train averages, for many more trials."""

Tried = dict[tuple[str, str, str], tuple[int, Values]]
"""Dimension, name and kind of a variant -> its number of columns, and (n_topics, n_measures) figures."""


class Variant(NamedTuple):
    """A set of columns with its name."""

    name: str
    kind: str
    """baseline, leave-one-out or only"""
    columns: Sequence[str]


def identity(study: Study, parameters: Parameters) -> dict[str, Any]:
    """The files and settings of a study, as plain data."""
    settings = study.settings
    given = {"topics": settings.topics, "qrels": settings.qrels, "quality qrels": settings.quality_qrels}
    files: dict[str, dict[str, list[str]]] = {kind: {} for kind in given}
    pairs = [(f"pairs of {dimension}", path) for dimension, path in settings.pair_qrels]
    for kind, path in [*((kind, path) for kind, paths in given.items() for path in paths), *pairs]:
        # Two files in two folders may have one name.
        files.setdefault(kind, {}).setdefault(path.name, []).append(sha256(path))
    plugin = plugin_of(learner(parameters.objective).make.__module__)
    return {
        "version": __version__,
        "ranker": plugin.digest if plugin else parameters.objective,
        "task": settings.task,
        "corpus": study.source.index.corpus_fingerprint,
        **files,
        "folds": settings.folds,
        "seeds": settings.seeds,
        "parameters": asdict(parameters),
    }


def try_variants(study: Study, figures: Figures, variants: Sequence[Variant]) -> Tried:
    """Figures by dimension of rankers that see the columns of each variant alone, means over draws of the folds."""
    found: dict[tuple[str, Variant], list[Values]] = {(name, v): [] for name in figures.dimensions for v in variants}
    for variant in variants:
        inputs = study.examples.inputs
        seen = [number for number, name in enumerate(inputs) if column_of(name) in variant.columns]
        examples = replace(
            study.examples,
            inputs=[inputs[number] for number in seen],
            values=np.ascontiguousarray(study.examples.values[:, seen]),
            dimensions=tuple(figures.dimensions),
        )
        for draw, split in enumerate(study.splits):
            settings = FitSettings(ranker_parameters(study.settings, draw, OBJECTIVE), study.sources)
            for name, scores in cross_validate(examples, split, settings, study.resources).items():
                found[name, variant].append(figures.values(scores, name))
        study.resources.progress.say(f"{variant.name}: trained and ranked")
    return {(name, v.name, v.kind): (len(v.columns), mean_over(of)) for (name, v), of in found.items()}


def families_of(columns: Sequence[str], over: str) -> dict[str, list[str]]:
    """Group or feature -> its columns, in the order of the registry."""
    known = all_columns()
    families: dict[str, list[str]] = {}
    for column in columns:
        families.setdefault(known[column].group if over == "groups" else known[column].name, []).append(column)
    return families


def variants_of(columns: Sequence[str], over: str, kinds: Sequence[str]) -> list[Variant]:
    """All features, and families left out or alone, in the order of the table."""
    families = families_of(columns, over)
    variants = [Variant("all features", "baseline", tuple(columns))]
    if "leave-one-out" in kinds:
        rest = {name: tuple(column for column in columns if column not in of) for name, of in families.items()}
        variants += [Variant(f"without {name}", "leave-one-out", others) for name, others in rest.items() if others]
    if "only" in kinds:
        variants += [Variant(f"only {name}", "only", tuple(of)) for name, of in families.items()]
    return variants
