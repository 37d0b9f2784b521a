"""Sentences behind ``argumentative``: labelled ones to train with, ones only for measuring, and unlabelled ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from experiments.published import published, read_json, read_lines, read_table
from features.core.text import STOP_WORDS, normalise, words
from ltr.corpora.source import open_corpus

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
    texts = [example.text for name, label in files for example in read_iam(data / f"iam/{name}.tsv", label, name)]
    folder = data / "argument-cleansing"
    # Each line is ``text," text without stop words "``, the first field unquoted.
    talk = (line.rpartition(',"')[0].strip() for line in read_lines(folder / "sample-sentences.csv"))
    texts += filter(None, talk)
    for annotator in (1, 2, 3):
        texts += read_table(folder / f"annotator-{annotator}.csv", "Sentences", str)
    return texts


def read_training(data: Path, set_aside: Iterable[str]) -> tuple[list[Example], int]:
    """Training examples without repetitions, and the number of sentences left out since they also measure."""

    def content(text: str) -> str:
        return " ".join(word for word in words(text) if word not in STOP_WORDS)

    hidden, hidden_talk = set(map(normalise, set_aside)), set(map(content, set_aside))
    kept: dict[tuple[str, str], Example] = {}
    left_out = 0
    for example in _training_rows(data):
        # Talk comes without stop words, so only the other words of a sentence can be compared.
        talk = example.source == "talk"
        if content(example.text) in hidden_talk if talk else normalise(example.text) in hidden:
            left_out += 1
            continue
        key = (example.text, example.topic)
        # The first source wins, except that a positive label stays: IAM labels a sentence once a file.
        if key not in kept or example.label > kept[key].label:
            kept[key] = example
    return list(kept.values()), left_out


def read_unlabelled(data: Path, where: str | Path, labelled: Iterable[Example], set_aside: Iterable[str]) -> list[str]:
    """Distinct sentences of a corpus and of the data sets, none used for measuring. Raises InputError."""
    hidden = set(map(normalise, set_aside))
    texts = [sentence.text for argument in open_corpus(str(where)) for sentence in argument.sentences]
    # Talk has lost its function words, and with them the neighbours from which a word's meaning is learned.
    texts += [example.text for example in labelled if example.source != "talk"]
    texts += [example.text for example in read_iam(data / "iam/evidence-dev.tsv", "E", "evidence-dev")]
    texts += read_table(data / "ibm-claim-stance/claim-stance.csv", "claims.claimOriginalText", str)
    texts += read_table(data / "ibm-argq/args-5.3k.tsv", "argument", str)
    path = data / "perspectrum/perspective-pool.json"
    with published(path):
        texts += [str(perspective["text"]) for perspective in read_json(path)]
    return [text for text in dict.fromkeys(texts) if normalise(text) not in hidden]


def _training_rows(data: Path) -> Iterator[Example]:
    yield from read_iam(data / "iam/claims-dev.tsv", "C", "claims-dev")
    yield from read_iam(data / "iam/stance-train.tsv", "C", "stance-train")
    for text, topic in read_table(data / "argkp2021/arguments_train.csv", "argument topic", _cells):
        yield Example(text, True, "argkp", "argkp " + topic)
    for topic, *texts in read_table(data / "ibm-eviconv/train.csv", "topic evidence_1 evidence_2", _cells):
        for text in texts:
            yield Example(text, True, "eviconv", "eviconv " + topic)
    path = data / "argument-cleansing/negative-sentences-normalised.txt"
    for number, line in enumerate(read_lines(path)[::TALK_STEP]):
        # Talk has no topics; fifty made-up ones let it pass the threshold of topics and be split by fold.
        yield Example(line.strip(), False, "talk", f"talk {number % 50}")


def _cells(*cells: str) -> tuple[str, ...]:
    return cells


def read_iam(path: Path, positive: str, source: str) -> Iterator[Example]:
    """Rows of an IAM file: label, topic or claim, sentence, article; ``positive`` or O. Raises InputError."""
    labels = {positive: True, "O": False}
    for line in filter(str.strip, read_lines(path)):
        with published(path):
            label, _, text, article, *_ = line.split("\t")
            # The article's id is <topic>_<number>, with the same topics in all of IAM's files.
            example = Example(text, labels[label], source, "iam " + article.split("_")[0])
        yield example
