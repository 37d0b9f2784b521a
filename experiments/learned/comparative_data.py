"""Labelled comparative questions and comparing sentences, as published."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np
from rapidfuzz.fuzz import ratio
from rapidfuzz.process import cdist

from experiments.published import read_lines, read_table
from features.comparative.question import TAGS
from features.core.sides import Side
from features.core.text import words
from ltr.corpora.literals import read_literal
from ltr.data.topics import read_topics
from ltr.errors import InputError

TAGGED = ("oai_webis_2022", "oai_beloucif")
QUESTIONS = ("qi_webis_2020", "qi_webis_2022", "qi_all")
PREFERRED = Path(__file__).with_name("preferred.txt")
"""Hash of the sorted words of an answer, and the object that it prefers, FIRST or SECOND."""
NUMBERS = frozenset(map(repr, range(len(TAGS))))
LABELS = ("BETTER", "WORSE", "NONE")
ALIKE = 90
"""Similarity of sorted words from which two texts are near-duplicates, of 100 (`rapidfuzz.fuzz.ratio`)."""

Row = TypeVar("Row")


class Tagged(NamedTuple):
    """A question in tokens, and a position in `TAGS` for each."""

    tokens: tuple[str, ...]
    tags: tuple[int, ...]

    @property
    def text(self) -> str:
        """The tokens with blanks between."""
        return " ".join(self.tokens)


class Asked(NamedTuple):
    """A question, and whether it is comparative."""

    text: str
    comparative: bool


class Compared(NamedTuple):
    """A sentence with two objects, and how the first compares: a position in `LABELS`."""

    text: str
    first: str
    second: str
    label: int


class Answer(NamedTuple):
    """A text with two objects and its stance: FIRST, SECOND, NEUTRAL, NO, or NONE for a preference of unknown side."""

    text: str
    first: str
    second: str
    stance: Side


def read_tagged(data: Path, name: str, part: str) -> list[Tagged]:
    """Questions with tags; those without a token are left out. Raises InputError."""

    def tagged(*cells: str) -> Tagged:
        tokens, labels = map(read_literal, cells)
        if not isinstance(tokens, list) or not isinstance(labels, list) or not {*map(repr, labels)} <= NUMBERS:
            raise ValueError("a cell is not a list of words, or of labels from 0 to 4")
        if any(tokens) and len(tokens) != len(labels):
            raise ValueError(f"{len(tokens)} words and {len(labels)} labels")
        return Tagged(tuple(map(str, tokens)), tuple(labels))

    rows = read_table(data / "compuge" / name / f"{part}.csv", "words labels", tagged)
    return [row for row in rows if any(row.tokens)]


def read_asked(data: Path, name: str, part: str) -> list[Asked]:
    """Questions, comparative or not. Raises InputError."""
    labels = {"0": False, "1": True}
    path = data / "compuge" / name / f"{part}.csv"
    return read_table(path, "question label", lambda text, label: Asked(text, labels[label]))


def read_compared(data: Path, part: str) -> list[Compared]:
    """Sentences of CompSent-19. Raises InputError."""

    def compared(text: str, first: str, second: str, label: str) -> Compared:
        return Compared(text, first, second, LABELS.index(label))

    columns = "sentence object_a object_b most_frequent_label"
    return read_table(data / "compsent-19" / f"{part}.csv", columns, compared)


def read_answers(data: Path, sentences: Sequence[Compared]) -> list[Answer]:
    """Answers of forums (Webis 2022) that CompUGE merged with CompSent-19: all but those ``sentences``.

    Label 0 is a preference for either, 1 is balanced, 2 is none. The data do not say which object is preferred; it was
    read from the texts and is in `PREFERRED`. Raises InputError.
    """
    known = {sorted_words(sentence.text) for sentence in sentences}
    preferred = {key: Side(side) for key, side in (line.split() for line in read_lines(PREFERRED))}

    def answer(row: str, label: str) -> Answer:
        first, second, text = row.split(" [SEP] ", 2)
        key = hashlib.sha256(sorted_words(text).encode()).hexdigest()[:12]
        stances = {"0": preferred.get(key, Side.NONE), "1": Side.NEUTRAL, "2": Side.NO}
        return Answer(text, first, second, stances[label])

    paths = (data / "compuge" / "sc_all" / f"{part}.csv" for part in ("train", "val", "test"))
    answers = [row for path in paths for row in read_table(path, "sentence label", answer)]
    return [row for row in answers if sorted_words(row.text) not in known]


def without_copies(rows: Sequence[Row], text: Callable[[Row], str], others: Sequence[str]) -> list[Row]:
    """The rows whose text is a near-duplicate of no other text, one of each set of the same words."""
    first: dict[str, Row] = {}
    for row in rows:
        first.setdefault(sorted_words(text(row)), row)
    keys, known = list(first), sorted({sorted_words(other) for other in others})
    kept: list[Row] = []
    for start in range(0, len(keys), 1000):  # a block of scores at a time
        block = keys[start : start + 1000]
        alike = np.any(cdist(block, known, scorer=ratio, score_cutoff=ALIKE, dtype=np.uint8, workers=1), axis=1)
        kept += [first[key] for key, copied in zip(block, alike.tolist(), strict=True) if not copied]
    return kept


def sorted_words(text: str) -> str:
    """The words of a text in alphabetical order."""
    return " ".join(sorted(words(text)))


def read_titles(folder: Path) -> list[str]:
    """Titles of all topics files (.xml; .tsv of number and title) in a folder. Raises InputError."""
    titles = [topic.title for path in sorted(folder.glob("*.xml")) for topic in read_topics(path)]
    titles += [line.rsplit("\t", 1)[-1] for path in sorted(folder.glob("*.tsv")) for line in read_lines(path)]
    if not titles:
        raise InputError(folder, "no topics in .xml or .tsv", "name the folder with the questions to keep out")
    return titles
