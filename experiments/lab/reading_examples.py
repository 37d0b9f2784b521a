"""Examples that `experiments.lab.reader` learns from: pairs that were graded, and texts with a side, or without one.

Sides are from published stance data; from a collection of debates, where an argument's stance on the resolution of its
debate is known; from questions that were written for these debates and motions, and for resolutions that a search finds
for the questions (``side_questions.tsv``), of which many take no side; and from matters of a town, a school or a club
(``local_debates.txt``, ``matters.txt``), with notices that do not argue.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np

from experiments.lab.rewording import reword
from experiments.lab.stances import Stance, alike, topic_words
from ltr.answers.texts import claims_of, premises_of
from ltr.data.ids import parts_of
from ltr.data.qrels import read_qrels
from ltr.index.reader import Index
from ltr.index.vocabulary import Array
from ltr.searcher import Searcher
from models.base import DIMENSIONS, TOP_GRADE

WRITTEN = Path(__file__).with_name("side_questions.tsv")
"""A question; an argument with a debate's resolution as its conclusion, or the digest of a motion of the stance data;
and the side of who is for the resolution or motion."""
MATTERS = (Path(__file__).with_name("local_debates.txt"), Path(__file__).with_name("matters.txt"))
"""Blocks: a claim ("="), and questions, claims and texts with their sides. In the first file the last text of a block
is about something else."""
BESIDE, ELSEWHERE = 5, 4
"""Matters before and after one whose texts are not on it, and how many of these a question is asked of."""
OTHER_WORDS = 0.6
"""Share of the questions and texts that are put in other words, if they can be."""
NAN = math.nan

T = TypeVar("T")


class Example(NamedTuple):
    """A question with a text, or with both sentences of a pair."""

    question: str
    text: str
    second: str
    """the second sentence of a pair, else empty"""
    grades: tuple[float, ...]
    """share of the highest grade of each output of the reader, NaN where it is not known"""
    source: str
    topic: str
    """by which examples are held out"""

    @classmethod
    def of_stance(cls, one: Stance, matter: float | None = None, argues: float | None = None) -> Example:
        """A text that takes a side argues and is on the matter; of others neither is known, unless it is given."""
        known = (1.0 if one.side else NAN, 1.0 if one.side else NAN)
        on, argued = (of if given is None else given for of, given in zip(known, (matter, argues), strict=True))
        grades = (NAN, NAN, NAN, on, argued, (one.side + 1) / 2)
        return cls(one.question, one.text, "", grades, one.source, one.topic)


def of_pairs(index: Index, qrels: Mapping[str, Sequence[Path]], titles: Mapping[str, str]) -> Iterator[Example]:
    """Graded pairs of the topics with ``titles``, and their sentences: on the matter as much as the pairs are relevant.

    ``qrels``: dimension -> files.
    """
    graded = [read_qrels(*qrels[name]) for name in DIMENSIONS]
    of_topics = {topic: of for topic, of in graded[0].items() if topic in titles}
    rows = index.find_sentences([part for of in of_topics.values() for pair in of for part in parts_of(pair)])
    sentences: dict[tuple[str, str], list[float]] = {}
    for topic, of in of_topics.items():
        for pair in of:
            grades = [float(one.get(topic, {}).get(pair, NAN)) / TOP_GRADE for one in graded]
            texts = first, second = [index.text(rows[part]) for part in parts_of(pair)]
            yield Example(titles[topic], first, second, (*grades, NAN, NAN, NAN), "pairs", titles[topic])
            for text in texts:
                sentences.setdefault((titles[topic], text), []).append(grades[0])
    for (question, text), shares in sentences.items():
        yield Example(question, text, "", (NAN, NAN, NAN, float(np.mean(shares)), NAN, NAN), "sentences", question)


def elsewhere(examples: Sequence[Example], count: int, draws: np.random.Generator) -> Iterator[Example]:
    """Questions with texts of other questions: not on the matter, and of no side."""
    for first, second in draws.integers(len(examples), size=(count, 2)).tolist():
        if (question := examples[first].question) != examples[second].question:
            topic = examples[first].topic
            yield Example.of_stance(Stance(question, examples[second].text, 0, "elsewhere", topic), 0.0, 1.0)


def of_debates(index: Index, titles: Sequence[str]) -> Iterator[Stance]:
    """For each argument with a stance on the resolution of its debate: its first premise, and its conclusion."""
    hidden = list(map(topic_words, titles))

    @cache
    def is_hidden(*names: str) -> bool:
        return any(alike(subject, other) for subject in map(topic_words, names) for other in hidden)

    for row in range(index.arguments):
        sign, resolution, parent = index.side_toward_resolution(row), index.resolution(row), index.column("parent")[row]
        if not sign or not 0 < len(resolution) <= 120 or is_hidden(resolution, index.title(row)):
            continue
        texts = [(text, sign) for text in premises_of(index, row, 1)]
        if parent >= 0:  # the conclusion is for the resolution where the argument that says it is
            texts.append((index.conclusion(row), index.side_toward_resolution(int(parent))))
        for text, side in texts:
            if 4 <= len(text.split()) <= 60:
                yield Stance(resolution, text, side, "debates", resolution)


def of_questions(debates: Searcher, stances: Sequence[Stance], draws: np.random.Generator) -> Iterator[Stance]:
    """For each question of `WRITTEN`: what it was written for, and some texts that take a side of that."""
    index, rows = debates.index, debates.index.row_of
    motions: dict[str, list[Stance]] = {}
    for stance in stances:
        motions.setdefault(digest(stance.question), []).append(stance)
    topics: dict[str, str] = {}
    left_out = 0
    for line in WRITTEN.read_text("utf-8").splitlines()[1:]:
        question, of, written = line.split("\t")
        if of in motions:
            resolution, texts = motions[of][0].question, [(one.text, one.side) for one in motions[of]]
        elif of in rows:
            resolution, texts = index.conclusion(rows[of]), sides_of_texts(index, index.debate(rows[of]))
        else:
            left_out += 1
            continue
        topic, side = topics.setdefault(question, resolution), int(written)  # what it was written for comes first
        yield Stance(question, resolution, side, "questions", topic)
        for text, toward in shuffled(texts, draws)[: 3 if side else 1]:
            yield Stance(question, text, side * toward, "questions", topic)
    if left_out:
        print(f"left out: {left_out:,} questions for debates and motions that were not read")


def of_matters(draws: np.random.Generator) -> Iterator[Example]:
    """Each question and claim of a matter with each claim and text of it, and with some of the matters beside it."""
    for file in MATTERS:
        blocks = [
            [line for line in block.splitlines() if line and line[0] != "#"]
            for block in file.read_text("utf-8").split("\n\n")
        ]
        matters = [(lines[0].removeprefix("= "), _rows(lines)) for lines in blocks if lines]
        held_out = [is_held_out(matter) for matter, _ in matters]
        for at, (matter, rows) in enumerate(matters):
            last = next((text for kind, sign, text in reversed(rows) if (kind, sign) == ("T", 0)), "")
            beside = range(max(0, at - BESIDE), min(len(matters), at + BESIDE + 1))
            others = [other for other in beside if other != at and held_out[other] == held_out[at]]
            read = [row for row in rows if row[0] in "CT"]
            for asked, sign, question in (row for row in rows if row[0] in "QC"):
                for kind, side, text in read:
                    if text == question:
                        continue
                    on = 1.0 if side and (sign or asked == "Q") else NAN
                    elsewhere = file == MATTERS[0] and text == last
                    about = (0.0 if elsewhere else on, NAN if not side and kind == "C" else float(side != 0))
                    yield Example.of_stance(Stance(question, text, sign * side, "matters", matter), *about)
                for other in draws.choice(others, min(len(others), ELSEWHERE)).tolist() if others else ():
                    kind, side, text = next(row for row in shuffled(matters[other][1], draws) if row[0] in "CT")
                    argues = NAN if not side and kind == "C" else float(side != 0)
                    yield Example.of_stance(Stance(question, text, 0, "matters beside", matter), 0.0, argues)


def _rows(lines: Sequence[str]) -> list[tuple[str, int, str]]:
    """Kind, sign and text of the lines of a matter."""
    signs = {"+": 1, "-": -1, "0": 0}
    cells = (line.split("\t") for line in lines[1:])
    return [("C", 1, lines[0].removeprefix("= ")), *((kind[0], signs[kind[1]], text) for kind, text in cells)]


def shuffled(rows: Sequence[T], draws: np.random.Generator) -> list[T]:
    """The rows in an order that is drawn."""
    return [rows[at] for at in draws.permutation(len(rows)).tolist()]


def sides_of_texts(index: Index, debate: Array) -> list[tuple[str, int]]:
    """Claims of a debate and first premises, each with 1 for the resolution or -1 against it."""
    premises = {
        text: index.side_toward_resolution(row) for row in debate.tolist() for text in premises_of(index, row, 1)
    }
    return [(text, sign) for text, sign in {**premises, **claims_of(index, int(debate[0]))}.items() if sign]


def in_other_words(examples: Sequence[Example], draws: np.random.Generator) -> Iterator[Example]:
    """The examples of texts, many in other words, with the side that these have."""
    for one in examples:
        (question, asked), (text, said) = (
            reword(part, draws) if draws.random() < OTHER_WORDS else (part, 1) for part in (one.question, one.text)
        )
        side = one.grades[-1] if asked * said > 0 else 1 - one.grades[-1]
        yield one._replace(question=question, text=text, grades=(*one.grades[:-1], side))


def digest(motion: str) -> str:
    """The name of a motion of the stance data in `WRITTEN`, whose texts are not ours to give."""
    return hashlib.sha256(motion.encode()).hexdigest()[:12]


def distinct(examples: Sequence[Stance]) -> list[Stance]:
    """Each question with each text once; the last one counts."""
    return list({(one.question.lower(), one.text.lower()): one for one in examples}.values())


def is_held_out(question: str) -> bool:
    """Whether figures are on a topic: on an eighth of them."""
    return int(hashlib.sha256(" ".join(sorted(topic_words(question))).encode()).hexdigest(), 16) % 8 == 0
