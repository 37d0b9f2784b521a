"""Readers of published human judgments, which do not ship; docs/human.md says how to get them."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import ltr
from experiments.figures import counted
from experiments.human.judged import DocumentCorpus, JudgedSet, TextCorpus, text_argument
from experiments.published import plain_text, published, read_cells, read_lines
from features.core.tables import SOURCE
from features.core.text import Analyzer
from ltr.corpora.argument import Argument
from ltr.corpora.documents import split_sentences
from ltr.corpora.source import open_corpus
from ltr.data.ids import LISTED, document_of, sentence_id
from ltr.data.qrels import Qrels, read_qrels
from ltr.data.topics import Topic, read_topics
from ltr.training.data import alike

ARTICLE = 40
"""Sentences of an article that make one argument: articles are longer than arguments."""

_GRADED = Path(ltr.__file__).parent / "supervision" / "graded"
_ARGUMENTS = ("pairs", "arguments")


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
    trained = [*topics["2021"], *read_topics(_GRADED / "topics-debates.xml")]
    seen = {"pairs": "graded pairs of its questions train", "arguments": "its judgments train"}
    judges = {
        "2021": "arguments by the assessors of Touché 2021",
        "argq": "arguments by annotators of Webis-ArgQuality-20",
        "sigir19": "arguments by experts, SIGIR 2019",
    }
    for file in ("2021-relevance", "argq-relevance", "argq-quality", "sigir19-relevance", "sigir19-quality"):
        name, _, dimension = file.partition("-")
        one = JudgedSet(
            name=name,
            what=judges[name],
            dimension=dimension,
            unit="argument",
            tasks=_ARGUMENTS,
            corpus=corpus,
            topics=topics[name],
            grades=read_qrels(folder / f"qrels-{file}.qrels"),
            seen=seen if name == "2021" else {},
        )
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
    lost = sum(map(len, judged.grades.values())) - sum(map(len, grades.values()))
    numbers = {"question": len(set(judged.grades) - set(grades)), "judgment": lost}
    left = f"{' and '.join(counted(n, noun) for noun, n in numbers.items() if n)} that are like training data"
    topics = [topic for topic in judged.topics if topic.number in grades]
    return replace(judged, grades=Qrels(grades, judged.grades.level), topics=topics, left_out=left if lost else "")


def _graded_arguments() -> set[str]:
    """The arguments whose grades, or whose pairs' grades, train the models that ship."""
    qrels = [read_qrels(path) for path in sorted(_GRADED.glob("*.qrels"))]
    units = (unit for one in qrels for of in one.values() for unit in of)
    return {part.partition("__")[0] for unit in units for part in unit.split(",")}


def gist_set(folder: Path) -> JudgedSet:
    """Arguments with the two sentences that annotators found most representative. Raises InputError."""
    topics, grades = [], {}
    path = folder / "gist.jsonl"
    with published(path):
        for number, line in enumerate(read_lines(path), 1):
            row = json.loads(line)
            topics.append(Topic(str(number), row["topic"]))
            sentences = [sentence_id(row["id"], place) for place in range(1, row["sentences"] + 1)]
            grades[str(number)] = {id_: float(id_ in row["gist"]) for id_ in sentences}
    return JudgedSet(
        name="gist",
        what="the two sentences that say most of an argument, by annotators of args.me snippets",
        dimension="gist",
        unit="sentence",
        tasks=("pairs",),
        corpus=open_corpus(str(folder)),
        topics=topics,
        grades=Qrels(grades),
        measure="best pair",
    )


