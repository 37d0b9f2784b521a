"""Labelled comparative questions and comparing sentences, as published."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from experiments.learned.similar import sorted_words
from experiments.learned.tables import one_of, read_lines, read_table
from experiments.learned.trainer import PUBLISHED
from features.core.sides import Side
from features.language.question import TAGS
from ltr.corpora.literals import read_literal
from ltr.data.topics import read_topics
from ltr.errors import InputError

TAGGED = ("oai_webis_2022", "oai_beloucif")
QUESTIONS = ("qi_webis_2020", "qi_webis_2022", "qi_all")
PREFERRED = Path(__file__).with_name("preferred.txt")
"""Hash of the sorted words of an answer, and the object that it prefers, FIRST or SECOND."""
NUMBERS = frozenset(map(repr, range(len(TAGS))))
LABELS = ("BETTER", "WORSE", "NONE")


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
    path = data / "compuge" / name / f"{part}.csv"
    found = []
    for number, row in enumerate(read_table(path, ("words", "labels")), 2):
        where = f"{path}, record {number}"
        try:
            tokens, labels = map(read_literal, row)
        except ValueError as error:
            raise InputError(where, str(error), PUBLISHED) from None
        if not isinstance(tokens, list) or not isinstance(labels, list) or not {*map(repr, labels)} <= NUMBERS:
            raise InputError(where, "is not a list of words and a list of labels from 0 to 4", PUBLISHED)
        if any(tokens):
            if len(tokens) != len(labels):
                raise InputError(where, f"{len(tokens)} words and {len(labels)} labels", "give each word one label")
            found.append(Tagged(tuple(map(str, tokens)), tuple(labels)))
    return found


def read_asked(data: Path, name: str, part: str) -> list[Asked]:
    """Questions, comparative or not. Raises InputError."""
    path = data / "compuge" / name / f"{part}.csv"
    return [
        Asked(text, one_of(path, label, ("0", "1")) == "1") for text, label in read_table(path, ("question", "label"))
    ]


def read_compared(data: Path, part: str) -> list[Compared]:
    """Sentences of CompSent-19. Raises InputError."""
    path = data / "compsent-19" / f"{part}.csv"
    rows = read_table(path, ("sentence", "object_a", "object_b", "most_frequent_label"))
    return [Compared(text, one, two, LABELS.index(one_of(path, label, LABELS))) for text, one, two, label in rows]


def read_answers(data: Path, sentences: Sequence[Compared]) -> list[Answer]:
    """Answers of forums (Webis 2022) that CompUGE merged with CompSent-19: all but those ``sentences``.

    Label 0 is a preference for either, 1 is balanced, 2 is none. The data do not say which object is preferred; it was
    read from the texts and stands beside this file. Raises InputError.
    """
    known = {sorted_words(sentence.text) for sentence in sentences}
    preferred = {key: Side(side) for key, side in (line.split() for line in read_lines(PREFERRED))}
    found = []
    for path in (data / "compuge" / "sc_all" / f"{part}.csv" for part in ("train", "val", "test")):
        for number, (row, label) in enumerate(read_table(path, ("sentence", "label")), 2):
            fields = row.split(" [SEP] ", 2)
            if len(fields) < 3:
                raise InputError(f"{path}, record {number}", "is not object [SEP] object [SEP] text", PUBLISHED)
            if (text := sorted_words(fields[2])) not in known:
                by_text = preferred.get(hashlib.sha256(text.encode()).hexdigest()[:12], Side.NONE)
                stances = {"0": by_text, "1": Side.NEUTRAL, "2": Side.NO}
                stance = stances[one_of(path, label, stances)]
                found.append(Answer(fields[2], fields[0], fields[1], stance))
    return found


def read_titles(folder: Path) -> list[str]:
    """Titles of all topics files (.xml; .tsv of number and title) in a folder. Raises InputError."""
    titles = [topic.title for path in sorted(folder.glob("*.xml")) for topic in read_topics(path)]
    titles += [line.rsplit("\t", 1)[-1] for path in sorted(folder.glob("*.tsv")) for line in read_lines(path)]
    if not titles:
        raise InputError(folder, "no topics in .xml or .tsv", "name the folder with the questions to keep out")
    return titles
