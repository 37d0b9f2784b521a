"""``python -m experiments.effectiveness -i DIR``: a model beside its teachers, on topics it never saw.

Every ``topics-<name>.xml`` of the directory that has ``qrels-<name>-<dimension>.qrels`` is a test set;
sets that the model was trained on are named and left out. With ``--cross-validate`` all sets train as well:
each topic is ranked by a model that was trained, from the choice of its trees on, on the other folds' topics.
Judgments of arguments that the corpus does not hold are counted and left out, and so are topics without a
relevant argument in it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ltr.cli import Parser, add_index_options, add_run_options, whole_number
from ltr.errors import InputError, run_command
from ltr.workers import Processes

if TYPE_CHECKING:
    from ltr.formats import Qrels, RunRow
    from ltr.index import Index
    from ltr.learning import Figure, Teaching
    from ltr.matrix import Matrix
    from ltr.progress import Progress
    from models.base import Ranker, Scores
    from models.blend import Blend

TEACHER = "dirichlet"
TAUGHT = ("relevance", "quality")
BLEND = "blend"


@dataclass(frozen=True)
class TestSet:
    """Topics with the judgments of one or more dimensions."""

    name: str
    topics: Path
    qrels: dict[str, Path]


def parser() -> Parser:
    """The command's options."""
    p = Parser(
        prog="python -m experiments.effectiveness", description="Compare a model with its teachers at argument level."
    )
    p.add_argument(
        "-i", "--input", required=True, metavar="DIR", help="corpus with topics-<name>.xml and qrels-<name>-*.qrels"
    )
    p.add_argument("-m", "--model", metavar="MODEL", help="model folder (default: the model that ships)")
    p.add_argument(
        "--cross-validate", action="store_true", help="train on all sets too, and rank each topic by a model of others"
    )
    p.add_argument("--only", action="append", default=[], metavar="NAME", help="only the set of that name; may repeat")
    p.add_argument(
        "--folds", type=whole_number(2, 100), default=5, metavar="N", help="parts of it (default: %(default)s)"
    )
    p.add_argument("--seed", type=whole_number(0), default=0, metavar="N", help="seed of it (default: %(default)s)")
    p.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    add_index_options(p)
    add_run_options(p)
    return p


def main(argv: list[str] | None = None) -> int:
    """Run the study. Raises InputError for anything that the user can mend."""
    options = parser().parse_args(argv)
    if options.cross_validate and options.model:
        raise InputError("usage", "cross-validation trains models of its own", "leave out -m or --cross-validate")

    from ltr.bundle import PRETRAINED, load_bundle
    from ltr.candidates import Settings
    from ltr.corpus import open_corpus
    from ltr.files import atomic_text
    from ltr.formats import read_qrels, read_topics
    from ltr.index import index_place, open_index
    from ltr.pipeline import describe_topics
    from ltr.progress import Progress
    from models.base import baselines, make_ranker

    progress = Progress(quiet=options.quiet)
    corpus = open_corpus(options.input)
    if options.cross_validate:
        settings, analysis, trained = Settings(), {"stem": True, "stop": True}, set()
    else:
        bundle = load_bundle(Path(options.model) if options.model else PRETRAINED, threads=options.jobs)
        settings, analysis = bundle.settings, bundle.manifest["analysis"]
        trained = set(bundle.manifest["data"]["topics"].values())
    index = open_index(corpus, index_place(corpus, options.index, progress, [options.json]), progress, **analysis)
    sets = find_sets(Path(options.input), trained, progress, options.only)
    topics = [topic for test in sets for topic in read_topics(test.topics)]
    if len({topic.number for topic in topics}) < len(topics):
        raise InputError(options.input, "two sets have topics of one number", "renumber one of them")
    matrix = describe_topics(index, topics, settings, workers=Processes(options.jobs), progress=progress)
    if not matrix.topics:
        raise InputError(options.input, "no topic matches any argument", "check that topics and corpus belong together")
    qrels = {(test.name, name): read_qrels(path) for test in sets for name, path in test.qrels.items()}
    scores: dict[str, Scores] = {name: make_ranker(name).score(matrix) for name in baselines()}
    if options.cross_validate:
        scores |= cross_validated(matrix, qrels, index, {t.number: t.title for t in topics}, options, progress)
    else:
        scores |= model_scores(matrix, bundle.model)
    runs = {name: make_run(matrix, found) for name, found in scores.items()}
    results: list[dict[str, Any]] = []
    for (test_set, dimension), judged in qrels.items():
        inside, dropped = scorable(judged, index)
        part = {name: [row for row in rows if row.topic in judged] for name, rows in runs.items()}
        results += compare(f"{test_set} {dimension}", part, inside, dropped)
    print(table(results))
    gist = Path(options.input) / "gist.jsonl"
    if gist.is_file() and not options.cross_validate:
        results.append(sentence_choice(index, bundle.model, gist))
    if options.json:
        with atomic_text(options.json) as out:
            json.dump(results, out, indent=1)
            out.write("\n")
    if options.timings:
        progress.print_report()
    return 0


