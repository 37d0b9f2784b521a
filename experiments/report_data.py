"""Everything that a report shows, gathered into plain dicts; how it looks is told in `experiments.report_page`."""

from __future__ import annotations

import base64
import gzip
import json
import platform
import resource
import sys
from argparse import Namespace
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from experiments.effectiveness import make_run
from experiments.report_boards import dimension_boards, file_boards, read_judged, read_pairs, shown
from experiments.report_studies import check_ablation, check_curve, read_official, read_study
from ltr.bundle import PRETRAINED, load_bundle
from ltr.corpus import Corpus, FileCorpus, open_corpus
from ltr.errors import InputError
from ltr.files import refuse_to_overwrite, sha256
from ltr.formats import Qrels, RunRow, Topic, argument_of, read_run
from ltr.index import Index, index_place, open_index
from ltr.labelling import labelling_functions
from ltr.matrix import Matrix
from ltr.metrics import rankings
from ltr.pipeline import describe_topics
from ltr.predict import find_ranker, find_topics
from ltr.progress import Progress
from ltr.supervision import DEFAULT
from ltr.train import label, label_functions
from ltr.workers import Processes
from models.base import baselines, make_ranker
from models.blend import Blend
from models.contributions import by_family, contributions

Runs = dict[str, list[RunRow]]
OURS = "riposte"
PACKAGES = ("riposte", "lightgbm", "numpy", "pandas", "scikit-learn", "scipy", "spacy", "tantivy", "textstat")


def gather(options: Namespace, progress: Progress) -> dict[str, Any]:
    """All of a report, as plain dicts, lists and numbers. Raises InputError for what the user can mend."""
    ablation = read_study(options.ablation / "results.json", check_ablation) if options.ablation else None
    curve = read_study(options.curve, check_curve) if options.curve else None
    official = read_official(options.official) if options.official else []
    corpus = open_corpus(options.input)
    source = options.topics or (corpus.path.parent / "topics.xml" if isinstance(corpus, FileCorpus) else None)
    refuse_to_overwrite(options.output, files_read(options, corpus, source))
    topics = find_topics(options.input, corpus, options.topics)
    judged, pairs = read_judged(options.qrels, topics), read_pairs(options.pair_qrels, topics)
    runs = read_runs(options.run, topics)
    analysis, model, notes = {"stem": True, "stop": True}, None, []
    if not options.runs_only:
        ranker, settings, analysis = find_ranker(options.model, options.jobs, progress)
        model = ranker if isinstance(ranker, Blend) else None
        name = OURS if options.model is None else shown(Path(options.model).resolve().name)
        if model is not None and name in baselines():
            name = shown(options.model)  # a folder that is called as a baseline is none
        if name in runs:
            raise InputError(f"--run {name}", "is the name of our own run", "give that run another tag")
    place = index_place(corpus, options.index, progress, [options.output])
    index = open_index(corpus, place, progress, **analysis)
    matrix, parts = None, None
    if not options.runs_only:
        matrix = describe_topics(index, topics, settings, workers=Processes(options.jobs), progress=progress)
        if not matrix.topics:
            what = "no topic matches any argument"
            raise InputError(options.input, what, "check that topics and corpus belong together")
        for number in matrix.unmatched:
            progress.warn(f"topic {number}: no argument shares a word with it; our runs have no pair for it")
        with progress.stage("our runs"):
            rankers = {name: ranker} | {teacher: make_ranker(teacher) for teacher in baselines()}
            runs = {title: make_run(matrix, one.score(matrix)) for title, one in rankers.items()} | runs
        if model is not None:
            notes = _fairness(options.model, source)
            with progress.stage("contributions"):
                parts = by_family(contributions(model, matrix))
    with progress.stage("measures"):
        boards = [board for name, qrels in judged.items() for board in file_boards(name, runs, qrels, index)]
        boards += dimension_boards(runs, pairs) if pairs else []
    with progress.stage("labels"):
        labels = label_summary(matrix, index, judged, options.qrels) if matrix is not None else []
    with progress.stage("texts of pairs"):
        families = [list(names) for names in parts.columns] if parts is not None else []
        found = texts_of_topics(index, topics, runs, judged, options.depth)
        if matrix is not None and parts is not None:
            for number, blob in found.items():
                blob["parts"] = _parts(matrix, parts.to_numpy(), number, runs[name], options.depth)
        blobs = {number: pack(blob) for number, blob in found.items()}
    counts = {number: {run: len(one["first"]) for run, one in blob["runs"].items()} for number, blob in found.items()}
    return {
        "corpus": shown(Path(corpus.name).name),
        "topics": [{"number": t.number, "title": t.title, "pairs": counts[t.number]} for t in topics],
        "runs": list(runs),
        "model": name if model is not None else None,
        "notes": notes,
        "boards": boards,
        "official": official,
        "ablation": ablation,
        "curve": curve,
        "labels": labels,
        "families": families,
        "blobs": blobs,
        "cost": cost(index, progress),
    }


