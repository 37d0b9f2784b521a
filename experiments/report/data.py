"""Everything that a report shows, gathered into plain dicts; `experiments.report.page` lays it out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from experiments.report.boards import all_boards, read_judged, read_pairs
from experiments.report.own_runs import OURS, own_name, own_runs
from experiments.report.studies import ablation, curve, show_study
from experiments.report.units import Runs, pack, texts_of_topics
from ltr.corpora.base import FileCorpus
from ltr.data.files import sha256
from ltr.data.runs import read_run
from ltr.data.topics import Topic
from ltr.errors import InputError
from ltr.evaluation.inputs import path_text
from ltr.model_folder.card import model_card
from ltr.ranking.confidence import thin_topics
from ltr.ranking.task import Task
from ltr.searcher import Searcher
from models.base import baselines


@dataclass(frozen=True)
class Sources:
    """The files that a report is made from, beside corpus, index and model."""

    topics: Path | None = None
    qrels: Sequence[Path] = ()
    pair_qrels: Sequence[tuple[str, Path]] = ()
    runs: Sequence[Path] = ()
    ablation: Path | None = None
    curve: Path | None = None

    def files(self) -> list[Path | None]:
        """All of them."""
        files = [self.topics, *self.qrels, *self.runs, self.curve, *(path for _, path in self.pair_qrels)]
        return files + ([self.ablation / "results.json"] if self.ablation else [])


def gather(searcher: Searcher, sources: Sources, *, runs_only: bool = False, depth: int = 1000) -> dict[str, Any]:
    """All of a report, as plain dicts, lists and numbers.

    With ``runs_only`` neither the searcher's model nor the baselines rank. ``depth``: ranks of a run that can be read.
    Raises InputError for what the user can correct.
    """
    studies = {
        "ablation": show_study(sources.ablation / "results.json", ablation) if sources.ablation else None,
        "curve": show_study(sources.curve, curve) if sources.curve else None,
    }
    task, progress, topics = searcher.task, searcher.resources.progress, searcher.topics(sources.topics)
    judged, pairs = read_judged(sources.qrels, topics, task), read_pairs(sources.pair_qrels, topics, task)
    runs = read_runs(sources.runs, topics, task)
    ours = None
    if not runs_only:
        name = own_name(searcher)
        if name in runs:
            raise InputError(f"--run {name}", "is the name of our own run", "give that run another tag")
        ours = own_runs(searcher, topics, name, depth)
        runs = ours.runs | runs
    index = searcher.index
    with progress.stage("measures"):
        boards = all_boards(runs, judged, pairs, index)
    with progress.stage(f"texts of {task.name}"):
        shown = texts_of_topics(searcher, topics, runs, judged, pairs, depth)
        details = ours.details if ours else {}
        blobs = {number: pack(blob | details.get(number, {})) for number, blob in shown.items()}
    expected = ours.expected if ours else {}
    manifest, corpus = None if runs_only else searcher.model.manifest, searcher.corpus
    ships = "the model that ships, " if searcher.model.name is None else ""
    topics_file = sources.topics or (corpus.path.parent / "topics.xml" if isinstance(corpus, FileCorpus) else None)
    return {
        "unit": task.unit,
        "sides": task.has_stances,
        "corpus": path_text(Path(corpus.name).name),
        "topics": [{"number": t.number, "title": t.title, "expected": expected.get(t.number)} for t in topics],
        "thin": thin_topics(expected),
        "runs": list(runs),
        "model": ours.name if ours and manifest else None,
        "trained": f"{ours.name} is {ships}{searcher.model.training}" if ours and manifest else None,
        "card": model_card(dict(manifest)) if manifest else None,
        "notes": _fairness(manifest, topics_file) if manifest else [],
        "boards": boards,
        **studies,
        "families": ours.families if ours else [],
        "blobs": blobs,
        "arguments": index.arguments,
    }


# ---- what is read ---------------------------------------------------------------------------------


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


def _fairness(manifest: Mapping[str, Any], topics: Path | None) -> list[str]:
    if topics is not None and sha256(topics) in manifest["data"]["topics"].values():
        return [f"The model was trained on {topics.name}: its figures on these topics are no fair test."]
    return []
