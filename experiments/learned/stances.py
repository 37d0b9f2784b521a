"""Claims and arguments with their stance toward a topic, from published data sets; similar topics are one topic."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from experiments.learned.similar import linked
from experiments.learned.tables import AGAIN, one_of, read_json, read_lines, read_table
from features.core.text import STOP_WORDS, normalise, words
from features.language.claims import polarity_of
from features.learned.text_features import stem
from ltr.errors import InputError

MEASURED = ("claim-stance", "iam", "perspectrum")
"""Data sets that figures are on; the others only train."""

ALIKE, INSIDE = 0.5, 0.75
"""Topics are alike where they share this much of the words of both, or two words and this much of the shorter one."""

_ANYBODY = frozenset(map(stem, "house believes world countries states government people citizens public law".split()))
"""Stems that say nothing about the subject of a topic."""
_SIDES = {"PRO": 1, "CON": -1, "1": 1, "-1": -1, "in favor of": 1, "against": -1, "SUPPORT": 1, "UNDERMINE": -1}
_TABLES = (
    ("claim-stance", "topicText claims.claimCorrectedText claims.stance", "ibm-claim-stance/claim-stance.csv"),
    *(
        ("argkp", f"topic {column} stance", f"argkp2021/{column}s_{part}.csv")
        for part in ("train", "dev", "test")
        for column in ("argument", "key_point")
    ),
    ("argq", "topic argument stance", "ibm-argq/args-6.3k.tsv"),
    *(
        ("valueeval", "Conclusion Premise Stance", f"valueeval23/arguments-{part}.tsv")
        for part in ("training", "validation", "test")
    ),
)
"""Source, columns, file."""


class Stance(NamedTuple):
    """A text that is for or against the claim of a question, or of a motion."""

    question: str
    text: str
    side: int
    """1 for, -1 against"""
    source: str
    topic: int
    """equal for similar questions, in whatever data set"""


def read_stances(data: Path, others: Iterable[str]) -> tuple[list[Stance], int]:
    """All texts, each once, without topics like those of ``others``; and how many texts that left out.

    Raises InputError.
    """
    rows: dict[tuple[str, str], tuple[str, str, int, str]] = {}
    for row in _rows(data):
        rows.setdefault((normalise(row[0]), normalise(row[1])), row)
    questions = list(dict.fromkeys(row[0] for row in rows.values()))
    keys, held = list(map(topic_words, questions)), list(map(topic_words, others))
    pairs = [(i, j) for i, one in enumerate(keys) for j, other in enumerate(keys[:i]) if alike(one, other)]
    topics = dict(zip(questions, linked(len(keys), pairs), strict=True))
    hidden = {q for q, key in zip(questions, keys, strict=True) if any(alike(key, other) for other in held)}
    found = [Stance(*row, topics[row[0]]) for row in rows.values() if row[0] not in hidden]
    return found, len(rows) - len(found)


def topic_words(title: str) -> frozenset[str]:
    """The stems of a title's subject; policy words, praise and blame only where nothing else is left."""
    stems = {stem(word): polarity_of(word) for word in words(title) if word not in STOP_WORDS}
    about = frozenset(term for term, polarity in stems.items() if not polarity and term not in _ANYBODY)
    return about or frozenset(stems)


def alike(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether two titles have the same subject."""
    shared = len(one & other)
    return shared > 0 and (
        shared >= ALIKE * len(one | other) or (shared > 1 and shared >= INSIDE * min(len(one), len(other)))
    )


def _rows(data: Path) -> Iterator[tuple[str, str, int, str]]:
    yield from _perspectives(data / "perspectrum")
    for path in (data / f"iam/stance-{part}.tsv" for part in ("train", "dev", "test")):
        for number, line in enumerate(read_lines(path), 1):
            fields = line.split("\t")
            if len(fields) != 5 or fields[4] not in ("1", "-1"):
                what = f"row {number} is not 'C, topic, sentence, article, 1 or -1' between tabs"
                raise InputError(path, what, AGAIN)
            yield fields[1], fields[2], int(fields[4]), "iam"
    for source, columns, file in _TABLES:
        for question, text, side in read_table(data / file, columns.split()):
            yield question, text, _SIDES[one_of(data / file, side, _SIDES)], source


def _perspectives(folder: Path) -> Iterator[tuple[str, str, int, str]]:
    pool, claims = (read_json(folder / name) for name in ("perspective-pool.json", "claims-perspectives.json"))
    try:
        texts = {one["pId"]: str(one["text"]) for one in pool}
        for claim in claims:
            for one in claim["perspectives"]:
                for name in one["pids"] if one["stance_label_3"] in _SIDES else ():
                    yield str(claim["text"]), texts[name], _SIDES[one["stance_label_3"]], "perspectrum"
    except (TypeError, KeyError):
        raise InputError(folder, "is not Perspectrum's JSON", AGAIN) from None
