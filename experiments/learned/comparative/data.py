"""Labelled comparative questions and comparing sentences, and which of them must not be trained on."""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO, TypeVar

from experiments.learned.trainer import PUBLISHED
from features.core.text import words
from features.learned.question import TAGS
from ltr.corpora.literals import read_literal
from ltr.data.columns import decode, read_bytes
from ltr.data.topics import read_topics
from ltr.errors import InputError

TAGGED = ("oai_webis_2022", "oai_beloucif")
QUESTIONS = ("qi_webis_2020", "qi_webis_2022", "qi_all")
PREFERRED = Path(__file__).with_name("preferred.txt")
"""Hash of the sorted words of an answer, and the object that it prefers, FIRST or SECOND."""
LABELS = ("BETTER", "WORSE", "NONE")
ALIKE = 90
"""Two texts are near-duplicates when their sorted words match so far, of 100 (`rapidfuzz.fuzz.ratio`)."""

Row = TypeVar("Row")


@dataclass(frozen=True)
class Tagged:
    """A question in tokens, and a place in `TAGS` for each."""

    tokens: tuple[str, ...]
    tags: tuple[int, ...]

    @property
    def text(self) -> str:
        """The tokens with blanks between."""
        return " ".join(self.tokens)


@dataclass(frozen=True)
class Labelled:
    """A question, and whether it is comparative."""

    text: str
    comparative: bool


@dataclass(frozen=True)
class Sentence:
    """A sentence with two objects, and how the first compares: a place in `LABELS`."""

    text: str
    first: str
    second: str
    label: int


@dataclass(frozen=True)
class Answer:
    """A text with two objects and its stance: FIRST, SECOND, NEUTRAL, NO, or "" for a preference of unknown side."""

    text: str
    first: str
    second: str
    stance: str


def read_tagged(data: Path, name: str, part: str) -> list[Tagged]:
    """Questions with tags; those without a token are left out. Raises InputError."""
    found = []
    for where, row in _rows(data / "compuge" / name / f"{part}.csv", ("words", "labels")):
        tokens, labels = (_literal(row[column], where) for column in ("words", "labels"))
        tags = [label for label in labels if isinstance(label, int) and 0 <= label < len(TAGS)]
        if len(tags) < len(labels):
            raise InputError(where, "a label is none of 0 to 4", PUBLISHED)
        if any(tokens):
            if len(tokens) != len(tags):
                raise InputError(where, f"{len(tokens)} words and {len(tags)} labels", "give each word one label")
            found.append(Tagged(tuple(map(str, tokens)), tuple(tags)))
    return found


def read_labelled(data: Path, name: str, part: str) -> list[Labelled]:
    """Questions, comparative or not. Raises InputError."""
    found = []
    for where, row in _rows(data / "compuge" / name / f"{part}.csv", ("question", "label")):
        if row["label"] not in ("0", "1"):
            raise InputError(where, f"label {row['label']!r}", "0 or 1 is known")
        found.append(Labelled(row["question"], row["label"] == "1"))
    return found


def read_sentences(data: Path, part: str) -> list[Sentence]:
    """Sentences of CompSent-19. Raises InputError."""
    columns = ("sentence", "object_a", "object_b", "most_frequent_label")
    found = []
    for where, row in _rows(data / "compsent-19" / f"{part}.csv", columns):
        text, first, second, label = (row[column] for column in columns)
        if label not in LABELS:
            raise InputError(where, f"label {label!r}", f"{', '.join(LABELS)} are known")
        found.append(Sentence(text, first, second, LABELS.index(label)))
    return found


def read_relevance(data: Path) -> list[tuple[Sentence, float]]:
    """Sentences of CAM with a human grade of relevance, 0 to 3; their label is unknown. Raises InputError."""
    path = data / "cam-arg-relevance" / "arguments.jsonl"
    found = []
    with _opened(path) as lines:
        for number, line in enumerate(lines, 1):
            try:
                row = json.loads(line)
                if row["sentence"] is None:
                    continue  # one published row has lost its text
                sentence = Sentence(row["sentence"], row["object_1"], row["object_2"], LABELS.index("NONE"))
                found.append((sentence, float(row["relevance"])))
            except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
                hint = "give it object_1, object_2, sentence and relevance"
                raise InputError(f"{path}, line {number}", "is no graded sentence", hint) from None
    return found


