"""Text models by name, and functions of the user: loaded, called with checks, and a digest of what they depend on."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Iterable, Sequence
from hashlib import blake2b
from importlib import import_module
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from features.core.registry import Registry
from ltr.errors import InputError

M = TypeVar("M")


def numbers_of(name: str, kind: str, function: Callable[..., Any], *arguments: Any) -> npt.NDArray[np.float64]:
    """The numbers that a function returns. Raises InputError where it fails, or returns something else."""
    try:
        return np.array(function(*arguments), np.float64)
    except (InputError, MemoryError, KeyboardInterrupt):
        raise
    except BaseException as error:  # a panic of Rust and SystemExit too
        raise InputError(name, f"the {kind} failed ({reason(error)})", "mend it, or use another") from error


def checked_numbers(
    name: str, kind: str, texts: Sequence[str], shape: tuple[int, ...], function: Callable[..., Any], *arguments: Any
) -> npt.NDArray[np.float64]:
    """The finite numbers, an array of such a shape, that a function returns for texts. Raises InputError."""
    values = numbers_of(name, kind, function, *arguments)
    if values.shape != shape:
        what = f"the {kind} returned an array of shape {values.shape} for {len(texts)} texts, and not {shape}"
        raise InputError(name, what, "return numbers for each text, and as many for every one")
    wrong = np.flatnonzero(~np.isfinite(values).reshape(len(texts), -1).all(axis=1))
    if len(wrong):
        what = f"the {kind} returned NaN or infinity for the text {texts[wrong[0]][:40]!r}"
        raise InputError(name, what, f"use another {kind}")
    return values


def digest_of(settings: str, files: Iterable[Path] = ()) -> str:
    """Hex digest of settings and of the bytes of files. Raises InputError for a file that cannot be read."""
    content = blake2b(settings.encode(), digest_size=16)
    for path in files:
        try:
            with path.open("rb") as file:
                content.update(hashlib.file_digest(file, "blake2b").digest())
        except OSError as error:
            raise InputError(path, f"cannot be read ({error.strerror})", "check the file") from None
    return content.hexdigest()


def open_by_name(kinds: Registry[Callable[[str, int], M]], kind: str, name: str, threads: int) -> M:
    """A registered NAME or ``KIND:WHAT``, a folder with model.onnx, ``MODULE:NAME`` or ``FILE.py:NAME``.

    Raises InputError.
    """
    known = kinds.search()
    prefix, colon, what = name.partition(":")
    if prefix not in known:
        folder = Path(name).is_dir()
        if not folder and not colon:
            listed = ", ".join(sorted(known))
            hint = f"name FILE.py:FUNCTION, MODULE:FUNCTION, a folder with an ONNX model, or one of: {listed}"
            raise InputError(name[:80], f"there is no such {kind}", hint)
        prefix, what = ("onnx", name) if folder else ("python", name)
    return known[prefix](what, threads)


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
