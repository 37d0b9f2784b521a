"""The corpus's Python-literal cells, read as ``ast.literal_eval`` reads them, only faster.

The columns ``premises``, ``context`` and ``sentences`` were written with ``repr``. A scanner that knows
exactly what ``repr`` writes reads them; whatever it does not know goes, whole, to ``ast.literal_eval``. A
cell that ``literal_eval`` would refuse is refused here too: a string that is skipped unread is still checked.
"""

from __future__ import annotations

import ast
import re
import warnings
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

_FIRST_KEY: Final = re.compile(r"""\{'([A-Za-z_]+)': (['"]?)""")
_NEXT_KEY: Final = re.compile(r""", '([A-Za-z_]+)': (['"]?)""")
_NUMBER: Final = r"-?(?:0|[1-9][0-9]{0,15})(?:\.[0-9]{1,20})?(?:e[+-]?[0-9]{1,3})?"
_ATOM: Final = rf"(?:{_STRING}|None|True|False|{_NUMBER})"
_RECORD: Final = rf"\{{(?:{_STRING}: {_ATOM}(?:, {_STRING}: {_ATOM})*+)?\}}"
_ITEM: Final = rf"(?:{_ATOM}|{_RECORD})"
_OTHER_VALUE: Final = re.compile(rf"None|True|False|{_NUMBER}|{_RECORD}|\[(?:{_ITEM}(?:, {_ITEM})*+)?\]")
# Finds the backslashes that need a second look: an escaped backslash, or an escape that repr() never writes.
_DOUBTFUL: Final = re.compile(rf"\\(?:\\|(?!{_ESCAPE}))".encode())

# What stands in quotes, closed or not, or behind a #. The rest is what literal_eval makes objects of.
_TEXT: Final = re.compile(
    r"(?s)'{3}(?:[^\\]|\\.)*?(?:'{3}|\Z)|\"{3}(?:[^\\]|\\.)*?(?:\"{3}|\Z)"
    r"|'(?:[^'\\\n]|\\.)*+'?|\"(?:[^\"\\\n]|\\.)*+\"?|#[^\n]*+"
)
MOST_SIGNS: Final = 300_000
"""Characters of a cell that is not written as ``repr`` does, a text counted as one: each may take 1,000 bytes."""

_STANCES: Final = frozenset(map(str, FOR_AND_AGAINST))
_STANCE_KEYS: Final = frozenset({"stance"})
_CONTEXT_KEYS: Final = frozenset({"topic", "discussionTitle", "sourceTitle", "sourceUrl"})


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
        if "\\" in cell:
            return [(_unquote(name), _unquote(text)) for name, text in found]
        return [(name[1:-1], text[1:-1]) for name, text in found]
    return [_sentence(item) for item in _list_of_records(cell)]


def parse_stance(cell: str) -> str:
    """Read the stance from the ``premises`` cell, where only the first premise bears it.

    "PRO", "CON", or "" when there is no premise or its stance is another one. Raises ValueError.
    """
    if cell.startswith("[{") and cell.endswith("}]"):
        fields = _scan_record(cell, 1, len(cell) - 1, _STANCE_KEYS)
        if fields is not None:
            return known_stance(fields.get("stance"))
    premises = _list_of_records(cell)
    return known_stance(premises[0].get("stance")) if premises else ""


def parse_context(cell: str) -> Context:
    """Read title and URL from the ``context`` cell without building its ``sourceText``, often a whole page.

    Raises ValueError.
    """
    fields: dict[str, object] | None = None
    if cell.startswith("{"):
        fields = _scan_record(cell, 0, len(cell), _CONTEXT_KEYS)
    if fields is None:
        value = read_literal(cell)
        if not isinstance(value, dict):
            raise ValueError("is not a dict")
        fields = value
    return context_of(fields)


def known_stance(value: object) -> str:
    """Return "PRO" or "CON" as they are, "" for everything else."""
    return value if isinstance(value, str) and value in _STANCES else ""


def context_of(fields: dict[str, object]) -> Context:
    """Pick the debate's title, or else the page's, and the page's URL."""
    texts = {key: value for key in _CONTEXT_KEYS if isinstance(value := fields.get(key), str)}
    title = texts.get("topic") or texts.get("discussionTitle") or texts.get("sourceTitle") or ""
    return Context(title, texts.get("sourceUrl", ""))


def _scan_record(cell: str, at: int, end: int, wanted: frozenset[str]) -> dict[str, object] | None:
    """Read the wanted strings of the dict that fills ``cell[at:end]``; None if its form is not known."""
    if not _is_plain(cell):
        return None
    found: dict[str, object] = {}
    key = _FIRST_KEY.match(cell, at)
    while key:
        name, quote = key.groups()
        at = key.end()
        if quote:
            stop = _end_of_string(cell, quote, at)
            if stop > 0 and name in wanted:
                found[name] = _unquote(cell[at - 1 : stop])
        else:
            value = _OTHER_VALUE.match(cell, at)
            stop = value.end() if value else -1
            found.pop(name, None)  # a key given twice has its last value
        if stop < 0:
            return None
        if stop == end - 1 and cell[stop] == "}":
            return found
        key = _NEXT_KEY.match(cell, stop)
    return None


def _is_plain(cell: str) -> bool:
    """Whether any well-quoted string in the cell is one that ``repr`` could have written."""
    try:
        source = cell.encode()  # bytes are also quicker to search
    except UnicodeEncodeError:
        return False
    if b"\n" in source or b"\r" in source or b"\0" in source:
        return False
    return all(match[0] == b"\\\\" for match in _DOUBTFUL.finditer(source))


def _end_of_string(cell: str, quote: str, start: int) -> int:
    """Return the index after the string whose inside begins at ``start``, -1 if it never closes.

    ``str.find`` runs several times faster over a page of text than a regular expression does.
    """
    stop = cell.find(quote, start)
    while stop > 0 and cell[stop - 1] == "\\":
        first = stop - 1
        while cell[first - 1] == "\\":
            first -= 1
        if (stop - first) % 2 == 0:  # the backslashes escape each other, not the quote
            break
        stop = cell.find(quote, stop + 1)
    return stop + 1 if stop > 0 else -1


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
