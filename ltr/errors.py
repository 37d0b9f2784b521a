"""Errors that the user can correct."""

from __future__ import annotations

from ltr.escapes import escaped

LONGEST = 1_000
"""Characters of each part of a message: a path, or an id in a file, may be of any length."""


class InputError(ValueError):
    """Something the user can correct. The message is one line: where, what, and a hint.

    ``InputError("topics.xml", "topic 3 has no title", "give it a <title>")`` reads
    ``topics.xml: topic 3 has no title; give it a <title>``.
    """

    def __init__(self, where: object, what: str = "", hint: str = "") -> None:
        # ``where`` alone is a finished line, as one comes from a worker.
        line = _line(f"{where}", LONGEST if what else 4 * LONGEST)
        for mark, part in ((": ", _line(what, LONGEST)), ("; ", _line(hint, LONGEST))):
            line += mark + part if part else ""
        super().__init__(line)
        self.what, self.hint = what, hint


def _line(text: str, longest: int) -> str:
    line = escaped(" ".join(text.split()))
    return line if len(line) <= longest else f"{line[:longest]}..."


class SettingError(InputError):
    """A setting is wrong: ``name`` is its keyword, which commands show as their option."""

    def __init__(self, name: str, what: str, hint: str = "") -> None:
        super().__init__(name, what, hint)
        self.name = name

    def __reduce__(self) -> tuple[type[SettingError], tuple[str, str, str]]:
        return SettingError, (self.name, self.what, self.hint)


class WorkersError(InputError):
    """A worker failed; the input is fine."""
