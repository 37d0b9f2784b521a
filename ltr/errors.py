"""What can be wrong with a user's input."""

from __future__ import annotations

from ltr.escapes import escaped

LONGEST = 1_000
"""Characters of what is wrong, and of the hint: an id or a name in a file may be of any length."""


class InputError(Exception):
    """Something the user can correct. The message is one line: where, what, and a hint.

    ``InputError("topics.xml", "topic 3 has no title", "give it a <title>")`` reads
    ``topics.xml: topic 3 has no title; give it a <title>``.
    """

    def __init__(self, where: object, what: str = "", hint: str = "") -> None:
        # ``where`` alone is a finished line, as one comes from a worker.
        line = _line(f"{where}")
        for mark, part in ((": ", _line(what)), ("; ", _line(hint))):
            line += mark + (part if len(part) <= LONGEST else f"{part[:LONGEST]}...") if part else ""
        super().__init__(line)


def _line(text: str) -> str:
    return escaped(" ".join(text.split()))


class WorkersError(InputError):
    """Those who do the work are at fault, and not what they work on."""
