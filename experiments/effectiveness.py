"""``python -m experiments.effectiveness -i DIR``: a model beside the baselines, on whole arguments that were judged.

This is the second view: what users see are pairs, and `experiments.supervision` looks at them. Every
``topics-<name>.xml`` of the directory that has ``qrels-<name>-<dimension>.qrels`` is a test set; sets that the model
was trained on are named and left out. With ``--cross-validate`` the sets' judgments of relevance and quality train as
well: each topic is ranked by rankers that were trained on the other folds' topics. Judgments of arguments that the
corpus does not hold are counted and left out, and so are topics without a relevant argument in it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments.study_options import add_ranker_options, chosen_parameters
from ltr.cli.options import Parser, add_index_options, add_pair_qrels_option, add_run_options, whole_number
from ltr.cli.process import run_command
from ltr.errors import InputError
from ltr.parallel.processes import Processes

if TYPE_CHECKING:
    from argparse import Namespace

    from ltr.data.qrels import Qrels
    from ltr.data.runs import RunRow
    from ltr.data.topics import Topic
    from ltr.index.reader import Index
    from ltr.pipeline.matrix import Matrix
    from ltr.progress import Progress
    from models.base import Scores
    from models.blend import Blend

REFERENCE = "dirichlet"
"""The baseline that others are compared with."""

JUDGED = ("relevance", "quality")
"""The dimensions that arguments are judged in."""

TESTED = {"full": "nDCG@5", "condensed": "condensed_nDCG@5"}


@dataclass(frozen=True)
class TestSet:
    """Topics with the judgments of one or more dimensions."""

    name: str
    topics: Path
    qrels: dict[str, Path]


def parser() -> Parser:
    """The command's options."""
    p = Parser(
        prog="python -m experiments.effectiveness", description="Compare a model with the baselines at argument level."
    )
    p.add_argument(
        "-i", "--input", required=True, metavar="DIR", help="corpus with topics-<name>.xml and qrels-<name>-*.qrels"
    )
    p.add_argument("-m", "--model", metavar="MODEL", help="model folder (default: the model that ships)")
    p.add_argument("--only", action="append", default=[], metavar="NAME", help="only the set of that name; may repeat")
    p.add_argument(
        "--cross-validate", action="store_true", help="train on all sets too, and rank each topic by rankers of others"
    )
    p.add_argument(
        "--folds", type=whole_number(2, 100), default=5, metavar="N", help="parts of it (default: %(default)s)"
    )
    p.add_argument("--seed", type=whole_number(0), default=0, metavar="N", help="seed of it (default: %(default)s)")
    add_pair_qrels_option(p)
    add_ranker_options(p)
    p.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    add_index_options(p)
    add_run_options(p)
    return p


