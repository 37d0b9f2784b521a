"""Encoders: their interface, the registry of their kinds, and opening one by name.

A kind of encoder is a subclass of `Encoder`, and a function in `ENCODERS` that opens one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Final, SupportsIndex

import numpy as np
import numpy.typing as npt

from features.core.registry import Registry
from ltr.errors import InputError
from ltr.text_models.functions import checked_numbers, digest_of, load_object, numbers_of, open_by_name

Vectors32 = npt.NDArray[np.float32]

SHIPPED: Final = Path(__file__).resolve().parents[2] / "models" / "pretrained" / "encoder"
"""Folder of the encoder that ships."""

LARGEST: Final = 8192
"""Largest size of a vector."""


class Encoder(ABC):
    """Turns texts into vectors of item length. A subclass sets the three attributes and defines `vectors`."""

    name: str
    """For messages."""
    digest: str
    """Hex digest of all that vectors depend on; vectors are kept under it, and models name it."""
    size: int
    """Numbers in a vector."""
    opened_by: str | None = None
    """The name by which worker processes open it again, so that it need not be picklable; None: it is pickled."""

    @abstractmethod
    def vectors(self, texts: Sequence[str]) -> Any:
        """(n_texts, size) numbers: the vectors of distinct texts, none of them blank, of any length.

        The vector of a text must not depend on the other texts.
        """

    def prepare(self) -> None:  # noqa: B027 only some need it
        """Open in another thread, while other work goes on, what is needed to encode a text."""

    def expect(self, size: int) -> None:
        """Raise InputError where its vectors have another size."""
        if self.size != size:
            what = f"its vectors have {self.size} numbers, and {size} where it was used before"
            raise InputError(self.name, what, "name the encoder of the model")

    def encode(self, texts: Sequence[str]) -> Vectors32:
        """(n_texts, size) float32, each row of item length; the row of a blank text is all zeros.

        A text that comes twice is encoded once. A row does not depend on the other texts. Raises InputError where the
        encoder fails, or returns something else than such vectors.
        """
        places = {text: place for place, text in enumerate(dict.fromkeys(text for text in texts if text.strip()))}
        found = self._checked(list(places)) if places else np.zeros((0, self.size))
        rows = np.array([places.get(text, len(places)) for text in texts], np.int64)
        return np.vstack([found, np.zeros((1, self.size))]).astype(np.float32)[rows]

    def _checked(self, texts: list[str]) -> npt.NDArray[np.float64]:
        values = checked_numbers(self.name, "encoder", texts, (len(texts), self.size), self.vectors, texts)
        values /= np.maximum(np.abs(values).max(axis=1, keepdims=True), 1e-300)  # or the squares would overflow
        return values / np.maximum(np.sqrt((values * values).sum(axis=1, keepdims=True)), 1e-300)

    def _measured_size(self) -> int:
        """The size of its vectors, from the vector of a word. Raises InputError."""
        shape = numbers_of(self.name, "encoder", self.vectors, ["word"]).shape
        if len(shape) != 2 or shape[0] != 1 or not 1 <= shape[1] <= LARGEST:
            what = f"returned an array of shape {shape} for one text"
            raise InputError(self.name, what, f"an encoder returns one row a text, of at most {LARGEST:,} numbers")
        return shape[1]

    def __reduce_ex__(self, protocol: SupportsIndex) -> Any:
        return super().__reduce_ex__(protocol) if self.opened_by is None else (reopened, (self.opened_by, self.digest))


class FunctionEncoder(Encoder):
    """A function ``texts -> (n_texts, size) numbers`` as an encoder.

    Vectors are kept under the name: give another one (``mine-2``) when the function returns other vectors. The default
    is the function's own attribute ``name``. Raises InputError where there is none.
    """

    def __init__(self, function: Callable[[Sequence[str]], Any], name: str | None = None) -> None:
        name = name or getattr(function, "name", None)
        if not isinstance(name, str):
            what = f"{getattr(function, '__name__', 'the function')} has no name under which to keep its vectors"
            raise InputError("the encoder", what, "use ltr.text_models.FunctionEncoder(function, name='mine-1')")
        self.name, self._function = name, function
        self.size = self._measured_size()
        self.digest = digest_of(f"function {name} {self.size}")

    def vectors(self, texts: Sequence[str]) -> Any:
        """Call the function."""
        return self._function(texts)


ENCODERS: Registry[Callable[[str, int], Encoder]] = Registry("encoder", "ltr.text_models")
"""Opener by prefix: "onnx" opens ``onnx:FOLDER``, with a number of threads."""


def _named(what: str, _threads: int) -> Encoder:
    """The encoder, or the function with a ``name``, in the user's module or file. Raises InputError."""
    found = load_object(what)
    if isinstance(found, type) or not (isinstance(found, Encoder) or callable(found)):
        raise InputError(what, "this is not an encoder or a function", "name a ltr.text_models.FunctionEncoder")
    encoder = open_encoder(found)
    encoder.opened_by = f"python:{what}"
    return encoder


ENCODERS.add("python", _named)


def open_encoder(
    name: str | Path | Encoder | Callable[[Sequence[str]], Any] | None = None, *, threads: int = 1
) -> Encoder:
    """Open an encoder: a name as for `open_by_name`, a function with a ``name``, or the one that ships for None.

    An `Encoder` is returned as it is. Raises InputError.
    """
    if isinstance(name, Encoder):
        return _checked(name)
    if callable(name):
        return FunctionEncoder(name)
    named = str(SHIPPED if name is None else name)
    opened = open_by_name(ENCODERS, "encoder", named, threads)
    if not isinstance(opened, Encoder):
        raise InputError(named, f"the opener returned {type(opened).__name__}, expected Encoder", _FACTS)
    return _checked(opened)


_FACTS: Final = "a subclass of ltr.text_models.Encoder sets name and digest, two words, and size, an int above 0"
_TYPES: Final = {"name": str, "digest": str, "size": int}


def _checked(encoder: Encoder) -> Encoder:
    """``encoder``. Raises InputError where it lacks an attribute. The size of ours is measured later."""
    kind = type(encoder)
    for fact in ("name", "digest") if isinstance(getattr(kind, "size", None), cached_property) else _TYPES:
        value = getattr(encoder, fact, None)
        if not isinstance(value, _TYPES[fact]) or isinstance(value, bool) or not value:
            raise InputError(f"the encoder {kind.__name__}", f"its {fact} is {value!r:.40}", _FACTS)
    return encoder


@lru_cache(maxsize=4)
def reopened(name: str, digest: str) -> Encoder:
    """The same encoder in a worker process, opened once, with one thread: there are as many workers as cores.

    Raises InputError where it is another one by now.
    """
    encoder = open_encoder(name)
    if encoder.digest != digest:
        raise InputError(name, "the encoder was changed while it was in use", "run the command again")
    return encoder
