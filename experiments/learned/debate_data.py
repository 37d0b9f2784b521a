"""Tables of the published data sets, and the sentences behind ``argumentative``: to train with, or only to measure."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ltr.data.columns import decode, read_bytes
from ltr.errors import InputError

AGAIN = "download the file again"
TEST_FILES = (("claims-test", "C"), ("evidence-test", "E"))
TALK_STEP = 9
"""Of the 52,849 lines of mined talk every ninth is plenty beside 6,900 sentences of IAM."""


@dataclass(frozen=True)
class Example:
    """A sentence with its label, the data set and the topic that it comes from."""

    text: str
    label: bool
    source: str
    topic: str


def read_set_aside(data: Path) -> list[str]:
    """The sentences of the data sets that are only for measuring, whichever of them is measured on."""
    found = [e.text for name, positive in TEST_FILES for e in read_iam(data / f"iam/{name}.tsv", positive, name)]
    folder = data / "argument-cleansing"
    # Each line is ``text," text without stop words "``, the first field unquoted.
    talk = (line.rpartition(',"')[0].strip() for line in _lines(folder / "sample-sentences.csv"))
    found += filter(None, talk)
    for annotator in (1, 2, 3):
        found += (row[0] for row in read_table(folder / f"annotator-{annotator}.csv", ("Sentences",)))
    return found


def read_training(data: Path, set_aside: Iterable[str]) -> tuple[list[Example], int]:
    """Training examples without repetitions, and how many sentences were left out as also used for measuring."""
    from features.core.text import STOP_WORDS, normalise, words

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
    from features.core.text import normalise
    from ltr.corpora.source import open_corpus

    held = set(map(normalise, set_aside))
    found = dict.fromkeys(sentence.text for argument in open_corpus(str(where)) for sentence in argument.sentences)
    # Talk has lost its function words, and with them the neighbours that say what a word is.
    found |= dict.fromkeys(example.text for example in labelled if example.source != "talk")
    found |= dict.fromkeys(_unlabelled_rows(data))
    return [text for text in found if normalise(text) not in held]


def _unlabelled_rows(data: Path) -> Iterator[str]:
    for example in read_iam(data / "iam/evidence-dev.tsv", "E", "evidence-dev"):
        yield example.text
    for row in read_table(data / "ibm-claim-stance/claim-stance.csv", ("claims.claimOriginalText",)):
        yield row[0]
    for row in read_table(data / "ibm-argq/args-5.3k.tsv", ("argument",)):
        yield row[0]
    path = data / "perspectrum/perspective-pool.json"
    try:
        yield from (str(perspective["text"]) for perspective in json.loads(decode(path, read_bytes(path))))
    except (ValueError, TypeError, KeyError):
        raise InputError(path, "is not a JSON list of objects with a text", AGAIN) from None


def _training_rows(data: Path) -> Iterator[Example]:
    yield from read_iam(data / "iam/claims-dev.tsv", "C", "claims-dev")
    yield from read_iam(data / "iam/stance-train.tsv", "C", "stance-train")
    for row in read_table(data / "argkp2021/arguments_train.csv", ("argument", "topic")):
        yield Example(row[0], True, "argkp", "argkp " + row[1])
    for row in read_table(data / "ibm-eviconv/train.csv", ("topic", "evidence_1", "evidence_2")):
        for text in row[1:]:
            yield Example(text, True, "eviconv", "eviconv " + row[0])
    path = data / "argument-cleansing/negative-sentences-normalised.txt"
    for number, line in enumerate(_lines(path)[::TALK_STEP]):
        # Talk has no topics; fifty made-up ones let it pass the threshold of topics and be split by fold.
        yield Example(line.strip(), False, "talk", f"talk {number % 50}")


def read_iam(path: Path, positive: str, source: str) -> Iterator[Example]:
    """Rows of an IAM file: label, topic or claim, sentence, article; ``positive`` or O. Raises InputError."""
    for number, line in enumerate(_lines(path), 1):
        if not line.strip():
            continue
        fields = line.split("\t")
        if len(fields) < 4 or fields[0] not in (positive, "O"):
            what = f"row {number} is not '{positive} or O, topic, sentence, article' between tabs"
            raise InputError(path, what, AGAIN)
        # The article's id is <topic>_<number>, with the same topics in all of IAM's files.
        yield Example(fields[2], fields[0] == positive, source, "iam " + fields[3].split("_")[0])


def read_table(path: Path, columns: Sequence[str]) -> list[list[str]]:
    """Some columns of a table with a header: CSV, or .tsv, which has no quotes. Raises InputError."""
    file = io.StringIO(decode(path, read_bytes(path)))
    try:
        rows = list(
            csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
            if path.suffix == ".tsv"
            else csv.reader(file, strict=True)
        )
    except csv.Error as error:
        raise InputError(path, f"not CSV ({error})", AGAIN) from None
    header = [name.strip() for name in rows[0]]  # some carry a blank after the name
    if missing := [name for name in columns if name not in header]:
        raise InputError(path, f"no column {missing[0]!r}", AGAIN)
    places = [header.index(name) for name in columns]
    for number, row in enumerate(rows, 1):
        if len(row) <= max(places):
            raise InputError(path, f"record {number} has only {len(row)} fields", AGAIN)
    return [[row[place] for place in places] for row in rows[1:]]


def _lines(path: Path) -> list[str]:
    # str.splitlines would also split at the odd separators that stand inside sentences.
    return [line.rstrip("\r") for line in decode(path, read_bytes(path)).removesuffix("\n").split("\n")]
