"""An argument with its sentences, checked and put in order, whatever format it was read from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from features.core.folding import composed
from ltr.data.columns import quote
from ltr.data.ids import clean_id, is_name, sentence_id, sentence_number
from ltr.escapes import encodable

_PREMISES = [sentence_id("", number) for number in range(1, 1_000)]
_CONCLUSION = sentence_id("", -1)
_STANCES: Final = {"": "", "PRO": "PRO", "FOR": "PRO", "CON": "CON", "AGAINST": "CON"}


class Sentence(NamedTuple):
    """A sentence under its published id: ``<argument>__PREMISE__<n>`` or ``<argument>__CONC__<n>``."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument. ``sentences`` has the premises first and the conclusion last."""

    id: str
    conclusion: str
    stance: str
    """"PRO", "CON", or "" when unknown."""
    sentences: tuple[Sentence, ...]
    title: str
    """Title of the debate, or else of the page."""
    url: str
    source: tuple[float, ...] = ()
    """Facts of a document's source, in the order of `features.core.tables.SOURCE`; empty without any."""


class RowError(Exception):
    """An invalid argument; :class:`Corpus` adds its position, and its ``form`` where there is no hint."""

    def __init__(self, what: str, hint: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.hint = hint


def build_argument(
    name: str, conclusion: str, stance: object, sentences: Sequence[tuple[str, str]], *, title: str, url: str
) -> Argument:
    """Check ids, put premises first, and restore the conclusion that the corpus leaves out when it is short.

    ``stance`` is as the corpus has it, see `read_stance`; a list of all where several are given. Texts are put in NFC,
    and characters that UTF-8 cannot encode are replaced. Raises RowError.
    """
    given, name = name, argument_name(name)
    if name != given:
        sentences = [(name + key.removeprefix(given) if given in key else key, text) for key, text in sentences]
    premises, conclusions = _by_role(name, sentences)
    conclusion = _text(conclusion)
    if not conclusions and (text := conclusion.strip()):
        conclusions.append((sentence_id(name, -1), text))
    in_order = tuple([Sentence._make(sentence) for sentence in (*premises, *conclusions)])
    whole = "".join([sentence.text for sentence in in_order])
    if not whole.isascii():
        in_order = tuple([Sentence(key, _text(text)) for key, text in in_order])
    return Argument(
        name,
        conclusion,
        stance if stance in ("PRO", "CON") else read_stance(name, stance),
        in_order,
        _text(title),
        encodable(url),
    )


def _text(text: str) -> str:
    return text if text.isascii() else composed(encodable(text))


def read_stance(name: str, given: object) -> str:
    """The stance of an argument, "PRO", "CON" or "" without one, from its own and those of its premises.

    ``given`` is one or a list: PRO or for, CON or against, in any case, "" or None. Raises RowError for another one,
    and where two disagree.
    """
    stances = set()
    for one in given if isinstance(given, list) else [given]:
        stance = _STANCES.get("" if one is None else one.strip().upper() if isinstance(one, str) else "?")
        if stance is None:
            raise RowError(
                f"the stance {quote(str(one))} of {name} is neither PRO nor CON", "write one of them, or none"
            )
        stances.add(stance)
    if {"PRO", "CON"} <= stances:
        raise RowError(
            f"the premises of {name} disagree in stance", "make one argument of those for, one of the others"
        )
    return max(stances, default="")


def argument_name(given: str) -> str:
    """The id of an argument, as `clean_id` makes it. Raises RowError, also for what could be the id of a sentence."""
    hint = "give every argument an id of one word, such as S<hex>-A<hex>"
    try:
        name = clean_id(given)
    except ValueError as error:
        raise RowError(f"the id {error}" if not given else f"the id {given[:80]!r} {error}", hint) from None
    if not is_name(name):
        what = "a comma" if "," in name else "the mark of a sentence's id, __PREMISE__ or __CONC__"
        raise RowError(f"the id {name[:80]!r} holds {what}", hint)
    return name


def _by_role(name: str, sentences: Sequence[tuple[str, str]]) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Premises and conclusions of an argument."""
    keys = [key for key, _ in sentences]
    count = len(keys) - (keys[-1:] == [name + _CONCLUSION])
    if keys[:count] == [name + ending for ending in _PREMISES[:count]]:  # as in most corpora
        return [*sentences[:count]], [*sentences[count:]]
    numbers = {key: sentence_number(key, name) for key, _ in sentences}
    if len(numbers) < len(sentences):
        raise RowError(f"a sentence id of {name} comes twice", "number the sentences 1, 2, 3")
    for key, number in numbers.items():
        if not number:
            fault = f"the sentence id {key[:80]!r} does not belong to the argument {name}"
            raise RowError(fault, f"name its sentences {sentence_id(name, 1)}, ..., {sentence_id(name, -1)}")
    premises = [sentence for sentence in sentences if numbers[sentence[0]] > 0]
    return premises, [sentence for sentence in sentences if numbers[sentence[0]] < 0]
