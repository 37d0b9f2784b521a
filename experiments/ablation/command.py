"""``riposte ablation -i DIR --topics FILE ... -o DIR``: measure what each family of features contributes.

For each dimension the ranker is trained again without a family of features (leave-one-out), or with one alone (only),
by cross-validation over topics. Features are extracted once. A study that was killed goes on where it was when the same
command is given again.
"""

from __future__ import annotations

from pathlib import Path

from experiments.study_options import add_study_options, study_settings
from ltr.cli.options import Parser
from ltr.errors import InputError


def parser() -> Parser:
    """The command's options."""
    text = "What each family of features is worth in each dimension, by cross-validation over topics."
    p = Parser(prog="riposte ablation", description=text)
    add = p.add_argument
    kept = "folder for results (JSON, CSV, HTML) and trials, a file each; the same study given again goes on there"
    add("-o", "--output", type=Path, required=True, metavar="DIR", help=kept)
    add("--study", choices=("leave-one-out", "only"), action="append", help="may repeat (default: leave-one-out)")
    add("--over", choices=("groups", "features"), default="groups", help="families, or single features")
    dimensions = ("relevance", "quality", "coherence", "all")
    add("--dimension", choices=dimensions, default="all", help="whose ranker is studied (default: %(default)s)")
    add_study_options(p, seeds=2, trees=100, columns=0, averaged=1)
    return p


def main(argv: list[str] | None = None) -> int:
    """Run the study. Raises InputError for anything that the user can correct."""
    options = parser().parse_args(argv)

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
    settings = study_settings(vars(options))
    data = read_study_data(settings, [options.output])
    graded = {name: q for name, q in data.judgments.graded.items() if options.dimension in ("all", name)}
    if not graded:
        task = data.indexed.task
        what = f"--dimension {options.dimension} needs graded {task.name} of it"
        way = task.graded_by.get(options.dimension)
        raise InputError("usage", what, f"add {way}" if way else f"it is none of {', '.join(task.dimensions)}")
    folder = writable_folder(options.output / "trials", "folder of the trials")
    progress.say(f"trials are kept in {folder}; after a stop, the same command goes on there")
    study = draw_folds(data, progress).only_heads()
    figures = Figures(study.matrix, graded, study.task.min_units)
    with progress.stage("labels", unit="folds", total=sum(map(len, study.splits))) as tick:
        folds = make_folds(study, figures.dimensions, tick)
    # Least-squares trees take half the time of the two that riposte train averages, for many more trials.
    parameters = [ranker_parameters(settings, draw, "regression") for draw in range(options.seeds)]
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
    return finish(study, report, outputs, timings=options.timings)
