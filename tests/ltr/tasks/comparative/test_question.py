from itertools import product

import numpy as np
import pytest

from features.learned.linear_model import LinearModel
from ltr.tasks.comparative.question import (
    START,
    TAGS,
    QuestionModel,
    named_objects,
    tag,
    with_tag_before,
)
from ltr.tasks.comparative.title_features import TOKEN, word_features


def of_tags(weights):
    """A model with these weights of tags."""
    return QuestionModel(LinearModel(TAGS, weights, [0.0] * len(TAGS)))


OUT, B_OBJECT, I_OBJECT, B_ASPECT, I_ASPECT = range(len(TAGS))


def test_words_and_marks():
    assert TOKEN.findall("Who's it, C++ or x-ray?") == ["Who", "'s", "it", ",", "C++", "or", "x-ray", "?"]
    assert TOKEN.findall("Apple's, isn't it") == ["Apple", "'s", ",", "isn't", "it"]


def test_the_likeliest_sequence_is_found():
    """Against all 5 ** 4 sequences, of which those with a later word of no span are forbidden."""
    draw = np.random.default_rng(3)
    words = ["cats", "or", "big", "dogs"]
    rows = word_features(words)
    names = {name for row in rows for before in range(START + 1) for name in with_tag_before(row, before)}
    weights = of_tags({name: draw.normal(size=len(TAGS)).tolist() for name in sorted(names)})
    scores = weights.tag_scores(word_features(words))

    def allowed(tags):
        return all(
            tag not in (I_OBJECT, I_ASPECT) or before in (tag - 1, tag)
            for before, tag in zip((START, *tags), tags, strict=False)
        )

    def score(tags):
        return sum(scores[at, before, tag] for at, (before, tag) in enumerate(zip((START, *tags), tags, strict=False)))

    best = max(filter(allowed, product(range(len(TAGS)), repeat=len(words))), key=score)
    assert tuple(tag(words, weights)) == best


def test_a_bar_in_a_title_is_a_word_like_others():
    assert "0=|" in word_features(["|"])[0]
    model = of_tags({"0=|": [0, 9, 0, 0, 0]})
    assert named_objects("a | b", model=model) == ("|",)


@pytest.mark.parametrize(
    ("title", "objects"),
    [
        ("Which is better, tea or coffee?", ("tea", "coffee")),
        ("Is a hot dog better than a salad?", ("hot dog", "salad")),
        ("what is the difference between jam and jelly", ("jam", "jelly")),
        ("Should a family rent or buy skis?", ("rent skis", "buy skis")),
        ("Is it better to boil or to steam vegetables?", ("boil vegetables", "steam vegetables")),
        ("Should I buy or rent?", ("buy", "rent")),
        ("Which is better, Disneyland or Disney World?", ("Disneyland", "Disney World")),
    ],
)
def test_objects(title, objects):
    assert named_objects(title) == objects


def test_no_objects():
    assert named_objects("", model=of_tags({})) == ()
    assert [named_objects(text) for text in ("?", "\N{SNOWMAN}", "a" * 10_000)] == [()] * 3