def read_answers(data: Path, sentences: Sequence[Sentence]) -> list[Answer]:
    """Answers of forums (Webis 2022) that CompUGE merged with CompSent-19: all but those ``sentences``.

    Label 0 is a preference for either, 1 is balanced, 2 is none. Which object is preferred the data do not say; it was
    read from the texts and stands beside this file. Raises InputError.
    """
    known = {_sorted_words(sentence.text) for sentence in sentences}
    preferred = dict(line.split() for line in PREFERRED.read_text("utf-8").splitlines())
    found = []
    for part in ("train", "val", "test"):
        for where, row in _rows(data / "compuge" / "sc_all" / f"{part}.csv", ("sentence", "label")):
            fields = row["sentence"].split(" [SEP] ", 2)
            if len(fields) < 3 or row["label"] not in ("0", "1", "2"):
                raise InputError(where, "is no object [SEP] object [SEP] text with label 0 to 2", PUBLISHED)
            if (words_of := _sorted_words(fields[2])) not in known:
                key = hashlib.sha256(words_of.encode()).hexdigest()[:12]
                stance = {"1": "NEUTRAL", "2": "NO"}.get(row["label"], preferred.get(key, ""))
                found.append(Answer(fields[2], fields[0], fields[1], stance))
    return found


def read_titles(folder: Path) -> list[str]:
    """Titles of all topics files (.xml; .tsv of number and title) in a folder. Raises InputError."""
    titles = [topic.title for path in sorted(folder.glob("*.xml")) for topic in read_topics(path)]
    for path in sorted(folder.glob("*.tsv")):
        titles += [line.rsplit("\t", 1)[-1] for line in path.read_text("utf-8").splitlines()]
    if not titles:
        raise InputError(folder, "no topics in .xml or .tsv", "name the folder with the questions to keep out")
    return titles


def without_copies(rows: Sequence[Row], text: Callable[[Row], str], others: Sequence[str]) -> list[Row]:
    """The rows whose text is a near-duplicate of no other text, one of each set of the same words."""
    import numpy as np
    from rapidfuzz.fuzz import ratio
    from rapidfuzz.process import cdist

    first: dict[str, Row] = {}
    for row in rows:
        first.setdefault(_sorted_words(text(row)), row)
    keys, known = list(first), sorted({_sorted_words(other) for other in others})
    kept: list[Row] = []
    for start in range(0, len(keys), 1000):  # a block of scores at a time
        block = keys[start : start + 1000]
        alike = np.any(cdist(block, known, scorer=ratio, score_cutoff=ALIKE, dtype=np.uint8, workers=1), axis=1)
        kept += [first[key] for key, copied in zip(block, alike.tolist(), strict=True) if not copied]
    return kept


def _sorted_words(text: str) -> str:
    return " ".join(sorted(words(text)))


def _rows(path: Path, columns: Sequence[str]) -> Iterator[tuple[str, dict[str, str]]]:
    """Each row of a CSV file with where it is. Raises InputError."""
    table = csv.DictReader(_opened(path))
    try:
        if missing := [column for column in columns if column not in (table.fieldnames or ())]:
            raise InputError(path, f"no column {missing[0]!r}", PUBLISHED)
        for row in table:
            if any(row[column] is None for column in columns):
                raise InputError(f"{path}, line {table.line_num}", "has too few columns", PUBLISHED)
            yield f"{path}, line {table.line_num}", row
    except csv.Error as error:
        raise InputError(f"{path}, line {table.line_num + 1}", f"is not CSV ({error})", PUBLISHED) from None


def _opened(path: Path) -> TextIO:
    return io.StringIO(decode(path, read_bytes(path)), newline="")


def _literal(text: str, where: str) -> list[object]:
    try:
        found = read_literal(text)
    except ValueError as error:
        raise InputError(where, str(error), PUBLISHED) from None
    if not isinstance(found, list):
        raise InputError(where, "is no list", PUBLISHED)
    return found
