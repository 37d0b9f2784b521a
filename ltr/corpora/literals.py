"""The corpus's Python-literal cells, read as ``ast.literal_eval`` reads them, but faster.

The columns ``premises``, ``context`` and ``sentences`` were written with ``repr``. What ``repr`` writes is read by
regular expressions; any other cell goes, whole, to ``ast.literal_eval``. Indexing the collection of 24,929 arguments
takes 33% more processor time where all cells do (15.2 s for 11.4 s, measured in turn). Cells were decoded from UTF-8:
they hold no surrogates, but for escaped ones.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Mapping
from typing import Any, Final

# The escapes repr() writes; every other one (octal, \N{...}, planes above 15) is literal_eval's business.
_ESCAPE: Final = r"""(?:[\\'"nrt]|x[0-9a-f]{2}|u[0-9a-f]{4}|U000[0-9a-f]{5})"""
# Source text may not hold these raw in a one-line string.
_FORBIDDEN: Final = r"\n\r\0"


def _quoted(quote: str) -> str:
    plain = rf"[^{quote}\\{_FORBIDDEN}]*+"
    return rf"{quote}{plain}(?:\\{_ESCAPE}{plain})*+{quote}"


_STRING: Final = f"(?:{_quoted(chr(39))}|{_quoted(chr(34))})"
_SENTENCE: Final = re.compile(rf"\{{'sent_id': '([^'\\{_FORBIDDEN}]*)', 'sent_text': ({_STRING})\}}(?:, |\]\Z)")

_NUMBER: Final = r"-?(?:0|[1-9][0-9]{0,15})(?:\.[0-9]{1,20})?(?:e[+-]?[0-9]{1,3})?"
_ATOM: Final = rf"(?:{_STRING}|None|True|False|{_NUMBER})"
_RECORD: Final = rf"\{{(?:{_STRING}: {_ATOM}(?:, {_STRING}: {_ATOM})*+)?\}}"
_ITEM: Final = rf"(?:{_ATOM}|{_RECORD})"
_FIELD: Final = re.compile(
    rf"({_STRING}): ({_STRING}|None|True|False|{_NUMBER}|{_RECORD}|\[(?:{_ITEM}(?:, {_ITEM})*+)?\])(?:, |\}}\Z)"
)

LONGEST: Final = 1 << 20
"""Characters of a cell that is not written as ``repr`` does: `ast` takes up to 1,000 bytes for each."""

_USED: Final = frozenset({"stance", "topic", "discussionTitle", "sourceTitle", "sourceUrl"})


def parse_sentences(cell: str) -> list[tuple[str, str]]:
    """Read the ``sentences`` cell: (sentence id, text) in the order of the cell.

    Raises ValueError, with a reason that reads after the column's name.
    """
    if cell == "[]":
        return []
    found, at = [], 1
    while match := _SENTENCE.match(cell, at):
        found.append((match[1], _unquote(match[2])))
        at = match.end()
    written = found and (cell[0], cell[-1], at) == ("[", "]", len(cell))  # as ``repr`` does
    return found if written else [_sentence(item) for item in _list_of_records(cell)]


def parse_stances(cell: str) -> list[object]:
    """Read the stances from the ``premises`` cell, as they are, of premises that have one. Raises ValueError."""
    if cell.startswith("[{") and cell.endswith("}]"):
        fields = _read_record(cell[1:-1])  # of several premises it is not one dict
        if fields is not None:
            return [fields["stance"]] if "stance" in fields else []
    return [premise["stance"] for premise in _list_of_records(cell) if premise.get("stance") is not None]


def parse_context(cell: str) -> tuple[str, str]:
    """Read title and URL from the ``context`` cell without building its ``sourceText``, often a whole page.

    Raises ValueError.
    """
    fields: Any = _read_record(cell)
    if fields is None and not isinstance(fields := read_literal(cell), dict):
        raise ValueError("is not a dict")
    return context_of(fields)


def context_of(fields: Mapping[str, object]) -> tuple[str, str]:
    """Pick the debate's title, or else the page's, and the page's URL; "" where one is missing."""
    texts = {key: value for key in _USED if isinstance(value := fields.get(key), str)}
    title = texts.get("topic") or texts.get("discussionTitle") or texts.get("sourceTitle") or ""
    return title, texts.get("sourceUrl", "")


def _read_record(cell: str) -> dict[str, object] | None:
    """The values in the dict of a cell that Riposte uses; None where it is not written as ``repr`` does."""
    if cell[:1] != "{" or cell[-1] != "}":
        return None
    used: dict[str, str] = {}
    at = 1
    while field := _FIELD.match(cell, at):
        if (name := _unquote(field[1])) in _USED:
            used[name] = field[2]  # of a key given twice the last one counts
        at = field.end()
    if at < len(cell):
        return None
    values = ((name, text) for name, text in used.items() if text != "None")
    return {name: _unquote(text) if text[0] in "'\"" else read_literal(text) for name, text in values}


def _unquote(literal: str) -> str:
    """The text of a string whose escapes are all of the kind `_ESCAPE`."""
    text = literal[1:-1]
    return text.encode("latin-1", "backslashreplace").decode("unicode_escape") if "\\" in text else text


def read_literal(cell: str) -> object:
    """Read as `ast.literal_eval` does. Raises ValueError where it raises anything."""
    if len(cell) > LONGEST:
        raise ValueError(f"has more than {LONGEST:,} characters and is not written as repr does")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an odd escape is legal: the user needs no warning
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
