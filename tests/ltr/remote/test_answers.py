"""Mark-up becomes text; fields are what they should be, or the message says which is not."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

from ltr.remote.answers import (
    AnswerError,
    BrokenAnswerError,
    member,
    number,
    objects,
    parsed,
    plain_text,
    text,
)

CLEANED = {
    "<em>Python</em>'s 3&#x2F;4, &quot;R&amp;D&quot;": 'Python\'s 3/4, "R&D"',
    "one<br/>two<p class='x'>three</p>four": "one two three four",
    "a &lt; b and b < c but c<d": "a < b and b < c but c<d",
    "&lt;em&gt;is a tag&lt;/em&gt;": "<em>is a tag</em>",
    "x<script>var a = '<p>';</script>y<!-- <b>no</b> -->z<style>p {}</style>": "x y z",
    " two \n\t spaces\u00a0here\x00\x07\u2028": "two spaces here",
    "<EM>big</EM> <a href='/x'>link</a><img src=x>": "big link",
    "half \ud83d of a pair, \ud83d\ude00 a whole one": "half \ufffd of a pair, \U0001f600 a whole one",
    "": "",
    "a <!-- b <script>c</script> d <SCRIPT>e <style>f</STYLE > g": "a <!-- b d e g",  # two without an end
}


@pytest.mark.parametrize("markup", CLEANED, ids=range(len(CLEANED)))
def test_plain_text(markup: str) -> None:
    assert plain_text(markup) == CLEANED[markup]


@pytest.mark.parametrize("opened", ["<!--", "<script>", "<head "])
def test_what_has_no_end_is_looked_for_once(opened: str) -> None:
    began = time.process_time()
    plain_text(opened * 40_000)
    assert time.process_time() - began < 2


@pytest.mark.parametrize("broken", ["", "{", '{"a": 1}}', '{"a": Infinity}', "[" * 99_999, "nothing"])
def test_what_is_not_whole(broken: str) -> None:
    with pytest.raises(BrokenAnswerError):
        parsed(broken, dict)


FIELDS: dict[str, Any] = {"n": 1.5, "big": 75, "t": "<em>a</em>", "none": None, "l": [{}, 3], "yes": True}
WRONG: list[tuple[Callable[[], object], str]] = [
    (lambda: parsed("[]", dict), "the answer is not an object"),
    (lambda: member(FIELDS, "n", str, "it"), "'n' of it is not a text"),
    (lambda: member(FIELDS, "gone", str, "it"), "'gone' of it is missing"),
    (lambda: member(FIELDS, "none", list, "it"), "'none' of it is missing"),
    (lambda: objects(FIELDS, "l", "it"), "'l' 2 of it is not an object"),
    (lambda: number(FIELDS, "t", "it"), "'t' of it is not a number"),
    (lambda: number(FIELDS, "yes", "it"), "'yes' of it is not a number"),
    (lambda: number({"n": float("inf")}, "n", "it"), "'n' of it is not a number"),
    (lambda: number({"n": 10**400}, "n", "it"), "'n' of it is not a number"),
    (lambda: text(FIELDS, "n", "it"), "'n' of it is not a text"),
]


@pytest.mark.parametrize(("read", "said"), WRONG, ids=[said for _, said in WRONG])
def test_what_has_another_form(read: Callable[[], object], said: str) -> None:
    with pytest.raises(AnswerError) as caught:
        read()
    assert str(caught.value) == said
    assert not isinstance(caught.value, BrokenAnswerError), "another try would not help"


def test_what_may_be_missing() -> None:
    assert number(FIELDS, "n", "it") == 1.5
    assert number(FIELDS, "none", "it") is None
    assert text(FIELDS, "t", "it") == "a"
    assert text(FIELDS, "gone", "it") == ""
