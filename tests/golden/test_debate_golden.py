"""Features of debates, worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest
from support.tables import Source, make_context

from features.core.describe import describe
from features.core.tables import Context

# Three arguments of debate S1 and one of S2. The topic's terms are school, uniform and price.
CORPUS = (
    Source("S1-A1", "PRO", "Uniforms help", ("A uniform costs nothing.",), title="School uniforms"),
    Source("S1-A2", "CON", "Uniforms help", ("Parents pay.",), title="School uniforms"),
    Source("S1-A3", "CON", "Uniforms help", ("Zebras run.", "Zebras sleep."), title="School uniforms"),
    Source("S2-A4", "PRO", "Zoos should close", ("The price is high.",), title="What is the price of a zoo"),
)
# Sentences, in order: A1 premise, conclusion; A2 premise, conclusion; A3 premises 1, 2, conclusion; A4 premise, ...
PREMISE_1, PREMISE_2, PREMISE_3, OTHER_3, PREMISE_4 = 0, 2, 4, 5, 7
TITLE = "School uniforms: what price?"
PAIRS = [(PREMISE_1, PREMISE_2), (PREMISE_3, OTHER_3), (PREMISE_3, PREMISE_4), (PREMISE_1, PREMISE_4)]


@pytest.fixture(scope="module")
def context() -> Context:
    found = make_context(CORPUS, TITLE, PAIRS)
    assert found.query == ["school", "uniform", "price"]
    return found


@pytest.fixture(scope="module")
def weight(context: Context) -> dict[str, float]:
    """idf of a term among sentences: ln(1 + (N - df + .5) / (df + .5)), N = 9 sentences."""
    df = {"school": 0, "uniform": 4, "price": 1, "zoo": 1}
    found = {term: float(np.log(1 + (9 - n + 0.5) / (n + 0.5))) for term, n in df.items()}
    for term, idf in found.items():
        assert context.statistics.idf("sentence", [term])[0] == pytest.approx(idf)
    return found


def column(context: Context, name: str) -> list[float]:
    return describe(context, columns=[name])[name].tolist()


def test_the_share_of_the_topic_in_the_title(context: Context, weight: dict[str, float]):
    whole = weight["school"] + weight["uniform"] + weight["price"]
    one, other = (weight["school"] + weight["uniform"]) / whole, weight["price"] / whole
    # The weaker argument counts.
    expected = [one, one, min(one, other), min(one, other)]
    assert column(context, "coverage_title_min") == pytest.approx(expected, rel=1e-5)


def test_the_cosine_with_the_title(context: Context, weight: dict[str, float]):
    query = np.sqrt(sum(weight[term] ** 2 for term in ("school", "uniform", "price")))
    one = np.hypot(weight["school"], weight["uniform"]) / query  # the title has nothing else
    other = weight["price"] ** 2 / (query * np.hypot(weight["price"], weight["zoo"]))
    expected = [one, one, min(one, other), min(one, other)]
    assert column(context, "tfidf_cosine_title_min") == pytest.approx(expected, rel=1e-5)


def test_how_many_of_the_debate_are_candidates(context: Context):
    assert column(context, "debate_candidates_min") == pytest.approx(np.log([4, 4, 2, 2]), rel=1e-5)


def test_a_debate_is_as_near_as_its_arguments_are_on_average(context: Context, weight: dict[str, float]):
    query = np.array([weight["school"], weight["uniform"], weight["price"]])
    query /= np.linalg.norm(query)

    def cosine(terms: dict[str, int]) -> float:
        idf = context.statistics.idf("sentence", list(terms))
        row = {t: (1 + np.log(n)) * w for (t, n), w in zip(terms.items(), idf, strict=True)}
        norm = np.sqrt(sum(value**2 for value in row.values()))
        return float(sum(row.get(t, 0) * q for t, q in zip(("school", "uniform", "price"), query, strict=True)) / norm)

    debate = np.mean(
        [
            cosine({"uniform": 2, "cost": 1, "noth": 1, "help": 1}),
            cosine({"parent": 1, "pay": 1, "uniform": 1, "help": 1}),
            cosine({"zebra": 2, "run": 1, "sleep": 1, "uniform": 1, "help": 1}),
        ]
    )
    other = cosine({"price": 1, "high": 1, "zoo": 1, "close": 1})
    expected = [debate, debate, min(debate, other), min(debate, other)]
    assert column(context, "debate_cosine_min") == pytest.approx(expected, rel=1e-4)


def test_headings_count_where_both_arguments_have_them(context: Context, weight: dict[str, float]):
    whole = weight["school"] + weight["uniform"] + weight["price"]
    expected = [
        weight["school"] + weight["uniform"],  # by the title of both
        weight["school"] + weight["uniform"],  # the pair itself says nothing
        weight["price"],  # said by a premise; the titles share nothing
        weight["uniform"] + weight["price"],  # both premises
    ]
    assert column(context, "coverage_in_debate") == pytest.approx(np.array(expected) / whole, rel=1e-5)
