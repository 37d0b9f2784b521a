"""Claims and arguments with their stance toward a topic, from published data sets; topics that are alike are one."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from experiments.learned.debate_data import AGAIN, read_table
from features.core.text import STOP_WORDS, normalise, words
from features.learned.claims import polarity_of, stem
from ltr.data.columns import decode, read_bytes
from ltr.errors import InputError

MEASURED = ("claim-stance", "iam", "perspectrum")
"""Data sets that figures are on; the others only train."""

ALIKE, INSIDE = 0.5, 0.75
"""Topics are alike where they share so much of the words of both, or two words and so much of the shorter one."""

_ANYBODY = frozenset(map(stem, "house believes world countries states government people citizens public law".split()))
"""Stems that say nothing of what a topic is about."""


@dataclass(frozen=True)
class Stance:
    """A text that is for or against what a question, or a motion, asks."""

    question: str
    text: str
    side: int
    """1 for, -1 against"""
    source: str
    topic: int
    """equal for questions that are alike, in whatever data set"""


def read_stances(data: Path, others: Iterable[str]) -> tuple[list[Stance], int]:
    """All texts, each once, without topics like those of ``others``; and how many texts that left out.

    Raises InputError.
    """
    rows: dict[tuple[str, str], tuple[str, str, int, str]] = {}
    for row in _rows(data):
        rows.setdefault((normalise(row[0]), normalise(row[1])), row)
    questions = list(dict.fromkeys(row[0] for row in rows.values()))
    keys, held = list(map(topic_words, questions)), list(map(topic_words, others))
    topics = dict(zip(questions, _linked(keys), strict=True))
    hidden = {q for q, key in zip(questions, keys, strict=True) if any(alike(key, other) for other in held)}
    found = [Stance(*row, topics[row[0]]) for row in rows.values() if row[0] not in hidden]
    return found, len(rows) - len(found)


def topic_words(title: str) -> frozenset[str]:
    """The stems of what a title is about; what is to be done about it, praise and blame only where nothing else is."""
    stems = {stem(word): polarity_of(word) for word in words(title) if word not in STOP_WORDS}
    about = frozenset(term for term, said in stems.items() if not said and term not in _ANYBODY)
    return about or frozenset(stems)


def alike(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether two titles are about the same."""
    shared = len(one & other)
    return shared > 0 and (
        shared >= ALIKE * len(one | other) or (shared > 1 and shared >= INSIDE * min(len(one), len(other)))
    )


def _linked(keys: Sequence[frozenset[str]]) -> list[int]:
    """A number for each title, equal for those that are alike and for those between."""
    import numpy as np
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    pairs = [(i, j) for i, one in enumerate(keys) for j, other in enumerate(keys[:i]) if alike(one, other)]
    rows, columns = np.array(pairs or [(0, 0)]).T
    graph = coo_matrix((np.ones(len(rows)), (rows, columns)), (len(keys), len(keys)))
    return [int(label) for label in connected_components(graph, directed=False)[1]]


def _rows(data: Path) -> Iterator[tuple[str, str, int, str]]:
    signs = {"PRO": 1, "CON": -1, "1": 1, "-1": -1, "in favor of": 1, "against": -1}
    columns = ("topicText", "claims.claimCorrectedText", "claims.stance")
    tables = [("ibm-claim-stance/claim-stance.csv", columns, "claim-stance")]
    for part in ("train", "dev", "test"):
        tables += [(f"argkp2021/arguments_{part}.csv", ("topic", "argument", "stance"), "argkp")]
        tables += [(f"argkp2021/key_points_{part}.csv", ("topic", "key_point", "stance"), "argkp")]
    tables += [("ibm-argq/args-6.3k.tsv", ("topic", "argument", "stance"), "argq")]
    for part in ("training", "validation", "test"):
        tables += [(f"valueeval23/arguments-{part}.tsv", ("Conclusion", "Premise", "Stance"), "valueeval")]
    yield from _perspectives(data / "perspectrum")
    for part in ("train", "dev", "test"):
        path = data / f"iam/stance-{part}.tsv"
        for number, line in enumerate(decode(path, read_bytes(path)).splitlines(), 1):
            fields = line.split("\t")
            if len(fields) != 5 or fields[4] not in ("1", "-1"):
                raise InputError(
                    path, f"row {number} is not 'C, topic, sentence, article, 1 or -1' between tabs", AGAIN
                )
            yield fields[1], fields[2], int(fields[4]), "iam"
    for name, columns, source in tables:
        for question, text, side in read_table(data / name, columns):
            if side not in signs:
                raise InputError(data / name, f"{side!r} is no stance", AGAIN)
            yield question, text, signs[side], source


def _perspectives(folder: Path) -> Iterator[tuple[str, str, int, str]]:
    sides = {"SUPPORT": 1, "UNDERMINE": -1}
    try:
        pool, claims = (
            json.loads(decode(path, read_bytes(path)))
            for path in (folder / "perspective-pool.json", folder / "claims-perspectives.json")
        )
        texts = {one["pId"]: str(one["text"]) for one in pool}
        for claim in claims:
            for one in claim["perspectives"]:
                for name in one["pids"] if one["stance_label_3"] in sides else ():
                    yield str(claim["text"]), texts[name], sides[one["stance_label_3"]], "perspectrum"
    except (ValueError, TypeError, KeyError):
        raise InputError(folder, "is not Perspectrum's JSON", AGAIN) from None
