import math
from itertools import product

import numpy as np
import pytest

from features.learned.question import (
    START,
    TAGS,
    Question,
    Weights,
    read_weights,
    shipped,
    tag,
    tag_spans,
    tokenize,
    understand,
    with_tag_before,
)
from features.learned.title_signs import question_signs, word_signs

OUT, B_OBJECT, I_OBJECT, B_ASPECT, I_ASPECT = range(len(TAGS))


def test_words_and_marks():
    assert tokenize("Who's it, C++ or x-ray?") == ["Who", "'s", "it", ",", "C++", "or", "x-ray", "?"]
    assert tokenize("Apple\N{RIGHT SINGLE QUOTATION MARK}s, isn't it") == ["Apple", "'s", ",", "isn't", "it"]


def test_spans_of_tags():
    tags = [OUT, B_OBJECT, I_OBJECT, B_OBJECT, OUT, B_ASPECT, I_ASPECT]
    assert tag_spans(tags) == [("object", 1, 3), ("object", 3, 4), ("aspect", 5, 7)]
    assert tag_spans([]) == []


def test_the_likeliest_sequence_is_found():
    """Against all 5 ** 4 sequences, of which those with a later word of no span are forbidden."""
    draw = np.random.default_rng(3)
    words = ["cats", "or", "big", "dogs"]
    signs = {sign for row in word_signs(words) for before in range(START + 1) for sign in with_tag_before(row, before)}
    weights = Weights({sign: draw.normal(size=len(TAGS)).tolist() for sign in sorted(signs)}, {})
    scores = weights.tag_scores(word_signs(words))

    def allowed(tags):
        return all(
            tag not in (I_OBJECT, I_ASPECT) or before in (tag - 1, tag)
            for before, tag in zip((START, *tags), tags, strict=False)
        )

    def score(tags):
        return sum(scores[at, before, tag] for at, (before, tag) in enumerate(zip((START, *tags), tags, strict=False)))

    best = max(filter(allowed, product(range(len(TAGS)), repeat=len(words))), key=score)
    assert tuple(tag(words, weights)) == best


def test_scores_are_those_of_the_signs():
    """The bias gives O 1 and "0=or" B-object 2; after an object's first word the bias gives O another 3."""
    weights = Weights({"": [1, 0, 0, 0, 0], "0=or": [0, 2, 0, 0, 0], f"{B_OBJECT}|": [3, 0, 0, 0, 0]}, {})
    scores = weights.tag_scores(word_signs(["or"]))
    assert scores.shape == (1, START + 1, len(TAGS))
    assert scores[0, START] == pytest.approx(np.array([1, 2, 0, 0, 0]) - math.log(math.e + math.e**2 + 3))
    assert scores[0, B_OBJECT, OUT] - scores[0, START, OUT] == pytest.approx(
        3 + math.log(math.e + math.e**2 + 3) - math.log(math.e**4 + math.e**2 + 3)
    )


def test_a_bar_in_a_title_is_a_word_like_others():
    assert "0=|" in word_signs(["|"])[0]
    weights = Weights({"0=|": [0, 9, 0, 0, 0]}, {})
    assert understand("a | b", weights=weights).objects == ("|",)


@pytest.mark.parametrize(
    ("title", "objects"),
    [
        ("Which is better, tea or coffee?", ("tea", "coffee")),
        ("Is a hot dog better than a salad?", ("hot dog", "salad")),
        ("what is the difference between jam and jelly", ("jam", "jelly")),
    ],
)
def test_objects(title, objects):
    assert understand(title).objects == objects


def test_aspects_and_predicates():
    found = understand("Is tea or coffee better for headaches?")
    assert found.predicates == ("better",)
    assert found.comparative > 0.5
    assert understand("who wrote the bible").comparative < 0.5


def test_given_objects_take_the_place_of_those_found():
    assert understand("Which is better, tea or coffee?", ("green tea", "mocha")).objects == ("green tea", "mocha")


def test_nothing_to_understand():
    nothing = Weights({}, {})
    assert understand("", weights=nothing) == Question(0.5, (), (), ())
    assert all(0 <= understand(text).comparative <= 1 for text in ("", "?", "\N{SNOWMAN}", "a" * 10_000))


def test_signs_of_questions_are_distinct_and_finite():
    assert all(len(row) == len(set(row)) for row in word_signs(tokenize("Is A better than B, or is B better than A?")))
    assert "=order than or" not in question_signs([])


def test_shipped_weights_are_small_whole_hundredths(tmp_path):
    path = tmp_path / "question.json"
    path.write_text('{"about": {}, "tags": {"": [100, 0, 0, 0, -50]}, "comparative": {"=question": -25}}')
    assert read_weights(path) == Weights({"": [1.0, 0, 0, 0, -0.5]}, {"=question": -0.25})
    assert set(map(len, shipped().tags.values())) == {len(TAGS)}
