"""Readers of published human judgments, which do not ship; docs/human.md says how to get them."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

from experiments.human.judged import JudgedSet, TextCorpus, text_argument
from experiments.published import AGAIN, published, read_iam, read_preferences, read_table
from features.core.text import Analyzer
from ltr.corpora.argument import Argument
from ltr.corpora.lines import split_sentences
from ltr.corpora.source import open_corpus
from ltr.data.columns import read_objects
from ltr.data.ids import LISTED, argument_of, document_of, join_parts, parts_of, sentence_id
from ltr.data.qrels import Qrels, read_qrels
from ltr.data.topics import Topic, read_topics
from ltr.evaluation.tables import counted
from ltr.learning.data import GRADED, alike

ARTICLE = 40
"""Sentences of an article that make one argument: articles are longer than arguments."""
PREFERENCES = {"eviconv": "eviconv-test", "argq-pairs": "argq-14k", "ukp": "ukp-pairs"}
"""Set -> the name of its published preferences."""

_KINDS = json.loads(Path(__file__).with_suffix(".json").read_text("utf-8"))


def judged_set(name: str, dimension: str, **content: Any) -> JudgedSet:
    """The set that sets.json describes, with the content that was read from its files."""
    (kind,) = (kind for kind in _KINDS if (kind["name"], kind["dimension"]) == (name, dimension))
    return JudgedSet(**kind, **content)


class Numbers(dict[str, str]):
    """Title -> topic number: titles are counted from 1 in the order in which they come."""

    def __missing__(self, title: str) -> str:
        self[title] = str(len(self) + 1)
        return self[title]

    def topics(self, graded: Container[str]) -> list[Topic]:
        """The topics whose numbers are ``graded``."""
        return [Topic(number, title) for title, number in self.items() if number in graded]


def collection_sets(folder: Path) -> Iterator[JudgedSet]:
    """Official judgments of arguments in 2021, and those of two studies of argument search. Raises InputError."""
    corpus = open_corpus(str(folder))
    topics = {name: read_topics(folder / f"topics-{name}.xml") for name in ("2021", "argq", "sigir19")}
    trained = [*topics["2021"], *read_topics(GRADED / "topics-debates.xml")]
    for name, dimension in [("2021", "relevance"), *product(("argq", "sigir19"), ("relevance", "quality"))]:
        grades = read_qrels(folder / f"qrels-{name}-{dimension}.qrels")
        one = judged_set(name, dimension, corpus=corpus, topics=topics[name], grades=grades)
        yield one if one.seen else without_trained(one, trained)


def without_trained(judged: JudgedSet, trained: Sequence[Topic]) -> JudgedSet:
    """The set without questions like those that the model that ships has learned from, and without their arguments."""
    known = {topic.number for topic in trained}
    near = {number for pair in alike([*trained, *judged.topics], Analyzer()) for number in pair if set(pair) & known}
    used = _graded_arguments()
    grades = {
        topic: {id_: grade for id_, grade in of.items() if id_ not in used}
        for topic, of in judged.grades.items()
        if topic not in near
    }
    questions = len(judged.grades) - len(grades)
    judgments = sum(map(len, judged.grades.values())) - sum(map(len, grades.values()))
    lost = [counted(n, noun) for n, noun in ((questions, "question"), (judgments, "judgment")) if n]
    left = f"{' and '.join(lost)} that are like training data" if judgments else ""
    topics = [topic for topic in judged.topics if topic.number in grades]
    return replace(judged, grades=Qrels(grades, judged.grades.level), topics=topics, left_out=left)


def _graded_arguments() -> set[str]:
    """The arguments whose grades, or whose pairs' grades, train the models that ship: those of *narrow* train none."""
    files = [path for path in GRADED.glob("*.qrels") if "narrow" not in path.name]
    items = [item for path in files for of in read_qrels(path).values() for item in of]
    return {argument_of(part) for item in items for part in parts_of(item)}


def gist_set(folder: Path) -> JudgedSet:
    """Arguments with the two sentences that annotators found most representative. Raises InputError."""
    topics, grades = [], {}
    path = folder / "gist.jsonl"
    with published(path):
        for number, (_, row) in enumerate(read_objects(path, AGAIN), 1):
            topics.append(Topic(str(number), row["topic"]))
            sentences = [sentence_id(row["id"], place) for place in range(1, row["sentences"] + 1)]
            grades[str(number)] = {id_: float(id_ in row["gist"]) for id_ in sentences}
    return judged_set("gist", "gist", corpus=open_corpus(str(folder)), topics=topics, grades=Qrels(grades))


def claims_set(data: Path, name: str, dimension: str = "claims") -> JudgedSet:
    """Sentences of articles on a question, marked where they are claims, or with their "sides", 1 and -1 (IAM).

    Raises InputError.
    """
    articles: dict[str, list[tuple[float, str, str]]] = defaultdict(list)
    for file in ("claims-dev", "claims-test") if name == "claims" else (name,):
        for marked, question, sentence, article, *side in read_iam(data, file):
            with published(data / f"iam/{file}.tsv"):
                articles[article].append((float(side[0] if dimension == "sides" else marked), question, sentence))
    arguments: list[Argument] = []
    numbers = Numbers()
    grades: dict[str, dict[str, float]] = defaultdict(dict)
    for rows in articles.values():
        topic = numbers[rows[0][1]]
        for start in range(0, len(rows), ARTICLE):
            part = rows[start : start + ARTICLE]
            argument = f"A{len(arguments) + 1}"
            arguments.append(text_argument(argument, [text for _, _, text in part]))
            grades[topic] |= {sentence_id(argument, place): row[0] for place, row in enumerate(part, 1)}
    marked = {number: marks for number, marks in grades.items() if any(marks.values())}
    corpus = TextCorpus(name, arguments)
    return judged_set(name, dimension, corpus=corpus, topics=numbers.topics(marked), grades=Qrels(marked))


