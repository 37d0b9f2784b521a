"""The corpus's Python-literal cells, read as ``ast.literal_eval`` reads them, but faster.

The columns ``premises``, ``context`` and ``sentences`` were written with ``repr``. Regular expressions for what
``repr`` writes read them; any other cell goes, whole, to ``ast.literal_eval``.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Mapping
from typing import Final, NamedTuple

from features.core.sides import FOR_AND_AGAINST

# The escapes repr() writes; every other one (octal, \N{...}, planes above 15) is literal_eval's business.
_ESCAPE: Final = r"""(?:[\\'"nrt]|x[0-9a-f]{2}|u[0-9a-f]{4}|U000[0-9a-f]{5})"""
# Source text may not hold these raw in a one-line string: line ends, NUL, and what UTF-8 cannot encode.
_FORBIDDEN: Final = r"\n\r\0\ud800-\udfff"


def _quoted(quote: str) -> str:
    plain = rf"[^{quote}\\{_FORBIDDEN}]*+"
    return rf"{quote}{plain}(?:\\{_ESCAPE}{plain})*+{quote}"


_STRING: Final = f"(?:{_quoted(chr(39))}|{_quoted(chr(34))})"
_SENTENCE: Final = re.compile(rf"\{{'sent_id': ({_STRING}), 'sent_text': ({_STRING})\}}(?:, |\]\Z)")
_SENTENCE_FRAME: Final = len("{'sent_id': , 'sent_text': }, ")

_NUMBER: Final = r"-?(?:0|[1-9][0-9]{0,15})(?:\.[0-9]{1,20})?(?:e[+-]?[0-9]{1,3})?"
_ATOM: Final = rf"(?:{_STRING}|None|True|False|{_NUMBER})"
_RECORD: Final = rf"\{{(?:{_STRING}: {_ATOM}(?:, {_STRING}: {_ATOM})*+)?\}}"
_ITEM: Final = rf"(?:{_ATOM}|{_RECORD})"
_FIELD: Final = re.compile(
    rf"({_STRING}): (?:({_STRING})|None|True|False|{_NUMBER}|{_RECORD}|\[(?:{_ITEM}(?:, {_ITEM})*+)?\])(?:, |\}}\Z)"
)

# What stands in quotes, closed or not, or behind a #. The rest is what literal_eval makes objects of.
_TEXT: Final = re.compile(
    r"(?s)'{3}(?:[^\\]|\\.)*?(?:'{3}|\Z)|\"{3}(?:[^\\]|\\.)*?(?:\"{3}|\Z)"
    r"|'(?:[^'\\\n]|\\.)*+'?|\"(?:[^\"\\\n]|\\.)*+\"?|#[^\n]*+"
)
MOST_SIGNS: Final = 300_000
"""Characters of a cell that is not written as ``repr`` does, a text counted as one: each may take 1,000 bytes."""

_STANCES: Final = frozenset(map(str, FOR_AND_AGAINST))
_USED: Final = frozenset({"stance", "topic", "discussionTitle", "sourceTitle", "sourceUrl"})


class Context(NamedTuple):
    """What Riposte takes from an argument's ``context``; "" stands for what is not there."""

    title: str
    url: str


def parse_sentences(cell: str) -> list[tuple[str, str]]:
    """Read the ``sentences`` cell: (sentence id, text) in the order of the cell.

    Raises ValueError, with a reason that reads after the column's name.
    """
    if cell == "[]":
        return []
    found = _SENTENCE.findall(cell)
    # findall skips what does not match: only when the pieces add up to the cell has nothing been skipped.
    # The last piece closes with "]" where the others have ", ", and "[" opens the cell: these two cancel out.
    size = sum(len(name) + len(text) for name, text in found) + _SENTENCE_FRAME * len(found)
    if found and size == len(cell) and cell[0] == "[":
        return [(_unquote(name), _unquote(text)) for name, text in found]
    return [_sentence(item) for item in _list_of_records(cell)]


def parse_stance(cell: str) -> str:
    """Read the stance from the ``premises`` cell, where only the first premise bears it.

    "PRO", "CON", or "" when there is no premise or its stance is another one. Raises ValueError.
    """
    if cell.startswith("[{") and cell.endswith("}]"):
        fields = _read_record(cell[1:-1])  # of several premises it is not one dict
        if fields is not None:
            return known_stance(fields.get("stance"))
    premises = _list_of_records(cell)
    return known_stance(premises[0].get("stance")) if premises else ""


def parse_context(cell: str) -> Context:
    """Read title and URL from the ``context`` cell without building its ``sourceText``, often a whole page.

    Raises ValueError.
    """
    if (fields := _read_record(cell)) is not None:
        return context_of(fields)
    value = read_literal(cell)
    if not isinstance(value, dict):
        raise ValueError("is not a dict")
    return context_of(value)


def known_stance(value: object) -> str:
    """Return "PRO" or "CON" as they are, "" for everything else."""
    return value if isinstance(value, str) and value in _STANCES else ""


def context_of(fields: Mapping[str, object]) -> Context:
    """Pick the debate's title, or else the page's, and the page's URL."""
    texts = {key: value for key in _USED if isinstance(value := fields.get(key), str)}
    title = texts.get("topic") or texts.get("discussionTitle") or texts.get("sourceTitle") or ""
    return Context(title, texts.get("sourceUrl", ""))


def _read_record(cell: str) -> dict[str, str] | None:
    """The strings in the dict of a cell that Riposte uses; None where it is not written as ``repr`` does."""
    used: dict[str, str | None] = {}
    at = 1
    while field := _FIELD.match(cell, at):
        name, text = _unquote(field[1]), field[2]
        if name in _USED:
            used[name] = text  # of a key given twice the last value counts
        at = field.end()
    if at != len(cell) or cell[0] != "{" or cell[-1] != "}":
        return None
    return {name: _unquote(text) for name, text in used.items() if text}


def _unquote(literal: str) -> str:
    return str(ast.literal_eval(literal)) if "\\" in literal else literal[1:-1]


def read_literal(cell: str) -> object:
    """What `ast.literal_eval` reads. Raises ValueError for whatever it refuses."""
    if len(cell) > MOST_SIGNS and len(_TEXT.sub("x", cell)) > MOST_SIGNS:
        raise ValueError(f"holds more than {MOST_SIGNS:,} signs outside of its texts")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an odd escape is legal, and no business of the user's terminal
            return ast.literal_eval(cell)
    except (MemoryError, RecursionError):
        reason = "nested too deeply"
    except SyntaxError as error:
        reason = error.msg
    except (ValueError, TypeError) as error:
        reason = str(error).partition(":")[0]  # what follows is the address of a node
    raise ValueError(f"is not a Python literal ({reason})")


def _list_of_records(cell: str) -> list[dict[object, object]]:
    value = read_literal(cell)
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise ValueError("is not a list of dicts")
    return value


def _sentence(item: dict[object, object]) -> tuple[str, str]:
    name, text = item.get("sent_id"), item.get("sent_text")
    if not isinstance(name, str) or not isinstance(text, str):
        raise ValueError("has a sentence without the strings 'sent_id' and 'sent_text'")
    return name, text
