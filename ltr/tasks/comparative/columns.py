"""Whether a document compares the two objects of the question, and which of them it prefers.

The objects come from the topic, or else from a learned model (`ltr.tasks.comparative.question`); another one
(`ltr.tasks.comparative.preferences`) says which object a sentence prefers. Objects are found by their index terms, and
words that compare or argue are counted by kind.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from itertools import chain, pairwise

import numpy as np
import numpy.typing as npt

from features.core.feature import feature
from features.core.sides import Side
from features.core.statistics import FloatArray, IntArray
from features.core.tables import Context, once
from features.core.text import Analyzer
from features.core.words import Words
from ltr.tasks.comparative.preferences import Opinions, opinions
from ltr.tasks.comparative.question import named_objects

_ADJECTIVES = (
    "bigg cheap clean clear clos cool dark deep eas fast few good great hard heav high hott larg light long low near "
    "new nic old poor quick quiet rich saf short simpl slow small smart smooth soft strong thick thin tough warm weak "
    "wid young health tast"
).replace(" ", "|")
CUES = {
    "comparatives": rf"better|worse|more|less|fewer|superior|inferior|(?:{_ADJECTIVES})i?er",
    "superlatives": rf"best|worst|most|least|(?:{_ADJECTIVES})i?est",
    "contrasts": r"versus|vs|whereas|while|unlike|compar\w+|contrast|differ\w*|instead|rather|however|although|but|both"
    r"|between|than|similar\w*|same",
    "pros_and_cons": r"advantages?|disadvantages?|benefits?|drawbacks?|pros?|cons?|downsides?|upsides?|problems?",
    "reasons": r"because|since|therefore|thus|reasons?|due|so|hence|why",
}
"""Kinds of words that compare, or that speak for something. What ends in -er before "than" compares, too."""

COMPARING = ("comparatives", "superlatives", "contrasts")

_PATTERNS = {name: re.compile(pattern) for name, pattern in CUES.items()}
_WORD = re.compile(r"\w+")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_ANALYZER = Analyzer()

_feature = partial(feature, "argument", group="comparison", lift=("min",), kinds=("document",), standardise="both")
_counted = partial(_feature, measured_in="ln(1 + count)", range=(0, np.inf))
_share = partial(_feature, measured_in="share", range=(0, 1))
Columns = dict[str, FloatArray]


def objects_of(title: str, objects: Sequence[str] = ()) -> tuple[str, str] | None:
    """The two things that a question compares, in its order; none where it does not compare two.

    >>> objects_of("Which is better, a laptop or a desktop?"), objects_of("What are the best rice cookers?")
    (('laptop', 'desktop'), None)
    >>> objects_of("Is it better?", ["steel", "ceramic"])
    ('steel', 'ceramic')
    """
    if len(objects) > 1:
        return objects[0], objects[1]
    found = named_objects(title)  # what they are chosen from may stand before them
    return (found[-2], found[-1]) if len(found) > 1 else None


def _object_terms(c: Context) -> list[list[str]]:
    """Index terms by object, without those that both have, where others are left."""
    terms = [_ANALYZER.distinct(text) for text in objects_of(c.title, c.objects) or ()]
    if not terms or not all(terms):
        return []
    distinct = [[term for term in one if term not in other] for one, other in (terms, terms[::-1])]
    return distinct if all(distinct) else terms


@once
def _columns(c: Context) -> Columns:
    """(n_documents,) values of the features that count words and sentences, by name; each sentence is read once."""
    objects, size = _object_terms(c), len(c.arguments)
    lines = c.arguments.lines
    owner = np.repeat(np.arange(size), np.array(list(map(len, lines)), np.int64))
    cues = _cues(list(chain.from_iterable(lines)))
    compares = np.any([cues[kind] > 0 for kind in COMPARING], axis=0)
    named, nearness = _named(c, np.searchsorted(owner, np.arange(size)), len(owner), objects)

    def per_document(values: FloatArray) -> FloatArray:
        return np.bincount(owner, values, size)

    words = {kind: per_document(values) for kind, values in cues.items()}
    numbers = np.array([len(_NUMBER.findall(text)) for text in c.arguments.text], np.float64)
    comparing, sentences = per_document(compares), np.maximum(per_document(np.ones(len(owner))), 1)
    counts = {
        **words,
        "numbers": numbers,
        "comparative_sentences": comparing,
        "about_sentences": per_document(compares & (named > 0)),
        "compared_sentences": per_document(compares & (named > 1)),
    }
    held = [_held(c, terms).mean(axis=1) for terms in objects] or [np.zeros(size)]
    aspects = set(c.query).difference(*objects)
    nearest = np.zeros(size)
    np.maximum.at(nearest, owner, nearness)
    return {name: np.log1p(count) for name, count in counts.items()} | {
        "objects_held": np.mean(held, axis=0),
        "weaker_object_held": np.min(held, axis=0),
        "aspects_held": _held(c, sorted(aspects)).sum(axis=1) / max(len(aspects), 1),
        "object_nearness": nearest,
        "comparative_share": comparing / sentences,
        "together_share": per_document(named > 1) / sentences,
        "comparative_cues": np.asarray(sum(words[kind] for kind in COMPARING)),
    }


def _held(c: Context, terms: Sequence[str]) -> npt.NDArray[np.bool_]:
    """(n_documents, n_terms) whether each holds each term."""
    missing = np.zeros((len(c.arguments), 1))
    places = [c.vocabulary.get(term) for term in terms]
    columns = [missing if place is None else c.argument_counts[:, [place]].toarray() for place in places]
    return np.hstack([missing, *columns])[:, 1:] > 0


def _named(c: Context, starts: IntArray, size: int, objects: Sequence[Sequence[str]]) -> tuple[IntArray, FloatArray]:
    """(n_sentences,) how many objects each sentence names, and how near two are; ``starts`` are those of documents."""
    named, nearness = np.zeros(size, np.int64), np.zeros(size)
    wanted = frozenset(chain.from_iterable(objects))
    for start, sentences in zip(starts.tolist(), c.arguments.sentences, strict=True):
        for row, terms in enumerate(sentences, start):
            if not wanted.isdisjoint(terms):
                named[row] = sum(set(one).issubset(terms) for one in objects)
                if named[row] > 1:
                    nearness[row] = _nearness(terms, objects)
    return named, nearness


def _cues(sentences: Sequence[str]) -> Columns:
    """(n_sentences,) how many words of each kind each has."""
    lower = list(map(str.lower, sentences))
    pieces = Words.of(list(map(str.split, lower)))
    counts = np.array([_counts(piece) for piece in pieces.distinct], np.float64).reshape(-1, len(CUES))
    counted = dict(zip(CUES, pieces.sums(counts).T, strict=True))
    beside = np.array([_before_than(sentence) if "than" in sentence else 0 for sentence in lower], np.float64)
    return counted | {"comparatives": counted["comparatives"] + beside}


def _before_than(sentence: str) -> int:
    """Words in -er before "than" that are not listed comparatives."""
    words = pairwise(_WORD.findall(sentence))
    before = [word for word, after in words if after == "than" and word.endswith("er") and len(word) > 2]
    return sum("comparatives" not in _kinds(word) for word in before)


@lru_cache(maxsize=200_000)
def _counts(piece: str) -> tuple[int, ...]:
    """Words of each kind in what stands between blanks: read once, however often it comes."""
    kinds = [kind for word in _WORD.findall(piece) for kind in _kinds(word)]
    return tuple(map(kinds.count, CUES))


@lru_cache(maxsize=100_000)
def _kinds(word: str) -> tuple[str, ...]:
    return tuple(name for name, pattern in _PATTERNS.items() if pattern.fullmatch(word))


def _nearness(terms: Sequence[str], objects: Sequence[Sequence[str]]) -> float:
    positions = [[position for position, term in enumerate(terms) if term in one] for one in objects]
    return 1 / max(min(abs(one - other) for one in positions[0] for other in positions[1]), 1)


def _column(name: str) -> Callable[[Context], FloatArray]:
    return lambda c: _columns(c)[name]


@once
def support(c: Context) -> Opinions:
    """The opinions of a topic's documents on its two objects, read once; no opinions where it names none."""
    names = objects_of(c.title, c.objects)
    size = len(c.arguments)
    return opinions(c.arguments.lines, *names) if names else Opinions(np.zeros((size, 2)), [Side.NO] * size)


