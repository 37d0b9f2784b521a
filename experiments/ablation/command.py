"""``python -m experiments.ablation -i DIR --topics FILE --pair-qrels DIMENSION=FILE -o DIR``: what features are worth.

For each dimension the ranker of pairs is trained again without a family of features (leave-one-out), with one alone
(only), or with ever more of them (forward), by cross-validation over topics. Features are extracted once. A study
that was killed goes on where it was when the same command is given again.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments.study_options import add_study_options, check_options, chosen_parameters
from ltr.cli.options import Parser, whole_number
from ltr.errors import InputError

if TYPE_CHECKING:
    from argparse import Namespace

    from ltr.index.reader import Index

KINDS = ("leave-one-out", "only", "forward")
OBJECTIVE = "regression"
"""Half the time of the two that ltr.train averages, for many more trials."""

EPILOG = """\
Rankers learn from all judgments that are given: graded pairs, judgments of arguments, labelling functions. So that a
study takes minutes they are smaller than those of ltr.train: one model of 100 regression trees, no choice of columns.

-o receives trials.jsonl (a line a trial, as they end), results.json, results.csv and results.svg.
"""


def parser() -> Parser:
    """The command's options."""
    from argparse import RawDescriptionHelpFormatter

    p = Parser(
        prog="python -m experiments.ablation",
        description="What each family of features is worth in each dimension, by cross-validation over topics.",
        epilog=EPILOG,
        formatter_class=RawDescriptionHelpFormatter,
    )
    p.add_argument(
        "-o",
        "--output",
        type=Path,
        required=True,
        metavar="DIR",
        help="where the study is kept; goes on if it is there",
    )
    p.add_argument("--study", choices=KINDS, action="append", help="may repeat (default: leave-one-out)")
    p.add_argument("--over", choices=("groups", "features"), default="groups", help="families, or single features")
    p.add_argument(
        "--dimension",
        choices=("relevance", "quality", "coherence", "all"),
        default="all",
        help="whose ranker is studied (default: %(default)s)",
    )
    p.add_argument(
        "--measure",
        choices=("correlation", "condensed", "full"),
        default="correlation",
        help="what is tested and drawn: rank correlation of scores and grades within a topic, which is the least "
        "noisy, or lab nDCG@5 without ungraded pairs, or with them (default: %(default)s)",
    )
    p.add_argument("--steps", type=whole_number(1), metavar="N", help="families that forward takes in (default: all)")
    add_study_options(p, seeds=2, trees=100, columns=0, averaged=1)
    return p


def main(argv: list[str] | None = None) -> int:
    """Run the study. Raises InputError for anything that the user can mend."""
    options = parser().parse_args(argv)
    kinds = options.study or ["leave-one-out"]
    if options.steps and "forward" not in kinds:
        raise InputError("usage", "--steps is for --study forward", "add it, or leave out --steps")
    check_options(options)
    if options.dimension != "all" and options.dimension not in dict(options.pair_qrels):
        what = f"--dimension {options.dimension} needs graded pairs of it"
        raise InputError("usage", what, f"add --pair-qrels {options.dimension}=FILE")

    from experiments.ablation.log import TrialLog, only_study
    from experiments.ablation.output import summarise, table, write
    from experiments.ablation.trials import AblationData, make_folds, saved_table
    from experiments.ablation.variants import families_of, logged_stage, run
    from experiments.figures import Figures
    from experiments.study import draw_folds, find_places, read_material
    from ltr.data.files import writable_folder
    from ltr.progress import Progress

    progress = Progress(quiet=options.quiet)
    corpus, place = find_places(options, progress, [options.output])
    writable_folder(options.output.absolute().parent, "place of the study")
    with only_study(options.output):
        index, topics, judgments = read_material(options, corpus, place, progress)
        log = TrialLog(options.output, identity(options, index))
        progress.say(f"trials are kept in {log.file}; after a stop, the same command goes on there")
        study = draw_folds(options, index, topics, judgments, progress)
        graded = {n: q for n, q in judgments.graded.items() if options.dimension in ("all", n)}
        figures = Figures(study.matrix, graded)
        with logged_stage(progress, "labels", sum(map(len, study.splits))) as tick:
            folds = make_folds(study, figures.dimensions, tick)
        log.begin()
        with saved_table(log.file.with_name("table.npy"), study.examples.values) as values:
            parameters = [chosen_parameters(options, draw, OBJECTIVE) for draw in range(options.seeds)]
            data = AblationData(values, study.examples.inputs, folds, parameters, figures)
            families = families_of(data.columns, options.over)
            how = {"measure": options.measure, "steps": options.steps, "jobs": options.jobs, "progress": progress}
            variants = run(data, log, families, kinds, **how)
        results = summarise(log, data, variants, study.baselines(), options.measure)
        write(options.output, results, progress)
    print(table(results))
    if options.timings:
        progress.print_report()
    return 0


def identity(options: Namespace, index: Index) -> dict[str, Any]:
    """What makes two studies the same, so that one may go on where the other stopped."""
    from ltr import __version__
    from ltr.data.files import sha256
    from ltr.training.bundle import feature_data

    kinds = {"topics": options.topics, "qrels": options.qrels, "quality qrels": options.quality_qrels}
    for dimension, path in options.pair_qrels:
        kinds.setdefault(f"pairs of {dimension}", []).append(path)
    return {
        "version": __version__,
        "corpus": index.corpus_fingerprint,
        # Two files in two folders may have one name.
        **{kind: [[path.name, sha256(path)] for path in paths] for kind, paths in kinds.items()},
        "features": feature_digests(),
        "weights": feature_data(),
        "folds": options.folds,
        "seeds": options.seeds,
        "parameters": asdict(chosen_parameters(options, 0, OBJECTIVE)),
    }


def feature_digests() -> dict[str, str]:
    """Feature of pairs -> what changes with its definition in the registry; its code goes by the version alone."""
    import hashlib

    from features.core.registry import all_features

    of_pairs = [feature for feature in all_features() if feature.columns()]
    content = {f.name: [f.name, f.group, f.scope, f.description, f.unit, *f.columns()] for f in of_pairs}
    return {name: hashlib.sha256(json.dumps(of).encode()).hexdigest()[:12] for name, of in content.items()}
