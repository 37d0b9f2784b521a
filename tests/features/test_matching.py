"""Counts of markers against those of spaCy's own matchers."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import numpy as np
import pytest
import spacy
from hypothesis import given, settings
from hypothesis import strategies as st
from spacy.matcher import Matcher, PhraseMatcher
from spacy.tokens import Doc
from support.tables import CORPUS

from features.content import argumentativeness
from features.content.argumentativeness import MARKERS, PHRASES, Tokens, mark
from features.core.tables import Texts
from ltr.corpora.source import open_corpus
from ltr.sample import SAMPLE

PATTERNS: dict[str, list[list[dict[str, Any]]]] = {
    "meta_talk": [
        [{"LOWER": "round"}, {"LIKE_NUM": True}],
        [{"LOWER": "r"}, {"LIKE_NUM": True}],
        [
            {"LOWER": "vote"},
            {"LOWER": {"IN": ["for", "a"]}, "OP": "?"},
            {"LOWER": {"IN": ["pro", "con", "aff", "neg"]}},
        ],
    ],
    "url": [[{"LIKE_URL": True}]],
    "reference": [
        [{"ORTH": "["}, {"LIKE_NUM": True}, {"ORTH": "]"}],
        [
            {"ORTH": "("},
            {"IS_TITLE": True, "OP": "+"},
            {"LOWER": {"IN": ["et", "and", "&"]}, "OP": "?"},
            {"LOWER": {"IN": ["al", "al."]}, "OP": "?"},
            {"IS_TITLE": True, "OP": "*"},
            {"ORTH": ",", "OP": "?"},
            {"SHAPE": "dddd"},
        ],
    ],
    "number": [[{"LIKE_NUM": True}]],
    "quotation": [[{"IS_QUOTE": True}]],
}

ODD = (
    "word Word WORD. U.S. e.g. i.e. don't DON'T cannot gonna it's It's, Bob's Bob’s (Smith Smith, al. et Al And & "
    "2014 2014). (Smith, [1] [12]. 1990s $5 10% 3,000 two Twenty-first well-being state-of-the-art - -- … ... ?! !!! "
    "«oui» “so” ‘so’ ''so'' http://x.org www.x.org/a?b=c x.org debate.org R1 round Round 2 vote for a pro Con: neg; "
    "(e.g. a/b a—b :) :-( '\" \u00a0 \u200b é naïve ŒUVRE ß ÀB 中文 because of the in fact on other hand, not n't nor"
).split(" ")


@cache
def reference() -> tuple[Any, PhraseMatcher, Matcher]:
    nlp: Any = spacy.blank("en")
    phrases, patterns = PhraseMatcher(nlp.vocab, attr="LOWER"), Matcher(nlp.vocab)
    for marker, listed in PHRASES.items():
        phrases.add(marker, [nlp.tokenizer(phrase) for phrase in listed])
    for marker, rules in PATTERNS.items():
        patterns.add(marker, rules)
    return nlp, phrases, patterns


def counted_by_spacy(document: Doc) -> dict[str, float]:
    nlp, phrases, patterns = reference()
    counts = dict.fromkeys(MARKERS, 0.0)
    for matcher in (phrases, patterns):
        for key, _, _ in matcher(document):
            counts[nlp.vocab.strings[key]] += 1
    return counts


def in_pieces(text: str) -> Doc:
    """The text as spaCy splits it, with what stands between white space split alone.

    Inside a text spaCy now and then splits a piece otherwise, by how often two apostrophes stood before it.
    """
    nlp, _, _ = reference()
    words, blank = [], []
    for place, run in enumerate(re.findall(r"\s+|\S+", text)):
        if not run.isspace():
            found = [token.text for token in nlp.tokenizer(run)]
        elif place and run.startswith(" "):
            blank[-1] = True
            found = [run[1:]] if run != " " else []
        else:
            found = [run]
        words += found
        blank += [False] * len(found)
    return Doc(nlp.vocab, words, blank)


def same(found: dict[str, np.ndarray], wanted: list[dict[str, float]]) -> None:
    for marker in MARKERS:
        assert found[marker].tolist() == [one[marker] for one in wanted], marker


def test_sentences_are_marked_as_spacy_marks_them():
    texts = [text for argument in list(open_corpus(str(SAMPLE))) for _, text in argument.sentences]
    texts += [text for source in CORPUS for text in source.texts]
    assert len(texts) > 900
    same(mark(Texts(texts)), [counted_by_spacy(reference()[0].tokenizer(text)) for text in texts])


@settings(deadline=None)  # the first one waits for dictionaries
@given(
    st.lists(
        st.one_of(
            st.lists(st.one_of(st.sampled_from(ODD), st.sampled_from([" ", "\n", ""])), max_size=12).map(" ".join),
            st.lists(st.sampled_from(ODD), max_size=3).map("".join),
            st.text(max_size=20),
            st.text(alphabet="aAbS.,;:!?()[]\"'“”‘’-–—/ 12", max_size=14),
        ),
        max_size=5,
    )
)
def test_wild_texts_are_marked_as_spacy_marks_them(texts: list[str]):
    assert [in_pieces(text).text for text in texts] == texts
    same(mark(Texts(texts)), [counted_by_spacy(in_pieces(text)) for text in texts])


def test_the_tokenizer_forgets_what_it_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """It keeps every word for good: a server that is asked for months would grow by them."""
    monkeypatch.setattr(argumentativeness, "MOST", 3_000)
    tokens = Tokens()
    tokens.symbol_of = {"and": 1}
    texts = [[f"new-{number}. and {number}x" for number in range(start, start + 2_000)] for start in (0, 10_000, 0)]
    first, _, again = (tokens.read(one) for one in texts)
    assert len(tokens._tokenizer.vocab) < 6_000
    assert np.array_equal(first.kinds, again.kinds)
    assert np.array_equal(first.symbol, again.symbol)