def sentence_choice(index: Index, model: Blend, gist: Path) -> dict[str, Any]:
    """Print, and return for the record, how many of the marked sentences each ranker chooses."""
    from models.base import baselines, make_ranker

    rankers: dict[str, Ranker] = {name: make_ranker(name) for name in baselines()}
    rankers |= {f"{name} alone": model.reweighted({name: 1.0}) for name in model.rankers}
    found = gist_choice(index, rankers | {BLEND: model}, gist)
    print(f"\ngist sentences among the two of the best pair inside each argument ({gist.name})")
    print("\n".join(f"  {name:<22}{values}" for name, values in found.items()))
    return {"set": "gist", "shares": {name: asdict(values) for name, values in found.items()}}


def model_scores(matrix: Matrix, model: Blend) -> dict[str, Scores]:
    """Rows' scores of the model, and of each of its dimensions that judgments can check."""
    single = {name: model.reweighted({name: 1.0}).score(matrix) for name in TAUGHT if name in model.rankers}
    return {**single, BLEND: model.score(matrix)}


def cross_validated(
    matrix: Matrix,
    judgments: Mapping[tuple[str, str], Qrels],
    index: Index,
    titles: dict[str, str],
    options: Any,
    progress: Progress,
) -> dict[str, Scores]:
    """As `model_scores`, every topic by a model trained on topics of other folds: near-duplicates never straddle."""
    import numpy as np

    from features.registry import columns
    from ltr.formats import Topic
    from ltr.learning import learn, merged_qrels, split_topics
    from ltr.progress import Progress
    from ltr.train import alike
    from models.lambdamart import Parameters

    qrels = {name: merged_qrels([q for (_, what), q in judgments.items() if what == name]) for name in TAUGHT}
    qrels = {name: found for name, found in qrels.items() if found}
    tied = alike([Topic(number, title) for number, title in titles.items()], index.analyzer)
    split = split_topics(matrix, merged_qrels(list(qrels.values())), options.folds, options.seed, tied)
    if len(split) < 2:
        raise InputError(options.input, "too few topics, or too alike, to hold some out", "add topics with judgments")
    known = frozenset(index.argument_rows([a for q in qrels.values() for grades in q.values() for a in grades]))
    scores: dict[str, Scores] = {}
    with progress.stage("models of other folds", unit="folds", total=len(split)) as tick:
        for held in split:
            training = matrix.of_topics([t for i, t in enumerate(matrix.topics) if i not in held])
            seen = {name: {t: g for t, g in q.items() if t in training.topics} for name, q in qrels.items()}
            teaching = {name: taught(training, name, q, known) for name, q in seen.items() if q}
            lesson = learn(
                training,
                teaching,
                columns(),
                Parameters(seed=options.seed),
                folds=options.folds,
                threads=options.jobs,
                progress=Progress(quiet=True),
                tied=tied,
            )
            rows = np.isin(matrix.topic_of_row, held)
            for name, found in model_scores(matrix.of_topics([matrix.topics[i] for i in held]), lesson.model).items():
                scores.setdefault(name, np.zeros(len(matrix)))[rows] = found
            tick()
    return scores


