"""Builders of the small objects that tests of features, rankers and lists need.

Everything is counted here from plain texts, with dictionaries and loops, apart from the code under test.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from features.core.describe import TextValues, describe
from features.core.feature import FEATURES, ItemKind
from features.core.statistics import CollectionStatistics, UnitStatistics, term_hash
from features.core.tables import SOURCE, ArgumentTable, Context, PairTable, SentenceTable
from features.core.text import Analyzer, normalise
from features.pair.similarity import near_duplicate_clusters
from ltr.data.topics import Topic
from ltr.ranking.candidates import Candidates, item_frame
from support.encoders import with_meaning

ANALYZER = Analyzer()


def make_part(features: pd.DataFrame, groups: Any, some: Sequence[int] = ()) -> Candidates:
    """What rankers see of a table, and nothing more; ``some`` are the rows of the head."""
    qid = np.repeat(np.arange(len(groups)), groups)
    head = {"head": np.isin(np.arange(len(features)), some)} if len(some) else {}
    return Candidates(features.reset_index(drop=True).assign(qid=qid, **head))


@dataclass(frozen=True)
class Source:
    """An argument as plain texts; an empty conclusion is none."""

    id: str
    stance: str
    conclusion: str
    premises: tuple[str, ...]
    title: str = "Uniforms for schools"

    @property
    def texts(self) -> list[str]:
        return [*self.premises, *([self.conclusion] if self.conclusion else [])]

    @property
    def ids(self) -> list[str]:
        ids = [f"{self.id}__PREMISE__{number}" for number in range(1, len(self.premises) + 1)]
        return [*ids, *([f"{self.id}__CONC__1"] if self.conclusion else [])]


CORPUS = (
    Source(
        "S1-A1",
        "PRO",
        "School uniforms should be mandatory",
        (
            "School uniforms reduce bullying, because nobody can be judged by the price of clothes.",
            "According to a 2014 study [1], uniforms cut absences by 12 percent (Smith, 2014).",
            "Why not?",
            "It is what it is.",
        ),
    ),
    Source(
        "S1-A2",
        "CON",
        "School uniforms should be mandatory",
        (
            "School uniforms reduce bullying, because nobody can be judged by the price of clothes.",
            "My opponent did NOT answer my contention; vote con!!!",
            "Students don't express themselves when the school tells them what they wear.",
        ),
    ),
    Source("S2-A3", "PRO", "", ("", "Uniforms for every school in the country cost parents money.")),
    Source(
        "S2-A4",
        "",
        "Éducation naïve – 学校の制服",
        ("VOTING MACHINES ARE UNSAFE AND NOBODY CHECKS THEM, see http://example.org/a?b=c.", "1. 2. 3."),
    ),
    Source(
        "S3-A5",
        "CON",
        "Vote by machine",
        (
            "The price of the clothes by which nobody judged can be: uniforms reduce school bullying.",
            "Machines count votes faster than people count votes, votes, votes.",
        ),
    ),
    Source("S3-A6", "PRO", "Vote by machine", ("A machine.",)),
)
TITLE = "Should school uniforms be mandatory?"


def make_statistics(corpus: Sequence[Source]) -> CollectionStatistics:
    """Frequencies of the corpus, and made-up latent vectors for every other term."""
    terms = ANALYZER.terms
    units = {
        "sentence": [terms(text) for source in corpus for text in source.texts],
        "argument": [[term for text in source.texts for term in terms(text)] for source in corpus],
        "conclusion": [terms(source.conclusion) for source in corpus if source.conclusion],
    }
    known = sorted({term for text in units["sentence"] for term in text}, key=term_hash)
    hashes = np.array([term_hash(term) for term in known], np.uint64)
    vectors = np.random.default_rng(7).normal(size=(len(known), 3)).astype(np.float32)
    counted = {}
    for unit, texts in units.items():
        df = Counter(term for text in texts for term in set(text))
        cf = Counter(term for text in texts for term in text)
        counted[unit] = UnitStatistics(
            size=len(texts),
            tokens=sum(map(len, texts)),
            df=np.array([df[term] for term in known], np.int64),
            cf=np.array([cf[term] for term in known], np.int64),
        )
    return CollectionStatistics(hashes, counted, hashes[::2], vectors[::2])


def make_context(
    corpus: Sequence[Source] = CORPUS,
    title: str = TITLE,
    pairs: Sequence[tuple[int, int]] | None = None,
    statistics: CollectionStatistics | None = None,
) -> Context:
    """Every sentence of the corpus is a candidate; without ``pairs``, so is each pair, every third one reversed."""
    texts = [text for source in corpus for text in source.texts]
    owner = [number for number, source in enumerate(corpus) for _ in source.texts]
    terms = [ANALYZER.terms(text) for text in texts]
    exact = [term_hash(normalise(text) or text) for text in texts]
    near = [
        term_hash(" ".join(sorted(set(found))) or normalise(text) or text)
        for found, text in zip(terms, texts, strict=True)
    ]
    debates = [normalise(source.conclusion) for source in corpus]
    sentences = SentenceTable(
        text=texts,
        terms=terms,
        argument=np.array(owner, np.int64),
        index=np.array([place for source in corpus for place in range(len(source.texts))], np.int64),
        is_conclusion=np.array(["__CONC__" in name for source in corpus for name in source.ids], np.bool_),
        near_count=np.array([near.count(key) for key in near], np.int64),
        exact_key=np.array(exact, np.uint64),
        near_key=np.array(near, np.uint64),
    )
    arguments = ArgumentTable(
        id=[source.id for source in corpus],
        stance=[source.stance for source in corpus],
        sentences=[[ANALYZER.terms(text) for text in source.texts] for source in corpus],
        text=["\n".join(source.texts) for source in corpus],
        conclusion=[ANALYZER.terms(source.conclusion) for source in corpus],
        conclusion_text=[source.conclusion for source in corpus],
        title=[ANALYZER.terms(source.title) for source in corpus],
        title_text=[source.title for source in corpus],
        page=np.unique([source.id.rpartition("-A")[0] for source in corpus], return_inverse=True)[1],
        conclusion_count=np.array([debates.count(debate) if debate else 0 for debate in debates], np.int64),
        source=np.array([[row + 1, 9 - row, *[np.nan] * (len(SOURCE) - 2)] for row in range(len(corpus))]).reshape(
            -1, len(SOURCE)
        ),
    )
    if pairs is None:
        every = list(combinations(range(len(texts)), 2))
        pairs = [pair[::-1] if number % 3 == 0 else pair for number, pair in enumerate(every)]
    context = Context(
        title,
        ANALYZER.distinct(title),
        sentences,
        arguments,
        make_pairs(pairs),
        statistics or make_statistics(corpus),
        dict(TextValues(texts)),
    )
    return with_meaning(context)


def make_documents(texts: Sequence[Sequence[str]], title: str = "") -> Context:
    """A topic whose candidates are documents, each given as its sentences."""
    return make_context([Source(f"d{n}", "", "", tuple(own)) for n, own in enumerate(texts)], title, [])


def of_arguments(arguments: Sequence[Source], title: str, *rest: Source) -> Context:
    """A topic with these arguments as candidates; the collection holds the ``rest``, too."""
    return make_context(arguments, title, [], make_statistics([*arguments, *rest]))


def compute(name: str, context: Context) -> np.ndarray[Any, Any]:
    """The values of a feature as it computes them, before rounding and lifting."""
    return np.asarray(FEATURES.find(name).compute(context), np.float64)


def make_pairs(pairs: Sequence[tuple[int, int]]) -> PairTable:
    rows = np.array(pairs, np.int64).reshape(-1, 2)
    return PairTable(rows[:, 0], rows[:, 1])


def with_pairs(context: Context, order: Sequence[int]) -> Context:
    """The same topic with other rows of its pair table."""
    first, second = context.pairs.first, context.pairs.second
    return replace(context, pairs=PairTable(first[list(order)], second[list(order)]))


def described(items: pd.DataFrame, features: pd.DataFrame) -> pd.DataFrame:
    """Items with their features."""
    return pd.concat([items, features], axis=1)


def make_block(topic: str, context: Context, corpus: Sequence[Source] = CORPUS) -> Candidates:
    """The described pairs of a context made from ``corpus``."""
    ids = [name for source in corpus for name in source.ids]
    sides = [context.arguments.stance[owner] for owner in context.sentences.argument]
    first, second = context.pairs.first, context.pairs.second
    clusters = near_duplicate_clusters(context.sentence_counts, context.sentences.exact_key)
    agreed = [sides[i] if sides[i] and sides[i] == sides[j] else "Q0" for i, j in zip(first, second, strict=True)]
    texts = context.sentences.near_key
    parts = [([ids[i] for i in side], clusters[side], texts[side]) for side in (first, second)]
    return Candidates.of_topic(Topic(topic, topic), described(item_frame(parts, agreed), describe(context)))


def make_table() -> Candidates:
    """Three topics over the small corpus, every registered feature described; a copy that may be changed."""
    return deepcopy(_table())


def make_argument_table(
    corpus: Sequence[Source] = CORPUS,
    *titles: str,
    statistics: CollectionStatistics | None = None,
    kind: ItemKind = "argument",
) -> Candidates:
    """Topics 1, 2, ... with all arguments of the corpus described, as such or as documents."""
    blocks = []
    for topic, title in enumerate(titles or (TITLE, "Is voting by machine safe?"), 1):
        context = make_context(corpus, title, pairs=[(0, 1)], statistics=statistics)
        texts = [term_hash(text) for text in context.arguments.text]
        items = item_frame([(context.arguments.id, range(len(corpus)), texts)], ["Q0"] * len(corpus))
        items = described(items, describe(context, kind))
        blocks.append(Candidates.of_topic(Topic(str(topic), title), items, kind=kind))
    return Candidates.concat(blocks, kind)


@cache
def _table() -> Candidates:
    titles = {"3": TITLE, "10": "Is voting by machine safe?", "2": "Do clothes have a price?"}
    every = list(combinations(range(sum(len(source.texts) for source in CORPUS)), 2))
    return Candidates.concat(
        [
            make_block(topic, make_context(title=title, pairs=every[skip :: skip + 1]))
            for skip, (topic, title) in enumerate(titles.items())
        ]
    )


Pair = tuple[str, str]


def plain_block(
    topic: str,
    pairs: Sequence[Pair],
    columns: Mapping[str, Sequence[float]] | None = None,
    *,
    clusters: Mapping[str, int] | None = None,
    stance: str = "PRO",
) -> Candidates:
    """Pairs of sentence ids with given columns; sentences are all different unless ``clusters`` says so."""
    numbers: dict[str, int] = {}
    clusters = clusters or {}

    def keys(ids: list[str]) -> np.ndarray:
        found = [clusters.get(name, 1_000_000 + numbers.setdefault(name, len(numbers))) for name in ids]
        return np.array(found, np.int64)

    sides = [[pair[0] for pair in pairs], [pair[1] for pair in pairs]]
    parts = [(side, keys(side), [term_hash(topic + name) for name in side]) for side in sides]
    values = columns or {"x": np.zeros(len(pairs))}
    features = pd.DataFrame({name: np.array(column, np.float32) for name, column in values.items()})
    return Candidates.of_topic(Topic(topic, topic), described(item_frame(parts, [stance] * len(pairs)), features))


def plain_table(
    topics: Mapping[str, Sequence[Pair]], columns: Mapping[str, Sequence[float]] | None = None
) -> Candidates:
    """`plain_block` for each topic; ``columns`` run over all pairs in the order given."""
    blocks, start = [], 0
    for topic, pairs in topics.items():
        rows = slice(start, start + len(pairs))
        part = {name: list(values)[rows] for name, values in columns.items()} if columns else None
        blocks.append(plain_block(topic, pairs, part))
        start += len(pairs)
    return Candidates.concat(blocks)


def of_topic(table: Candidates, topic: str) -> Candidates:
    """The table of one of the topics."""
    return table[table["qid"] == topic]
