"""The subject of a question from plain vectors, and notices."""

from __future__ import annotations

from math import log10

import numpy as np
import pytest

from ltr.answers.sentences import is_notice
from ltr.answers.side_words import takes_side
from ltr.answers.understand import (
    BY_CHANCE,
    MARGIN,
    TENFOLD,
    Subject,
    matter_signs,
    name_missing,
    nearest_debates,
)
from ltr.answers.weights import as_unit

ASKED = np.array([1.0, 0, 0, 0], np.float32)


def at(*cosines: float) -> np.ndarray:
    """Arguments with these cosines with what is asked, otherwise all alike."""
    return np.array([[cosine, (1 - cosine**2) ** 0.5, 0, 0] for cosine in cosines], np.float32)


def test_the_nearest_debate_and_those_nearly_as_near() -> None:
    chance = BY_CHANCE + TENFOLD * log10(1000)
    assert chance == pytest.approx(0.485)
    cosines, found = nearest_debates(ASKED, [at(0.8), at(0.5), at(0.3), at(0.6, 0.6), at(0.49)], 1000)
    assert found == [0, 1, 3, 4], "a single argument may lack .4 of .8"
    assert cosines == pytest.approx([0.8, 0.5, 0.3, 0.6, 0.49])
    assert nearest_debates(ASKED, [at(0.8), at(*[0.6] * 4)], 1000)[1] == [0], "the gap of four is half as wide: .64"
    assert nearest_debates(ASKED, [at(0.48)], 1000)[1] == [], "no nearer than by chance"


def test_a_whole_small_corpus_is_compared_without_what_it_shares() -> None:
    town = 1.5 * np.eye(65, dtype=np.float32)[64]  # all are about one town
    texts = as_unit(np.eye(65, dtype=np.float32)[:64] + town)
    pages = np.arange(64)
    near, best, _, tenfolds, one = matter_signs(texts[3], texts, pages).T
    assert near.argmax() == 3
    assert near[3] == pytest.approx(1)
    assert max(near[0], near[5]) < texts[3] @ texts[5] / 2
    assert tenfolds == pytest.approx(log10(64), abs=1e-5)
    assert (best == near[3]).all()
    assert (one == 1).all()
    near, _, beside, *_ = matter_signs(texts[3], texts[[3, 3, 4, 5]], np.array([0, 1, 2, 2])).T
    assert near[0] == near[1] == pytest.approx(1)
    assert beside[0] > beside[3] + 0.3, "near to the texts that are nearest"
    together = matter_signs(texts[3], texts[[3, 4, 5]], np.array([0, 0, 1]))[:, 0]
    assert together[1] > matter_signs(texts[3], texts[[3, 4, 5]], np.arange(3))[1, 0], "by its page, if that is nearer"


def test_a_word_is_named_that_takes_the_question_away_from_its_debates() -> None:
    meaning = np.array([1.0, 0], np.float32)
    subject = Subject(frozenset({1}), meaning=meaning)
    near = {"Do we need a robot tram?": 0.5, "Do we need a tram?": 0.5 + MARGIN + 0.01, "Do we a robot tram?": 0.5}

    def vectors(texts):
        return np.array([[near.get(text, 0.0), 0] for text in texts], np.float32)

    def named(missing: set[str], subject: Subject = subject) -> str:
        return name_missing(subject, "Do we need a robot tram?", missing, lambda word: [word], vectors).unnamed

    assert named({"robot"}) == "robot"
    assert named({"need"}) == named(set()) == ""
    assert named({"robot"}, Subject()) == "", "without a subject"


def test_a_notice_is_dates_and_hours() -> None:
    assert is_notice(["Open from April to October, 9 to 18."])
    assert not is_notice(["Schools that begin at nine have pupils who sleep 34 minutes longer."])
    assert not is_notice([])


@pytest.mark.parametrize(
    ("word", "sided"),
    [("abolish", True), ("harmful", True), ("effects", False), ("effective", True), ("unless", False), ("zoo", False)],
)
def test_words_that_take_a_side(word: str, sided: bool) -> None:
    assert takes_side(word) is sided
