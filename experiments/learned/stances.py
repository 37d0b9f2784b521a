"""Claims and arguments with their stance toward a topic, from published data sets; similar topics are one topic."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from experiments.published import published, read_json, read_lines, read_table
from features.core.text import STOP_WORDS, normalise, words
from features.learned.linear_model import stem
from ltr.answers.claims import polarity_of

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
    keys, left_out = list(map(topic_words, questions)), list(map(topic_words, others))
    pairs = [(i, j) for i, first in enumerate(keys) for j, second in enumerate(keys[:i]) if alike(first, second)]
    links = np.array([(0, 0), *pairs], np.int64).T
    graph = coo_matrix((np.ones(links.shape[1]), links), shape=(len(keys), len(keys)))
    topics = dict(zip(questions, connected_components(graph, directed=False)[1].tolist(), strict=True))
    hidden = {q for q, key in zip(questions, keys, strict=True) if any(alike(key, other) for other in left_out)}
    stances = [Stance(*row, topics[row[0]]) for row in rows.values() if row[0] not in hidden]
    return stances, len(rows) - len(stances)


def topic_words(title: str) -> frozenset[str]:
    """The stems of a title's subject; policy words, praise and blame only where nothing else is left."""
    stems = {stem(word): polarity_of(word) for word in words(title) if word not in STOP_WORDS}
    about = frozenset(term for term, polarity in stems.items() if not polarity and term not in _ANYBODY)
    return about or frozenset(stems)


def alike(first: frozenset[str], second: frozenset[str]) -> bool:
    """Whether two titles have the same subject."""
    shared = len(first & second)
    return shared > 0 and (
        shared >= ALIKE * len(first | second) or (shared > 1 and shared >= INSIDE * min(len(first), len(second)))
    )


def _rows(data: Path) -> list[tuple[str, str, int, str]]:
    folder = data / "perspectrum"
    pool, claims = (read_json(folder / name) for name in ("perspective-pool.json", "claims-perspectives.json"))
    with published(folder):
        texts = {perspective["pId"]: str(perspective["text"]) for perspective in pool}
        clusters = [(str(claim["text"]), cluster) for claim in claims for cluster in claim["perspectives"]]
        rows = [
            (claim, texts[name], _SIDES[cluster["stance_label_3"]], "perspectrum")
            for claim, cluster in clusters
            if cluster["stance_label_3"] in _SIDES
            for name in cluster["pids"]
        ]
    for path in (data / f"iam/stance-{part}.tsv" for part in ("train", "dev", "test")):
        with published(path):
            for _, question, text, _, side in (line.split("\t") for line in read_lines(path)):
                rows.append((question, text, _SIDES[side], "iam"))
    for source, columns, file in _TABLES:
        table = read_table(data / file, columns, lambda question, text, side: (question, text, _SIDES[side]))
        rows += [(*row, source) for row in table]
    return rows
