"""What every reader owes the user of a bad file: one line with place, fault and hint."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from ltr.corpora.source import open_corpus
from ltr.errors import InputError


def complaint(act: Callable[[], object]) -> str:
    """The one line, with a hint, by which ``act`` is refused."""
    with pytest.raises(InputError) as caught:
        act()
    message = str(caught.value)
    assert "\n" not in message
    assert "; " in message, "a complaint says how to correct it"
    return message


def refuses(act: Callable[[], object], *said: str) -> None:
    """The line of the refusal names all that is ``said``: the place, the fault."""
    message = complaint(act)
    assert not [words for words in said if words not in message], message


def corpus_complaint(where: Path | str) -> str:
    """The complaint about a corpus that is read to its end."""
    return complaint(lambda: list(open_corpus(where)))