def taught(matrix: Matrix, name: str, qrels: Qrels, known: frozenset[str]) -> Teaching:
    """What ``ltr.train`` teaches a dimension by default."""
    from ltr.learning import Teaching
    from ltr.supervision import DEFAULT, UNJUDGED, WeakLabels, weak_labels

    def relabel(seen: Qrels) -> WeakLabels:
        return weak_labels(matrix, seen, known, DEFAULT[name], name, unjudged=UNJUDGED[name])

    return Teaching(relabel(qrels), qrels, relabel)


def find_sets(folder: Path, trained: set[str], progress: Any, only: Sequence[str] = ()) -> list[TestSet]:
    """The test sets of a directory, but for those whose topics file the model was trained on."""
    from ltr.files import sha256

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


def make_run(matrix: Matrix, scores: Scores) -> list[RunRow]:
    """The run that predict would write."""
    from ltr.predict import DIVERSIFY
    from ltr.rerank import final_list

    return [
        row
        for topic, rows in matrix
        for row in final_list(matrix, topic, rows, scores, depth=1000, tag="run", diversify=DIVERSIFY)
    ]


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


def compare(name: str, runs: dict[str, list[RunRow]], qrels: Qrels, dropped: dict[str, int]) -> list[dict[str, Any]]:
    """A row a ranker: condensed, full and judged@5, and the paired difference from the teacher."""
    import numpy as np

    from ltr.metrics import evaluate
    from ltr.significance import mean_interval

    found = {ranker: evaluate(rows, qrels, level="argument") for ranker, rows in runs.items()}
    teacher = found[TEACHER].values["condensed_nDCG@5"]
    rows = []
    for ranker, result in found.items():
        values = result.values["condensed_nDCG@5"]
        difference = np.array([values[topic] - teacher[topic] for topic in values])
        rows.append(
            {
                "set": name,
                "topics": len(values),
                "dropped": dropped,
                "ranker": ranker,
                "condensed": result.means["condensed_nDCG@5"],
                "interval": result.intervals["condensed_nDCG@5"],
                "full": result.means["lab_nDCG@5"],
                "judged": result.means["judged@5"],
                "difference": float(difference.mean()),
                "difference_interval": mean_interval(difference),
            }
        )
    return rows


def table(results: list[dict[str, Any]]) -> str:
    """The comparison in words and columns."""
    lines = ["argument level, linear nDCG@5, means over topics with 95% t intervals"]
    heads = f"{'set':<20}{'topics':>7} {'ranker':<12}{'condensed [95%]':<24}{'full':>6}{'judged@5':>10}"
    lines += [f"{heads}  difference from {TEACHER} [95%]"]
    for row in results:
        low, high = row["interval"]
        d_low, d_high = row["difference_interval"]
        condensed = f"{row['condensed']:.3f} [{low:.3f}, {high:.3f}]"
        difference = "" if row["ranker"] == TEACHER else f"  {row['difference']:+.3f} [{d_low:+.3f}, {d_high:+.3f}]"
        figures = f"{condensed:<24}{row['full']:>6.3f}{row['judged']:>10.2f}{difference}"
        lines.append(f"{row['set']:<20}{row['topics']:>7} {row['ranker']:<12}{figures}")
    return "\n".join(lines)


def gist_choice(index: Index, rankers: dict[str, Ranker], path: Path) -> dict[str, Figure]:
    """Share of the marked sentences among the two of the best pair, by ranker, over the arguments of ``path``.

    The two longest sentences are the rule of thumb to beat.
    """
    import numpy as np

    from experiments.choice_marked import described, read_gist, share_found
    from ltr.learning import Figure
    from ltr.significance import mean_interval

    hits: dict[str, list[float]] = {}
    for item, matrix in described(index, read_gist(path, index)):
        for name, ranker in rankers.items():
            hits.setdefault(name, []).append(share_found(item, matrix, ranker.score(matrix)))
        premises = [row for row in index.sentence_rows(item["row"]) if index.column("number")[row] > 0]
        longest = sorted(premises, key=lambda row: (-len(index.text(row)), row))[:2]
        share = len(set(item["gist"]) & {index.sentence_id(row) for row in longest}) / 2
        hits.setdefault("two longest premises", []).append(share)
    found = {}
    for name, values in hits.items():
        low, high = mean_interval(np.array(values), (0, 1))
        found[name] = Figure(float(np.mean(values)), low, high, len(values))
    return found


if __name__ == "__main__":
    run_command(main)
