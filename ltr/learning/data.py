"""Topics and judgments for training and studies, and which topics are similar."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from statistics import fmean

from features.core.text import Analyzer, normalise
from ltr.corpora.base import Corpus
from ltr.corpora.source import find_topics
from ltr.data.ids import is_pair, parts_of
from ltr.data.qrels import Qrels, read_pair_qrels, read_qrels
from ltr.data.topics import Topic, read_topics
from ltr.errors import InputError, SettingError
from ltr.index.reader import Index
from ltr.learning.functions import labelling_functions
from ltr.learning.judgments import JudgedSet, Judgments, share_grades
from ltr.learning.settings import LearningSettings
from ltr.learning.votes import Votes, read_votes
from ltr.ranking.task import Task
from models.base import TOP_GRADE

GRADED = Path(__file__).with_name("graded")
TEST_SETS = GRADED / "topics-unseen.xml", GRADED / "topics-narrow-test.xml"
"""Questions whose graded pairs test models that were trained on others."""


@dataclass(frozen=True)
class TrainingFiles:
    """Topics and judgments to learn from."""

    topics: Sequence[Path]
    arguments: Mapping[str, Sequence[Path]] = field(default_factory=dict)
    """Dimension -> judgments of arguments, or of other whole items."""
    pairs: Sequence[tuple[str, Path]] = ()
    """Dimension and file of graded pairs."""
    votes: Sequence[tuple[str, str, Path]] = ()
    """Name, dimension and file of votes."""
    highest: float | None = None
    """The highest grade that judges could give; None: the highest that they gave, of each dimension's files."""

    @classmethod
    def of(cls, settings: LearningSettings, task: Task) -> TrainingFiles:
        """Those that are named; those of the sample where neither a corpus, a judgment nor a vote is named."""
        topics, sample = settings.topics or (task.sample.topics,), task.sample
        votes, highest = getattr(settings, "votes", ()), getattr(settings, "grade_scale", None)  # not of all studies
        arguments = {"relevance": settings.qrels, "quality": settings.quality_qrels}
        named = {name: paths for name, paths in arguments.items() if paths}
        if not (named or settings.pair_qrels or votes or settings.input):
            return cls(topics, sample.qrels, sample.pair_qrels, highest=highest)
        return cls(topics, named, settings.pair_qrels, votes, highest)

    def by_judged(self, level: str = "arguments") -> dict[JudgedSet, list[Path]]:
        """The files of each set of judgments; ``level`` is that of whole items."""
        files = {JudgedSet(level, name): list(paths) for name, paths in self.arguments.items() if paths}
        for name, path in self.pairs:
            files.setdefault(JudgedSet("pairs", name), []).append(path)
        for name, dimension, path in self.votes:
            files.setdefault(JudgedSet("", dimension, name), []).append(path)
        return files


def merge_topics(paths: Iterable[Path]) -> list[Topic]:
    """The topics of all files. Raises InputError when a number has two titles."""
    merged: dict[str, Topic] = {}
    for path in paths:
        for topic in read_topics(path):
            if merged.setdefault(topic.number, topic).title != topic.title:
                what = f"topic {topic.number} has another title in an earlier file"
                raise InputError(path, what, "renumber one of the two")
    return list(merged.values())


def read_judgments(task: Task, files: TrainingFiles, topics: Sequence[Topic]) -> Judgments:
    """All judgments and votes of the ``files`` by dimension.

    Grades of a dimension's files become shares of the highest, see `share_grades`. Judgments of arguments are
    distant supervision of pairs, which may not contradict each other, and grades of arguments themselves. Raises
    InputError.
    """
    highest = files.highest
    given = known_votes(task, files.votes, topics, highest)
    named = {name: paths for name, paths in files.arguments.items() if paths}
    if not task.parts_of_arguments:
        if files.pairs:
            raise SettingError("pair_qrels", f"this task ranks {task.kind}s", "leave it out, or take the task pairs")
        graded = {
            name: [share_grades(argument_qrels([path], topics), TOP_GRADE, highest, [path]) for path in paths]
            for name, paths in named.items()
        }
        return Judgments({name: mean_grades(assessors) for name, assessors in graded.items()}, votes=given)
    of_pairs = {}
    for name, qrels in read_pair_qrels(files.pairs).items():
        paths = [path for dimension, path in files.pairs if dimension == name]
        of_pairs[name] = share_grades(known_qrels(qrels, topics, paths), TOP_GRADE, highest, paths)
    distant = {name: share_grades(argument_qrels(paths, topics), 1.0, highest, paths) for name, paths in named.items()}
    return Judgments(of_pairs, distant, votes=given)


def known_votes(
    task: Task, entries: Sequence[tuple[str, str, Path]], topics: Sequence[Topic], highest: float | None = None
) -> list[Votes]:
    """The votes of (name, dimension, file) entries. Raises InputError for foreign topics, dimensions and ids."""
    for name, dimension, _ in entries:
        where = f"votes {name}:{dimension}"
        if dimension not in task.dimensions:
            what = f"the task {task.name} has no dimension {dimension}"
            raise InputError(where, what, f"name one of {', '.join(task.dimensions)}")
        if name in labelling_functions():
            raise InputError(where, "a labelling function has this name", "choose another")
    scale = None if highest is None else (0.0, highest)
    found = read_votes(entries, pairs=task.parts_of_arguments, scale=scale)
    for votes in found:
        paths = [path for name, dimension, path in entries if (name, dimension) == (votes.name, votes.dimension)]
        for qrels in (votes.items, votes.arguments):
            known_qrels(qrels, topics, paths)
        if not task.parts_of_arguments and any(is_pair(id_) for of in votes.items.values() for id_ in of):
            raise InputError(paths[0], "these vote on pairs", f"the task {task.name} ranks {task.kind}s")
    return found


