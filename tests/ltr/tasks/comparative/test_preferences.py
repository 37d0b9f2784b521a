import numpy as np
import pytest

from ltr.tasks.comparative.opinions import opinions
from ltr.tasks.comparative.preferences import (
    compare,
    object_names,
)

BETTER = ["Tea is better than coffee.", "I think tea is much healthier than coffee."]
WORSE = ["Tea is worse than coffee."]
NONE = ["We sell tea, coffee and cake.", "Tea is better than water."]


def stance_of(sentences: list[str], first: str, second: str) -> str:
    return opinions([sentences], first, second).stances[0]


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


def test_stance():
    assert stance_of(BETTER, "tea", "coffee") == "FIRST"
    assert stance_of(BETTER, "coffee", "tea") == "SECOND"
    assert stance_of([BETTER[0], "Coffee is better than tea."], "tea", "coffee") == "NEUTRAL"
    assert stance_of(["Water is wet.", "Tea is hot."], "tea", "coffee") == "NO"
    assert stance_of([], "tea", "coffee") == "NO"


def test_stance_of_sentences_that_name_one_object():
    """Two sentences for tea weigh .6; one against coffee speaks for tea as well; a negation turns it."""
    assert stance_of(["I recommend tea.", "Tea is good."], "tea", "coffee") == "FIRST"
    assert stance_of(["Avoid problems with coffee."], "tea", "coffee") == "FIRST"
    assert stance_of(["I do not recommend tea."], "tea", "coffee") == "SECOND"


def test_a_sentence_without_objects_speaks_of_those_before_it():
    """One recommendation weighs .3 and decides; after both were named, or none, it is of nothing."""
    assert stance_of(["Tea is a drink.", "I recommend it."], "tea", "coffee") == "FIRST"
    assert stance_of(["Tea is a drink.", "So is coffee.", "I recommend it."], "tea", "coffee") == "SECOND"
    assert stance_of(["There are tea and coffee.", "I recommend it."], "tea", "coffee") == "NEUTRAL"
    assert stance_of(["I recommend it.", "Tea is a drink."], "tea", "coffee") == "NO"


def test_answers_shorten_long_names():
    """The last word, or two of three; the first word alone names something else."""
    names = "linen bag", "large bread box"
    assert stance_of(["I recommend the bag.", "The bag is great."], *names) == "FIRST"
    assert stance_of(["I recommend large breads.", "Large bread is great."], *names) == "SECOND"
    assert stance_of(["I recommend linen shirts.", "Linen is great."], *names) == "NO"


def test_texts_that_share_sentences_are_read_as_each_alone():
    texts = [[*BETTER, NONE[1]], [], [WORSE[0], "I recommend tea."], [NONE[1], *BETTER[:1]]]
    found = opinions(texts, "tea", "coffee")
    alone = [opinions([text], "tea", "coffee") for text in texts]
    assert found.stances == [one.stances[0] for one in alone] == ["FIRST", "NO", "SECOND", "FIRST"]
    assert np.array_equal(found.preferred, np.concatenate([one.preferred for one in alone]))
    assert opinions([], "tea", "coffee").preferred.shape == (0, 2)
    assert found.preferred[0] == pytest.approx(compare(texts[0], "tea", "coffee")[:, :2].sum(axis=0))
