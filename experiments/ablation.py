"""``python -m experiments.ablation -i DIR --topics FILE --qrels FILE -o DIR``: what each family of features is worth.

The learned ranker of arguments is trained again without a family of features (leave-one-out), with one alone
(only), or with ever more of them (forward), by cross-validation over topics and several seeds. Features are
extracted once. A study that was killed goes on where it was when the same command is given again.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ltr.cli import Parser, add_index_options, add_run_options, whole_number
from ltr.errors import InputError, run_command
from ltr.workers import Processes

if TYPE_CHECKING:
    from argparse import Namespace

    from experiments.ablation_study import Bench
    from ltr.formats import Qrels, Topic
    from ltr.index import Index
    from ltr.progress import Progress
    from models.base import Scores
    from models.lambdamart import Parameters

KINDS = ("leave-one-out", "only", "forward")
EPILOG = """\
Learning is on whole arguments, so a column says the mean over the pairs of two arguments, and figures are
argument-level nDCG@5 of held-out topics (condensed: judged arguments only). By default the ranker sees every
column; --learn signed leaves it those that the shipped model learns from, where theory knows the sign.

-o receives trials.jsonl (a line a training, as they end), results.json, results.csv and results.svg.
"""


def parser() -> Parser:
    """The command's options."""
    from argparse import RawDescriptionHelpFormatter

    p = Parser(
        prog="python -m experiments.ablation",
        description="What each family of features is worth, by cross-validation over topics.",
        epilog=EPILOG,
        formatter_class=RawDescriptionHelpFormatter,
    )
    p.add_argument("-i", "--input", required=True, metavar="DIR", help="corpus, as for ltr.predict")
    p.add_argument("--topics", type=Path, action="append", required=True, metavar="FILE", help="topics XML; may repeat")
    p.add_argument(
        "--qrels", type=Path, action="append", required=True, metavar="FILE", help="judgments of arguments; may repeat"
    )
    p.add_argument(
        "-o",
        "--output",
        type=Path,
        required=True,
        metavar="DIR",
        help="where the study is kept; goes on if it is there",
    )
    p.add_argument(
        "--study",
        choices=KINDS,
        action="append",
        help="may repeat (default: leave-one-out)",
    )
    p.add_argument("--over", choices=("groups", "features"), default="groups", help="families, or single features")
    p.add_argument(
        "--learn", choices=("every", "signed"), default="every", help="columns that the ranker may see (default: every)"
    )
    p.add_argument(
        "--dimension", choices=("relevance", "quality"), default="relevance", help="what the judgments are of"
    )
    p.add_argument("--measure", choices=("condensed", "full"), default="condensed", help="(default: condensed)")
    p.add_argument("--steps", type=whole_number(1), metavar="N", help="families that forward takes in (default: all)")
    p.add_argument("--folds", type=whole_number(2, 100), default=5, metavar="N", help="(default: %(default)s)")
    p.add_argument("--seeds", type=whole_number(1, 50), default=3, metavar="N", help="(default: %(default)s)")
    p.add_argument("--trees", type=whole_number(0, 5000), default=20, metavar="N", help="(default: %(default)s)")
    add_index_options(p)
    add_run_options(p)
    return p


def main(argv: list[str] | None = None) -> int:
    """Run the study. Raises InputError for anything that the user can mend."""
    options = parser().parse_args(argv)
    if options.steps and "forward" not in (options.study or ()):
        raise InputError("usage", "--steps is for --study forward", "add it, or leave out --steps")

    from experiments.ablation_notebook import Notebook, only_study
    from experiments.ablation_output import compared, described, table, write
    from experiments.ablation_study import families_of, mapped, mean_over_seeds, run
    from features.registry import column_features
    from ltr.corpus import open_corpus
    from ltr.files import writable_folder
    from ltr.index import index_place
    from ltr.learning import parameters_of
    from ltr.progress import Progress
    from models.lambdamart import Parameters

    progress = Progress(quiet=options.quiet)
    place = index_place(open_corpus(options.input), options.index, progress, [options.output])
    writable_folder(options.output.absolute().parent, "place of the study")
    with only_study(options.output):
        index, topics, qrels = material(options, place, progress)
        signs = {c: f.sign for c, f in column_features().items() if f.sign or options.learn == "every"}
        parameters = parameters_of(options.dimension, Parameters(trees=options.trees))
        study = identity(options, index, signs, parameters)
        notebook = Notebook(options.output, study)
        progress.say(f"trainings are kept in {notebook.file}; after a stop, the same command goes on there")
        bench, teachers = prepare(options, index, topics, qrels, signs, parameters, progress)
        notebook.begin()
        with mapped(bench, notebook.file.with_name("table.npy")) as shared:
            variants = run(shared, notebook, families_of(bench.columns, options.over), options, progress)
        figures = {v.name: mean_over_seeds(notebook, v.columns, bench.folds, options.measure) for v in variants}
        results = {
            "study": study,
            "measure": f"{'condensed' if options.measure == 'condensed' else 'lab'}_nDCG@5",
            "baseline": "all features",
            "topics": bench.judge.topics,
            "teachers": [described(name, values) for name, values in teachers.items()],
            "variants": compared(variants, figures),
        }
        write(options.output, results, progress)
    print(table(results))
    if options.timings:
        progress.print_report()
    return 0


