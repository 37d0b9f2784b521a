"""Re-rankers: their interface, the registry of their kinds, and opening one by name.

A kind of re-ranker is a subclass of `Reranker`, and a function in `RERANKERS` that opens one.
"""

from __future__ import annotations

import inspect
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import nullcontext, redirect_stdout, suppress
from pathlib import Path
from threading import current_thread, main_thread
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from features.core.registry import Registry
from ltr.errors import InputError
from ltr.text_models.functions import checked_numbers, digest_of, load_object, open_by_name

Scores = npt.NDArray[np.float64]
Function = Callable[[str, list[str]], Any]
"""``(question, texts) -> (n_texts,)`` numbers, higher is better."""
F = TypeVar("F", bound=Function)


class Reranker(ABC):
    """Scores texts for a question. A subclass sets the attributes and defines `scores`."""

    name: str
    """For messages."""
    digest: str | None
    """Hex digest of all that scores depend on beside question and texts: scores are kept under it. None: they are not
    kept."""
    pointwise: bool = True
    """Whether the score of a text depends on no other text."""

    @abstractmethod
    def scores(self, question: str, texts: list[str]) -> Any:
        """(n_texts,) finite numbers, higher is better. Texts are given best first."""

    def score(self, question: str, texts: Sequence[str]) -> Scores:
        """(n_texts,) what `scores` returns. Raises InputError where it fails, or returns something else."""
        if not texts:
            return np.zeros(0)
        # A command's results go to stdout. A server's threads have none, and share it.
        with redirect_stdout(sys.stderr) if current_thread() is main_thread() else nullcontext():
            return checked_numbers(self.name, "re-ranker", texts, (len(texts),), self.scores, question, list(texts))


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
        if isinstance(name, str):
            settings = f"function {name} {self.pointwise}"
            self.name, self.digest = name, digest_of(settings, _files(function))
        else:
            self.name, self.digest = getattr(function, "__name__", "the function"), None

    def scores(self, question: str, texts: list[str]) -> Any:
        """Call the function."""
        return self._function(question, texts)


def _files(function: Function) -> list[Path]:
    """The file that defines the function, or the class of an object that can be called, where there is one."""
    with suppress(TypeError):  # of a built-in function
        file = inspect.getsourcefile(function if inspect.isroutine(function) else type(function))
        return [Path(file)] if file and Path(file).is_file() else []
    return []


RERANKERS: Registry[Callable[[str, int], Reranker]] = Registry("re-ranker", "ltr.text_models")
"""Opener by prefix: "onnx" opens ``onnx:FOLDER``, with a number of threads; a registered name has no colon."""


def _named(what: str, _threads: int) -> Reranker:
    """The re-ranker or the function MODULE:NAME or FILE.py:NAME. Raises InputError."""
    found = load_object(what)
    if isinstance(found, Reranker):
        return found
    if not callable(found):
        raise InputError(what, "this is not a re-ranker or a function", "name a function (question, texts) -> scores")
    return FunctionReranker(found, what)


RERANKERS.add("python", _named)


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
    """Open a re-ranker: a name as for `open_by_name`, or a function. A `Reranker` is returned as it is.

    Raises InputError.
    """
    if isinstance(name, Reranker):
        return name
    if callable(name):
        return FunctionReranker(name)
    return open_by_name(RERANKERS, "re-ranker", str(name), threads)
