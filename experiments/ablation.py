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

from experiments.figures import Boards, Figures, report_values
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
from ltr.cli.parser import Command
from ltr.errors import InputError
from ltr.evaluation.report import Plan, Report
from ltr.evaluation.runs import INTERVALS_NOTE
from ltr.evaluation.significance import CORRELATION
from ltr.evaluation.tables import Table, counted
from ltr.files import sha256, writable_folder
from ltr.learning.data import TrainingFiles
from ltr.learning.fit import FitSettings, cross_validate
from ltr.settings import setting
from ltr.settings.kinds import Choice, Number
from ltr.settings.shared import OUTPUT, SEED
from models.base import DIMENSIONS, Parameters
from models.learned import column_of, columns_of

TESTED = (CORRELATION, "nDCG@5")
"""Measures that are tested and drawn: the least noisy one, of graded items, and the figure of the whole list, to which
ungraded items count too."""
BASELINE = "all features"
OBJECTIVE = "regression"
"""Least-squares trees take half the time of the two that riposte train averages, for many more trials."""


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
    seed: int = replace(SEED, help="first draw of the folds, and first seed of the rankers")
    trees: int = replace(TREES, default=100)
    columns: int = setting(Number(), "feature columns that each ranker keeps; 0 keeps all", default=0)
    averaged: int = 1


def ablation(options: AblationSettings) -> int:
    """Run the study. Raises InputError for anything that the user can correct."""
    data = read_study_data(options, [options.output])
    graded = {name: q for name, q in data.judgments.graded.items() if options.dimension in ("all", name)}
    if not graded:
        task = data.indexed.task
        what = f"{options.dimension} needs graded {task.name} of it"
        hint = "add grades" if options.dimension in task.dimensions else f"it is none of {', '.join(task.dimensions)}"
        raise InputError("judgments", what, hint)
    writable_folder(options.output, "folder of the results")
    study = draw_folds(data).only_heads()
    figures = Figures(study.table, graded, study.task.min_items)
    columns = columns_of(study.examples.inputs)
    variants = variants_of(columns, options.over, options.study or ["leave-one-out"])
    boards = figures.of_rows(baseline_scores(study)) | try_variants(study, figures, variants)
    facts = identity(study, ranker_parameters(options, options.seed, OBJECTIVE)) | study.dependencies
    report = compared(boards, variants, figures.topics, facts)
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
    settings, files = study.settings, TrainingFiles.of(study.settings, study.task)
    read = {"topics": files.topics} | {str(judged): paths for judged, paths in files.by_judged().items()}
    return {
        "ranker": parameters.objective,
        "task": settings.task,
        "corpus": study.source.index.corpus_fingerprint,
        # Two files in two folders may have one name.
        "files": {kind: [[path.name, sha256(path)] for path in paths] for kind, paths in read.items()},
        "folds": settings.folds,
        "seeds": settings.seeds,
        "seed": settings.seed,
        "parameters": asdict(parameters),
    }


def try_variants(study: Study, figures: Figures, variants: Sequence[Variant]) -> Boards:
    """Figures of rankers that see the columns of each variant alone, means over draws of the folds."""
    found = {}
    for variant in variants:
        inputs = study.examples.inputs
        seen = [number for number, name in enumerate(inputs) if column_of(name) in variant.columns]
        examples = replace(
            study.examples,
            inputs=[inputs[number] for number in seen],
            values=np.ascontiguousarray(study.examples.values[:, seen]),
            dimensions=tuple(figures.dimensions),
        )
        settings = [
            FitSettings(ranker_parameters(study.settings, n, OBJECTIVE), study.sources) for n in study.settings.draws
        ]
        draws = zip(study.splits, settings, strict=True)
        found[variant.name] = figures.of_row(cross_validate(examples, *draw, study.resources) for draw in draws)
        study.resources.progress.say(f"{variant.name}: trained and ranked")
    return found


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
    variants = [Variant(BASELINE, "baseline", tuple(columns))]
    if "leave-one-out" in kinds:
        rest = {name: tuple(column for column in columns if column not in of) for name, of in families.items()}
        variants += [Variant(f"without {name}", "leave-one-out", others) for name, others in rest.items() if others]
    if "only" in kinds:
        variants += [Variant(f"only {name}", "only", tuple(of)) for name, of in families.items()]
    return variants


def compared(boards: Boards, variants: Sequence[Variant], topics: Sequence[str], study: Mapping[str, Any]) -> Report:
    """Each variant with its difference from all features; the variants of a kind are a family of tests."""
    kinds = dict.fromkeys(variant.kind for variant in variants[1:])
    families = [[(variant.name, BASELINE) for variant in variants if variant.kind == kind] for kind in kinds]
    title = f"{' and '.join(TESTED)} of held-out topics, {counted(len(topics), 'topic')}, {study['folds']} folds, "
    counts = [[variant.name, str(len(variant.columns))] for variant in variants]
    return Report.of_values(
        report_values(boards, topics),
        Plan(TESTED, BASELINE, alpha=None),
        families,
        title=title + counted(study["seeds"], "draw"),
        further=[Table("columns that rankers see", [["", "columns"], *counts])],
        remarks=[INTERVALS_NOTE],
        facts={"study": study},
        of_runs={variant.name: {"kind": variant.kind, "columns": len(variant.columns)} for variant in variants},
    )


main = Command("ablation", AblationSettings, ablation)
