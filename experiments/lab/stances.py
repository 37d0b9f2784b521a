"""Published texts that are for or against a claim, for `reading_examples`."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from experiments.published import published, read_iam, read_json, read_set
from features.core.text import STOP_WORDS, normalise, words
from features.learned.linear_model import stem
from ltr.answers.side_words import takes_side

ALIKE, INSIDE = 0.5, 0.75
"""Topics are alike where they share this much of the words of both, or two words and this much of the shorter one."""

_ANYBODY = frozenset(map(stem, "house believes world countries states government people citizens public law".split()))
"""Stems that say nothing about the subject of a topic."""
_SIDES = {"PRO": 1, "CON": -1, "1": 1, "-1": -1, "in favor of": 1, "against": -1, "SUPPORT": 1, "UNDERMINE": -1}


class Stance(NamedTuple):
    """A text that is for or against the claim of a question, or of a motion."""

    question: str
    text: str
    side: int
    """1 for, -1 against; 0 for neither in questions that were written for `reading_examples`"""
    source: str
    topic: str
    """the motion or resolution, by which texts are held out"""


def read_stances(data: Path, others: Iterable[str]) -> list[Stance]:
    """All texts, each once, without topics like those of ``others``. Raises InputError."""
    rows: dict[tuple[str, str], Stance] = {}
    for row in read_texts(data):
        rows.setdefault((normalise(row.question), normalise(row.text)), row)
    left_out = list(map(topic_words, others))
    questions = {row.question: topic_words(row.question) for row in rows.values()}
    hidden = {question for question, key in questions.items() if any(alike(key, other) for other in left_out)}
    return [row for row in rows.values() if row.question not in hidden]


def topic_words(title: str) -> frozenset[str]:
    """The stems of a title's subject; policy words, praise and blame only where nothing else is left."""
    stems = {stem(word): takes_side(word) for word in words(title) if word not in STOP_WORDS}
    about = frozenset(term for term, sided in stems.items() if not sided and term not in _ANYBODY)
    return about or frozenset(stems)


def alike(first: frozenset[str], second: frozenset[str]) -> bool:
    """Whether two titles have the same subject."""
    shared = len(first & second)
    return shared > 0 and (
        shared >= ALIKE * len(first | second) or (shared > 1 and shared >= INSIDE * min(len(first), len(second)))
    )


def read_texts(data: Path) -> list[Stance]:
    """All texts of the data sets."""
    rows: list[tuple[str, str, int, str]] = []
    folder = data / "perspectrum"
    pool, claims = (read_json(folder / name) for name in ("perspective-pool.json", "claims-perspectives.json"))
    with published(folder):
        texts = {perspective["pId"]: str(perspective["text"]) for perspective in pool}
        for claim in claims:
            for cluster in claim["perspectives"]:
                if side := _SIDES.get(cluster["stance_label_3"]):
                    rows += [(str(claim["text"]), texts[name], side, "perspectrum") for name in cluster["pids"]]
    for part in ("train", "dev", "test"):
        with published(data / f"iam/stance-{part}.tsv"):
            cells = read_iam(data, f"stance-{part}")
            rows += [(question, text, _SIDES[side], "iam") for _, question, text, _, side in cells]
    for source in ("claim-stance", "argkp", "argq", "valueeval"):
        cells = read_set(data, f"stances of {source}", lambda question, text, side: (question, text, _SIDES[side]))
        rows += [(*row, source) for row in cells]
    return [Stance(*row, row[0]) for row in rows]