def key_points_set(data: Path) -> JudgedSet:
    """Arguments and key points, and which of them say the same (ArgKP-2021). Raises InputError.

    A pair is an argument whose conclusion is the key point: the conclusion and its only premise.
    """
    arguments: list[Argument] = []
    numbers = Numbers()
    grades: dict[str, dict[str, float]] = defaultdict(dict)
    folder = data / "argkp2021"
    for split in ("dev", "test"):
        rows = read_table(folder / f"arguments_{split}.csv", "arg_id argument topic")
        texts = {id_: (text, topic) for id_, text, topic in rows}
        points = {row[0]: row[1] for row in read_table(folder / f"key_points_{split}.csv", "key_point_id key_point")}
        labels = folder / f"labels_{split}.csv"
        for argument, point, label in read_table(labels, "arg_id key_point_id label"):
            with published(labels):
                text, topic = texts[argument]
                name = f"{argument}-{point}"
                arguments.append(text_argument(name, [text], points[point], "PRO"))
                pair = join_parts((sentence_id(name, -1), sentence_id(name, 1)))
                grades[numbers[topic]][pair] = float(label)
    corpus, qrels = TextCorpus("argkp", arguments), Qrels(grades, "pair")
    return judged_set("argkp", "coherence", corpus=corpus, topics=numbers.topics(grades), grades=qrels)


def preferences_set(data: Path, name: str) -> JudgedSet:
    """Which of two texts on a question people found better. Raises InputError.

    Each text is an argument whose conclusion is the question or, where the data have one, the side.
    """
    arguments: dict[tuple[str, str], Argument] = {}
    numbers = Numbers()
    questions: dict[str, str] = {}
    preferred: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for topic, texts, better_first in read_preferences(data, PREFERENCES[name]):
        question, _, side = (part.replace("-", " ") if name == "ukp" else part for part in topic.partition("_"))
        number = numbers[topic]
        questions[number] = question
        for text in texts:
            if (number, text) not in arguments:
                sentences = split_sentences(text) or ["-"]
                made = text_argument(f"A{len(arguments) + 1}", sentences, side or question, "PRO")
                arguments[number, text] = made
        first, second = (arguments[number, text].id for text in texts)
        if first != second:
            preferred[number].append((first, second) if better_first else (second, first))
    topics = [Topic(number, questions[number]) for number in preferred]
    corpus = TextCorpus(name, arguments.values())
    return judged_set(name, "quality", corpus=corpus, topics=topics, grades=Qrels(), preferences=preferred)


def snippet_sets(folder: Path) -> Iterator[JudgedSet]:
    """Official grades of documents for comparative questions, seen as snippets. Raises InputError."""
    first, later = (folder / "snippets" / name for name in ("judged-2020.jsonl", "judged-2021-part.jsonl"))
    yield _documents("snippets-2020", "relevance", first, lambda row: row | {"relevance": row["label"]})
    yield from (_documents("snippets-2021", dimension, later) for dimension in ("relevance", "quality"))


def cam_set(folder: Path) -> JudgedSet:
    """Sentences that compare two objects, with people's grades of relevance (CAM). Raises InputError."""

    def as_document(row: dict[str, Any]) -> dict[str, Any]:
        question = f"Which is better, {row['object_1']} or {row['object_2']}?"
        return {"query": question, "text": row["sentence"], "relevance": row["relevance"]}

    return _documents("cam", "relevance", folder / "data/cam-arg-relevance/arguments.jsonl", as_document)


def _documents(name: str, dimension: str, path: Path, as_document: Callable[..., dict[str, Any]] = dict) -> JudgedSet:
    """The documents of a file that have a grade in the dimension: ``query``, ``text`` and the grade, by its name."""
    numbers = Numbers()
    arguments: dict[tuple[str, str], Argument] = {}
    grades: dict[str, dict[str, float]] = defaultdict(dict)
    with published(path):
        for row in filter(lambda row: dimension in row, (as_document(row) for _, row in read_objects(path, AGAIN))):
            text = str(row["text"])
            number = numbers[str(row["query"])]
            if (number, text) in arguments:
                continue  # twice in the list: judged once
            made = text_argument(f"{number}{LISTED}{len(arguments) + 1}", split_sentences(text) or ["-"])
            rank = float(row.get("chatnoir_rank") or "nan")
            arguments[number, text] = replace(made, source=(rank,))
            grades[number][document_of(made.id)] = grade = float(row[dimension])
            if not math.isfinite(grade):
                raise ValueError(f"a grade is {grade}")
    corpus = TextCorpus(name, arguments.values(), "documents")
    return judged_set(name, dimension, corpus=corpus, topics=numbers.topics(grades), grades=Qrels(grades))


def read_sets(collection: Path | None, data: Path | None, comparative: Path | None) -> list[JudgedSet]:
    """All sets of the folders that there are. Raises InputError."""
    sets: list[JudgedSet] = []
    if collection:
        sets += [*collection_sets(collection), gist_set(collection)]
    if data:
        sets += [claims_set(data, *of) for of in (("claims-test",), ("claims-test", "sides"), ("claims",))]
        sets += [key_points_set(data)]
        sets += [preferences_set(data, name) for name in PREFERENCES]
    if comparative:
        sets += [*snippet_sets(comparative), cam_set(comparative)]
    return sets
