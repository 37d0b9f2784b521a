"""What `experiments.choice` learns from: the pairs inside arguments that stand under headings of their own."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

from ltr.errors import InputError

if TYPE_CHECKING:  # slow to import, and --help should not wait for them
    import numpy.typing as npt
    import pandas as pd

    from features.tables import Context
    from ltr.candidates import TermCache
    from ltr.corpus import Corpus
    from ltr.index import Index
    from models.base import Scores

PREMISES = (4, 24)
PER_DEBATE = 4
HEADING_TERMS = 3
OTHERS = (3, 40)
"""Arguments of the debate under other headings: as many an argument needs, and so many are looked at."""

FOLDS = 5
"""Debates there have to be at least."""

BASELINES = ("first two", "two longest", "LexRank")
"""Ways of choosing that need no sign of `models.choice`."""

DAMPING = 0.85
ITERATIONS = 50


@dataclass(frozen=True)
class Headed:
    """An argument with its heading, as words, in a debate; ``row`` is that of the index."""

    row: int
    heading: str
    portal: str


@dataclass(frozen=True)
class Debate:
    """Arguments under one title; ``chosen`` are those to learn from."""

    title: str
    arguments: Sequence[Headed]
    chosen: Sequence[Headed]


@dataclass(frozen=True)
class Pairs:
    """The pairs of premises inside each argument; the rows of an argument stand together."""

    features: pd.DataFrame
    """(n_rows, n_columns) float32: the columns of the signs, and what baselines need."""
    gain: pd.DataFrame
    """(n_rows, n_targets): 0 for the mean pair of the argument, 1 for its best."""
    units: npt.NDArray[Any]
    """(n_rows,) number of the argument"""
    debate: npt.NDArray[Any]
    """(n_rows,) title"""
    portal: npt.NDArray[Any]
    """(n_rows,) host"""


def read_debates(corpus: Corpus, index: Index, marked: Sequence[Mapping[str, Any]], seed: int) -> list[Debate]:
    """Debates by title, each with a few arguments under headings of their own.

    Left out is every debate on a marked topic, every argument that shares a sentence with a marked one, and
    every copy. Raises InputError when too little is left.
    """
    from urllib.parse import urlsplit

    import numpy as np

    from features.text import normalise

    debates: dict[str, list[Headed]] = defaultdict(list)
    for row, argument in enumerate(corpus):
        found = Headed(row, normalise(argument.conclusion), urlsplit(argument.url).netloc)
        if found.heading:
            debates[normalise(argument.title)].append(found)
    avoided = {key for item in marked for key in _keys(index, item["row"])}
    for title in ["", *(normalise(item["topic"]) for item in marked)]:
        debates.pop(title, None)
    bodies: set[int] = set()
    rng = np.random.default_rng(seed)
    result = []
    for title, arguments in sorted(debates.items()):
        chosen: list[Headed] = []
        for place in rng.permutation(len(arguments)):
            one = arguments[place]
            body = int(index.column("body_key")[one.row])
            telling = one.heading != title and len(index.analyzer.distinct(one.heading)) >= HEADING_TERMS
            size = PREMISES[0] <= len(_premises(index, one.row)) <= PREMISES[1]
            if telling and size and body not in bodies and not avoided & _keys(index, one.row):
                bodies.add(body)
                chosen.append(one)
        if chosen:
            chosen = sorted(chosen[:PER_DEBATE], key=lambda one: one.row)
            result.append(Debate(title, arguments, chosen))
    if len(result) < FOLDS:
        what = f"has fewer than {FOLDS} debates with arguments under headings of their own"
        raise InputError(corpus.name, what, "name a corpus of debate portals")
    return result


def _premises(index: Index, argument: int) -> list[int]:
    return [row for row in index.sentence_rows(argument) if index.column("number")[row] > 0]


def _keys(index: Index, argument: int) -> set[int]:
    """What near-duplicate premises share."""
    return {int(index.column("near_key")[row]) for row in _premises(index, argument)}


def describe(index: Index, debates: Sequence[Debate], signs: Sequence[str]) -> Pairs:
    """Signs and targets of the pairs of every chosen argument that has both targets. Raises InputError without any."""
    import numpy as np
    import pandas as pd

    from ltr.candidates import TermCache

    cache = TermCache(index)
    parts = [part for debate in debates for part in _describe(index, cache, debate, signs)]
    if len({debate for _, _, debate, _ in parts}) < FOLDS:
        what = f"has fewer than {FOLDS} debates whose sentences say something of headings and of each other"
        raise InputError(index.manifest["corpus"]["name"], what, "name a corpus of debate portals")
    sizes = [len(features) for features, *_ in parts]
    return Pairs(
        features=pd.concat([features for features, *_ in parts], ignore_index=True),
        gain=pd.concat([gain for _, gain, *_ in parts], ignore_index=True),
        units=np.repeat(np.arange(len(parts)), sizes),
        debate=np.repeat([debate for _, _, debate, _ in parts], sizes),
        portal=np.repeat([portal for *_, portal in parts], sizes),
    )


def _describe(
    index: Index, cache: TermCache, debate: Debate, signs: Sequence[str]
) -> Iterator[tuple[pd.DataFrame, pd.DataFrame, str, str]]:
    """Features, gains, title and portal of each chosen argument."""
    import numpy as np
    import pandas as pd

    from ltr.candidates import Candidates
    from ltr.pipeline import build_context

    rows = [
        list(combinations([row for row in _premises(index, one.row) if cache.terms(row)], 2)) for one in debate.chosen
    ]
    first, second = np.array([pair for pairs in rows for pair in pairs], np.int64).reshape(-1, 2).T
    context, _ = build_context(
        index, debate.title, index.analyzer.distinct(debate.title), Candidates(first, second), cache
    )
    context = hide_headings(context, debate.title, index.analyzer.terms(debate.title))
    features = sign_table(context, signs)
    keys = {one.row: _keys(index, one.row) for one in debate.arguments}
    end = 0
    for one, pairs in zip(debate.chosen, rows, strict=True):
        start, end = end, end + len(pairs)
        others = [o.row for o in debate.arguments if o.heading != one.heading and not keys[o.row] & keys[one.row]]
        if len(others) < OTHERS[0] or not pairs:
            continue
        spoken = Counter(
            term
            for other in others[: OTHERS[1]]
            for term in dict.fromkeys(term for row in _premises(index, other) for term in cache.terms(row))
        )
        targets = {"heading": Counter(index.analyzer.distinct(one.heading)), "debate": spoken}
        gains = {name: gain(said(context, wanted)[start:end]) for name, wanted in targets.items()}
        if all(found.any() for found in gains.values()):
            gains["both"] = (gains["heading"] + gains["debate"]) / 2
            yield features[start:end], pd.DataFrame(gains), debate.title, one.portal


def hide_headings(context: Context, title: str, terms: Sequence[str]) -> Context:
    """The same arguments with the debate's title for their conclusion."""
    arguments = context.arguments
    hidden = replace(
        arguments,
        sentences=[[*sentences[:-1], terms] for sentences in arguments.sentences],  # the conclusion comes last
        conclusion=[terms] * len(arguments),
        conclusion_text=[title] * len(arguments),
    )
    return replace(context, arguments=hidden)


