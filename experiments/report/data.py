"""Everything that a report shows, gathered into plain dicts; `experiments.report.page` lays it out."""

from __future__ import annotations

import math
import platform
import resource
import sys
from argparse import Namespace
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from experiments.report.boards import all_boards, read_judged, read_pairs
from experiments.report.page import DASH, MINUS
from experiments.report.studies import ablation, curve, read_official, show_study
from experiments.report.units import Runs, best_rows, pack, parts_of_run, texts_of_topics
from experiments.study import baseline_scores
from ltr.corpora.base import Corpus, FileCorpus
from ltr.corpora.source import files_of, find_topics, open_corpus
from ltr.data.files import refuse_to_overwrite, sha256
from ltr.data.qrels import Qrels
from ltr.data.runs import read_run
from ltr.data.topics import Topic
from ltr.errors import InputError
from ltr.evaluation.judgments import path_text
from ltr.evaluation.output import RANDOM
from ltr.index.cache import index_place, open_index
from ltr.index.reader import Index
from ltr.parallel import Workers
from ltr.pipeline.confidence import expected_relevance, score_with_relevance, thin_topics
from ltr.pipeline.extract import describe_topics
from ltr.pipeline.matrix import Matrix
from ltr.pipeline.rerank import make_run
from ltr.pipeline.sides import has_stances
from ltr.pipeline.task import Task
from ltr.progress import Progress
from ltr.supervision.agreement import agreement
from ltr.supervision.functions import labelling_functions
from ltr.supervision.judgments import Judgments
from ltr.tasks import find_task
from ltr.training.bundle import PRETRAINED, load_bundle, training_of
from ltr.training.card import model_card
from ltr.training.model_choice import files_of_model, find_ranker
from models.base import baselines
from models.blend import Blend
from models.contributions import by_family, contributions

OURS = "riposte"
PACKAGES = ("riposte-ltr", "lightgbm", "numpy", "pandas", "scikit-learn", "scipy", "spacy", "tantivy", "textstat")


def gather(options: Namespace, progress: Progress) -> dict[str, Any]:
    """All of a report, as plain dicts, lists and numbers. Raises InputError for what the user can correct."""
    studies = {
        "ablation": show_study(options.ablation / "results.json", ablation) if options.ablation else None,
        "curve": show_study(options.curve, curve) if options.curve else None,
    }
    official = read_official(options.official) if options.official else []
    corpus, task = open_corpus(options.input), find_task(options.task)
    source = options.topics or (corpus.path.parent / "topics.xml" if isinstance(corpus, FileCorpus) else None)
    refuse_to_overwrite(options.output, files_read(options, task, corpus))
    topics = find_topics(corpus, options.topics)
    judged, pairs = read_judged(options.qrels, topics, task), read_pairs(options.pair_qrels, topics, task)
    runs = read_runs(options.run, topics, task)
    analysis, model, trained, card, notes = {"stem": True, "stop": True}, None, None, None, []
    if not options.runs_only:
        ranker, config, analysis = find_ranker(task, options.model, options.jobs, progress)
        model = ranker if isinstance(ranker, Blend) else None
        name = OURS if options.model is None else path_text(Path(options.model).resolve().name)
        if model is not None and name in baselines(task.unit):
            name = path_text(options.model)  # a folder that is called as a baseline is none
        if name in runs:
            raise InputError(f"--run {name}", "is the name of our own run", "give that run another tag")
    place = index_place(corpus, options.index, [options.output])
    index = open_index(corpus, place, progress, Workers(options.jobs), **analysis)
    matrix, parts, scores = None, None, np.zeros(0)
    expected: dict[str, float] = {}
    if not options.runs_only:
        matrix = describe_topics(task, index, topics, config, workers=Workers(options.jobs), progress=progress)
        if not matrix.topics:
            raise InputError(options.input, "no topic matches any argument", "name the corpus of these topics")
        for number in matrix.unmatched:
            progress.warn(f"topic {number}: no argument shares a word with it; our runs have nothing for it")
        with progress.stage("our runs"):
            scores, relevance = score_with_relevance(ranker, matrix)
            # Of random orders, boards show the mean of many.
            scored = {name: scores} | {one: own for one, own in baseline_scores(matrix).items() if one != RANDOM}
            runs = {title: make_run(task, matrix, own, tag="run") for title, own in scored.items()} | runs
            expected = expected_relevance(matrix, runs[name], relevance)
        if model is not None:
            manifest = load_bundle(
                PRETRAINED / task.name if options.model is None else Path(options.model), task
            ).manifest
            notes = _fairness(manifest, source)
            ships = "the model that ships, " if options.model is None else ""
            trained, card = f"{name} is {ships}{training_of(manifest)}", model_card(manifest)
            with progress.stage("contributions"):
                parts = by_family(contributions(model, matrix))
    with progress.stage("measures"):
        boards = all_boards(runs, judged, pairs, index)
    with progress.stage("labels"):
        labels = label_tables(task, matrix, judged, pairs) if matrix is not None else []
    with progress.stage(f"texts of {task.name}"):
        best = {run: best_rows(rows, options.depth) for run, rows in runs.items()}
        found = texts_of_topics(index, topics, best, judged, pairs, has_stances(task))
        if matrix is not None and parts is not None:
            for number, blob in found.items():
                blob["parts"] = parts_of_run(matrix, parts.to_numpy(), number, best[name].get(number, []))
                known = number in matrix.topics
                blob["mean_score"] = round(float(scores[matrix.rows(number)].mean()), 3) if known else None
        blobs = {number: pack(blob) for number, blob in found.items()}
    return {
        "unit": task.unit,
        "sides": has_stances(task),
        "corpus": path_text(Path(corpus.name).name),
        "topics": [{"number": t.number, "title": t.title, "expected": expected.get(t.number)} for t in topics],
        "thin": thin_topics(expected),
        "runs": list(runs),
        "model": name if model is not None else None,
        "trained": trained,
        "card": card,
        "notes": notes,
        "boards": boards,
        "official": official,
        **studies,
        "labels": labels,
        "families": [list(names) for names in parts.columns] if parts is not None else [],
        "blobs": blobs,
        "cost": cost(index, progress),
    }


