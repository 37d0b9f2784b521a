"""Choose the pairs, arguments or documents of runs to grade.

Depth pooling: the top of every run. Random choices and the order that graders see depend on hashes of the ids,
so that one more item in a topic changes nothing in other topics.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from features.core.feature import ItemKind
from ltr.corpora.base import Corpus
from ltr.corpora.source import find_topics
from ltr.data.ids import pair_key, parts_of
from ltr.data.qrels import Qrels
from ltr.data.runs import read_run
from ltr.data.topics import Topic, read_topics
from ltr.errors import InputError
from ltr.evaluation.rankings import rankings
from ltr.learning.data import merge_topics
from ltr.sample import SAMPLE

OFFICIAL_TEST = frozenset(map(str, range(1, 51)))
"""Numbers of Touché's test topics of 2020 to 2022, which must stay ungraded."""


class PooledPair(NamedTuple):
    """An item to grade; an anchor has a grade already and measures drift.

    ``pair`` is ``idA,idB``, or the id of an argument or a document.
    """

    topic: str
    pair: str
    anchor: bool = False


def select_pairs(
    runs: Sequence[Mapping[str, Sequence[str]]],
    graded: Mapping[str, Qrels],
    topics: Iterable[str],
    *,
    depth: int,
    deeper: int,
    seed: int,
) -> tuple[list[PooledPair], Counter[str]]:
    """Ungraded items of the first ``depth`` of any run, and ``deeper`` per topic from below, drawn at random.

    ``runs`` are rankings by topic, best first. An item counts as graded when every dimension of ``graded`` has it, in
    either order. Topics come in the order given, items in an order drawn by ``seed``; of a pair's two orders the
    first run's is shown. Counted are items in the ``top`` of any run, ``graded`` before, and drawn from ``deeper``.
    """
    chosen: list[PooledPair] = []
    counts = Counter(top=0, graded=0, deeper=0)
    for topic in topics:
        before = graded_pairs(graded, topic)
        top: dict[str, str] = {}
        rest: dict[str, str] = {}
        for run in runs:
            ranking: dict[str, str] = {}
            for pair in run.get(topic, ()):
                ranking.setdefault(pair_key(pair), pair)
            for rank, (key, pair) in enumerate(ranking.items()):
                (top if rank < depth else rest).setdefault(key, pair)
        below = [key for key in rest if key not in top and key not in before]
        extra = in_drawn_order(below, seed, topic, "deeper")[:deeper]
        new = {key: pair for key, pair in top.items() if key not in before} | {key: rest[key] for key in extra}
        chosen += [PooledPair(topic, new[key]) for key in in_drawn_order(new, seed, topic, "order")]
        counts.update(top=len(top), graded=len(top.keys() & before.keys()), deeper=len(extra))
    return chosen, counts


def propose(chosen: Sequence[PooledPair], runs: Sequence[Mapping[str, Sequence[str]]], count: int) -> list[PooledPair]:
    """The ``count`` items that runs rank highest, in the order of ``chosen``; ties by topic and id.

    An item counts the sum over runs of its discount in nDCG, 1 / log2(1 + rank). docs/laboratory.md has other orders.
    """
    worth: dict[tuple[str, str], float] = {}
    for run in runs:
        for topic, ranking in run.items():
            for rank, key in enumerate(dict.fromkeys(map(pair_key, ranking)), 1):
                worth[topic, key] = worth.get((topic, key), 0) + 1 / math.log2(1 + rank)
    keys = [(item.topic, pair_key(item.pair)) for item in chosen]
    first = {*sorted(keys, key=lambda key: (-round(worth[key], 9), key))[:count]}
    return [item for item, key in zip(chosen, keys, strict=True) if key in first]


def add_anchors(
    chosen: Sequence[PooledPair],
    graded: Mapping[str, Qrels],
    usable: Container[tuple[str, str]],
    *,
    count: int,
    seed: int,
) -> list[PooledPair]:
    """``chosen`` with ``count`` graded items of ``usable`` texts (topic, id) mixed into every topic, in drawn order."""
    by_topic: dict[str, dict[str, PooledPair]] = {}
    for item in chosen:
        by_topic.setdefault(item.topic, {})[pair_key(item.pair)] = item
    mixed = []
    for topic, items in by_topic.items():
        before = graded_pairs(graded, topic)
        keys = [key for key in before if key not in items and all((topic, id_) in usable for id_ in parts_of(key))]
        for key in in_drawn_order(keys, seed, topic, "anchor")[:count]:
            items[key] = PooledPair(topic, before[key], anchor=True)
        mixed += [items[key] for key in in_drawn_order(items, seed, topic, "order")]
    return mixed


def graded_pairs(graded: Mapping[str, Qrels], topic: str) -> dict[str, str]:
    """The items of a topic that have a grade in every dimension of ``graded``: `pair_key` -> item as it was graded."""
    parts = [{pair_key(pair): pair for pair in qrels.get(topic, ())} for qrels in graded.values()]
    return {key: pair for key, pair in parts[0].items() if all(key in part for part in parts)} if parts else {}


def in_drawn_order(keys: Iterable[str], seed: int, *salt: str) -> list[str]:
    """``keys`` in an order that looks random and depends on each key, the seed and the salt alone."""
    return sorted(keys, key=lambda key: hashlib.sha256("\n".join((str(seed), *salt, key)).encode()).digest())


def read_rankings(path: Path, numbers: Collection[str], kind: ItemKind = "pair") -> dict[str, list[str]]:
    """A run of such items as rankings by topic, in the order that measures use. Raises InputError."""
    ranked = rankings(read_run(path, kind))
    for topic in ranked:
        if topic not in numbers:
            raise InputError(path, f"topic {topic} is in no topics file", "name the file that has it")
    return ranked


def topics_to_grade(paths: Sequence[Path], corpus: Corpus, allowed: Collection[str]) -> dict[str, Topic]:
    """The topics of the files, or the corpus's own, by number; none may be an official test topic. Raises InputError.

    A number from 1 to 50 is taken for one of those, unless it is ``allowed`` or the topic is one of the sample.
    """
    known = {(topic.number, topic.title) for path in SAMPLE.rglob("topics*.xml") for topic in read_topics(path)}
    topics = {topic.number: topic for topic in (merge_topics(paths) if paths else find_topics(corpus))}
    for number, topic in topics.items():
        if number.lstrip("0") in OFFICIAL_TEST and (number, topic.title) not in known and number not in allowed:
            what = "this is the number of an official test topic, which stays ungraded"
            raise InputError(f"topic {number}", what, f"remove it, or add --allow-topics {number} if it is your own")
    return topics
