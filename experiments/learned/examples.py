"""Sentences behind ``argumentative``: labelled ones to train with, ones only for measuring, and unlabelled ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from experiments.learned.tables import AGAIN, read_json, read_lines, read_table
from features.core.text import STOP_WORDS, normalise, words
from ltr.corpora.source import open_corpus
from ltr.errors import InputError

TALK_STEP = 9
"""Of the 52,849 lines of mined talk every ninth is plenty beside 6,900 sentences of IAM."""


class Example(NamedTuple):
    """A sentence with its label, its data set and its topic."""

    text: str
    label: bool
    source: str
    topic: str


def read_set_aside(data: Path) -> list[str]:
    """The sentences of the data sets that are only for measuring, whichever of them is measured on."""
    files = (("claims-test", "C"), ("evidence-test", "E"))
    found = [example.text for name, label in files for example in read_iam(data / f"iam/{name}.tsv", label, name)]
    folder = data / "argument-cleansing"
    # Each line is ``text," text without stop words "``, the first field unquoted.
    talk = (line.rpartition(',"')[0].strip() for line in read_lines(folder / "sample-sentences.csv"))
    found += filter(None, talk)
    for annotator in (1, 2, 3):
        found += (row[0] for row in read_table(folder / f"annotator-{annotator}.csv", ("Sentences",)))
    return found


def read_training(data: Path, set_aside: Iterable[str]) -> tuple[list[Example], int]:
    """Training examples without repetitions, and how many sentences were left out as also used for measuring."""

    def content(text: str) -> str:
        return " ".join(word for word in words(text) if word not in STOP_WORDS)

    held, held_talk = set(map(normalise, set_aside)), set(map(content, set_aside))
    found: dict[tuple[str, str], Example] = {}
    left_out = 0
    for example in _training_rows(data):
        # Talk comes without stop words, so only what remains of a sentence can be compared.
        talk = example.source == "talk"
        hidden = content(example.text) in held_talk if talk else normalise(example.text) in held
        left_out += hidden
        key = (example.text, example.topic)
        # The first source wins, except that a positive label stands: IAM labels a sentence once a file.
        if not hidden and (key not in found or example.label > found[key].label):
            found[key] = example
    return list(found.values()), left_out


def read_unlabelled(data: Path, where: str | Path, labelled: Iterable[Example], set_aside: Iterable[str]) -> list[str]:
    """Distinct sentences of a corpus and of the data sets, none used for measuring. Raises InputError."""
    held = set(map(normalise, set_aside))
    found = dict.fromkeys(sentence.text for argument in open_corpus(str(where)) for sentence in argument.sentences)
    # Talk has lost its function words, and with them the neighbours that say what a word is.
    found |= dict.fromkeys(example.text for example in labelled if example.source != "talk")
    found |= dict.fromkeys(example.text for example in read_iam(data / "iam/evidence-dev.tsv", "E", "evidence-dev"))
    for name, column in (
        ("ibm-claim-stance/claim-stance.csv", "claims.claimOriginalText"),
        ("ibm-argq/args-5.3k.tsv", "argument"),
    ):
        found |= dict.fromkeys(row[0] for row in read_table(data / name, (column,)))
    path = data / "perspectrum/perspective-pool.json"
    try:
        found |= dict.fromkeys(str(perspective["text"]) for perspective in read_json(path))
    except (TypeError, KeyError):
        raise InputError(path, "is not a JSON list of objects with a text", AGAIN) from None
    return [text for text in found if normalise(text) not in held]


def _training_rows(data: Path) -> Iterator[Example]:
    yield from read_iam(data / "iam/claims-dev.tsv", "C", "claims-dev")
    yield from read_iam(data / "iam/stance-train.tsv", "C", "stance-train")
    for text, topic in read_table(data / "argkp2021/arguments_train.csv", ("argument", "topic")):
        yield Example(text, True, "argkp", "argkp " + topic)
    for topic, *texts in read_table(data / "ibm-eviconv/train.csv", ("topic", "evidence_1", "evidence_2")):
        for text in texts:
            yield Example(text, True, "eviconv", "eviconv " + topic)
    path = data / "argument-cleansing/negative-sentences-normalised.txt"
    for number, line in enumerate(read_lines(path)[::TALK_STEP]):
        # Talk has no topics; fifty made-up ones let it pass the threshold of topics and be split by fold.
        yield Example(line.strip(), False, "talk", f"talk {number % 50}")


def read_iam(path: Path, positive: str, source: str) -> Iterator[Example]:
    """Rows of an IAM file: label, topic or claim, sentence, article; ``positive`` or O. Raises InputError."""
    for number, line in enumerate(read_lines(path), 1):
        if not line.strip():
            continue
        fields = line.split("\t")
        if len(fields) < 4 or fields[0] not in (positive, "O"):
            what = f"row {number} is not '{positive} or O, topic, sentence, article' between tabs"
            raise InputError(path, what, AGAIN)
        # The article's id is <topic>_<number>, with the same topics in all of IAM's files.
        yield Example(fields[2], fields[0] == positive, source, "iam " + fields[3].split("_")[0])
