"""What can be wrong with a user's input."""

from __future__ import annotations

from ltr.escapes import escaped


class InputError(Exception):
    """Something the user can correct. The message is one line: where, what, and a hint.

    ``InputError("topics.xml", "topic 3 has no title", "give it a <title>")`` reads
    ``topics.xml: topic 3 has no title; give it a <title>``.
    """

    def __init__(self, where: object, what: str = "", hint: str = "") -> None:
        # ``where`` alone is a finished line, as one comes from a worker.
        text = f"{where}" + (f": {what}" if what else "") + (f"; {hint}" if hint else "")
        super().__init__(escaped(" ".join(text.split())))