def said(context: Context, wanted: Mapping[str, int]) -> Scores:
    """(n_pairs,) sum over the two sentences of count times idf of the wanted terms that they hold."""
    import numpy as np

    weight = np.array([wanted.get(term, 0) for term in context.vocabulary]) * context.idf
    each = (context.sentence_counts > 0) @ weight
    return np.asarray(context.of_first(each) + context.of_second(each))


def gain(values: Scores) -> Scores:
    """(n_pairs,) of one argument: 0 for the mean, 1 for the best; all 0 where all are alike."""
    import numpy as np

    lead = values.max() - values.mean()
    return (values - values.mean()) / lead if lead > 1e-9 else np.zeros_like(values)


def sign_table(context: Context, signs: Sequence[str]) -> pd.DataFrame:
    """The columns of the signs, and those of the baselines, one row a pair. Min and max stand in pair order here."""
    import numpy as np
    import pandas as pd

    from features.describe import rounded
    from features.registry import find
    from models.choice import sign_columns

    table: dict[str, Scores] = {}
    for name in signs:
        values = context.text_values[name] if find(name).scope == "text" else find(name).compute(context)
        values = rounded(np.asarray(values))
        sides = (values,) if find(name).scope == "pair" else (context.of_first(values), context.of_second(values))
        table |= dict(zip(sign_columns(name), sides, strict=True))
    sentences = context.sentences
    plain = (-sentences.index, np.array([len(text) for text in sentences.text]), lexrank(context))
    for name, values in zip(BASELINES, plain, strict=True):
        table[name] = context.of_first(values) + context.of_second(values)
    return pd.DataFrame(table)


def lexrank(context: Context) -> Scores:
    """(n_sentences,) PageRank over the TF-IDF cosines of an argument's sentences (Erkan & Radev 2004, continuous)."""
    import numpy as np

    owner = context.sentences.argument
    alike = (context.tfidf @ context.tfidf.T).toarray() * (owner[:, None] == owner)
    np.fill_diagonal(alike, 0)
    step = alike / np.maximum(alike.sum(axis=1, keepdims=True), 1e-9)
    share = 1 / np.bincount(owner)[owner]
    rank = share
    for _ in range(ITERATIONS):
        rank = (1 - DAMPING) * share + DAMPING * rank @ step
    return np.asarray(rank)
