"""Records of a training: the manifest, and the summary for the user."""

from __future__ import annotations

import math
import platform
from collections.abc import Mapping
from dataclasses import asdict
from importlib.metadata import version
from typing import Any

from ltr import __version__
from ltr.data.files import sha256
from ltr.evaluation.evaluator import DOUBTFUL, DOUBTFUL_NOTE, doubt
from ltr.index.reader import Index
from ltr.ranking.task import Task
from ltr.supervision import VOTED
from ltr.supervision.agreement import Agreement
from ltr.supervision.judgments import JudgedSet
from ltr.training.data import TrainingFiles
from ltr.training.fit import FIRST_STEP, TrainingResult, TrainingSettings
from ltr.training.held_out import DENSE, MEASURES
from ltr.training.identity import supervision
from models.base import TOP_GRADE
from models.learned import LearnedRanker

TEXT = 220
"""Characters of a unit's text beside a disagreement."""

LIBRARIES = ("lightgbm", "numpy", "PyStemmer", "scikit-learn", "spacy", "tantivy", "textstat")


def manifest(
    task: Task, index: Index, settings: TrainingSettings, files: TrainingFiles, result: TrainingResult
) -> dict[str, Any]:
    """The training as the model folder records it."""
    return {
        "task": task.name,
        "analysis": index.analyzer.settings(),
        "candidates": asdict(task.config),
        "versions": {
            "riposte": __version__,
            "python": platform.python_version(),
            **{name: version(name) for name in LIBRARIES},
        },
        "data": {
            "corpus": {
                "fingerprint": index.corpus_fingerprint,
                "arguments": index.arguments,
                "sentences": index.sentences,
            },
            "topics": {path.name: sha256(path) for path in files.topics},
            "qrels": {
                str(judged): {path.name: sha256(path) for path in paths} for judged, paths in files.by_judged().items()
            },
        },
        **supervision(task, settings.sources),
        "parameters": asdict(settings.parameters),
        "labels": {name: labels.counts for name, labels in result.labels.items()},
        "expected_grades": result.model.expected_grades,
        "cross_validation": {
            "measures": "lab nDCG@5 (full), judged@5, condensed lab nDCG@5, on held-out topics",
            "folds": result.folds,
            "relevance_of_top_five": _rounded(result.expected_top._asdict()) if result.expected_top else None,
            "figures": {
                str(judged): {
                    ranker: {m: _rounded(asdict(ci)) for m, ci in rows.items()} for ranker, rows in table.items()
                }
                for judged, table in result.figures.items()
            },
        },
    }


def summary(result: TrainingResult, covered: Mapping[JudgedSet, tuple[int, int]], counts: Mapping[str, int]) -> str:
    """Judgments, topics and labels that were used; held-out figures beside the baselines'.

    ``covered`` is from `judged_in_corpus`, ``counts`` are of topics.
    """
    lines = ["judgments"] + ([] if covered else ["  none: labelling functions alone train"])
    for judged, (number, present) in covered.items():
        lines += [_row(str(judged), number), _row("  absent from the corpus", number - present)]
    lines += ["topics", *(_row(what, count) for what, count in counts.items())]
    for name, labels in result.labels.items():
        only_graded = labels.counts["graded"] == labels.used.sum()
        alone = ", of grades alone" if labels.counts["graded"] and only_graded else ""
        lines += [f"labels of {name}{alone}", *(_row(what, count) for what, count in labels.counts.items())]
    for judged, table in result.figures.items():
        topics = next(iter(table.values()))["full"].topics
        lines += [f"held out: lab nDCG@5 of {judged}, {topics} topics"]
        lines += [f"  {'':<12}{'full [95%]':<24}{'judged@5':<10}condensed [95%]"]
        for ranker, rows in table.items():
            full, share, condensed = (rows[measure] for measure in MEASURES)
            lines += [f"  {ranker:<12}{full!s:<24}{share.mean:<10.2f}{condensed}{doubt(share.mean)}"]
    if any(judged.source for judged in result.figures):
        lines += [
            "  (votes: nobody judged these units. The figures say how well rankers repeat votes that they did not"
        ]
        lines += ["  see, not how good the lists are: grade some, and add --pair-qrels or --qrels)"]
    lines += [DOUBTFUL_NOTE] if any(line.endswith(DOUBTFUL) for line in lines) else []
    if result.model.head:
        lines += [f"  ({FIRST_STEP}: the blend without the encoder; {DENSE}: all by the encoder's cosine alone)"]
    if result.expected_top:
        top = result.expected_top
        lines += [f"held out: relevance of the top five, {top.topics} topics"]
        means = f"expected {top.expected:.2f}, graded {top.graded:.2f} of {TOP_GRADE:g}"
        correlation = math.nan if top.correlation is None else top.correlation
        lines += [f"  {means}; correlation over topics {_number(correlation)}"]
    weights = ", ".join(f"{weight:g} {name}" for name, weight in result.model.weights.items())
    return "\n".join([*lines, f"blend: {weights}", recipe(result)])


