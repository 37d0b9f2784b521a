"""``python:MODULE:NAME``: an encoder, or a function with a ``name``, in an installed Python module.

It runs code of the user's, so it is taken from the user alone, and never from a file that is read.
"""

from __future__ import annotations

from importlib import import_module

from ltr.encoders.base import ENCODERS, Encoder, open_encoder
from ltr.errors import InputError

_HINT = "use python:MODULE:NAME, a ltr.encoders.FunctionEncoder in a module that Python can import"


def open_named(what: str, threads: int = 1) -> Encoder:
    """The encoder NAME in MODULE. Raises InputError."""
    module, _, name = what.rpartition(":")
    try:
        found = getattr(import_module(module), name)
    except Exception as error:  # the module is the user's: anything may be wrong with it
        raise InputError(f"python:{what}", f"there is no such encoder ({error})", _HINT) from error
    if not isinstance(found, Encoder) and not callable(found):
        raise InputError(f"python:{what}", "this is no encoder and no function", _HINT)
    return open_encoder(found, threads=threads)


ENCODERS.add("python", open_named)
