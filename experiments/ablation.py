"""``riposte ablation -i DIR --topics FILE ... -o DIR``: measure what each family of features contributes.

For each dimension the ranker is trained again without a family of features (leave-one-out), or with one alone (only),
by cross-validation over topics. Features are extracted once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from experiments.figures import MEASURES, TITLES, Draws, Figures, Values, as_data, corrected, evaluations, mean_over
from experiments.study import (
    SEEDS,
    TREES,
    Study,
    StudySettings,
    baseline_scores,
    draw_folds,
    finish,
    ranker_parameters,
    read_study_data,
)
from features.core.feature import all_columns
from ltr import __version__
from ltr.cli.parser import Command
from ltr.errors import InputError
from ltr.evaluation.evaluator import MEAN, values_frame
from ltr.evaluation.report import Plan, Report
from ltr.evaluation.runs import INTERVALS_NOTE
from ltr.evaluation.significance import PairedTest, paired_tests
from ltr.evaluation.tables import Table, counted
from ltr.files import sha256, writable_folder
from ltr.learning.fit import FitSettings, cross_validate
from ltr.progress import Progress
from ltr.settings import setting
from ltr.settings.kinds import Choice, Number
from ltr.settings.shared import OUTPUT
from models.base import DIMENSIONS, Parameters
from models.learned import column_of, columns_of

MEASURE = "correlation"
"""The measure that is tested and drawn: the least noisy one."""
BASELINE = "all features"
OBJECTIVE = "regression"
"""Least-squares trees take half the time of the two that riposte train averages, for many more trials."""

Tried = dict[tuple[str, str, str], tuple[int, Values]]
"""Dimension, name and kind of a variant -> its number of columns, and (n_topics, n_measures) figures."""


@dataclass(frozen=True, kw_only=True)
class AblationSettings(StudySettings):
    """What each family of features is worth in each dimension, by cross-validation over topics."""

    output: Path = replace(OUTPUT, help="folder for results (JSON, CSV, HTML)")
    study: tuple[str, ...] = setting(
        Choice(("leave-one-out", "only")), "which ranker is trained (default: leave-one-out)", several=True
    )
    over: str = setting(Choice(("groups", "features")), "families (groups), or single features", default="groups")
    dimension: str = setting(
        Choice((*DIMENSIONS, "all")), "whose ranker is studied: relevance, quality, coherence or all", default="all"
    )
    seeds: int = replace(SEEDS, default=2)
    trees: int = replace(TREES, default=100)
    columns: int = setting(Number(), "feature columns that each ranker keeps; 0 keeps all", default=0)
    averaged: int = 1


def ablation(options: AblationSettings) -> int:
    """Run the study. Raises InputError for anything that the user can correct."""
    progress = Progress(quiet=options.quiet)
    data = read_study_data(options, [options.output])
    graded = {name: q for name, q in data.judgments.graded.items() if options.dimension in ("all", name)}
    if not graded:
        task = data.indexed.task
        what = f"{options.dimension} needs graded {task.name} of it"
        hint = "add grades" if options.dimension in task.dimensions else f"it is none of {', '.join(task.dimensions)}"
        raise InputError("judgments", what, hint)
    writable_folder(options.output, "folder of the results")
    study = draw_folds(data, progress).only_heads()
    figures = Figures(study.table, graded, study.task.min_items)
    columns = columns_of(study.examples.inputs)
    tried = try_variants(study, figures, variants_of(columns, options.over, options.study or ["leave-one-out"]))
    facts = identity(study, ranker_parameters(options, 0, OBJECTIVE)) | study.dependencies
    report = report_of(figures, tried, baseline_scores(study), facts)
    outputs = {name: options.output / f"results.{name}" for name in ("json", "csv", "html")}
    return finish(study, report, outputs)


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
    return {
        "version": __version__,
        "ranker": parameters.objective,
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
        facts=document,
    )


def _test(test: PairedTest, family: Sequence[PairedTest]) -> dict[str, Any]:
    """A difference as plain data."""
    d = test.difference
    row = {"difference": d.mean, "difference_low": d.low, "difference_high": d.high, "p": d.p}
    row |= {"effect": d.effect, "effect_low": d.effect_low, "effect_high": d.effect_high}
    return row | corrected(test, family) | {"verdict": test.verdict}


main = Command("ablation", AblationSettings, ablation)