def main(argv: list[str] | None = None) -> int:
    """Run the study. Raises InputError for anything that the user can mend."""
    options = parser().parse_args(argv)
    if options.cross_validate and options.model:
        raise InputError("usage", "cross-validation trains rankers of its own", "leave out -m or --cross-validate")
    if options.pair_qrels and not options.cross_validate:
        raise InputError("usage", "--pair-qrels is to train with", "add --cross-validate, or leave it out")

    from ltr.corpora.source import open_corpus
    from ltr.data.files import atomic_text
    from ltr.index.reader import index_place, open_index
    from ltr.pipeline.extract import describe_topics
    from ltr.pipeline.rerank import make_run
    from ltr.progress import Progress
    from ltr.tasks import find_task
    from ltr.training.bundle import PRETRAINED, load_bundle
    from ltr.training.data import merge_topics, read_judgments
    from models.base import baselines, make_ranker

    progress = Progress(quiet=options.quiet)
    corpus, task = open_corpus(options.input), find_task("pairs")
    if options.cross_validate:
        config, analysis, trained = task.config, {"stem": True, "stop": True}, set()
    else:
        folder = Path(options.model) if options.model else PRETRAINED / task.name
        bundle = load_bundle(folder, task, threads=options.jobs)
        config, analysis = bundle.config, bundle.manifest["analysis"]
        trained = set(bundle.manifest["data"]["topics"].values())
    place = index_place(corpus, options.index, progress, [options.json])
    sets = find_sets(Path(options.input), trained, progress, options.only)
    topics = merge_topics(test.topics for test in sets)
    arguments = {name: [test.qrels[name] for test in sets if name in test.qrels] for name in JUDGED}
    judgments = read_judgments(task, arguments, options.pair_qrels, topics)
    index = open_index(corpus, place, progress, **analysis)
    graded, workers = judgments.graded_ids(), Processes(options.jobs)
    matrix = describe_topics(task, index, topics, config, graded=graded, workers=workers, progress=progress)
    if not matrix.topics:
        raise InputError(options.input, "no topic matches any argument", "check that topics and corpus belong together")
    scores: dict[str, Scores] = {name: make_ranker(name).score(matrix) for name in baselines()}
    if options.cross_validate:
        scores |= cross_validated(matrix, judgments, index, topics, options, progress)
    else:
        scores |= model_scores(matrix, bundle.model)
    runs = {name: make_run(task, matrix, found, tag="run") for name, found in scores.items()}
    results = compare_all(sets, runs, index, progress)
    print(table(results))
    if options.json:
        with atomic_text(options.json) as out:
            json.dump(results, out, indent=1)
            out.write("\n")
    if options.timings:
        progress.print_report()
    return 0


def compare_all(
    sets: Sequence[TestSet], runs: Mapping[str, Sequence[RunRow]], index: Index, progress: Progress
) -> list[dict[str, Any]]:
    """The rows of all sets, their p values corrected together. Raises InputError when nothing judged is here."""
    from ltr.data.qrels import read_qrels

    results: list[dict[str, Any]] = []
    for test in sets:
        for dimension, path in test.qrels.items():
            inside, dropped = scorable(read_qrels(path), index)
            if inside:
                results += compare(f"{test.name} {dimension}", runs, inside, dropped)
            else:
                progress.say(f"{path.name}: left out, it judges no argument of this corpus as good")
    if not results:
        raise InputError(sets[0].topics.parent, "no judged argument is in the corpus", "check that the two fit")
    adjust(results)
    return results


def model_scores(matrix: Matrix, model: Blend) -> dict[str, Scores]:
    """Rows' scores of the model, and of each of its dimensions that judgments of arguments can check."""
    from ltr.training.figures import BLEND

    single = {name: model.reweighted({name: 1.0}).score(matrix) for name in JUDGED if name in model.rankers}
    return {**single, BLEND: model.score(matrix)}


def cross_validated(
    matrix: Matrix, judgments: Any, index: Index, topics: Sequence[Topic], options: Namespace, progress: Progress
) -> dict[str, Scores]:
    """As `model_scores`, every topic by rankers trained on topics of other folds."""
    from experiments.study import Study
    from features.core.registry import columns
    from ltr.training.data import alike
    from ltr.training.examples import Examples
    from ltr.training.figures import BLEND
    from ltr.training.splits import split_topics
    from models.base import DIMENSIONS

    split = split_topics(matrix, judgments, options.folds, options.seed, alike(topics, index.analyzer))
    study = Study(Examples.of_columns(matrix, judgments, columns(), DIMENSIONS), [split])
    scores = study.held_out_scores(split, chosen_parameters(options, options.seed), options.jobs, progress)
    return {name: scores[name] for name in (*JUDGED, BLEND) if name in scores}


def find_sets(folder: Path, trained: set[str], progress: Any, only: Sequence[str] = ()) -> list[TestSet]:
    """The test sets of a directory, but for those whose topics file the model was trained on."""
    from ltr.data.files import sha256

    sets = []
    for topics in sorted(folder.glob("topics-*.xml")):
        name = topics.stem.removeprefix("topics-")
        if only and name not in only:
            continue
        qrels = {p.stem.removeprefix(f"qrels-{name}-"): p for p in sorted(folder.glob(f"qrels-{name}-*.qrels"))}
        qrels = {what: path for what, path in qrels.items() if not what.startswith("pairs-")}  # arguments alone
        if sha256(topics) in trained:
            progress.say(f"{topics.name}: left out, the model was trained on it")
        elif qrels:
            sets.append(TestSet(name, topics, dict(sorted(qrels.items(), key=lambda item: item[0] != "relevance"))))
    if not sets:
        raise InputError(
            folder, "there is no test set", "it needs topics-<name>.xml with qrels-<name>-<dimension>.qrels"
        )
    return sets


