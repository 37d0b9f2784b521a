"""``riposte ablation -i DIR --topics FILE ... -o DIR``: measure what each family of features contributes.

For each dimension the ranker is trained again without a family of features (leave-one-out), or with one alone (only),
by cross-validation over topics. Features are extracted once.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from experiments.study_settings import SEEDS, TREES, StudySettings
from ltr.cli.parser import Command
from ltr.errors import InputError
from ltr.settings import setting
from ltr.settings.kinds import Choice, Number
from ltr.settings.shared import OUTPUT
from models.defaults import DIMENSIONS


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
    from experiments.ablation.output import report_of
    from experiments.ablation.trials import OBJECTIVE, identity, try_variants, variants_of
    from experiments.figures import Figures
    from experiments.study import baseline_scores, draw_folds, finish, ranker_parameters, read_study_data
    from ltr.files import writable_folder
    from ltr.progress import Progress
    from models.learned import columns_of

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
    figures = Figures(study.table, graded, study.task.min_units)
    columns = columns_of(study.examples.inputs)
    tried = try_variants(study, figures, variants_of(columns, options.over, options.study or ["leave-one-out"]))
    facts = identity(study, ranker_parameters(options, 0, OBJECTIVE)) | study.dependencies
    report = report_of(figures, tried, baseline_scores(study), facts)
    outputs = {name: options.output / f"results.{name}" for name in ("json", "csv", "html")}
    return finish(study, report, outputs)


main = Command("ablation", AblationSettings, ablation)
