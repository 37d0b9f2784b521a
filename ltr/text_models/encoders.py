"""Encoders: their interface, the registry of their kinds, and opening one by name.

A kind of encoder is a subclass of `Encoder`, and a function in `ENCODERS` that opens one.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar, Final, SupportsIndex

import numpy as np
import numpy.typing as npt

from ltr.errors import InputError
from ltr.text_models.model import TextModel, TextModels, digest_of
from models.defaults import SHIPPED_ENCODER

Vectors32 = npt.NDArray[np.float32]

SHIPPED: Final = Path(__file__).resolve().parents[2] / "models" / "pretrained" / "encoder"
"""Folder of the encoder that ships."""

LARGEST: Final = 8192
"""Largest size of a vector."""


class Encoder(TextModel):
    """Turns texts into vectors of item length. A subclass sets name, digest and size, and defines `vectors`."""

    kind = "encoder"
    facts: ClassVar[tuple[str, ...]] = ("name", "digest", "size")
    digest: str
    """Hex digest of all that vectors depend on; vectors are kept under it, and models name it."""
    size: int
    """Numbers in a vector."""

    @abstractmethod
    def vectors(self, texts: Sequence[str]) -> Any:
        """(n_texts, size) numbers: the vectors of distinct texts, none of them blank, of any length.

        The vector of a text must not depend on the other texts.
        """

    def question_vectors(self, texts: Sequence[str]) -> Any:
        """The same for questions, where an encoder reads them in another way, such as after a prompt of their own."""
        return self.vectors(texts)

    def prepare(self) -> None:
        """Open in another thread, while other work goes on, what is needed to encode a text."""

    def encode(self, texts: Sequence[str], *, questions: bool = False) -> Vectors32:
        """(n_texts, size) float32, each row of item length; the row of a blank text is all zeros.

        ``questions``: whether the texts are questions, and not what is searched for them.

        A text that comes twice is encoded once. A row does not depend on the other texts. Raises InputError where the
        encoder fails, or returns something else than such vectors.
        """
        distinct = list(dict.fromkeys(text for text in texts if text.strip()))
        values, read = np.zeros((len(distinct) + 1, self.size)), self.question_vectors if questions else self.vectors
        if distinct:
            values[:-1] = self.checked(self.called(read, distinct), distinct, self.size)
        values /= np.maximum(np.abs(values).max(axis=1, keepdims=True), 1e-300)  # or the squares would overflow
        values /= np.maximum(np.sqrt((values * values).sum(axis=1, keepdims=True)), 1e-300)
        places = {text: place for place, text in enumerate(distinct)}
        return values.astype(np.float32)[[places.get(text, -1) for text in texts]]

    def _measured_size(self) -> int:
        """The size of its vectors, from the vector of a word. Raises InputError."""
        shape = self.called(self.vectors, ["word"]).shape
        if len(shape) != 2 or shape[0] != 1 or not 1 <= shape[1] <= LARGEST:
            what = f"returned an array of shape {shape} for one text"
            raise InputError(self.name, what, f"an encoder returns one row a text, of at most {LARGEST:,} numbers")
        return shape[1]

    def __reduce_ex__(self, protocol: SupportsIndex) -> Any:
        if self.opened_by is None:
            return super().__reduce_ex__(protocol)
        return reopened, (self.opened_by, self.digest, vars(self).get("size"))


class FunctionEncoder(Encoder):
    """A function ``texts -> (n_texts, size) numbers`` as an encoder.

    Vectors are kept under the name: give another one (``mine-2``) when the function returns other vectors. The default
    is the function's own attribute ``name``. ``questions`` is a function for questions, where they are read in another
    way. Raises InputError where there is no name.
    """

    def __init__(
        self,
        function: Callable[[Sequence[str]], Any],
        name: str | None = None,
        *,
        questions: Callable[[Sequence[str]], Any] | None = None,
    ) -> None:
        name = name or getattr(function, "name", None)
        if not isinstance(name, str):
            what = f"{getattr(function, '__name__', 'the function')} has no name under which to keep its vectors"
            raise InputError("the encoder", what, "use ltr.text_models.FunctionEncoder(function, name='mine-1')")
        self.name, self._function, self._questions = name, function, questions or function
        self.size = self._measured_size()
        self.digest = digest_of(f"function {name} {self.size}")

    def vectors(self, texts: Sequence[str]) -> Any:
        """Call the function."""
        return self._function(texts)

    def question_vectors(self, texts: Sequence[str]) -> Any:
        """Call the function for questions."""
        return self._questions(texts)


ENCODERS: TextModels[Encoder] = TextModels(Encoder, lambda function, _: FunctionEncoder(function))


def open_encoder(
    name: str | Path | Encoder | Callable[[Sequence[str]], Any] | None = None, *, threads: int = 1
) -> Encoder:
    """Open an encoder: see `TextModels.open`; a function needs a ``name``; None and `SHIPPED_ENCODER` ship.

    Raises InputError.
    """
    return ENCODERS.open(SHIPPED if name in (None, SHIPPED_ENCODER) else name, threads)


@lru_cache(maxsize=4)
def reopened(name: str, digest: str, size: int | None) -> Encoder:
    """The same encoder in a worker process, opened once, with one thread: there are as many workers as cores.

    ``size`` is its size where that is known. Raises InputError where it is another one by now.
    """
    encoder = open_encoder(name)
    if encoder.digest != digest:
        raise InputError(name, "the encoder was changed while it was in use", "run the command again")
    if size:
        vars(encoder).setdefault("size", size)  # else it is opened to measure it
    return encoder
