"""Columns of a caller's data frame; what is not an id, a text or a number is refused with its column and row."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from numbers import Integral, Real
from typing import Any

from ltr.data.columns import quote
from ltr.data.ids import clean_id
from ltr.errors import SettingError


def id_text(value: object) -> str | None:
    """A caller's id as `clean_id` makes it, or a whole number, which pandas makes a float (1.0); None for no id."""
    if isinstance(value, str):
        with suppress(ValueError):
            return clean_id(value)
    if isinstance(value, Integral):
        return None if isinstance(value, bool) else str(int(value))
    return f"{value:.0f}" if isinstance(value, Real) and float(value).is_integer() else None


def frame_ids(frame: Any, name: str, where: str) -> list[str]:
    """The ids of a column as text, see `id_text`. Raises SettingError, which names ``where``, column and row."""
    return _column(frame, name, where, id_text, "an id: write text or a whole number")


def frame_texts(frame: Any, name: str, where: str) -> list[str]:
    """The texts of a column. Raises SettingError, which names ``where``, column and row."""
    return _column(frame, name, where, lambda value: value if isinstance(value, str) else None, "a text")


def frame_numbers(frame: Any, name: str, where: str) -> list[float]:
    """The finite numbers of a column. Raises SettingError, which names ``where``, column and row."""
    return _column(frame, name, where, _number, "a finite number")


def find_column(frame: Any, names: Sequence[str], where: str) -> str:
    """The column that has one of these names. Raises SettingError."""
    column = next((name for name in names if name in frame.columns), None)
    if column is None:
        known = ", ".join(map(str, frame.columns))
        raise SettingError(where, f"has no column {names[0]}", f"its columns are {known[:200]}")
    return column


def numbered(rows: Any, where: str, what: str) -> list[tuple[str, str, float]]:
    """Topic, id and a finite number of topic -> id -> number, or of rows that begin so.

    Raises SettingError, which names ``where`` and the topic and the id of the number, ``what``, or the row.
    """
    found = []
    try:
        if isinstance(rows, Mapping):
            rows = [(topic, id_, number) for topic, of in rows.items() for id_, number in of.items()]
        given = [(topic, id_, number) for topic, id_, number, *_ in rows]
    except (TypeError, ValueError, AttributeError):
        hint = f"give topic -> id -> {what}, or rows of topic, id and {what}"
        raise SettingError(where, "is not in a form that can be read", hint) from None
    for row, (topic, id_, number) in enumerate(given):
        if (of := id_text(topic)) is None or (item := id_text(id_)) is None:
            raise SettingError(where, f"row {row}: {topic!r}, {id_!r} is not a topic and an id", "write text")
        if (value := _number(number)) is None:
            raise SettingError(where, f"topic {topic}, id {id_}: {number!r} is not a {what}", "give a number")
        found.append((of, item, value))
    return found


def named_items(items: Any) -> dict[str, list[str]]:
    """Topic -> the ids of its items. Raises SettingError, which names ``items``, for other things and for no id."""
    found: dict[str, list[str]] = {}
    for topic, ids in items.items() if isinstance(items, Mapping) else [(None, items)]:
        listed = [None] if isinstance(ids, str) or not isinstance(ids, Iterable) else [id_text(id_) for id_ in ids]
        known = [id_ for id_ in listed if id_]
        if (named := id_text(topic)) is None or len(known) < len(listed):
            raise SettingError("items", f"{quote(f'{topic}: {ids}')} is not a topic and its ids", "give topic -> ids")
        found[named] = known
    return found


def check_columns(frame: Any, names: Sequence[str], where: str) -> None:
    """Raise SettingError where columns are missing, or come twice."""
    columns = list(getattr(frame, "columns", ()))
    if missing := [name for name in names if name not in columns]:
        raise SettingError(where, f"the frame has no column {', '.join(missing)}", "rename its columns")
    if twice := [name for name in names if columns.count(name) > 1]:
        raise SettingError(where, f"the frame has the column {twice[0]} twice", "keep one of them")


def _number(value: Any) -> float | None:
    with suppress(OverflowError):  # of whole numbers that no float can hold
        if isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value):
            return float(value)
    return None


def _column(frame: Any, name: str, where: str, read: Callable[[Any], Any], what: str) -> list[Any]:
    check_columns(frame, [name], where)
    values = []
    for label, value in zip(frame.index, frame[name].tolist(), strict=True):
        if (found := read(value)) is None:
            wrong = f"column {name}, row {label}: {quote(str(value))} is not {what}"
            raise SettingError(where, wrong, "mend it, or leave the row out")
        values.append(found)
    return values
