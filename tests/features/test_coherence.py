from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from support.tables import Source, make_context

from features.learned.coherence import KINSHIPS, WEIGHTS, Coherence, kinships, pair_features, score, shipped
from features.learned.linear_model import LinearModel

# ---- the shipped weights ---------------------------------------------------------------------------


def test_the_weights_are_small_and_those_of_the_features():
    assert WEIGHTS.stat().st_size < 1_000_000
    figures = json.loads(WEIGHTS.read_text("utf-8"))["about"]["figures"]
    for against in ("debate", "opposite"):
        assert figures[against]["coherence"][1] > figures[against]["TF-IDF cosine"][2] + 0.06
    assert {*pair_features(make_context()), *KINSHIPS} == set(shipped().linear.weights)
    assert len(shipped().row_of) == len(shipped().vectors)


# ---- the feature -----------------------------------------------------------------------------------


def test_it_sees_nothing_but_texts_and_statistics():
    context = make_context()
    s, n = context.sentences, len(context.sentences)
    hidden = replace(
        context,
        title="",
        sentences=replace(
            s, argument=np.zeros(n, np.int64), index=np.zeros(n, np.int64), is_conclusion=~s.is_conclusion
        ),
        arguments=make_context([Source("S9-A9", "", "", ("",))], pairs=[]).arguments,
    )
    np.testing.assert_allclose(score(hidden, shipped()), score(context, shipped()), rtol=1e-6)


def test_golden_features_of_a_pair():
    # Statistics of CORPUS (19 sentences, 6 arguments, 5 conclusions); the two sentences share "vote" and "machin".
    context = make_context(pairs=[(16, 15)])
    assert [context.sentences.text[i] for i in (16, 15)] == [
        "Vote by machine",
        "Machines count votes faster than people count votes, votes, votes.",
    ]
    found = {name: float(values[0]) for name, values in pair_features(context).items()}
    # "vote" stands in 5 sentences ("vote con" is one), in 4 arguments and in 2 conclusions; "machin" in 5, 3 and 2.
    idf = math.log(20 / 5.5)
    size = len(context.sentences)
    assert size == 19
    assert found["shared terms"] == 2
    assert found["shared idf"] == pytest.approx(2 * idf)
    assert found["shared idf squared"] == pytest.approx(2 * idf**2)
    assert found["shared idf, most"] == pytest.approx(idf)
    # Arguments: log((df + 2) / (arguments + 2)) says how often a term comes back in one argument.
    assert found["shared recurrence"] == pytest.approx(idf * (math.log(7 / 6) + math.log(7 / 5)))
    # The first sentence has only these two terms, so all its weight is shared.
    assert found["share of the first"] == pytest.approx(1)
    # Two terms against five: machin, count, vote, faster, peopl.
    assert (found["first length"], found["second length"]) == pytest.approx((math.log(3), math.log(6)))
    assert found["lengths apart"] == pytest.approx(math.log(2))


def test_golden_local_features():
    # Four candidates: "cat" stands in all, "dog" in two, the others in one.
    sources = [Source("S1-A1", "PRO", "", ("cat dog", "cat dog stone", "cat bird", "cat tree"))]
    found = {
        name: values.tolist() for name, values in pair_features(make_context(sources, pairs=[(0, 1), (2, 3)])).items()
    }
    cat, dog, one = math.log(5 / 4.5), math.log(5 / 2.5), math.log(5 / 1.5)
    assert found["local: shared idf"] == pytest.approx([cat + dog, cat])
    assert found["local: shared idf squared"] == pytest.approx([cat**2 + dog**2, cat**2])
    assert found["local: shared idf, most"] == pytest.approx([dog, cat])
    assert found["local: shared by 3 at most"] == [1, 0]
    assert found["local: shared by 10 at most"] == [1, 1]
    assert found["local: share of the second"] == pytest.approx(
        [(cat + dog) / (cat + dog + one), cat / max(cat + one, 1)]
    )
    norms = [math.hypot(cat, dog), math.hypot(cat, dog, one), math.hypot(cat, one), math.hypot(cat, one)]
    assert found["local: tf-idf cosine"] == pytest.approx([norms[0] / norms[1], (cat / norms[2]) ** 2])
    # The third and the fourth sentence share "cat" with each of the first two: cat^2 over the norms, twice.
    common = 2 * (cat**2 / norms[2]) ** 2 / norms[0] / norms[1]
    assert found["local: common"][0] == pytest.approx(common)
    likeness = np.array([[cat**2 / one / other for one in norms] for other in norms])
    likeness[0, 1] = likeness[1, 0] = norms[0] / norms[1]  # "cat" and "dog" are all that the first one has
    total = likeness.sum(axis=1) - likeness.diagonal()
    central = np.log1p(total / total.mean())
    assert found["local: first, central"] == pytest.approx(central[[0, 2]])
    assert found["local: central"] == pytest.approx([central[0] * central[1], central[2] * central[3]])


def test_golden_score():
    context = make_context(pairs=[(16, 15), (0, 16)])
    model = Coherence(LinearModel.binary(-1.0, {"shared terms": 0.75, "unknown": 9.0}), {}, np.zeros((0, 2)))
    # -1 + 2 * .75 = .5 and 1 / (1 + exp(-.5)) = .622459; nothing is shared: 1 / (1 + exp(1)) = .268941
    np.testing.assert_allclose(score(context, model), [0.622459, 0.268941], atol=1e-6)


def test_kinship_by_hand():
    sources = [Source("S1-A1", "PRO", "", ("cat", "dog", "dog dog", "stone", "unheard"))]
    vectors = np.array([[3.0, 4], [4, 3], [-4, 3]])
    model = Coherence(LinearModel.binary(0.0, {}), {"cat": 0, "dog": 1, "stone": 2}, vectors)
    context = make_context(sources, pairs=[(0, 1), (1, 2), (0, 3), (0, 4)])
    # Unit vectors (.6 .8), (.8 .6), (-.8 .6): .96, the same, 0; a word without a vector has no kin.
    found = kinships(context, model)
    assert tuple(found) == KINSHIPS
    for name in KINSHIPS[:3]:  # a single known word has one direction, whatever its weight
        np.testing.assert_allclose(found[name], [0.96, 1, 0, 0], atol=1e-6)
    # The mean of (.6 .8), (.8 .6) twice, (-.8 .6) and (0 0) is (.28 .52); less it: (.32 .28), (.52 .08), (-1.08 .08).
    one, other = np.array([0.32, 0.28]), np.array([0.52, 0.08])
    expected = one @ other / np.linalg.norm(one) / np.linalg.norm(other)
    np.testing.assert_allclose(found["kinship, off the mean"][[0, 1, 3]], [expected, 1, 0], atol=1e-6)
