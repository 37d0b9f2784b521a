"""``riposte ablation -i DIR --topics FILE ... -o DIR``: measure what each family of features contributes.

For each dimension the ranker is trained again without a family of features (leave-one-out), or with one alone (only),
by cross-validation over topics. Features are extracted once. A study that was killed goes on where it was when the same
command is given again.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from experiments.study_settings import StudySettings, seeds_field, trees_field
from ltr.cli.parser import Command
from ltr.errors import InputError
from ltr.settings import setting
from ltr.settings.kinds import Choice, Number
from ltr.settings.shared import output_field
from models.defaults import DIMENSIONS


@dataclass(frozen=True, kw_only=True)
class AblationSettings(StudySettings):
    """What each family of features is worth in each dimension, by cross-validation over topics."""

    output: Path = output_field(
        "folder for results (JSON, CSV, HTML) and trials, a file each; the same study goes on there"
    )
    study: tuple[str, ...] = setting(
        Choice(("leave-one-out", "only")), "which ranker is trained (default: leave-one-out)", several=True
    )
    over: str = setting(Choice(("groups", "features")), "families (groups), or single features", default="groups")
    dimension: str = setting(
        Choice((*DIMENSIONS, "all")), "whose ranker is studied: relevance, quality, coherence or all", default="all"
    )
    seeds: int = seeds_field(2)
    trees: int = trees_field(100)
    columns: int = setting(Number(), "feature columns that each ranker keeps; 0 keeps all", default=0)
    averaged: int = 1


def ablation(options: AblationSettings) -> int:
    """Run the study. Raises InputError for anything that the user can correct."""
    from tempfile import TemporaryDirectory

    import numpy as np

    from experiments.ablation.output import report_of
    from experiments.ablation.trials import Trials, families_of, identity, make_folds, variants_of
    from experiments.figures import Figures
    from experiments.study import baseline_scores, draw_folds, finish, ranker_parameters, read_study_data
    from ltr.data.files import writable_folder
    from ltr.index.folder import save_array
    from ltr.progress import Progress

    progress = Progress(quiet=options.quiet)
    data = read_study_data(options, [options.output])
    graded = {name: q for name, q in data.judgments.graded.items() if options.dimension in ("all", name)}
    if not graded:
        task = data.indexed.task
        what = f"{options.dimension} needs graded {task.name} of it"
        hint = "add grades" if options.dimension in task.dimensions else f"it is none of {', '.join(task.dimensions)}"
        raise InputError("judgments", what, hint)
    folder = writable_folder(options.output / "trials", "folder of the trials")
    progress.say(f"trials are kept in {folder}; after a stop, the same command goes on there")
    study = draw_folds(data, progress).only_heads()
    figures = Figures(study.table, graded, study.task.min_units)
    with progress.stage("labels", unit="folds", total=sum(map(len, study.splits))) as tick:
        folds = make_folds(study, figures.dimensions, tick)
    # Least-squares trees take half the time of the two that riposte train averages, for many more trials.
    parameters = [ranker_parameters(options, draw, "regression") for draw in range(options.seeds)]
    facts = identity(study, parameters[0])
    with TemporaryDirectory(dir=folder) as shared:  # processes map the same file
        values = Path(shared) / "table.npy"
        save_array(values, np.ascontiguousarray(study.examples.values))
        trials = Trials(values, study.examples.inputs, folds, parameters, figures, folder, facts, options.jobs)
        families = families_of(trials.columns, options.over)
        variants = variants_of(trials, families, options.study or ["leave-one-out"])
        trials.run(variants, progress)
    report = report_of(trials, variants, baseline_scores(study), facts | study.dependencies)
    outputs = {name: options.output / f"results.{name}" for name in ("json", "csv", "html")}
    return finish(study, report, outputs)


main = Command("ablation", AblationSettings, ablation)
