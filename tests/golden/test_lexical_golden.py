"""Lexical scores: by hand on tiny numbers, and against a twin that knows dictionaries and loops only."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.tables import ANALYZER, CORPUS, Source, make_context

from features.core.feature import FEATURES
from features.core.statistics import UnitStatistics
from features.query.lexical import Match, bm25, dirichlet, dph


def match(tf: list[float], length: float, of: list[float], size: int, mean_length: int) -> Match:
    """One text; the terms' document and collection frequencies are both ``of``."""
    corpus = UnitStatistics(size, size * mean_length, np.zeros(0), np.zeros(0))
    return Match(np.array([tf]), np.array([length]), np.array(of), np.array(of), corpus)


# ---- by hand --------------------------------------------------------------------------------------


def test_bm25_by_hand():
    # N = 4, df = 1: idf = ln(1 + 3.5 / 1.5) = ln(10/3). tf = 2, length 6, mean 4, k1 = 1.2, b = .75:
    # norm = 1.2 (1 - .75 + .75 * 6/4) = 1.2 * 1.375 = 1.65; score = ln(10/3) * 2 * 2.2 / (2 + 1.65).
    found = bm25(match([2.0], 6.0, [1.0], 4, 4), k1=1.2, b=0.75)
    assert found.shape == (1,)
    assert found[0] == pytest.approx(math.log(10 / 3) * 4.4 / 3.65)


def test_dirichlet_by_hand():
    # cf = 3 of 99 tokens: p = 4/100. mu = 50, tf = 2, length 10:
    # ln(1 + 2 / (50 * .04)) + ln(50/60) = ln 2 + ln(5/6) = ln(5/3).
    found = dirichlet(match([2.0], 10.0, [3.0], 99, 1), mu=50)
    assert found[0] == pytest.approx(math.log(5 / 3))


def test_dirichlet_is_never_negative():
    # cf = 99 of 99: p = 1. tf 1, mu 50, length 950: ln(51/50) + ln(50/1000) < 0, floored. Absent: 0, not less.
    assert dirichlet(match([1.0, 0.0], 950.0, [99.0, 3.0], 99, 1), mu=50)[0] == 0


def test_dph_by_hand():
    # tf 2, length 8, mean 4, N = 10, cf = 5: f = 1/4, norm = (3/4)^2 / 3 = 3/16,
    # 2 log2(2 * 4/8 * 10/5) = 2 log2 2 = 2, .5 log2(2 pi * 2 * 3/4) = .5 log2(3 pi).
    found = dph(match([2.0], 8.0, [5.0], 10, 4))
    assert found[0] == pytest.approx(3 / 16 * (2 + 0.5 * math.log2(3 * math.pi)))


TINY = (
    Source("S1-A1", "PRO", "Green energy", ("Wind power beats coal power", "Coal burns")),
    Source("S2-A2", "CON", "Coal power", ("Power lines cost a lot of coal", "Gas")),
)
# Sentences: 0 wind power beat coal power | 1 coal burn | 2 green energi | 3 power line cost lot coal | 4 gas
#            5 coal power. Six sentences; df power 3 (0, 3, 5), df coal 4 (0, 1, 3, 5).


def test_coverage_by_hand():
    context = make_context(TINY, "Is coal power green?", pairs=[(0, 1), (1, 2), (4, 4)])
    assert context.query == ["coal", "power", "green"]
    idf = {"coal": math.log1p(2.5 / 4.5), "power": math.log1p(3.5 / 3.5), "green": math.log1p(5.5 / 1.5)}
    total = sum(idf.values())
    both = idf["coal"] + idf["power"]
    found = FEATURES.find("coverage_sentence").compute(context).tolist()
    assert found == pytest.approx([n / total for n in (both, idf["coal"], idf["green"], both, 0, both)])
    found = FEATURES.find("coverage_pair").compute(context).tolist()
    assert found == pytest.approx([both / total, (idf["coal"] + idf["green"]) / total, 0])
    # Both arguments hold coal and power, the first holds green too; among two arguments, df is 2, 2 and 1.
    idf = {"coal": math.log1p(0.5 / 2.5), "power": math.log1p(0.5 / 2.5), "green": math.log1p(1.5 / 1.5)}
    share = (idf["coal"] + idf["power"]) / sum(idf.values())
    assert FEATURES.find("coverage_argument").compute(context).tolist() == pytest.approx([1, share])


def test_bigrams_by_hand():
    # Topic bigrams: (coal, power), (power, beat). In order, sentence 0 holds both, sentence 5 one.
    context = make_context(TINY, "coal power beats")
    assert FEATURES.find("bigram_match_argument").compute(context).tolist() == [1, 0.5]
    assert FEATURES.find("bigram_match_argument").compute(make_context(TINY, "power")).tolist() == [0, 0]


