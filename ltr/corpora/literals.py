"""The corpus's Python-literal cells, read as ``ast.literal_eval`` reads them, but faster.

The columns ``premises``, ``context`` and ``sentences`` were written with ``repr``. What ``repr`` writes is read by
looking for quotes and backslashes, which is much faster than to look at each character; any other cell goes, whole, to
``ast.literal_eval``. Cells were decoded from UTF-8: they hold no surrogates, but for escaped ones.
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
# Source text may not hold these raw in a one-line string.
_FORBIDDEN: Final = r"\n\r\0"


def _quoted(quote: str) -> str:
    plain = rf"[^{quote}\\{_FORBIDDEN}]*+"
    return rf"{quote}{plain}(?:\\{_ESCAPE}{plain})*+{quote}"


_STRING: Final = f"(?:{_quoted(chr(39))}|{_quoted(chr(34))})"
_WHOLE_STRING: Final = re.compile(_STRING)
_MARK: Final = re.compile(rf"\\{_ESCAPE}")
_KEY: Final = re.compile(r"'(\w+)': (?=['\"])", re.ASCII)

_OPENING, _BETWEEN, _INSIDE, _CLOSING = "[{'sent_id': '", "}, {'sent_id': '", "', 'sent_text': ", "}]"

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

_QUOTES: Final = frozenset("'\"")
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
    if (found := _read_sentences(cell)) is not None:
        return found
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


def _read_sentences(cell: str) -> list[tuple[str, str]] | None:
    """The sentences of a cell; None where it is not written as ``repr`` does."""
    if not (cell.startswith(_OPENING) and cell.endswith(_CLOSING) and _is_one_line(cell)):
        return None
    found = []
    # Where a text holds what lies between two sentences, a piece of it is no string, as a quote is missing.
    for piece in cell[len(_OPENING) : -len(_CLOSING)].split(_BETWEEN):
        name, _, literal = piece.partition(_INSIDE)
        quote = literal[:1]
        text = literal[1:-1]
        if quote not in _QUOTES or literal[-1] != quote or len(literal) < 2 or "'" in name or "\\" in name:
            return None
        if "\\" in text:
            if not _WHOLE_STRING.fullmatch(literal):
                return None
            text = _unescaped(text)
        elif quote in text:
            return None
        found.append((name, text))
    return found


def _read_record(cell: str) -> dict[str, str] | None:
    """The strings in the dict of a cell that Riposte uses; None where it is not written as ``repr`` does."""
    if cell[:1] != "{" or cell[-1] != "}" or not _is_one_line(cell):
        return None
    used: dict[str, str | None] = {}
    at = 1
    while at < len(cell):
        if (key := _KEY.match(cell, at)) and (end := _string_end(cell, key.end())):
            name, value = key[1], (key.end(), end)
            if not (cell.startswith(", ", end) or end == len(cell) - 1):
                return None
            end += 2 if end < len(cell) - 1 else 1
        elif field := _FIELD.match(cell, at):
            name, value, end = _unquote(field[1]), field.span(2), field.end()
        else:
            break
        if name in _USED:
            used[name] = (
                cell[value[0] : value[1]] if value[0] >= 0 else None
            )  # of a key given twice the last one counts
        at = end
    return {name: _unquote(text) for name, text in used.items() if text} if at == len(cell) else None


def _string_end(cell: str, at: int) -> int:
    """Behind the closing quote of the string that opens at ``at``; 0 where ``repr`` would not write it so."""
    quote = cell[at]
    end = cell.find(quote, at + 1)
    back = cell.find("\\", at + 1, end)
    while back >= 0 and end >= 0:
        mark = _MARK.match(cell, back)
        if mark is None:
            return 0
        if mark.end() > end:  # the quote is escaped
            end = cell.find(quote, mark.end())
        back = cell.find("\\", mark.end(), end)
    return end + 1


def _is_one_line(cell: str) -> bool:
    return "\n" not in cell and "\r" not in cell and "\0" not in cell


def _unquote(literal: str) -> str:
    return _unescaped(literal[1:-1]) if "\\" in literal else literal[1:-1]


def _unescaped(text: str) -> str:
    """A string's text, of which `_MARK` knows all escapes."""
    return text.encode("latin-1", "backslashreplace").decode("unicode_escape")


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
