"""People's preferences between arguments, as pairs (better, worse), read from the published data sets.

Two texts of a pair are on one topic and, where the data have it, one stance, so that a preference is for the argument
and not for its side. Absolute scores become pairs too: two scores compare only within one file.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from experiments.learned.similar import runs
from experiments.learned.tables import AGAIN, one_of, read_table
from features.core.text import STOP_WORDS, words
from ltr.corpora.source import open_corpus
from ltr.data.qrels import read_qrels
from ltr.errors import InputError

PREFERENCES = {
    "argq-pairs": ("topic label a1 a2", "ibm-argq/pairs-9.1k.tsv", "ibm-argq/pairs-14k.tsv"),
    "ukp-pairs": ("debate_side more_convincing a1 a2", "ukpconvarg/strict-pairs.tsv"),
    "eviconv": ("topic label evidence_1 evidence_2", "ibm-eviconv/train.csv"),
    "eviconv-test": ("topic label evidence_1 evidence_2", "ibm-eviconv/test.csv"),
}
"""Source -> its columns and files; no topic of EviConv is in both of its splits."""

_PARTNERS = 4
_LEAST_GAP = 0.2
_TAG = re.compile(r"<br\s*/?>")
_QUOTED = re.compile(r'"(.*)"', re.DOTALL)
# Policy words are left out of the key of a topic, so that both sides of a debate are one topic.
_POLICY = frozenset(
    "abandon abolish adopt allow ban banned brings cancel discourage end fight further exploit good harm increase "
    "introduce legalize limit lower prohibit promote protect protected subsidize support abandoned mandatory".split()
)


class Pair(NamedTuple):
    """Two texts of which people found the first better. ``topics`` are the keys of their subjects."""

    better: str
    worse: str
    source: str
    topics: tuple[str, ...]
    weight: float = 1.0


class Rated(NamedTuple):
    """A text with its score; the higher the better, comparable within one ``group``."""

    text: str
    score: float
    group: str
    topic: str


def read_pairs(data: Path, seed: int) -> list[Pair]:
    """Every pair to learn from, one source after the other. Raises InputError."""
    rated = read_argq_scores(data)
    return [
        *read_preferences(data, "argq-pairs"),
        *rank(rated, "argq-scores", random.Random(seed)),
        *read_preferences(data, "ukp-pairs"),
        *read_preferences(data, "eviconv"),
        *rank(read_appropriateness(data), "appropriateness", random.Random(seed)),
    ]


def read_preferences(data: Path, source: str) -> Iterator[Pair]:
    """Pairs as `PREFERENCES` places them: topic, the better of two (a1 or 1, a2 or 2), both texts."""
    columns, *files = PREFERENCES[source]
    for path in (data / file for file in files):
        for topic, label, *sides in read_table(path, columns.split()):
            first, second = map(clean, sides)
            better, worse = (
                (first, second) if one_of(path, label, ("1", "a1", "2", "a2"))[-1] == "1" else (second, first)
            )
            # UKPConvArg's topics end in the side: this-or-that_this.
            yield Pair(better, worse, source, (topic_key(topic.split("_")[0].replace("-", " ")),))


def read_argq_scores(data: Path) -> list[Rated]:
    """IBM ArgQ: the share of annotators who would use an argument; the two files were rated apart."""
    found = []
    for name in ("5.3k", "6.3k"):
        path = data / f"ibm-argq/args-{name}.tsv"
        for topic, stance, rank, text in read_table(path, ("topic", "stance", "rank", "argument")):
            key = topic_key(topic)
            found.append(Rated(clean(text), _share(path, rank), f"{name} {key} {stance} {topic}", key))
    return found


def read_appropriateness(data: Path) -> list[Rated]:
    """Ziegenbein et al. 2023: minus the share of annotators who found the text inappropriate."""
    path = data / "appropriateness/appropriateness-mean.csv"
    rows = read_table(path, ("source_dataset", "issue", "post_text", "Inappropriateness"))
    # Most issues have one text, so texts compare within the portal that they come from.
    return [Rated(clean(text), -_share(path, share), portal, topic_key(issue)) for portal, issue, text, share in rows]


def rank(rated: Sequence[Rated], source: str, draw: random.Random) -> Iterator[Pair]:
    """Pairs of each text with a few others of its group, where the scores differ clearly; weight: the difference."""
    groups: dict[str, list[Rated]] = defaultdict(list)
    for one in rated:
        groups[one.group].append(one)
    for group in groups.values():
        for one in group:
            for other in draw.sample(group, min(_PARTNERS, len(group))):
                gap = one.score - other.score
                if abs(gap) >= _LEAST_GAP:
                    high, low = (one, other) if gap > 0 else (other, one)
                    yield Pair(high.text, low.text, source, (high.topic, low.topic), abs(gap))


def judged_runs(folder: Path) -> set[str]:
    """Runs of words of the arguments that ``qrels-*.qrels`` judge, from the corpus in the same folder.

    Only the ids are read, never the grades. Raises InputError.
    """
    files = sorted(folder.glob("qrels-*.qrels"))
    if not files:
        raise InputError(folder, "there is no qrels-*.qrels in it", "name the folder of the judged collection")
    judged = {document for path in files for grades in read_qrels(path).values() for document in grades}
    found: set[str] = set()
    for argument in open_corpus(str(folder)):
        if argument.id in judged:
            found.update(run for _, text in argument.sentences for run in runs(text))
            found.update(runs(" ".join(text for _, text in argument.sentences)))
    return found


def leave_out(pairs: Sequence[Pair], hidden: set[str]) -> list[Pair]:
    """The pairs without those of which a text shares a run of words with ``hidden``."""
    texts = dict.fromkeys(text for pair in pairs for text in (pair.better, pair.worse))
    copied = {text for text in texts if hidden and not hidden.isdisjoint(runs(text))}
    return [pair for pair in pairs if not copied & {pair.better, pair.worse}]


def topic_key(topic: str) -> str:
    """The words that name a topic, without policy words."""
    return " ".join(word for word in words(topic) if word not in STOP_WORDS and word not in _POLICY)


def clean(text: str) -> str:
    """The text without tags for new lines and without the quotation marks of its field."""
    if quoted := _QUOTED.fullmatch(text):
        text = quoted[1].replace('""', '"')
    return _TAG.sub(" ", text).strip()


def _share(path: Path, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise InputError(path, f"has {text[:40]!r} where a share from 0 to 1 is due", AGAIN)
    return value
