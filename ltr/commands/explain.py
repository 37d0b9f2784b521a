"""``python -m ltr.explain --run FILE --topic N --rank K [--against J]``: why a pair stands where it does."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ltr.cli.options import (
    Parser,
    add_blend_options,
    add_cascade_option,
    add_file,
    add_number,
    add_run_options,
    chosen_weights,
    whole_number,
)
from ltr.errors import InputError

if TYPE_CHECKING:
    from argparse import Namespace

    from ltr.data.runs import RunRow
    from ltr.data.topics import Topic
    from ltr.index.reader import Index
    from ltr.pipeline.matrix import Matrix
    from models.base import Scores
    from models.blend import Blend


def parser() -> Parser:
    """The command's options."""
    p = Parser(
        prog="python -m ltr.explain",
        description="Why a pair of a run stands where it does, and why above another.",
        file=__file__,
    )
    add_file(p, "--run", "a run by ltr.predict", required=True)
    p.add_argument("--topic", required=True, metavar="N", help="number of the topic")
    p.add_argument("--rank", type=whole_number(1), required=True, metavar="K", help="place of the pair")
    p.add_argument("--against", type=whole_number(1), metavar="J", help="place of the pair to hold it against")
    p.add_argument("-i", "--input", metavar="DIR", help="the corpus of the run (default: the sample)")
    p.add_argument("-m", "--model", metavar="MODEL", help="the model of the run (default: the model that ships)")
    add_file(p, "--topics", "topics XML (default: topics.xml beside the corpus)")
    p.add_argument("--json", metavar="FILE", help="write everything as JSON; - prints it in place of the text")
    add_number(p, "--features", "features a family", 3, 0, 1000)
    add_blend_options(p)
    add_cascade_option(p)
    add_run_options(p)
    return p


def main(argv: list[str] | None = None) -> int:
    """Run the command. Raises InputError for anything that the user can correct."""
    options = parser().parse_args(argv)
    if options.against == options.rank:
        raise InputError("--against", "a pair does not stand above itself", "name another place")

    from ltr.cli.bars import report
    from ltr.data.files import atomic_text
    from ltr.data.runs import read_run
    from ltr.pipeline.sides import TOWARD_QUESTION, has_stances, sides_toward
    from ltr.tasks import find_task
    from ltr.training.model_choice import told
    from models.cascade import HEAD, cascade
    from models.contributions import contributions, explain_pair

    listed = {row.rank: row for row in read_run(options.run) if row.topic == options.topic}
    if not listed:
        raise InputError(options.run, f"there is no topic {options.topic} in it", "name one of its topics")
    ranks = [rank for rank in (options.rank, options.against) if rank is not None]
    for rank in ranks:
        if rank not in listed:
            what = f"topic {options.topic} has no pair at rank {rank}"
            raise InputError(options.run, what, f"it has {len(listed)}")
    rows = [listed[rank] for rank in ranks]
    topic, model, index, matrix = described_topic(options)
    place = {unit: i for i, unit in enumerate(matrix.ids)}
    scores = model.score(matrix)
    written, _ = cascade(model, matrix, HEAD if options.cascade is None else options.cascade)
    refuse_other_scores(
        options.run, [row for _, row in sorted(listed.items())], {pair: float(written[i]) for pair, i in place.items()}
    )
    parts = contributions(model, matrix)
    families = explain_pair(matrix.features, parts, *(place[row.pair] for row in rows))
    grades = model.dimension_scores(matrix)
    shown = [described(row, matrix, scores, grades, place, index) for row in rows]
    if has_stances(find_task(options.task)):
        side_of = sides_toward(index, topic.title)
        shown = [{"side": TOWARD_QUESTION[side_of(one["pair"])], **one} for one in shown]
    document = {
        "question": topic.title,
        "topic": topic.number,
        "model": told(find_task(options.task), options.model),
        "weights": {name: model.weights[name] for name in grades},
        "mean_score": float(scores.mean()),
        "pair": shown[0],
        "against": shown[1] if len(shown) > 1 else None,
        "adds": math.fsum(family.adds for family in families),
        "families": [asdict(family) for family in families],
    }
    if options.json == "-":
        print(json.dumps(document, indent=1, allow_nan=False))
        return 0
    if options.json:
        with atomic_text(Path(options.json)) as out:
            json.dump(document, out, indent=1, allow_nan=False)
            out.write("\n")
    print(report(document, options.features))
    return 0