def claims_set(data: Path, files: Sequence[str], name: str) -> JudgedSet:
    """Sentences of articles on a question, marked where they are claims (IAM). Raises InputError."""
    articles: dict[str, list[tuple[bool, str, str]]] = defaultdict(list)
    for file in files:
        path = data / f"iam/{file}.tsv"
        with published(path):
            for line in filter(str.strip, read_lines(path)):
                label, question, sentence, article = line.split("\t")[:4]
                articles[article].append((["O", "C"].index(label) > 0, question, sentence))
    arguments: list[Argument] = []
    numbers = Numbers()
    grades: dict[str, dict[str, float]] = defaultdict(dict)
    for rows in articles.values():
        topic = numbers[rows[0][1]]
        for start in range(0, len(rows), ARTICLE):
            part = rows[start : start + ARTICLE]
            argument = f"A{len(arguments) + 1}"
            arguments.append(text_argument(argument, [text for _, _, text in part]))
            grades[topic] |= {sentence_id(argument, place): float(row[0]) for place, row in enumerate(part, 1)}
    marked = {number: marks for number, marks in grades.items() if any(marks.values())}
    return JudgedSet(
        name=name,
        what="sentences that annotators marked as claims on a question (IAM)",
        dimension="claims",
        unit="sentence",
        tasks=("pairs",),
        corpus=TextCorpus(name, arguments),
        topics=numbers.topics(marked),
        grades=Qrels(marked),
        measure="first five",
        seen={"pairs": "claims-dev trains the column argumentative"} if "claims-dev" in files else {},
    )


def key_points_set(data: Path) -> JudgedSet:
    """Arguments and key points, and which of them say the same (ArgKP-2021). Raises InputError.

    A pair is an argument whose conclusion is the key point: the conclusion and its only premise.
    """
    arguments: list[Argument] = []
    numbers = Numbers()
    grades: dict[str, dict[str, float]] = defaultdict(dict)
    for split in ("dev", "test"):
        folder = data / "argkp2021"
        rows = read_cells(folder / f"arguments_{split}.csv", "arg_id argument topic")
        texts = {id_: (text, topic) for id_, text, topic in rows}
        points = {row[0]: row[1] for row in read_cells(folder / f"key_points_{split}.csv", "key_point_id key_point")}
        labels = folder / f"labels_{split}.csv"
        for argument, point, label in read_cells(labels, "arg_id key_point_id label"):
            with published(labels):
                text, topic = texts[argument]
                name = f"{argument}-{point}"
                arguments.append(text_argument(name, [text], points[point], "PRO"))
                pair = f"{sentence_id(name, -1)},{sentence_id(name, 1)}"
                grades[numbers[topic]][pair] = float(label)
    return JudgedSet(
        name="argkp",
        what="whether an argument and a key point say the same (ArgKP-2021, dev and test)",
        dimension="coherence",
        unit="pair",
        tasks=("pairs",),
        corpus=TextCorpus("argkp", arguments),
        topics=numbers.topics(grades),
        grades=Qrels(grades, "pair"),
    )


PREFERENCES: Mapping[str, tuple[str, str, str, bool]] = {
    "eviconv": ("topic label evidence_1 evidence_2", "ibm-eviconv/test.csv", "EviConv, test", False),
    "argq-pairs": ("topic label a1 a2", "ibm-argq/pairs-14k.tsv", "ArgQ, 14k pairs", True),
    "ukp": ("debate_side more_convincing a1 a2", "ukpconvarg/strict-pairs.tsv", "UKPConvArg", True),
}
"""Set -> columns, file, its name, and whether its texts train the column ``convincing``."""
_BETTER = {"a1": 1, "1": 1, "a2": -1, "2": -1}
"""The label of a pair -> the step through its texts that begins with the better one."""


