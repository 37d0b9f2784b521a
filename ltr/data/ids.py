"""The grammar of ids: ``<argument>__PREMISE__<n>`` and ``<argument>__CONC__<n>``, and two of them as a pair."""

from __future__ import annotations

import re
from collections.abc import Iterable

from features.core.folding import composed

PREMISE, CONCLUSION = "__PREMISE__", "__CONC__"
LISTED = "|"
"""Between the number of a topic and the id of a document in its result list: one may be in the lists of several."""

_PLACE_ON_PAGE = re.compile("-A[^-]*$|-[0-9]{5}-[0-9]{3}$")
_NUMBER_OF_ROLE = re.compile(r"__(PREMISE|CONC)__([1-9][0-9]{0,8})")
_SENTENCE = re.compile(rf"[^\s,]+(?:{PREMISE}|{CONCLUSION})[0-9]+")
_PLAIN = re.compile("[!-~]+")
_BLANK = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]")
"""Characters that Python calls printable, but that no font shows."""


def clean_id(text: str) -> str:
    """The id that a file means: without blanks around it and the byte-order mark of a joined file, in NFC.

    Corpora, topics, runs, judgments and votes read their ids with it, so that equal ids are found equal. Raises
    ValueError, with a reason that reads after the id, for an empty one and one with a blank or an invisible character.

    >>> clean_id(" S1a-A2b"), clean_id("\ufeffcafe\u0301")
    ('S1a-A2b', 'café')
    """
    if _PLAIN.fullmatch(text):  # as nearly all
        return text
    text = composed(text.strip().strip("\ufeff").strip())
    for mark in text:
        if mark.isspace() or not mark.isprintable() or _BLANK.match(mark):
            raise ValueError(
                f"holds {'white space' if mark.isspace() else 'an invisible character'} (U+{ord(mark):04X})"
            )
    if not text:
        raise ValueError("is empty")
    return text


def sentence_id(argument: str, number: int) -> str:
    """Id of an argument's ``number``-th premise, counted from 1; of its conclusions, counted from -1 downwards.

    >>> sentence_id("S1a-A2b", 3), sentence_id("S1a-A2b", -1)
    ('S1a-A2b__PREMISE__3', 'S1a-A2b__CONC__1')
    """
    return f"{argument}{PREMISE if number > 0 else CONCLUSION}{abs(number)}"


def sentence_number(sentence: str, argument: str) -> int:
    """The number that `sentence_id` makes ``sentence`` of; 0 for one that is not a sentence of ``argument``.

    >>> sentence_number("S1a-A2b__CONC__1", "S1a-A2b"), sentence_number("S1a-A2b__CONC__1", "S3c-A4d")
    (-1, 0)
    """
    match = _NUMBER_OF_ROLE.fullmatch(sentence, len(argument)) if sentence.startswith(argument) else None
    return 0 if match is None else int(match[2]) * (1 if match[1] == "PREMISE" else -1)


def is_name(id_: str) -> bool:
    """Whether this can be the id of an argument: clean, without a comma, and not like that of a sentence."""
    return is_word(id_) and not any(mark in id_ for mark in (",", PREMISE, CONCLUSION))


def is_word(text: str) -> bool:
    """Whether `clean_id` leaves a text as it is: it can be a column of a file, and be read back from there."""
    try:
        return clean_id(text) == text
    except ValueError:
        return False


def is_pair(id_: str) -> bool:
    """Whether this is the id of a pair: for files, whose ids alone show what they name. Elsewhere the kind is known."""
    return "," in id_


def is_sentence(id_: str) -> bool:
    """Whether this can be the id of a sentence, of whatever argument."""
    return _SENTENCE.fullmatch(id_) is not None


def is_conclusion(sentence: str) -> bool:
    """Whether this is the id of a conclusion; whole arguments and premises are none.

    >>> is_conclusion("S1a-A2b__CONC__1"), is_conclusion("S1a-A2b__PREMISE__3"), is_conclusion("S1a-A2b")
    (True, False, False)
    """
    return sentence.rfind(CONCLUSION) > sentence.rfind(PREMISE)


def argument_of(sentence: str) -> str:
    """Id of the argument a sentence is from: the text before the last ``__PREMISE__`` or ``__CONC__``.

    An id without such a mark is an argument's own and comes back unchanged.

    >>> argument_of("S1a-A2b__PREMISE__3"), argument_of("S1a-A2b")
    ('S1a-A2b', 'S1a-A2b')
    """
    cut = max(sentence.rfind(PREMISE), sentence.rfind(CONCLUSION))
    return sentence[:cut] if cut > 0 else sentence


def page_of(id_: str) -> str:
    """The part of an argument's or a sentence's id that names the page it was taken from.

    The argument's whole id where it has none.

    >>> page_of("S9b15f71-Aa475415f"), page_of("S9b15f71-Aa475415f__PREMISE__3")
    ('S9b15f71', 'S9b15f71')
    >>> page_of("c67482ba-2019-04-18T13:32:05Z-00000-000")  # of version 1 of the corpus
    'c67482ba-2019-04-18T13:32:05Z'
    """
    argument = argument_of(id_)
    return _PLACE_ON_PAGE.sub("", argument) or argument


def topic_of(listed: str) -> str:
    """The topic whose result list a document is from; nothing for one of a collection.

    >>> topic_of("51|clueweb12-0200tw-48-13390"), topic_of("clueweb12-0200tw-48-13390___2")
    ('51', '')
    """
    return listed.rpartition(LISTED)[0]


def document_of(listed: str) -> str:
    """The id of a document as its source gives it.

    >>> document_of("51|clueweb12-0200tw-48-13390"), document_of("clueweb12-0200tw-48-13390___2")
    ('clueweb12-0200tw-48-13390', 'clueweb12-0200tw-48-13390___2')
    """
    return listed.rpartition(LISTED)[2]


def pair_key(pair: str) -> str:
    """The pair with its two ids sorted: equal for both orders.

    >>> pair_key("b__CONC__1,a__CONC__1")
    'a__CONC__1,b__CONC__1'
    """
    return join_parts(sorted(parts_of(pair)))


def parts_of(item: str) -> list[str]:
    """The ids of an item's parts: the two sentences of a pair, or the item itself.

    >>> parts_of("S1-A1__PREMISE__1,S1-A1__CONC__1"), parts_of("S1-A1")
    (['S1-A1__PREMISE__1', 'S1-A1__CONC__1'], ['S1-A1'])
    """
    return item.split(",")


def join_parts(parts: Iterable[str]) -> str:
    """The id of an item from those of its parts, `parts_of`."""
    return ",".join(parts)
