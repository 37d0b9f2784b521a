"""What can be wrong with a user's input."""

from __future__ import annotations

from collections.abc import Callable


class InputError(Exception):
    """Something the user can correct. The message is one line: where, what, and a hint.

    ``InputError("topics.xml", "topic 3 has no title", "give it a <title>")`` reads
    ``topics.xml: topic 3 has no title; give it a <title>``.
    """

    def __init__(self, where: object, what: str, hint: str = "") -> None:
        text = f"{where}: {what}" + (f"; {hint}" if hint else "")
        super().__init__(" ".join(text.split()))

    def __reduce__(self) -> tuple[Callable[[str], InputError], tuple[str]]:
        """Travel from a worker with the finished line."""
        return _remade, (str(self),)


def _remade(line: str) -> InputError:
    error = InputError.__new__(InputError)
    error.args = (line,)
    return error