# ---- what is read ---------------------------------------------------------------------------------


def files_read(options: Namespace, corpus: Corpus, topics: Path | None) -> list[Path | None]:
    """Every file that a report is made from, save what ships with the package and the index."""
    files = [corpus.path if isinstance(corpus, FileCorpus) else None, topics, *options.qrels, *options.run]
    files += [path for _, path in options.pair_qrels]
    files += [options.curve, options.ablation / "results.json" if options.ablation else None]
    folders = [options.official, Path(options.model) if options.model else None]
    return [*files, *(path for folder in folders if folder for path in folder.glob("*"))]


def read_runs(paths: Sequence[Path], topics: Sequence[Topic]) -> Runs:
    """Runs by their tag, or by their path where tags clash; other topics' rows are left out. Raises InputError."""
    known = {topic.number for topic in topics}
    read = {path: read_run(path) for path in paths}
    tags = [rows[0].tag for rows in read.values()]
    taken = {*tags} & {*baselines(), OURS} | {tag for tag in tags if tags.count(tag) > 1}
    runs: Runs = {}
    for path, rows in read.items():
        if any(row.pair.count(",") != 1 for row in rows):
            raise InputError(path, "ranks something else than pairs of sentences", "name a run of pairs idA,idB")
        name = shown(path) if rows[0].tag in taken else rows[0].tag
        runs[name] = [row for row in rows if row.topic in known]
        if not runs[name]:
            raise InputError(path, "has no topic in common with the topics", "name its topics with --topics")
    return runs


# ---- what is measured -----------------------------------------------------------------------------


def label_summary(
    matrix: Matrix, index: Index, judged: Mapping[str, Qrels], paths: Sequence[Path]
) -> list[dict[str, Any]]:
    """For each file that judges arguments, what every labelling function does with it."""
    tables = []
    for path, (name, qrels) in zip(paths, judged.items(), strict=True):
        if any("," in id_ for grades in qrels.values() for id_ in grades):
            continue
        dimension = "quality" if "quality" in name else "relevance"
        functions = {dimension: label_functions(None, dimension, explain=True)}
        taught = label(matrix, index, {dimension: qrels}, functions, {dimension: [path]}, None)[dimension].labels
        known = labelling_functions()
        rows = [
            asdict(row) | {"says": known[row.name].description, "default": row.name in DEFAULT[dimension]}
            for row in taught.explained
        ]
        tables.append({"set": name, "dimension": dimension, "account": taught.account, "rows": rows})
    return tables


def cost(index: Index, progress: Progress) -> dict[str, Any]:
    """Seconds by stage until now, bytes at the peak and on disk, and versions."""
    unit = 1 if sys.platform == "darwin" else 1024  # macOS counts bytes, Linux kibibytes
    peak = {
        "this process": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit,
        "its largest helper": resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * unit,
    }
    return {
        "seconds": dict(progress.seconds),
        "peak": {name: size for name, size in peak.items() if size},
        "arguments": index.arguments,
        "sentences": index.sentences,
        "index_bytes": sum(index.manifest["files"].values()),
        "corpus_bytes": index.manifest["corpus"]["signature"].get("size"),
        "versions": {"python": platform.python_version()} | {name: version(name) for name in PACKAGES},
    }


