import numpy as np
import pytest

from ltr.tasks.comparative.preferences import compare, object_names, opinions

BETTER = ["Tea is better than coffee.", "I think tea is much healthier than coffee."]
WORSE = ["Tea is worse than coffee."]
NONE = ["We sell tea, coffee and cake.", "Tea is better than water."]


def test_direction():
    assert compare(BETTER + WORSE + NONE, "tea", "coffee").argmax(1).tolist() == [0, 0, 1, 2, 2]


def test_the_other_way_round_is_the_mirror_image():
    there, back = compare(BETTER + WORSE + NONE, "tea", "coffee"), compare(BETTER + WORSE + NONE, "coffee", "tea")
    assert np.array_equal(there[:, [1, 0, 2]], back)


def test_rows_are_probabilities_and_do_not_depend_on_their_neighbours():
    found = compare(BETTER + NONE, "tea", "coffee")
    assert found.sum(1) == pytest.approx(1)
    assert np.array_equal(found[::-1], compare((BETTER + NONE)[::-1], "tea", "coffee"))


def test_without_both_objects_there_is_no_comparison():
    assert compare(["Tea is better.", "", "?"], "tea", "coffee").tolist() == [[0, 0, 1]] * 3
    assert compare([], "tea", "coffee").shape == (0, 3)
    assert compare(["Tea beats tea."], "tea", "tea").shape == (1, 3)


def test_names_of_objects():
    """Case and number do not matter; what both share does not name one, unless nothing else is left."""
    assert object_names("Online Courses", "the classroom") == (["onlin", "cours"], ["classroom"])
    assert object_names("a cow milk", "goat milk") == (["cow"], ["goat"])
    assert object_names("C", "C++") == (["c"], ["c++"])
    assert object_names("milk", "goat milk") == (["milk"], ["goat"])


BAG, BOX = "linen bag", "large bread box"
STANCES = [
    (BETTER, "FIRST"),
    ([BETTER[0], "Coffee is better than tea."], "NEUTRAL"),
    (["Water is wet.", "Tea is hot."], "NO"),
    ([], "NO"),
    # Two sentences for tea weigh .6; one against coffee speaks for tea as well; a negation turns it.
    (["I recommend tea.", "Tea is good."], "FIRST"),
    (["Avoid problems with coffee."], "FIRST"),
    (["I do not recommend tea."], "SECOND"),
    # A sentence without objects is about those before it; after both were named, or none, about nothing.
    (["Tea is a drink.", "I recommend it."], "FIRST"),
    (["Tea is a drink.", "So is coffee.", "I recommend it."], "SECOND"),
    (["There are tea and coffee.", "I recommend it."], "NEUTRAL"),
    (["I recommend it.", "Tea is a drink."], "NO"),
]
OF_LONG_NAMES = [  # the last word, or two of three; the first word alone names something else
    (["I recommend the bag.", "The bag is great."], "FIRST"),
    (["I recommend large breads.", "Large bread is great."], "SECOND"),
    (["I recommend linen shirts.", "Linen is great."], "NO"),
]


def test_stances():
    for names, cases in ((("tea", "coffee"), STANCES), ((BAG, BOX), OF_LONG_NAMES)):
        texts, expected = zip(*cases, strict=True)
        assert opinions(texts, *names).stances == list(expected)
    assert opinions([BETTER], "coffee", "tea").stances == ["SECOND"]


def test_texts_that_share_sentences_are_read_as_each_alone():
    texts = [[*BETTER, NONE[1]], [], [WORSE[0], "I recommend tea."], [NONE[1], *BETTER[:1]]]
    found = opinions(texts, "tea", "coffee")
    alone = [opinions([text], "tea", "coffee") for text in texts]
    assert found.stances == [one.stances[0] for one in alone] == ["FIRST", "NO", "SECOND", "FIRST"]
    assert np.array_equal(found.preferred, np.concatenate([one.preferred for one in alone]))
    assert opinions([], "tea", "coffee").preferred.shape == (0, 2)
    assert found.preferred[0] == pytest.approx(compare(texts[0], "tea", "coffee")[:, :2].sum(axis=0))