def recipe(result: TrainingResult) -> str:
    """One line: the objective of the rankers, their number of columns, and the labels that they learn from."""
    taught: dict[str, list[str]] = {}
    for name, labels in result.labels.items():
        graded = labels.counts["graded"]
        weak = labels.counts["weakly labelled"] + labels.counts.get(VOTED, 0)
        by = "grades and votes" if graded and weak else "grades alone" if graded else "votes alone"
        taught.setdefault(by, []).append(name)
    learned = [ranker.parameters for ranker in result.model.rankers.values() if isinstance(ranker, LearnedRanker)]
    how = ", ".join(sorted({parameters.objective for parameters in learned}))
    kept = ", ".join(sorted({f"{parameters.columns or 'all'}" for parameters in learned}))
    by_labels = "; ".join(f"{', '.join(names)} from {by}" for by, names in taught.items())
    why = "nothing is graded" if list(taught) == ["votes alone"] else "chosen on questions that trained nothing"
    return f"recipe: {how}, {kept} columns a ranker; {by_labels} ({why}: docs/supervision.md)"


def agreement_table(dimension: str, rows: list[Agreement]) -> str:
    """How every vote file and labelling function of a dimension votes."""
    name = max([24, *(len(row.name) + 2 for row in rows)])
    heads = ("coverage", "with the others", "with trusted grades", "weight")
    cells = [
        (row.name, f"{row.coverage:.1%}", _number(row.with_others), _number(row.with_grades), _share(row.weight))
        for row in rows
    ]
    lines = [
        f"  {first:<{name}}" + "".join(f"{cell:>{len(head) + 2}}" for cell, head in zip(rest, heads, strict=True))
        for first, *rest in [("", *heads), *cells]
    ]
    return "\n".join([f"votes on {dimension}", *lines])


def disagreements(dimension: str, rows: list[Agreement], texts: Mapping[str, str]) -> str:
    """The worst disagreements of every source in a dimension, with the texts of the units."""
    lines = []
    for row in rows:
        if not row.worst:
            lines += [f"{row.name}, {dimension}: no vote differs from a grade or from the other votes"]
            continue
        against = "trusted grades" if row.worst[0].trusted else "the mean of the other votes"
        lines += [
            f"{row.name}, {dimension}: the {len(row.worst)} votes furthest from {against}, from 0 to {TOP_GRADE:g}"
        ]
        for bad in row.worst:
            text = " ".join(texts.get(bad.unit, "").split())
            shown = text if len(text) <= TEXT else f"{text[: TEXT - 3]}..."
            other = f"{'grade' if bad.trusted else 'others'} {bad.grade:.1f}"
            lines += [f"  vote {bad.vote:.1f}, {other}, topic {bad.topic}, {bad.unit}", f"    {shown}"]
    return "\n".join(lines)


def _share(weight: float) -> str:
    return "-" if math.isnan(weight) else f"{weight:.0%}"


def _row(what: str, count: int) -> str:
    return f"  {what:<44}{count:>9,}"


def _number(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:+.2f}"


def _rounded(values: dict[str, Any]) -> dict[str, Any]:
    return {name: round(value, 4) if isinstance(value, float) else value for name, value in values.items()}