def test_cosine_by_hand():
    # Topic "coal power" and the second conclusion "coal power" are the same vector; "green energi" shares nothing.
    assert FEATURES.find("tfidf_cosine_conclusion").compute(make_context(TINY, "coal power")).tolist() == pytest.approx(
        [0, 1]
    )
    # With "coal gas" it shares coal: idf(coal)^2 over both lengths.
    coal, power, gas = math.log1p(2.5 / 4.5), math.log1p(3.5 / 3.5), math.log1p(5.5 / 1.5)
    found = FEATURES.find("tfidf_cosine_conclusion").compute(make_context(TINY, "coal gas"))
    assert found[1] == pytest.approx(coal**2 / math.hypot(coal, power) / math.hypot(coal, gas))


# ---- the twin -------------------------------------------------------------------------------------


class Twin:
    """BM25 and DirichletLM over lists of terms, straight from the papers, nothing shared with the code."""

    def __init__(self, texts: list[list[str]]) -> None:
        self.size = len(texts)
        self.tokens = sum(len(text) for text in texts)
        self.df = Counter(term for text in texts for term in set(text))
        self.cf = Counter(term for text in texts for term in text)

    def bm25(self, query: list[str], text: list[str], k1: float, b: float) -> float:
        mean = self.tokens / self.size if self.tokens else 1
        total = 0.0
        for term in query:
            tf = text.count(term)
            idf = math.log(1 + (self.size - self.df[term] + 0.5) / (self.df[term] + 0.5))
            total += idf * tf * (k1 + 1) / (tf + k1 * (1 - b + b * len(text) / mean))
        return total

    def dirichlet(self, query: list[str], text: list[str], mu: float) -> float:
        total = 0.0
        for term in query:
            if term in text:
                background = (self.cf[term] + 1) / (self.tokens + 1)
                # The log-ratio of the smoothed model to the background model.
                smoothed = (text.count(term) + mu * background) / (len(text) + mu)
                total += max(0.0, math.log(smoothed / background))
        return total


def levels(corpus: tuple[Source, ...], pairs: list[tuple[int, int]]) -> dict[str, tuple[Twin, list[list[str]]]]:
    """Level -> its twin and the texts that are scored."""
    sentences = [ANALYZER.terms(text) for source in corpus for text in source.texts]
    arguments = [[term for text in source.texts for term in ANALYZER.terms(text)] for source in corpus]
    return {
        "pair": (Twin(sentences), [sentences[i] + sentences[j] for i, j in pairs]),
        "argument": (Twin(arguments), arguments),
    }


def compare(corpus: tuple[Source, ...], title: str, pairs: list[tuple[int, int]]) -> None:
    context = make_context(corpus, title, pairs)
    query = list(dict.fromkeys(ANALYZER.terms(title)))
    for level, (twin, texts) in levels(corpus, pairs).items():
        pair = level == "pair"  # has the columns that rankers use alone
        for k1, b in ((1.2, 0.75), (4.0, 0.15)):
            expected = [twin.bm25(query, text, k1, b) for text in texts]
            found = FEATURES.find(f"bm25_k{k1:g}_b{b:g}_{level}").compute(context)
            assert found.tolist() == pytest.approx(expected, rel=1e-9, abs=1e-9), (level, k1, b)
        for mu in (2500,) if pair else (100, 2500):
            expected = [twin.dirichlet(query, text, mu) for text in texts]
            found = FEATURES.find(f"dirichlet_{mu}_{level}").compute(context)
            assert found.tolist() == pytest.approx(expected, rel=1e-9, abs=1e-9), (level, mu)


@pytest.mark.parametrize(
    "title", ["Should school uniforms be mandatory?", "Is voting by machine safe?", "Unknown words only", "Is it?"]
)
def test_twin_on_the_small_corpus(title: str):
    compare(CORPUS, title, [(0, 1), (1, 0), (5, 7), (9, 3), (2, 2)])


sentence = st.lists(st.sampled_from("coal gas wind sun power the".split()), max_size=6).map(" ".join)


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.tuples(sentence, st.lists(sentence, min_size=1, max_size=3)), min_size=1, max_size=4),
    st.lists(st.sampled_from("coal gas wind tide coal".split()), max_size=4).map(" ".join),
)
def test_twin_on_any_corpus(drawn: list[tuple[str, list[str]]], title: str):
    corpus = tuple(Source(f"S{n}-A{n}", "PRO", end, tuple(texts)) for n, (end, texts) in enumerate(drawn))
    compare(corpus, title, [(0, 0), (0, sum(len(source.texts) for source in corpus) - 1)])
