"""Docstrings that are data: descriptions of features, rankers and commands."""

from __future__ import annotations

import ast
import inspect
import sys
import textwrap
from collections.abc import Callable
from typing import Any


def docstring(thing: type | Callable[..., Any]) -> str:
    """The docstring of a class or function; from its source where Python leaves docstrings out (``python -OO``)."""
    if sys.flags.optimize < 2:
        return thing.__doc__ or ""
    try:
        (definition,) = ast.parse(textwrap.dedent(inspect.getsource(thing))).body
        return ast.get_docstring(definition) or ""  # type: ignore[arg-type]
    except (OSError, TypeError, SyntaxError):  # there is no source
        return thing.__name__.replace("_", " ")


def first_paragraph(thing: type | Callable[..., Any]) -> str:
    """The first paragraph of a `docstring` in one line, without the full stop.

    Without the capital, too, unless a name begins it.
    """
    text = " ".join(docstring(thing).partition("\n\n")[0].split()).removesuffix(".")
    return text[:1].lower() + text[1:] if text[1:2] == " " or text.split(" ")[0][1:].islower() else text