def preferences_set(data: Path, name: str) -> JudgedSet:
    """Which of two texts on a question people found better. Raises InputError.

    Each text is an argument whose conclusion is the question or, where the data have one, the side.
    """
    columns, file, source, trained = PREFERENCES[name]
    arguments: dict[tuple[str, str], Argument] = {}
    numbers = Numbers()
    questions: dict[str, str] = {}
    preferred: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for topic, label, *texts in read_cells(data / file, columns):
        question, _, side = (part.replace("-", " ") if name == "ukp" else part for part in topic.partition("_"))
        number = numbers[topic]
        questions[number] = question
        for text in map(plain_text, texts):
            if (number, text) not in arguments:
                sentences = split_sentences(text) or ["-"]
                made = text_argument(f"A{len(arguments) + 1}", sentences, side or question, "PRO")
                arguments[number, text] = made
        with published(data / file):
            better, worse = (arguments[number, plain_text(text)].id for text in texts[:: _BETTER[label]])
        if better != worse:
            preferred[number].append((better, worse))
    note = "its texts train the column convincing"
    return JudgedSet(
        name=name,
        what=f"which of two texts is more convincing ({source})",
        dimension="quality",
        unit="argument",
        tasks=_ARGUMENTS,
        corpus=TextCorpus(name, arguments.values()),
        topics=[Topic(number, questions[number]) for number in preferred],
        grades=Qrels(),
        preferences=preferred,
        seen=dict.fromkeys(_ARGUMENTS, note) if trained else {},
    )


def snippet_sets(folder: Path) -> Iterator[JudgedSet]:
    """Official grades of documents for comparative questions, seen as snippets. Raises InputError."""
    for year, file, dimensions in (("2020", "judged-2020", ["relevance"]), ("2021", "judged-2021-part", None)):
        path = folder / f"snippets/{file}.jsonl"
        with published(path):
            rows = [json.loads(line) for line in read_lines(path)]
        for dimension in dimensions or ("relevance", "quality"):
            with published(path):
                used = [row | {dimension: row["label"]} if year == "2020" else row for row in rows]
                made = _documents(
                    f"snippets-{year}",
                    f"documents by the assessors of Touché {year}",
                    dimension,
                    [row for row in used if dimension in row],
                    "its grades train",
                )
            yield made


def cam_set(folder: Path) -> JudgedSet:
    """Sentences that compare two objects, with people's grades of relevance (CAM). Raises InputError."""
    rows = []
    path = folder / "data/cam-arg-relevance/arguments.jsonl"
    with published(path):
        for row in map(json.loads, read_lines(path)):
            question = f"Which is better, {row['object_1']} or {row['object_2']}?"
            rows.append({"query": question, "text": row["sentence"], "relevance": row["relevance"]})
        return _documents("cam", "sentences on two objects (CAM), by experts and the crowd", "relevance", rows, "")


def _documents(name: str, what: str, dimension: str, rows: Iterable[Mapping[str, object]], seen: str) -> JudgedSet:
    numbers = Numbers()
    arguments: dict[tuple[str, str], Argument] = {}
    grades: dict[str, dict[str, float]] = defaultdict(dict)
    for row in rows:
        question, text = str(row["query"]), str(row["text"])
        number = numbers[question]
        if (number, text) in arguments:
            continue  # twice in the list: judged once
        made = text_argument(f"{number}{LISTED}{len(arguments) + 1}", split_sentences(text) or ["-"])
        rank = float(str(row.get("chatnoir_rank") or "nan"))
        arguments[number, text] = replace(made, source=(rank, *[math.nan] * (len(SOURCE) - 1)))
        grades[number][document_of(made.id)] = grade = float(str(row[dimension]))
        if not math.isfinite(grade):
            raise ValueError(f"a grade is {grade}")
    return JudgedSet(
        name=name,
        what=what,
        dimension=dimension,
        unit="argument",
        tasks=("comparative",),
        corpus=DocumentCorpus(name, arguments.values()),
        grades=Qrels(grades),
        topics=numbers.topics(grades),
        seen={"comparative": seen} if seen else {},
    )


def read_sets(collection: Path | None, data: Path | None, comparative: Path | None) -> list[JudgedSet]:
    """All sets of the folders that there are. Raises InputError."""
    sets: list[JudgedSet] = []
    if collection:
        sets += [*collection_sets(collection), gist_set(collection)]
    if data:
        sets += [claims_set(data, ("claims-test",), "claims-test")]
        sets += [claims_set(data, ("claims-dev", "claims-test"), "claims"), key_points_set(data)]
        sets += [preferences_set(data, name) for name in PREFERENCES]
    if comparative:
        sets += [*snippet_sets(comparative), cam_set(comparative)]
    return sets
