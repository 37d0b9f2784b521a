"""People's preferences between arguments, as pairs (better, worse), read from the published data sets.

Two texts of a pair are on one topic and, where the data have it, one stance, so that a preference is for the argument
and not for its side. Absolute scores become pairs too: two scores compare only within one file.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from experiments.published import plain_text, read_table
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

_ORDER = {"a1": 1, "1": 1, "a2": -1, "2": -1}
_PARTNERS = 4
_LEAST_GAP = 0.2
_RUN = 8
"""Two texts that share this many words in a row share a sentence, or nearly one."""
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
    return [
        *read_preferences(data, "argq-pairs"),
        *rank(read_argq_scores(data), "argq-scores", random.Random(seed)),
        *read_preferences(data, "ukp-pairs"),
        *read_preferences(data, "eviconv"),
        *rank(read_appropriateness(data), "appropriateness", random.Random(seed)),
    ]


def read_preferences(data: Path, source: str) -> list[Pair]:
    """Pairs of a source, by the columns of `PREFERENCES`: topic, the better of two, both texts. Raises InputError."""

    def pair(topic: str, label: str, *texts: str) -> Pair:
        better, worse = map(plain_text, texts[:: _ORDER[label]])
        # UKPConvArg's topics end in the side: this-or-that_this.
        return Pair(better, worse, source, (topic_key(topic.partition("_")[0].replace("-", " ")),))

    columns, *files = PREFERENCES[source]
    return [row for file in files for row in read_table(data / file, columns, pair)]


def read_argq_scores(data: Path) -> list[Rated]:
    """IBM ArgQ: the share of annotators who would use an argument; the two files were rated apart."""

    def rated(topic: str, stance: str, rank: str, text: str) -> Rated:
        key = topic_key(topic)
        return Rated(plain_text(text), _share(rank), f"{name} {key} {stance} {topic}", key)

    rows = []
    for name in ("5.3k", "6.3k"):
        rows += read_table(data / f"ibm-argq/args-{name}.tsv", "topic stance rank argument", rated)
    return rows


def read_appropriateness(data: Path) -> list[Rated]:
    """Ziegenbein et al. 2023: minus the share of annotators who found the text inappropriate."""

    def rated(portal: str, issue: str, text: str, share: str) -> Rated:
        # Most issues have one text, so texts compare within the portal that they come from.
        return Rated(plain_text(text), -_share(share), portal, topic_key(issue))

    path = data / "appropriateness/appropriateness-mean.csv"
    return read_table(path, "source_dataset issue post_text Inappropriateness", rated)


def rank(rated: Sequence[Rated], source: str, draw: random.Random) -> Iterator[Pair]:
    """Pairs of each text with a few others of its group, where the scores differ clearly; weight: the difference."""
    groups: dict[str, list[Rated]] = defaultdict(list)
    for text in rated:
        groups[text.group].append(text)
    for group in groups.values():
        for first in group:
            for second in draw.sample(group, min(_PARTNERS, len(group))):
                low, high = sorted((second, first), key=lambda text: text.score)
                if (gap := high.score - low.score) >= _LEAST_GAP:
                    yield Pair(high.text, low.text, source, (high.topic, low.topic), gap)


def judged_runs(folder: Path) -> set[str]:
    """Runs of words of the arguments that ``qrels-*.qrels`` judge, from the corpus in the same folder.

    Only the ids are read, never the grades. Raises InputError.
    """
    files = sorted(folder.glob("qrels-*.qrels"))
    if not files:
        raise InputError(folder, "there is no qrels-*.qrels in it", "name the folder of the judged collection")
    judged = {document for path in files for grades in read_qrels(path).values() for document in grades}
    arguments = ([text for _, text in a.sentences] for a in open_corpus(str(folder)) if a.id in judged)
    return {run for texts in arguments for text in (*texts, " ".join(texts)) for run in runs(text)}


def leave_out(pairs: Sequence[Pair], hidden: set[str]) -> list[Pair]:
    """The pairs without those of which a text shares a run of words with ``hidden``."""
    texts = dict.fromkeys(text for pair in pairs for text in (pair.better, pair.worse))
    copied = {text for text in texts if hidden and not hidden.isdisjoint(runs(text))}
    return [pair for pair in pairs if not copied & {pair.better, pair.worse}]


def runs(text: str) -> Iterator[str]:
    """Every eight normalised words in a row; a shorter text is one run."""
    tokens = words(text)
    for start in range(max(len(tokens) - _RUN, 0) + 1):
        yield " ".join(tokens[start : start + _RUN])


def topic_key(topic: str) -> str:
    """The words that name a topic, without policy words."""
    return " ".join(word for word in words(topic) if word not in STOP_WORDS and word not in _POLICY)


def _share(text: str) -> float:
    if not 0 <= (value := float(text)) <= 1:
        raise ValueError(f"{text} is not a share")
    return value
