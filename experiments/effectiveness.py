"""``python -m experiments.effectiveness -i DIR``: a model beside the baselines, on whole arguments that were judged.

Of pairs this is the second view: what users see are pairs, and `experiments.supervision` looks at them. Every
``topics-<name>.xml`` of the directory that has ``qrels-<name>-<dimension>.qrels`` is a test set; sets that the model
was trained on are named and left out. Judgments of arguments that the corpus does not hold are counted and left out,
and so are topics without a relevant argument in it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments.study_options import add_json_option
from ltr.cli.options import Parser, add_run_options
from ltr.cli.process import run_command
from ltr.errors import InputError

if TYPE_CHECKING:
    from ltr.data.qrels import Qrels
    from ltr.data.runs import RunRow
    from ltr.index.reader import Index
    from ltr.progress import Progress

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
    corpus = "corpus with topics-<name>.xml and qrels-<name>-*.qrels"
    p.add_argument("-i", "--input", required=True, metavar="DIR", help=corpus)
    p.add_argument("-m", "--model", type=Path, metavar="MODEL", help="model folder (default: the model that ships)")
    p.add_argument("--only", action="append", default=[], metavar="NAME", help="only the set of that name; may repeat")
    add_json_option(p)
    add_run_options(p)
    return p


def main(argv: list[str] | None = None) -> int:
    """Run the study. Raises InputError for anything that the user can mend."""
    options = parser().parse_args(argv)

    from experiments.study import baseline_scores, described, finish
    from ltr.corpora.source import open_corpus
    from ltr.data.qrels import read_qrels
    from ltr.index.cache import index_place, open_index
    from ltr.pipeline.rerank import make_run
    from ltr.progress import Progress
    from ltr.tasks import find_task
    from ltr.training.bundle import PRETRAINED, load_bundle
    from ltr.training.data import argument_qrels, merge_topics
    from ltr.training.figures import BLEND

    progress = Progress(quiet=options.quiet)
    corpus, task = open_corpus(options.input), find_task(options.task)
    bundle = load_bundle(options.model or PRETRAINED / task.name, task, threads=options.jobs)
    place = index_place(corpus, options.index, progress, [options.json])
    sets = find_sets(Path(options.input), set(bundle.manifest["data"]["topics"].values()), progress, options.only)
    topics = merge_topics(test.topics for test in sets)
    judged = {
        f"{test.name} {dimension}": argument_qrels(read_qrels(path), topics, [path])
        for test in sets
        for dimension, path in test.qrels.items()
    }
    index = open_index(corpus, place, progress, **bundle.manifest["analysis"])
    matrix = described(task, index, topics, bundle.config, options, progress)
    model, scores = bundle.model, baseline_scores(matrix)
    scores |= {name: model.reweighted({name: 1.0}).score(matrix) for name in JUDGED if name in model.rankers}
    scores[BLEND] = model.score(matrix)
    runs = {name: make_run(task, matrix, found, tag="run") for name, found in scores.items()}
    results = compare_all(judged, runs, index, progress)
    return finish(options, results, table(results), progress)


def compare_all(
    judged: Mapping[str, Qrels], runs: Mapping[str, Sequence[RunRow]], index: Index, progress: Progress
) -> list[dict[str, Any]]:
    """A board a set and dimension, p values corrected over all. Raises InputError when nothing judged is here."""
    from experiments.leaderboard import REFERENCE, boards, scorable
    from ltr.evaluation.evaluator import Evaluation, evaluate

    evaluations: dict[str, dict[str, Evaluation]] = {run: {} for run in runs}
    left_out = {}
    for name, qrels in judged.items():
        inside, dropped = scorable(qrels, index)
        if not inside:
            progress.say(f"{name}: left out, it judges no argument of this corpus as good")
            continue
        left_out[name] = dropped
        for run, rows in runs.items():
            own = [row for row in rows if row.topic in inside]
            evaluations[run][name] = evaluate(own, inside, level="argument")
    if not left_out:
        raise InputError("judgments", "no judged argument is in the corpus", "check that the two fit")
    return [board | {"dropped": left_out[board["set"]]} for board in boards(evaluations, REFERENCE)]


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


def table(results: Sequence[Mapping[str, Any]]) -> str:
    """The comparison in words and columns."""
    from experiments.figures import list_cells, text_table

    against = results[0]["against"]
    lines = [
        "argument level, lab nDCG@5, means over topics with 95% t intervals; condensed: of the judged arguments alone",
        f"differences from {against}; p: randomisation test, by Holm over everything below",
    ]
    rows = []
    for board in results:
        for row in board["rows"]:
            cells = {"": f"{board['set']}, {row['run']}", "topics": str(board["topics"])}
            cells |= list_cells({"judged": row["judged@5"], **{name: row[of] for name, of in TESTED.items()}})
            for name, measure in TESTED.items():
                if test := row["tests"][measure]:
                    cells |= {f"{name} - {against}": f"{test['mean']:+.3f}", f"p {name}": f"{test['p']:.3f}"}
            rows.append(cells)
    return "\n".join([*lines, text_table(rows)])


if __name__ == "__main__":
    run_command(main)
