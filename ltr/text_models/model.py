"""What encoders and re-rankers share: how they are called, opened by name, and told apart by a digest."""

from __future__ import annotations

import hashlib
import sys
from abc import ABC
from collections.abc import Callable, Iterable, Sequence
from hashlib import blake2b
from importlib import import_module
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar, TypeVar

import numpy as np
import numpy.typing as npt

from features.core.registry import Registry
from ltr.errors import InputError

Numbers = npt.NDArray[np.float64]


class TextModel(ABC):
    """A model that computes numbers of texts."""

    kind: ClassVar[str]
    """For messages."""
    facts: ClassVar[tuple[str, ...]] = ("name",)
    """Attributes that are checked when a model is opened."""
    name: str
    """For messages."""
    opened_by: str | None = None
    """The name by which worker processes open it again, so that it need not be picklable; None: it is pickled."""

    def called(self, function: Callable[..., Any], *arguments: Any) -> Numbers:
        """The numbers that a function returns. Raises InputError where it fails, or returns something else."""
        try:
            return np.array(function(*arguments), np.float64)
        except (InputError, MemoryError, KeyboardInterrupt):
            raise
        except BaseException as error:  # a panic of Rust and SystemExit too
            raise InputError(
                self.name, f"the {self.kind} failed ({reason(error)})", "mend it, or use another"
            ) from error

    def checked(self, values: Numbers, texts: Sequence[str], *size: int) -> Numbers:
        """``values``. Raises InputError unless they are finite, and their shape is ``(n_texts, *size)``."""
        if values.shape != (shape := (len(texts), *size)):
            what = f"the {self.kind} returned an array of shape {values.shape} for {len(texts)} texts, and not {shape}"
            raise InputError(self.name, what, "return numbers for each text, and as many for every one")
        wrong = np.flatnonzero(~np.isfinite(values).reshape(len(texts), -1).all(axis=1))
        if len(wrong):
            what = f"the {self.kind} returned NaN or infinity for the text {texts[wrong[0]][:40]!r}"
            raise InputError(self.name, what, f"use another {self.kind}")
        return values


M = TypeVar("M", bound=TextModel)


class TextModels(Registry[Callable[[str, int], M]]):
    """Opener by prefix: "onnx" opens ``onnx:FOLDER``, with a number of threads; a registered name has no colon."""

    def __init__(self, of: Any, wrap: Callable[[Any, str | None], M]) -> None:
        """``of``: class of the models; ``wrap`` makes one of a function and the name by which it is opened, if any."""
        super().__init__(of.kind, "ltr.text_models")
        self._of, self._wrap = of, wrap
        self.add("python", self._object)

    def open(self, name: Any, threads: int) -> M:
        """A registered NAME or ``KIND:WHAT``, a folder with model.onnx, ``MODULE:NAME``, ``FILE.py:NAME``; a function.

        A model is returned as it is. Raises InputError.
        """
        if callable(name) and not isinstance(name, self._of):
            return self._wrap(name, None)
        model = name if isinstance(name, self._of) else self._by_name(str(name), threads)
        if not isinstance(model, self._of):
            what = f"the opener returned {type(model).__name__}, expected {self._of.__name__}"
            raise InputError(name, what, f"open a subclass of ltr.text_models.{self._of.__name__}")
        for fact in model.facts:
            value = getattr(model, fact, None)
            if not isinstance(value, int if fact == "size" else str) or not value:
                what = f"its {fact} is {value!r:.40}"
                raise InputError(f"the {self._of.kind} {type(model).__name__}", what, "set it in the subclass")
        return model

    def _by_name(self, name: str, threads: int) -> M:
        known = self.search()
        prefix, colon, what = name.partition(":")
        if prefix not in known:
            folder = Path(name).is_dir()
            if not folder and not colon:
                listed = ", ".join(sorted(known))
                hint = f"name FILE.py:FUNCTION, MODULE:FUNCTION, a folder with an ONNX model, or one of: {listed}"
                raise InputError(name[:80], f"there is no such {self._of.kind}", hint)
            prefix, what = ("onnx", name) if folder else ("python", name)
        return known[prefix](what, threads)

    def _object(self, what: str, _threads: int) -> M:
        """The model or the function MODULE:NAME or FILE.py:NAME. Raises InputError."""
        found = load_object(what)
        if not isinstance(found, self._of):
            if isinstance(found, type) or not callable(found):
                raise InputError(
                    what, f"this is not a function or {self._of.kind}", f"name a {self._of.kind}'s function"
                )
            found = self._wrap(found, what)
        found.opened_by = f"python:{what}"
        return found


def digest_of(settings: str, files: Iterable[Path] = ()) -> str:
    """Hex digest of settings and of the bytes of files. Raises InputError for a file that cannot be read."""
    content = blake2b(settings.encode("utf-8", "replace"), digest_size=16)
    for path in files:
        try:
            with path.open("rb") as file:
                content.update(hashlib.file_digest(file, "blake2b").digest())
        except OSError as error:
            raise InputError(path, f"cannot be read ({error.strerror})", "check the file") from None
    return content.hexdigest()


def load_object(name: str) -> Any:
    """The object ``MODULE:NAME`` or ``FILE.py:NAME``.

    It runs code of the user, so ``name`` must come from the user, never from a file that is read. A module is looked
    for where Python finds modules, then in the working directory. Raises InputError.
    """
    place, _, attribute = name.rpartition(":")
    hint = "use MODULE:NAME or FILE.py:NAME"
    try:
        module = _module(place)
    except (Exception, SystemExit) as error:  # the module is the user's: anything may be wrong with it
        raise InputError(name, f"cannot be imported ({reason(error)})", hint) from error
    if not hasattr(module, attribute):
        raise InputError(name, f"{place} has no {attribute!r}", hint)
    return getattr(module, attribute)


def _module(place: str) -> ModuleType:
    """The module of that name, or in that file. Raises whatever importing it raises."""
    file = Path(place)
    if file.suffix != ".py":
        file = Path(*place.split(".")).with_suffix(".py")
        if find_spec(place.partition(".")[0]) is not None or not file.is_file():
            return import_module(place)
    spec = spec_from_file_location(f"riposte_user_{file.stem}", file.absolute())
    if spec is None or spec.loader is None:
        raise ModuleNotFoundError(f"{place} is not a Python file")
    module = module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def reason(error: BaseException) -> str:
    """The kind of an error and the first line of its message."""
    return f"{type(error).__name__}: {error}".partition("\n")[0]