def refuse_other_scores(run: Path, rows: Iterable[RunRow], scores: dict[str, float]) -> None:
    """Raise InputError unless ``rows``, all of a topic by rank, have the scores that the model gives their pairs."""
    from ltr.cli.bars import TOLERANCE
    from ltr.data.runs import STEP

    above = math.inf
    for row in rows:
        if row.pair not in scores:
            what = f"the pair at rank {row.rank} of topic {row.topic} is no candidate of this corpus and model"
            raise InputError(run, what, "name its corpus with -i and its model with -m")
        above = min(scores[row.pair], above - STEP)  # as the final list writes them
        if not abs(row.score - above) <= TOLERANCE:
            what = f"its scores are not this model's: topic {row.topic}, rank {row.rank} has {row.score:.6g}"
            what += f", where the model gives {above:.6g}"
            hint = "name -m, --dimension, --blend and --cascade as for ltr.predict; baselines cannot be explained"
            raise InputError(run, what, hint)


def described_topic(options: Namespace) -> tuple[Topic, Blend, Index, Matrix]:
    """The topic with its candidates as the model sees them. Raises InputError."""
    from ltr.corpora.source import files_of, find_topics, open_corpus
    from ltr.data.files import refuse_to_overwrite
    from ltr.index.cache import index_place, open_index
    from ltr.parallel import Workers
    from ltr.pipeline.extract import describe_topic
    from ltr.pipeline.matrix import Matrix
    from ltr.progress import Progress
    from ltr.sample import SAMPLES
    from ltr.tasks import find_task
    from ltr.training.model_choice import files_of_model, find_ranker
    from models.blend import Blend

    task, progress = find_task(options.task), Progress(quiet=options.quiet)
    source = options.input or str(SAMPLES[task.name].folder)
    corpus = open_corpus(source)
    file = Path(options.json) if options.json not in (None, "-") else None
    if file:
        read = [options.run, options.topics, *files_of(corpus), *files_of_model(task, options.model)]
        refuse_to_overwrite(file, read)
    topic = next((t for t in find_topics(corpus, options.topics) if t.number == options.topic), None)
    if topic is None:
        raise InputError(options.topics or source, f"there is no topic {options.topic}", "name the topics of the run")
    weights = chosen_weights(options.dimension, options.blend, task.dimensions)
    model, config, analysis = find_ranker(task, options.model, options.jobs, progress, weights)
    if not isinstance(model, Blend):
        raise InputError("-m", f"{options.model} is a formula, there is nothing to take apart", "name a trained model")
    place = index_place(corpus, options.index, [file])
    index = open_index(corpus, place, progress, Workers(options.jobs), **analysis)
    with progress.stage("candidates and features"):
        matrix = Matrix([describe_topic(task, index, topic, config, model.columns)], task.unit)
    return topic, model, index, matrix


def described(
    row: RunRow, matrix: Matrix, scores: Scores, grades: Mapping[str, Scores], place: dict[str, int], index: Index
) -> dict[str, Any]:
    """A pair of the run with its expected ``grades``, and its place when the model alone decides."""
    import numpy as np

    from ltr.data.runs import DECIMALS
    from ltr.pipeline.search import arguments_of, result_of

    arguments = index.argument_rows(sorted(arguments_of(row)))
    local = np.round(scores, DECIMALS)
    own = place[row.pair]
    # As in the final list: by score, then by ids; the rows are in the order of ids.
    alone = int((local > local[own]).sum() + (local[:own] == local[own]).sum()) + 1
    return {
        "rank": row.rank,
        "stance": row.stance,
        "pair": row.pair,
        "score": float(scores[own]),
        "score_in_run": row.score,
        "expected_grades": {name: float(found[own]) for name, found in grades.items()},
        "rank_by_score": alone,
        "candidates": len(matrix),
        "sentences": [asdict(sentence) for sentence in result_of(index, row, arguments, matrix.unit).sentences],
    }
