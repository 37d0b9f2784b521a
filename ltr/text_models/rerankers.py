"""Re-rankers: their interface, the registry of their kinds, and opening one by name.

A kind of re-ranker is a subclass of `Reranker`, and a function in `RERANKERS` that opens one.
"""

from __future__ import annotations

import inspect
import sys
from abc import abstractmethod
from collections.abc import Callable, Sequence
from contextlib import nullcontext, redirect_stdout, suppress
from pathlib import Path
from threading import current_thread, main_thread
from typing import Any, TypeVar

import numpy as np

from ltr.text_models.model import Numbers, TextModel, TextModels, digest_of

Function = Callable[[str, list[str]], Any]
"""``(question, texts) -> (n_texts,)`` numbers, higher is better."""
F = TypeVar("F", bound=Function)


class Reranker(TextModel):
    """Scores texts for a question. A subclass sets name, digest and pointwise, and defines `scores`."""

    kind = "re-ranker"
    digest: str | None
    """Hex digest of all that scores depend on beside question and texts: scores are kept under it. None: they are not
    kept."""
    pointwise: bool = True
    """Whether the score of a text depends on no other text."""
    width: int = 1
    """Numbers that are kept of a text."""

    @abstractmethod
    def scores(self, question: str, texts: list[str]) -> Any:
        """(n_texts,) finite numbers, higher is better. Texts are given best first."""

    def score(self, question: str, texts: Sequence[str]) -> Numbers:
        """(n_texts,), or (n_texts, width), what `scores` returns. Raises InputError where it fails, or returns more."""
        each = () if self.width == 1 else (self.width,)
        if not texts:
            return np.zeros((0, *each))
        # A command's results go to stdout. A server's threads have none, and share it.
        with redirect_stdout(sys.stderr) if current_thread() is main_thread() else nullcontext():
            return self.checked(self.called(self.scores, question, list(texts)), texts, *each)


class FunctionReranker(Reranker):
    """A function ``(question, texts) -> (n_texts,) numbers`` as a re-ranker.

    Scores are kept under the ``name`` and the bytes of the function's file: give another name when they change for
    another reason. The default is the function's own attribute ``name``; scores of a function without a name are not
    kept. ``pointwise``: the score of a text depends on no other text, so that it is kept for itself, and not with the
    list that it was in; the default is the function's attribute ``pointwise``, or False.
    """

    def __init__(self, function: Function, name: str | None = None, *, pointwise: bool | None = None) -> None:
        name = name or getattr(function, "name", None)
        self._function = function
        self.pointwise = bool(getattr(function, "pointwise", False)) if pointwise is None else pointwise
        self.name, self.digest = getattr(function, "__name__", "the function"), None
        if isinstance(name, str):
            self.name, self.digest = name, digest_of(f"function {name} {self.pointwise}", _files(function))

    def scores(self, question: str, texts: list[str]) -> Any:
        """Call the function."""
        return self._function(question, texts)


def _files(function: Function) -> list[Path]:
    """The file that defines the function, or the class of an object that can be called, where there is one."""
    with suppress(TypeError):  # of a built-in function
        file = inspect.getsourcefile(function if inspect.isroutine(function) else type(function))
        return [Path(file)] if file and Path(file).is_file() else []
    return []


RERANKERS: TextModels[Reranker] = TextModels(Reranker, FunctionReranker)


def reranker(name: str, *, pointwise: bool = False) -> Callable[[F], F]:
    """Register a function ``(question, texts) -> numbers`` as the re-ranker ``name``."""

    def register(function: F) -> F:
        def open_function(_what: str, _threads: int) -> Reranker:
            return FunctionReranker(function, name, pointwise=pointwise)

        open_function.__module__ = function.__module__  # a plug-in's re-ranker is the plug-in's
        RERANKERS.add(name, open_function)
        return function

    return register


RerankerName = str | Path | Reranker | Function
"""The names that `open_reranker` takes."""


def open_reranker(name: RerankerName, *, threads: int = 1) -> Reranker:
    """Open a re-ranker, see `TextModels.open`. Raises InputError."""
    return RERANKERS.open(name, threads)
