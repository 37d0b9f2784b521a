"""``python:MODULE:NAME``: an encoder, or a function with a ``name``, in an installed Python module.

It runs code of the user's, so it is taken from the user alone, and never from a file that is read.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

from ltr.errors import InputError
from ltr.text_models.encoders import ENCODERS, Encoder, open_encoder, reopened

_HINT = "use python:MODULE:NAME, a ltr.text_models.FunctionEncoder in a module that Python can import"


class NamedEncoder(Encoder):
    """An encoder of a user's module. Worker processes open it again by name, so it need not be picklable."""

    def __init__(self, what: str, encoder: Encoder, threads: int) -> None:
        self._what, self._encoder, self._threads = what, encoder, threads
        self.name, self.digest, self.size = encoder.name, encoder.digest, encoder.size

    def vectors(self, texts: Sequence[str]) -> Any:
        """The encoder's own vectors."""
        return self._encoder.vectors(texts)

    def __reduce__(self) -> tuple[Callable[..., Encoder], tuple[Any, ...]]:
        return reopened, (f"python:{self._what}", self.digest, self._threads)


def open_named(what: str, threads: int = 1) -> Encoder:
    """The encoder NAME in MODULE. Raises InputError."""
    module, _, name = what.rpartition(":")
    try:
        found = getattr(import_module(module), name)
    except Exception as error:  # the module is the user's: anything may be wrong with it
        raise InputError(f"python:{what}", f"there is no such encoder ({error})", _HINT) from error
    if not isinstance(found, Encoder) and (isinstance(found, type) or not callable(found)):
        raise InputError(f"python:{what}", "this is no encoder and no function", _HINT)
    return NamedEncoder(what, open_encoder(found, threads=threads), threads)


ENCODERS.add("python", open_named)
