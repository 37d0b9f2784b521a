"""The side of an argument toward a question: its stance on its conclusion, times the conclusion's on the question.

How much a text speaks for the claim of a question is a logistic regression over its words. Most of them say what is
good or bad about a thing, so each has two weights: one as it is, and one that changes its sign where the question
speaks against that thing (`ltr.answers.claims`). ``python -m experiments.learned.side`` writes the weights,
``side.json`` beside this file; its ``about`` names the data. None of the data ships.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache, partial
from itertools import pairwise
from math import fsum
from pathlib import Path
from typing import cast

from features.comparative.cues import negates
from features.core.sides import Side
from features.core.text import words
from features.learned.linear_model import read_model, stem
from features.learned.vectors import Rows, load_vectors
from ltr.answers.claims import Claim, Polarity, agreement, claim_of, polarity_of

WEIGHTS = Path(__file__).with_name("side.json")
shipped = partial(read_model, WEIGHTS)
LEAST = 1.5
"""Log-odds from which on a side is named."""
CONTRADICTED = 0.5
"""Mean log-odds of the sentences from which on they contradict what the conclusion says."""
SHARED = 0.5
"""Share of the question's subject that an argument must name to have a side."""
UNSURE = 0.4
"""Weight of words whose sign depends on the question, where the polarity of the question is in doubt."""
NEAR = 0.5
"""Least cosine of the word vectors of a question and of an argument that has a side."""
SAME, RESTATED = 0.6, 2.0
"""Share of stems from which on a conclusion is about the question's subject, and the log-odds that it then adds."""
READ = 8
"""Number of sentences that are read, after the conclusion."""

_ARGUED: dict[str, int] = {Side.PRO: 1, Side.CON: -1}
_DENIED = 4
"""Number of words that a negation reaches."""


def side_toward(question: str, conclusion: str, stance: str, sentences: Sequence[str] = ()) -> Side:
    """PRO, CON or NONE: the side toward ``question`` by `odds_toward`, NONE where they are below `LEAST` in size."""
    odds = odds_toward(question, conclusion, stance, sentences)
    return Side.NONE if abs(odds) < LEAST else Side.PRO if odds > 0 else Side.CON


def odds_toward(question: str, conclusion: str, stance: str, sentences: Sequence[str] = ()) -> float:
    """Log-odds that an argument with this conclusion and stance on it is for what ``question`` asks.

    ``stance`` is PRO, CON or anything else where the corpus has none; ``sentences`` are those shown of the argument.
    0 for a question without sides ("How ..."), an argument on another subject, and where its sentences contradict
    its stance on its conclusion.
    """
    texts = [text for text in sentences if text != conclusion][:READ]
    if not _on_topic(question, " ".join((conclusion, *texts))):
        return 0.0
    argued = _ARGUED.get(stance, 0) if conclusion else 0
    odds = argued * (support(question, conclusion) + RESTATED * relation(question, conclusion))
    if texts:
        spoken = fsum(support(question, text) for text in texts) / len(texts)
        odds = 0.0 if spoken * odds < 0 and abs(spoken) >= CONTRADICTED else odds + spoken
    return odds


def relation(question: str, conclusion: str) -> int:
    """1 where the conclusion claims what is asked, -1 where the opposite, 0 where it is about another subject."""
    asked, claimed = claim_of(question), claim_of(conclusion)
    same = len(asked.target & claimed.target) >= max(SAME * len(asked.target | claimed.target), 1)
    return agreement(asked, claimed) if same else 0


@lru_cache(maxsize=10_000)
def support(question: str, text: str) -> float:
    """Log-odds that ``text`` by itself speaks for what the question claims."""
    asked = claim_of(question)
    signed, plain = shipped().exact_sums(side_features(asked, text))
    return question_sign(asked) * signed + plain


def question_sign(asked: Claim) -> float:
    """Factor for the words of praise and blame that a text has for the subject of the question."""
    return asked.polarity * (1.0 if asked.sure else UNSURE)


def side_features(asked: Claim, text: str) -> list[str]:
    """Words and neighbours, denied words, praise and blame, and how much of the question's subject is named."""
    found = list(map(_read, words(text)))
    stems = [term for term, _, _ in found]
    shared = len(asked.target.intersection(stems)) / max(1, len(asked.target))
    near = "=all" if shared >= 0.6 else "=some" if shared else "=none"
    features = {"", near}
    sums, left, negations = {True: 0, False: 0}, 0, 0
    for term, polarity, denies in found:
        if term not in asked.target:
            features.add("!" + term if left else term)
            if polarity:
                sums[polarity.policy] += -polarity.sign if left else polarity.sign
        left = _DENIED if denies else left and left - 1
        negations += denies
    features |= {f"{one} {other}" for one, other in pairwise("*" if term in asked.target else term for term in stems)}
    kind = "".join("+" if total > 0 else "-" if total < 0 else "0" for total in (sums[True], sums[False]))
    odd = "!" if negations % 2 else ""
    features |= {f"=policy {kind[0]}", f"=value {kind[1]}", f"=policy {kind[0]}{near}", f"=value {kind[1]}{near}"}
    features |= {f"=denied{odd}{near}", f"=all {kind}{odd}{near}"}
    return sorted(features)


@lru_cache(maxsize=200_000)
def _read(word: str) -> tuple[str, Polarity | None, bool]:
    """The stem of a lower-case word, its polarity, and whether it negates."""
    return stem(word), polarity_of(word), negates(word)


def _on_topic(question: str, text: str) -> bool:
    """Whether the question has sides, and the text enough to do with it to take one."""
    asked = claim_of(question)
    named = asked.target.intersection(map(stem, words(text)))
    if not asked.asks or len(named) < max(SHARED * len(asked.target), 1):
        return False
    return cosine(question, text) >= NEAR


@lru_cache(maxsize=10_000)
def cosine(question: str, text: str) -> float:
    """Cosine of the word vectors of a question and a text."""
    return cosines(question, [text])[0]


def cosines(question: str, texts: Sequence[str]) -> list[float]:
    """The cosines of several texts with the question."""
    return cast("list[float]", load_vectors().rows(texts).cosine(_vector(question)).tolist())


@lru_cache(maxsize=100)
def _vector(question: str) -> Rows:
    return load_vectors().rows([question])