for _name, _what in {
    **{name: f"{name.replace('_', ' ')} in the document" for name in (*CUES, "numbers") if name != "comparatives"},
    "comparative_sentences": "sentences that compare",
    "about_sentences": "sentences that compare and name an object",
    "compared_sentences": "sentences that compare and name both objects",
}.items():
    _counted(name=_name, description=f"{_what}, logarithmic")(_column(_name))
for _name, _what in {
    "objects_held": "share of the terms of the question's objects that the document holds, mean over the two",
    "weaker_object_held": "share of the terms of the object that it holds less of",
    "aspects_held": "share of the question's other terms that the document holds",
    "object_nearness": "closeness of the two objects in a sentence, 1 when neighbours, 0 where they are never together",
    "comparative_share": "share of the sentences that compare",
    "together_share": "share of the sentences with both objects",
}.items():
    _share(name=_name, description=_what)(_column(_name))
_what = "words that compare, as they are"  # the baseline `cues` of the task
_feature(name="comparative_cues", measured_in="count", range=(0, np.inf), description=_what)(
    _column("comparative_cues")
)


@_counted(source="Helmrich et al. 2021 (team Mercutio)")
def query_term_count(c: Context) -> FloatArray:
    """How often the question's terms come, logarithmic."""
    return np.log1p(c.query_columns("argument").sum(axis=1))


@_share()
def one_sidedness(c: Context) -> FloatArray:
    """How clearly one object is preferred: 0 for a draw."""
    first, second = support(c).preferred.T
    return np.asarray(np.abs(first - second) / np.maximum(first + second, 0.5))


@_counted(source="Panchenko et al. 2019, https://aclanthology.org/W19-4516")
def preferences(c: Context) -> FloatArray:
    """Sentences that prefer one object to the other, by their learned probabilities, logarithmic.

    The support that CAM counts.
    """
    return np.log1p(support(c).preferred.sum(axis=1))