# ---- what is read ---------------------------------------------------------------------------------


def files_read(options: Namespace, task: Task, corpus: Corpus) -> list[Path | None]:
    """Every file that a report is made from, save what ships with the package and the index."""
    files = [*files_of(corpus), options.topics, *options.qrels, *options.run, options.curve]
    files += [path for _, path in options.pair_qrels]
    files += [options.ablation / "results.json"] if options.ablation else []
    files += options.official.glob("*") if options.official else []
    return [*files, *(files_of_model(task, options.model) if options.model else [])]


def read_runs(paths: Sequence[Path], topics: Sequence[Topic], task: Task) -> Runs:
    """Runs by their tag, or by their path where tags clash; other topics' rows are left out. Raises InputError."""
    known = {topic.number for topic in topics}
    read = {path: read_run(path, task.unit) for path in paths}
    tags = [rows[0].tag for rows in read.values()]
    taken = {*tags} & {*baselines(task.unit), OURS} | {tag for tag in tags if tags.count(tag) > 1}
    runs: Runs = {}
    for path, rows in read.items():
        name = path_text(path) if rows[0].tag in taken else rows[0].tag
        runs[name] = [row for row in rows if row.topic in known]
        if not runs[name]:
            raise InputError(path, "has no topic in common with the topics", "name its topics with --topics")
    return runs


# ---- what is measured -----------------------------------------------------------------------------


def label_tables(
    task: Task, matrix: Matrix, judged: Mapping[str, Qrels], pairs: Mapping[str, Qrels]
) -> list[dict[str, Any]]:
    """For each dimension how every labelling function votes on the candidates, beside the others and beside grades."""
    arguments: dict[str, Qrels] = {}
    for name, qrels in judged.items():
        if qrels.level == "argument":
            own = arguments.setdefault("quality" if "quality" in name else "relevance", Qrels())
            for topic, grades in qrels.items():
                own[topic] = own.get(topic, {}) | grades
    if not arguments and not pairs:
        return []
    by_level: dict[str, Mapping[str, Qrels]] = {"pair": pairs, "argument": arguments}
    judgments, known = Judgments(by_level.pop(task.unit), by_level.get("argument", {})), labelling_functions()
    rows = {
        dimension: [
            [
                row.name,
                f"{row.coverage:.1%}",
                *map(_correlation, (row.with_others, row.with_grades)),
                f"{known[row.name].weight:g}",
                known[row.name].description,
            ]
            for row in agreement(matrix, judgments, dimension)
        ]
        for dimension in task.dimensions
        if labelling_functions(dimension, task.unit)
    }
    return [{"dimension": dimension, "rows": own} for dimension, own in rows.items()]


def _correlation(value: float) -> str:
    return DASH if math.isnan(value) else f"{value:+.2f}".replace("-", MINUS)


def cost(index: Index, progress: Progress) -> dict[str, Any]:
    """Tables of seconds by stage until now, of bytes at the peak and on disk, and of versions."""
    unit = 1 if sys.platform == "darwin" else 1024  # macOS counts bytes, Linux kibibytes
    sizes = {
        "peak memory, this process": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit,
        "peak memory, its largest helper": resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * unit,
        "corpus on disk": index.manifest["corpus"].get("size"),
        "index on disk": sum(index.sizes.values()),
    }
    seconds = progress.seconds | {"sum": sum(progress.seconds.values())}
    numbers = {"arguments": f"{index.arguments:,}", "sentences": f"{index.sentences:,}"}
    numbers |= {name: f"{size / 1e6:,.1f} MB" for name, size in sizes.items() if size}
    versions = {"python": platform.python_version()} | {name: version(name) for name in PACKAGES}
    tables = [
        ("Seconds by stage of this report", ["stage", "time"], [(name, f"{s:.2f} s") for name, s in seconds.items()]),
        ("Sizes", ["what", "how much"], list(numbers.items())),
        ("Versions", ["package", "version"], list(versions.items())),
    ]
    return {"arguments": index.arguments, "tables": tables}


def _fairness(manifest: Mapping[str, Any], topics: Path | None) -> list[str]:
    if topics is not None and sha256(topics) in manifest["data"]["topics"].values():
        return [f"The model was trained on {topics.name}: its figures on these topics are no fair test."]
    return []
