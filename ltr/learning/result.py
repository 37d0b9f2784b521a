"""A trained model in memory, with what its training found: `ltr.train` returns it, ``riposte train`` prints it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from ltr.evaluation.evaluator import DOUBTFUL_NOTE, doubt
from ltr.evaluation.report import Report
from ltr.evaluation.significance import ALPHA, Difference, MeanCI, least_p, p_text
from ltr.evaluation.tables import interval_text
from ltr.learning.fit import TrainingResult
from ltr.learning.held_out import FIRST_STEP, MEASURES, intervals
from ltr.learning.judgments import JudgedSet
from ltr.model_folder.store import VOTED, LoadedModel, bundle_of, save_bundle
from ltr.ranking.task import Task
from ltr.text_models.encoders import Encoder
from models.base import TOP_GRADE
from models.baselines import DENSE
from models.learned import LearnedRanker


@dataclass(frozen=True, repr=False)
class TrainedModel:
    """A model, and how well it ranks topics that it has not seen. Printed, it says what ``riposte train`` does."""

    task: Task
    result: TrainingResult
    facts: Mapping[str, Any]
    """The training as the model's manifest records it."""
    encoder: Encoder | None
    """The encoder of the second step; None: the model has one step."""
    covered: Mapping[JudgedSet, tuple[int, int]]
    """Set of judgments -> numbers of judgments, and of those in the corpus."""
    counts: Mapping[str, int]
    """Numbers of topics that trained and that did not."""

    @cached_property
    def held_out(self) -> dict[str, pd.DataFrame]:
        """Set of judgments -> a row a ranker, by rankers that did not see the topic they rank.

        ``full`` and ``condensed`` nDCG@5 have 95% intervals, ``judged`` is the judged share of the top five.
        ``difference`` is the model's full figure less that of a baseline, ``p`` is corrected over the baselines.
        ``attrs`` has the topics, the number of relevant items, and how many of them the first stage missed.
        """
        return {str(judged): _frame(board) for judged, board in self.result.boards.items()}

    @cached_property
    def bundle(self) -> tuple[dict[str, Any], dict[str, str]]:
        """The manifest and the files of the model folder, with the plug-ins of the training."""
        return bundle_of(self.task, self.result.model, self.facts)

    @cached_property
    def loaded(self) -> LoadedModel:
        """The model as a searcher takes it."""
        manifest = json.loads(json.dumps(self.bundle[0]))
        return LoadedModel("the trained model", self.result.model, self.task.config, manifest, self.encoder)

    def save(self, folder: str | Path) -> None:
        """Write the model folder, in place of an older model there. Raises InputError."""
        save_bundle(Path(folder), *self.bundle)

    def __repr__(self) -> str:
        return f"TrainedModel(task={self.task.name!r}, {self.loaded.training})"

    def __str__(self) -> str:
        return "\n".join([*_data_lines(self), *_held_out_lines(self.result), *_recipe_lines(self)])


def _frame(board: Report) -> pd.DataFrame:
    rows: dict[str, dict[str, float]] = {}
    tests = {test.baseline: test for test in board.tests}
    for ranker, of in intervals(board).items():
        rows[ranker] = row = {name: found.mean for name, found in of.items()}
        shown: dict[str, MeanCI | Difference] = {"full": of["full"], "condensed": of["condensed"]}
        if test := tests.get(ranker):
            shown["difference"] = test.difference
            row |= {"difference": test.difference.mean, "p": test.adjusted_p}
        row |= {f"{name}_{end}": getattr(one, end) for name, one in shown.items() for end in ("low", "high")}
    frame = pd.DataFrame.from_dict(rows, orient="index").rename_axis("ranker")
    frame.attrs.update(board.facts)
    return frame


def _data_lines(trained: TrainedModel) -> Iterator[str]:
    """Judgments, topics and labels that were used."""
    yield "judgments"
    if not trained.covered:
        yield "  none: labelling functions alone train"
    for judged, (number, present) in trained.covered.items():
        yield from (_row(str(judged), number), _row("  absent from the corpus", number - present))
    yield from ("topics", *(_row(what, count) for what, count in trained.counts.items()))
    for name, labels in trained.result.labels.items():
        only_graded = labels.counts["graded"] == labels.used.sum()
        alone = ", of grades alone" if labels.counts["graded"] and only_graded else ""
        yield from (f"labels of {name}{alone}", *(_row(what, count) for what, count in labels.counts.items()))


def _held_out_lines(result: TrainingResult) -> Iterator[str]:
    """Held-out figures beside the baselines', and what they say."""
    for judged, board in result.boards.items():
        name = max([12, *(len(ranker) + 1 for ranker in board.figures)])
        yield f"held out: nDCG@5 of {judged}, {len(board.facts['topics'])} topics"
        yield f"  {'':<{name}}{'full [95%]':<24}{'judged@5':<10}condensed [95%]"
        for ranker, rows in intervals(board).items():
            full, share, condensed = (rows[measure] for measure in MEASURES)
            yield f"  {ranker:<{name}}{full!s:<24}{share.mean:<10.2f}{condensed}{doubt(share.mean)}"
        for test in board.tests[:1]:
            found, least = test.difference, least_p([one.difference for one in board.tests])
            interval = interval_text(found.mean, found.low, found.high, "+")
            few = f" (with so few topics at least {p_text(least)})" if least > ALPHA else ""
            best = f"  blend - {test.baseline}, the best baseline: {interval}"
            yield f"{best}, p {p_text(test.adjusted_p)}{few}, {test.verdict}"
        if board.facts["missed"]:
            missed = "{missed:,} of {relevant:,} relevant".format(**board.facts) + f" {judged.level}"
            yield f"  ({missed} are not among the candidates of the first stage)"
    if result.boards:
        yield "  (differences: of the full figures; p: over topics, corrected over the baselines of a table)"
    if any(judged.source for judged in result.boards):
        yield "  (votes: nobody judged these items. The figures say how well rankers repeat votes that they did not"
        yield "  see, not how good the lists are: grade some)"
    if any(doubt(row["judged"].mean) for board in result.boards.values() for row in intervals(board).values()):
        yield DOUBTFUL_NOTE
    if result.model.head:
        yield f"  ({FIRST_STEP}: the blend without the encoder; {DENSE}: all by the encoder's cosine alone)"
    if result.expected_top:
        top = result.expected_top
        yield f"held out: relevance of the top five, {top.topics} topics"
        correlation = "-" if top.correlation is None else f"{top.correlation:+.2f}"
        means = f"expected {top.expected:.2f}, graded {top.graded:.2f} of {TOP_GRADE:g}"
        yield f"  {means}; correlation over topics {correlation}"


def _recipe_lines(trained: TrainedModel) -> Iterator[str]:
    """The blend; the objective of the rankers, their number of columns, and the labels that they learn from."""
    result = trained.result
    weights = [*result.model.weights.items(), *([("reader", reading)] if (reading := result.model.reading) else ())]
    yield "blend: " + ", ".join(f"{weight:g} {name}" for name, weight in weights)
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
    why, recipe = "", trained.facts.get("recipe")
    if recipe:
        how = f"{recipe}: {how}"
    elif list(taught) == ["votes alone"]:
        why = " (nothing is graded)"
    yield f"recipe: {how}, {kept} columns a ranker; {by_labels}{why}"


def _row(what: str, count: int) -> str:
    return f"  {what:<44}{count:>9,}"