def material(options: Namespace, place: Path, progress: Progress) -> tuple[Index, list[Topic], Qrels]:
    """The index, the topics that are judged, and the judgments."""
    from ltr.corpus import open_corpus
    from ltr.formats import read_all_qrels
    from ltr.index import open_index
    from ltr.train import known_qrels, merge_topics

    topics = merge_topics(options.topics)
    qrels = known_qrels(read_all_qrels(options.qrels), topics, options.qrels)
    index = open_index(open_corpus(options.input), place, progress)
    return index, [topic for topic in topics if topic.number in qrels], qrels


def identity(options: Namespace, index: Index, signs: dict[str, int], parameters: Parameters) -> dict[str, Any]:
    """What makes two studies the same, so that one may go on where the other stopped."""
    from ltr import __version__
    from ltr.bundle import feature_data
    from ltr.files import sha256

    return {
        "version": __version__,
        "corpus": index.corpus_fingerprint,
        # Two files in two folders may have one name.
        "topics": [[path.name, sha256(path)] for path in options.topics],
        "qrels": [[path.name, sha256(path)] for path in options.qrels],
        "dimension": options.dimension,
        "learn": options.learn,
        "columns": len(signs),
        "features": feature_digests(),
        "weights": feature_data(),
        "folds": options.folds,
        "seeds": options.seeds,
        "parameters": asdict(parameters),
    }


def prepare(
    options: Namespace,
    index: Index,
    topics: list[Topic],
    qrels: Qrels,
    signs: dict[str, int],
    parameters: Parameters,
    progress: Progress,
) -> tuple[Bench, dict[str, Scores]]:
    """Describe the topics once: what all trials share, and the teachers' figures."""
    from experiments.ablation_study import make_bench
    from ltr.candidates import Settings
    from ltr.learning import Judge, split_topics
    from ltr.pipeline import describe_topics
    from ltr.supervision import DEFAULT, UNJUDGED, WeakLabels, weak_labels
    from ltr.train import alike
    from models.base import baselines, make_ranker

    known = frozenset(index.argument_rows([a for grades in qrels.values() for a in grades]))
    matrix = describe_topics(index, topics, Settings(), workers=Processes(options.jobs), progress=progress)
    tied = alike(topics, index.analyzer)
    splits = {seed: split_topics(matrix, qrels, options.folds, seed, tied) for seed in range(options.seeds)}
    judge = Judge(matrix, qrels)
    if not judge.topics or min(map(len, splits.values())) < 2:
        raise InputError(options.qrels[0], "too few topics with a good argument to hold some out", "add judgments")

    def relabel(seen: Qrels) -> WeakLabels:
        names = DEFAULT[options.dimension]
        return weak_labels(matrix, seen, known, names, options.dimension, unjudged=UNJUDGED[options.dimension])

    with progress.stage("labels", unit="folds", total=sum(map(len, splits.values()))) as tick:
        bench = make_bench(matrix, qrels, splits, relabel, signs, parameters, tick)
    condensed = options.measure == "condensed"
    return bench, {n: judge.values(make_ranker(n).score(matrix), condensed=condensed) for n in baselines()}


def feature_digests() -> dict[str, str]:
    """Feature -> what changes with its definition in the registry; its code is told by the version alone."""
    import hashlib

    from features.registry import all_features

    told = {f.name: [f.name, f.group, f.scope, f.description, f.sign, *f.columns] for f in all_features()}
    return {name: hashlib.sha256(json.dumps(of).encode()).hexdigest()[:12] for name, of in told.items()}


if __name__ == "__main__":
    run_command(main)
