"""A training from its files to its model."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from pathlib import Path

import pandas as pd

from ltr.answers.texts import snippets_of
from ltr.data.qrels import NEVER_ZERO, never_zero
from ltr.errors import InputError, SettingError
from ltr.files import writable_place
from ltr.index.reader import Index
from ltr.learning.agreement import agreement, agreement_table, disagreements, warn_of_votes
from ltr.learning.data import (
    TrainingFiles,
    alike,
    check_coverage,
    example_topics,
    judged_in_corpus,
    merge_topics,
    read_judgments,
    warn_of_test_topics,
)
from ltr.learning.examples import Examples, kept_columns
from ltr.learning.fit import FitSettings, fit, fit_second_step
from ltr.learning.judgments import JudgedSet
from ltr.learning.manifest import encoder_facts, manifest
from ltr.learning.result import TrainedModel
from ltr.learning.settings import TrainingSettings
from ltr.model_folder.store import check_model_place
from ltr.parallel import Workers
from ltr.progress import Progress
from ltr.ranking.candidates import Candidates
from ltr.ranking.corpus import IndexedCorpus
from ltr.ranking.final_list import ListOptions, make_run
from ltr.ranking.source import RankingSource, Resources
from ltr.ranking.steps import describe_topics, refuse_empty
from ltr.ranking.task import find_task
from models.baselines import DENSE


class Training:
    """Reads and checks all files when it is made. Raises InputError for everything that the user can correct."""

    def __init__(
        self, settings: TrainingSettings, progress: Progress, *, model: Path | None = None, dry_run: bool = False
    ) -> None:
        """``model``: the folder that the model will be saved in, where that is known."""
        if settings.input is not None and not settings.topics:  # the topics of the sample are for the sample
            raise SettingError("topics", "a corpus needs its topics", "name a file of them, and judgments or votes")
        self.settings, self.model, self._progress = settings, model, progress
        self._task = task = find_task(settings.task)
        self._fit = FitSettings.of(settings, task)
        self._indexed = IndexedCorpus.open(task, settings.input, settings.index)
        self._files = files = TrainingFiles.of(settings, task)
        self._encoder = encoder = settings.open_encoder()
        self._topics = merge_topics(files.topics)
        self._judgments = read_judgments(task, files, self._topics)
        self._columns = kept_columns(settings.drop, task.kind)
        self._of_head = kept_columns(settings.drop, task.kind, head=True) if encoder else []
        if model:
            self._indexed.refuse_output(model)
        if held_out := settings.held_out:
            of_encoder = Path(encoder.name).glob("*") if encoder else ()
            read = [*files.topics, *chain.from_iterable(files.by_judged().values()), *of_encoder]
            self._indexed.refuse_output(held_out, read)
            place = held_out.absolute()
            if model and model.absolute() in (place, *place.parents):
                what = "lies in the folder of the model, which is replaced whole"
                raise InputError(held_out, what, "name another file")
            if not dry_run:
                writable_place(held_out, "held-out run")
        if model:
            check_model_place(model, self._indexed.folder, make=not dry_run)
        warn_of_test_topics(self._indexed.corpus, self._topics, progress.warn)
        for name, qrels in chain(self._judgments.graded.items(), self._judgments.distant.items()):
            if never_zero(qrels):
                progress.warn(f"{name}: {NEVER_ZERO}")
        judged = example_topics(self._judgments, self._topics)
        self._examples = self._topics if settings.recipe else judged

    def plan(self) -> list[str]:
        """The lines of ``--dry-run``."""
        settings, files = self.settings, self._files
        by_judged, topics = files.by_judged(self._task.reads), len(self._topics)
        every = settings.recipe or not self._judgments.topics()
        learned = f"{topics} topics" if every else f"{len(self._examples)} judged topics of {topics}"
        judged = [f"{name}: {path}" for name, paths in by_judged.items() for path in paths]
        read: dict[str, Sequence[object]] = {
            "topics": files.topics,
            "judgments": judged or ["none: labelling functions alone train"],
            "to learn": [learned],
        }
        read |= {"encoder": [self._encoder.name]} if self._encoder else {}
        written = {"model": [self.model]} if self.model else {}
        written |= {"held-out run": [settings.held_out]} if settings.held_out else {}
        return self._indexed.plan(read, written)

    def label_rows(self, workers: Workers) -> tuple[Index, dict[str, pd.DataFrame]]:
        """Dimension -> the `agreement` of vote files and labelling functions that may label. Raises InputError."""
        index, table, _ = self._described(Resources(workers, self._progress))
        sources, rows = self._fit.sources, dict[str, pd.DataFrame]()
        for name in self._task.dimensions:
            asked = {function.name for function in sources.chosen(name, self._task.kind)}
            asked |= {votes.name for votes in self._judgments.votes} if sources.votes else set()
            found = agreement(table, self._judgments, name)
            if asked & {*found.index}:
                rows[name] = found[found.index.isin(asked)]
        if not rows:
            raise SettingError("sources", "no vote file or labelling function votes", "name other sources or labels")
        return index, rows

    def label_tables(self, workers: Workers) -> str:
        """`label_rows` as text, and the worst disagreements."""
        index, rows = self.label_rows(workers)
        items = sorted({bad.id for found in rows.values() for worst in found["worst"] for bad in worst})
        texts = {
            item: " / ".join(snippet.text for snippet in snippets_of(index, item, self._task.kind)) for item in items
        }
        tables = [agreement_table(name, found) for name, found in rows.items()]
        return "\n\n".join([*tables, *(disagreements(name, found, texts) for name, found in rows.items())])

    def run(self, workers: Workers) -> TrainedModel:
        """Train, and write the held-out run. Raises InputError."""
        judgments, resources = self._judgments, Resources(workers, self._progress)
        index, table, covered = self._described(resources)
        examples = Examples.from_columns(table, judgments, self._columns, self._task.dimensions)
        result = fit(examples, self._fit, resources, alike(self._examples, index.analyzer))
        if self._encoder:
            scores = {name: result.held_out[name] for name, weight in result.model.weights.items() if weight}
            encoded = RankingSource(self._task, index, self._task.config), self._encoder, resources
            dense = {DENSE: examples.dense_scores(*encoded)}
            best, examples = examples.with_head(result.model.combine(scores), self._of_head, *encoded)
            result = fit_second_step(result, examples, self._fit, best, resources, dense)
        if self.settings.held_out:
            scores = {name: values for name, values in result.held_out.items() if result.model.weights[name]}
            run = make_run(self._task, table, result.model.combine(scores), ListOptions(len(table), tag="held-out"))
            run.to_trec(self.settings.held_out)
        facts = manifest(self._task, index, self._fit, self._files, result)
        facts |= encoder_facts(self._encoder)
        facts |= {"recipe": self.settings.recipe} if self.settings.recipe else {}
        facts |= {"dropped": sorted(set(self.settings.drop))} if self.settings.drop else {}
        facts |= {"grade_scale": self.settings.grade_scale} if self.settings.grade_scale else {}
        counts = {
            "trained on": len(table.topics),
            "without judgments": len(self._topics) - len(self._examples),
            "judged, but without candidates": len(table.unmatched),
        }
        trained = TrainedModel(self._task, result, facts, self._encoder, covered, counts)
        trained.bundle  # noqa: B018 made now, since plug-ins of a call are gone after it
        return trained

    def _described(self, resources: Resources) -> tuple[Index, Candidates, dict[JudgedSet, tuple[int, int]]]:
        index = self._indexed.open_index(resources)
        covered = judged_in_corpus(index, self._judgments, self._task.reads)
        check_coverage(covered, self._files.by_judged(self._task.reads))
        source = RankingSource(self._task, index, self._task.config)
        graded = self._judgments.graded_ids()
        table = describe_topics(source, self._examples, resources, graded)
        refuse_empty(table, self._indexed.corpus.name)
        warn_of_votes(table, self._judgments, self._progress.warn)
        return index, table, covered