def scorable(qrels: Qrels, index: Index) -> tuple[Qrels, dict[str, int]]:
    """Judgments of arguments in the corpus, of topics where one of them is relevant; and what was left out."""
    held = index.argument_rows([a for grades in qrels.values() for a in grades])
    inside = {topic: {a: g for a, g in grades.items() if a in held} for topic, grades in qrels.items()}
    kept = {topic: grades for topic, grades in inside.items() if max(grades.values(), default=0) > 0}
    before, after = (sum(map(len, some.values())) for some in (qrels, inside))
    return kept, {
        "judgments absent from the corpus": before - after,
        "topics without a relevant argument": len(qrels) - len(kept),
    }


def compare(
    name: str, runs: Mapping[str, Sequence[RunRow]], qrels: Qrels, dropped: Mapping[str, int]
) -> list[dict[str, Any]]:
    """A row a ranker: full, judged@5 and condensed figures, and paired differences from the reference."""
    import numpy as np

    from ltr.evaluation.evaluator import evaluate
    from ltr.evaluation.significance import paired_difference

    found = {
        ranker: evaluate([row for row in rows if row.topic in qrels], qrels, level="argument")
        for ranker, rows in runs.items()
    }
    rows = []
    for ranker, result in found.items():
        row: dict[str, Any] = {"set": name, "topics": len(qrels), "dropped": dict(dropped), "ranker": ranker}
        row["judged"] = result.means["judged@5"]
        for short, measure in TESTED.items():
            low, high = result.intervals[measure]
            row[short] = {"mean": result.means[measure], "low": low, "high": high}
            if ranker != REFERENCE:
                own, other = (np.array(list(one.values[measure].values())) for one in (result, found[REFERENCE]))
                d = paired_difference(own, other)
                row[short]["test"] = {"mean": d.mean, "low": d.low, "high": d.high, "p": d.p}
        rows.append(row)
    return rows


def adjust(results: Sequence[Mapping[str, Any]]) -> None:
    """Correct the p values of all rows together, by Holm."""
    from ltr.evaluation.significance import holm

    tests = [row[short]["test"] for row in results for short in TESTED if "test" in row[short]]
    for test, adjusted in zip(tests, holm([test["p"] for test in tests]), strict=True):
        test["p_holm"] = adjusted


def table(results: Sequence[Mapping[str, Any]]) -> str:
    """The comparison in words and columns."""
    lines = [
        "argument level, nDCG@5, means over topics with 95% t intervals; condensed: of the judged arguments alone",
        f"differences from {REFERENCE}; p: randomisation test, by Holm over everything below",
        f"{'set':<20}{'topics':>7} {'ranker':<12}{'full [95%]':<22}{'judged':>7}  {'condensed [95%]':<22}"
        f"{'full - ' + REFERENCE:>17}{'p':>7}{'condensed - ' + REFERENCE:>23}{'p':>7}",
    ]
    for row in results:
        figures = {short: "{mean:.3f} [{low:.3f}, {high:.3f}]".format(**row[short]) for short in TESTED}
        cells = f"{figures['full']:<22}{row['judged']:>7.2f}  {figures['condensed']:<22}"
        for short, width in (("full", 17), ("condensed", 23)):
            if test := row[short].get("test"):
                cells += f"{test['mean']:>+{width}.3f}{test['p_holm']:>7.3f}"
        lines.append(f"{row['set']:<20}{row['topics']:>7} {row['ranker']:<12}{cells}".rstrip())
    return "\n".join(lines)


if __name__ == "__main__":
    run_command(main)