def mean_grades(files: Sequence[Qrels]) -> Qrels:
    """Mean grades of several assessors."""
    grades: dict[str, dict[str, list[float]]] = {}
    for qrels in files:
        for topic, judged in qrels.items():
            for name, grade in judged.items():
                grades.setdefault(topic, {}).setdefault(name, []).append(grade)
    return Qrels({topic: {name: fmean(some) for name, some in judged.items()} for topic, judged in grades.items()})


def argument_qrels(paths: Sequence[Path], topics: Sequence[Topic]) -> Qrels:
    """Judgments of arguments. Raises InputError when they judge pairs, or topics that are not known."""
    qrels = read_qrels(*paths)
    if qrels.level == "pair":
        raise InputError(paths[0], "these judge pairs, not arguments", "name them as grades of pairs")
    return known_qrels(qrels, topics, paths)


def known_qrels(qrels: Qrels, topics: Sequence[Topic], paths: Sequence[Path]) -> Qrels:
    """``qrels``. Raises InputError when they judge topics that are not known."""
    numbers = {topic.number for topic in topics}
    unknown = [number for number in qrels if number not in numbers]
    if unknown:
        shown = ", ".join(unknown[:5]) + (", ..." if len(unknown) > 5 else "")
        what = f"judgments for {len(unknown)} topics that are in no topics file ({shown})"
        raise InputError(" ".join(map(str, paths)), what, "add a file of topics with them")
    return qrels


def example_topics(judgments: Judgments, topics: Iterable[Topic]) -> list[Topic]:
    """The judged ones among ``topics``, votes included; all where there is no judgment at all."""
    judged = judgments.topics()
    return [topic for topic in topics if topic.number in judged or not judged]


def judged_in_corpus(index: Index, judgments: Judgments, level: str = "arguments") -> dict[JudgedSet, tuple[int, int]]:
    """Set of judgments -> numbers of judgments, and of those in the corpus; ``level`` is that of whole items."""
    sets: list[tuple[JudgedSet, Sequence[Qrels]]] = [
        (JudgedSet("pairs" if qrels.level == "pair" else level, name), [qrels])
        for name, qrels in (*judgments.distant.items(), *judgments.graded.items())
    ]
    sets += [(JudgedSet("", of.dimension, of.name), [of.items, of.arguments]) for of in judgments.votes]
    counts = {}
    for judged, judgments_of in sets:
        number = present = 0
        for qrels in judgments_of:
            ids = [parts_of(id_) for grades in qrels.values() for id_ in grades]
            find = index.find_sentences if qrels.level == "pair" else index.argument_rows
            known = find(sorted({part for id_ in ids for part in id_}))
            number += len(ids)
            present += sum(all(part in known for part in id_) for id_ in ids)
        counts[judged] = number, present
    return counts


def check_coverage(counts: Mapping[JudgedSet, tuple[int, int]], files: Mapping[JudgedSet, Sequence[Path]]) -> None:
    """Raise InputError when the corpus has no item of one set of judgments; the message names its ``files``."""
    for judged, (_, covered) in counts.items():
        if not covered:
            what = "no item of these votes" if judged.source else f"no judged {judged.level.removesuffix('s')}"
            hint = f"use {'votes' if judged.source else 'judgments'} that belong to it"
            raise InputError(" ".join(map(str, files[judged])), f"{what} is in this corpus", hint)


def warn_of_test_topics(corpus: Corpus, topics: Sequence[Topic], warn: Callable[[str], None]) -> None:
    """Warn when the question of a training topic is one that predict answers by default, or of the `TEST_SETS`.

    Figures on these questions do not test the model.
    """
    ours = [topic for path in TEST_SETS for topic in read_topics(path)]
    tests = [(ours, "are questions of the test sets that ship", "figures on them do not test the model")]
    with suppress(InputError):  # a corpus without topics of its own
        tests.append((find_topics(corpus), f"also come with {corpus.name}", "a run for them is not a fair test"))
    for tested, what, so in tests:
        by_title = {normalise(topic.title): topic.number for topic in tested}
        numbers = {t.number: by_title[title] for t in topics if (title := normalise(t.title)) in by_title}
        shared = [mine if mine == its else f"{mine}, there {its}" for mine, its in numbers.items()]
        if shared:
            first = ", ".join(shared[:5]) + (", ..." if len(shared) > 5 else "")
            warn(f"training on {len(shared)} topics that {what} (topic {first}): {so}")


def alike(topics: Sequence[Topic], analyzer: Analyzer) -> list[tuple[str, str]]:
    """Pairs of topics whose titles share half of their words or more: they have to stay in one fold."""
    words = {topic.number: set(analyzer.terms(topic.title)) for topic in topics}
    return [(a, b) for a, b in combinations(words, 2) if 2 * len(words[a] & words[b]) >= len(words[a] | words[b]) > 0]