def _fairness(model: str | None, topics: Path | None) -> list[str]:
    folder = PRETRAINED if model is None else Path(model)
    trained = load_bundle(folder).manifest["data"]["topics"].values()
    if topics is not None and sha256(topics) in trained:
        return [f"The model was trained on {topics.name}: its figures on these topics are no fair test."]
    return []


# ---- what is read on the page ---------------------------------------------------------------------


def texts_of_topics(
    index: Index, topics: Sequence[Topic], runs: Runs, judged: Mapping[str, Qrels], depth: int
) -> dict[str, dict[str, Any]]:
    """For each topic its best pairs by run, as places in a list of whole arguments, and the arguments' grades."""
    stances = {(row.topic, row.pair, run): row for run, rows in runs.items() for row in rows}
    best = {run: rankings(rows) for run, rows in runs.items()}
    named = {argument_of(s) for rows in runs.values() for row in rows for s in row.pair.split(",")}
    places = index.argument_rows(sorted(named))
    found = {}
    for topic in topics:
        shown = {run: ranked.get(topic.number, [])[:depth] for run, ranked in best.items()}
        sentences = {s for pairs in shown.values() for pair in pairs for s in pair.split(",")}
        arguments = sorted({argument_of(sentence) for sentence in sentences})
        listed, place = _arguments(index, places, arguments, sentences)
        lists = {}
        for run, pairs in shown.items():
            rows = [stances[topic.number, pair, run] for pair in pairs]
            ends = [[place[s] for s in pair.split(",")] for pair in pairs]
            lists[run] = {
                "first": [one for one, _ in ends],
                "second": [other for _, other in ends],
                "stance": "".join(row.stance[:1] for row in rows),
                "score": [round(row.score, 3) for row in rows],
            }
        grades = {name: qrels.get(topic.number, {}) for name, qrels in judged.items()}
        kept = {name: {a: g for a, g in of.items() if a in set(arguments)} for name, of in grades.items()}
        found[topic.number] = {"arguments": listed, "runs": lists, "grades": kept}
    return found


def _arguments(
    index: Index, places: Mapping[str, int], arguments: Sequence[str], wanted: set[str]
) -> tuple[list[Any], dict[str, int]]:
    """Arguments as [id, stance, [[role and number, text], ...]], and the place of each sentence among all of them.

    A sentence that the corpus lacks has no text: a run may name the conclusion of one word, or another corpus.
    """
    listed: list[Any] = []
    place: dict[str, int] = {}
    missing: dict[str, list[str]] = {}
    for sentence in sorted(wanted):
        missing.setdefault(argument_of(sentence), []).append(sentence)
    for name in arguments:
        row = places.get(name)
        found = [] if row is None else [(index.sentence_id(s), index.text(s)) for s in index.sentence_rows(row)]
        held = {sentence for sentence, _ in found}
        lines = [*found, *((s, None) for s in missing[name] if s not in held)]
        for sentence, _ in lines:
            place[sentence] = len(place)
        short = [[sentence.removeprefix(name + "__"), text] for sentence, text in lines]
        listed.append([name, "" if row is None else index.stance(row), short])
    return listed, place


def _parts(matrix: Matrix, parts: Any, number: str, rows: list[RunRow], depth: int) -> list[list[int]]:
    """(n_families, n_pairs) thousandths that each family adds to the score of a pair of the model's run."""
    if number not in matrix.topics:
        return []
    span = matrix.rows(number)
    pairs = zip(matrix.first[span], matrix.second[span], strict=True)
    place = {f"{first},{second}": row for row, (first, second) in enumerate(pairs, span.start)}
    kept = [place[row.pair] for row in rows if row.topic == number][:depth]
    thousandths: list[list[int]] = np.rint(1000 * parts[kept]).astype(int).T.tolist()
    return thousandths


def pack(blob: dict[str, Any]) -> str:
    """JSON, gzipped, in base64: nothing in it can end the element that holds it."""
    text = json.dumps(blob, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return base64.b64encode(gzip.compress(text.encode("utf-8"), mtime=0)).decode("ascii")
