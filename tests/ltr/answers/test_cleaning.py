"""Texts as they are shown: the cases are ends of sentences of the collection."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ltr.answers.sentences import LONGEST, display_text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("8] Tenure protects teachers.", "Tenure protects teachers."),
        ("”[1]\xa0As badgers are sentient beings", "As badgers are sentient beings"),
        ("”1 The rest is silence.", "The rest is silence."),
        ("2) Do the people know?", "Do the people know?"),
        ("1. It costs too much.", "It costs too much."),
        ('"(9) Bullfighting is an art form.', "Bullfighting is an art form."),
        ("- It is cheap  and\n good.", "It is cheap and good."),
        ("The Times, 22 September 2009]] There is no need for free museums.", "There is no need for free museums."),
        ("They suffered from withdrawal symptoms. [", "They suffered from withdrawal symptoms."),
        ("They have chosen to avoid it[i].", "They have chosen to avoid it"),
        ("The states are equal.[1] [2]", "The states are equal."),
        ("The internet is not worse than the world1.", "The internet is not worse than the world"),
        ("It is policy for the Armed Forces’ 1.", "It is policy for the Armed Forces’ 1."),
        ("It would be ‘dangerous’1.", "It would be ‘dangerous’"),
        ("Power rises as efficiency rises. *", "Power rises as efficiency rises."),
        ("He often says so in his books. [[Smith, A life, 2009", "He often says so in his books."),
        ("(This is so.", "This is so."),
        ('"Zoos are prisons.', "Zoos are prisons."),
        # left as they are
        ("In 2009 it grew by 5% (see below).", "In 2009 it grew by 5% (see below)."),
        ("Zoos [and circuses] are cruel.", "Zoos [and circuses] are cruel."),
        ('"Zoos" are "prisons"', '"Zoos" are "prisons"'),
        ("50% of 18-24 year olds don't vote.", "50% of 18-24 year olds don't vote."),
        (".45 calibre guns kill.", ".45 calibre guns kill."),
        ("[1]", "[1]"),
        ("...", "..."),
        ("  ", ""),
    ],
)
def test_what_is_cut_off(text: str, shown: str) -> None:
    assert display_text(text) == shown


PIECES = ["[1]", "(2)", "8]", "[", "]]", '"', "”", "“", "1.", "world1.", "Zoos close", " ", "-", "*", "5%"]


@given(st.one_of(st.text(max_size=80), st.lists(st.sampled_from(PIECES), max_size=9).map("".join)))
def test_a_part_of_the_text_that_stays_as_it_is(text: str) -> None:
    shown = display_text(text)
    assert shown in " ".join(text.split())
    assert bool(shown) == bool(text.strip())
    assert display_text(shown) == shown
    assert any(map(str.isalnum, shown)) == any(map(str.isalnum, text))


def test_long_texts_take_no_time() -> None:
    """A text of brackets alone would be read again for each of them."""
    assert display_text("[" * 10 * LONGEST + "x") == "[" * 10 * LONGEST + "x"
    assert display_text("x" + "[" * (LONGEST - 1)) == "x"
    began = time.process_time()
    assert display_text("(" * (LONGEST - 1) + "x") == "x"
    assert display_text("x" + ")" * (LONGEST - 1)) == "x"
    assert time.process_time() - began < 1
