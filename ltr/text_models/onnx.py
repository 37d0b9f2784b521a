"""A folder with ``model.onnx`` and ``tokenizer.json`` as an encoder, by onnxruntime and tokenizers.

The model takes token ids, (n_texts, n_tokens), and returns a vector a text, or one a token: then their mean is the
vector of the text. On a processor one text is encoded at a time: eight-bit models scale their numbers by all texts of
a call, and a vector would depend on the others. Sentence-BERT: Reimers and Gurevych 2019,
https://doi.org/10.18653/v1/D19-1410.
"""

from __future__ import annotations

import os
from abc import abstractmethod
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext, redirect_stdout, suppress
from functools import cached_property, lru_cache
from io import StringIO
from pathlib import Path
from threading import Lock, Thread
from typing import Any, Final, Self

import numpy as np

from ltr.errors import InputError
from ltr.text_models.encoders import ENCODERS, EXTRA, Encoder, digest_of, reopened

MODEL: Final = "model.onnx"
TOKENIZER: Final = "tokenizer.json"

TOKENS: Final = 128
"""Tokens of a text that are read, unless ``tokenizer.json`` sets another length."""
MOST_TOKENS: Final = 512
CHARACTERS: Final = 80
"""Characters that are read for each token, so that a text of any length takes limited time."""

Text = str | tuple[str, str]

_BATCH = 64
_INPUTS = ("input_ids", "attention_mask", "token_type_ids")
_TYPES = {"tensor(int64)": np.int64, "tensor(int32)": np.int32}
_CUDA = "CUDAExecutionProvider"


class OnnxModel:
    """A folder with a model and a tokenizer, which reads texts, or pairs of texts.

    Model and tokenizer are opened when a text is read, which takes half a second: a question that was asked before
    needs neither. Whatever opens them raises InputError. A subclass says what a row of the model's output must be.
    """

    kind = "encoder"
    """For messages."""
    tokens = TOKENS
    """Tokens that are read, unless ``tokenizer.json`` sets another length."""
    preferred = "sentence_embedding"
    """The output that is read where the model has it, else the first one."""
    returns = "a vector a text, or one a token"
    """The output that the model must have, for messages."""

    def __init__(self, folder: Path, digest: str, threads: int) -> None:
        self.folder, self.digest, self.name = folder, digest, str(folder)
        self._threads = threads
        self._opening = Lock()

    @classmethod
    def find(cls, folder: str | Path, threads: int = 1) -> Self:
        """The model in a folder, opened once while its files are the same. Raises InputError."""
        folder = Path(folder).absolute()
        if not (folder / MODEL).is_file() or not (folder / TOKENIZER).is_file():
            raise InputError(folder, f"this is no {cls.kind}", f"name a folder with {MODEL} and {TOKENIZER}")
        return _opened(cls, folder, folder_digest(folder, cls.kind), threads)

    def prepare(self) -> None:
        """See `Encoder.prepare`. What is wrong with the files is raised when a text is read."""
        if "_model" not in self.__dict__:
            Thread(target=self._prepare).start()

    def _prepare(self) -> None:
        with suppress(InputError):
            self.open()

    def open(self) -> int:
        """Open model and tokenizer once, a second thread waits; return how many texts share a call.

        Raises InputError.
        """
        with self._opening:
            (_, at_once), _, _ = self._model, self._tokenizer, self._pool
            return at_once

    @cached_property
    def _tokenizer(self) -> tuple[Any, int]:
        return _open_tokenizer(self.folder / TOKENIZER, self.tokens)

    @cached_property
    def _model(self) -> tuple[Any, int]:
        opened = _open_model(self.folder / MODEL)
        if folder_digest(self.folder, self.kind) != self.digest:
            raise InputError(self.folder, f"the {self.kind} was changed while it was in use", "run the command again")
        return opened

    @cached_property
    def _feeds(self) -> dict[str, Any]:
        """The model's inputs with their types."""
        inputs = {one.name: _TYPES.get(one.type) for one in self._model[0].get_inputs()}
        if "input_ids" not in inputs or not inputs.keys() <= {*_INPUTS} or None in inputs.values():
            what = f"the model has the inputs {', '.join(inputs)}"
            hint = f"export one with input_ids, and whole numbers {', '.join(_INPUTS)} alone"
            raise InputError(self.folder / MODEL, what, hint)
        return inputs

    @cached_property
    def _output(self) -> str:
        names = [output.name for output in self._model[0].get_outputs()]
        return self.preferred if self.preferred in names else str(names[0])

    def outputs(self, texts: Sequence[Text]) -> Any:
        """(n_texts, size) the model's output for each text, or pair of texts, which does not depend on the others."""
        at_once, _ = self.open(), (self._feeds, self._output)  # before threads ask for them
        mapped: Callable[..., Iterator[Any]] = map if self._threads == 1 or len(texts) == 1 else self._pool.map
        if at_once == 1:
            return np.vstack(list(mapped(lambda text: self._run([self._read(text)]), texts)))
        # Texts of the same length alone share a call: nothing is padded.
        tokens = list(mapped(self._read, texts))
        places: dict[int, list[int]] = defaultdict(list)
        for place, read in enumerate(tokens):
            places[len(read[0])].append(place)
        result: Any = None
        for alike in places.values():
            for start in range(0, len(alike), at_once):
                part = alike[start : start + at_once]
                found = self._run([tokens[place] for place in part])
                result = np.zeros((len(texts), found.shape[1])) if result is None else result
                result[part] = found
        return result

    @cached_property
    def _pool(self) -> ThreadPoolExecutor:
        """Threads that stay: to start one takes as long as to read a short text."""
        return ThreadPoolExecutor(self._threads)

    def _read(self, text: Text) -> tuple[list[int], list[int]]:
        """Token ids and types of the beginning of a text, or of two."""
        tokenizer, most = self._tokenizer
        both = (text,) if isinstance(text, str) else text
        parts = (part[: most * CHARACTERS].encode("utf-8", "replace").decode("utf-8") for part in both)
        tokens = tokenizer.encode(*parts)
        return tokens.ids, tokens.type_ids

    def _run(self, read: Sequence[tuple[list[int], list[int]]]) -> Any:
        """(n_texts, size) rows of texts with the same number of tokens."""
        ids, types = (np.array(rows, np.int64) for rows in zip(*read, strict=True))
        if not ids.size:  # a tokenizer that reads nothing in the text
            return self._nothing(len(ids))
        given = dict(zip(_INPUTS, (ids, np.ones_like(ids), types), strict=True))
        feeds: dict[str, Any] = {name: given[name].astype(kind) for name, kind in self._feeds.items()}
        (found,) = self._model[0].run([self._output], feeds)
        if (rows := self._rows(found, len(ids))) is None:
            what = f"the output {self._output!r} has the shape {np.shape(found)} for token ids of shape {ids.shape}"
            raise InputError(self.folder / MODEL, what, f"export a model with {self.returns}")
        return rows

    @abstractmethod
    def _rows(self, found: Any, texts: int) -> Any:
        """(n_texts, size) from the model's output; None where it has another shape."""

    @abstractmethod
    def _nothing(self, texts: int) -> Any:
        """(n_texts, size) for texts without a token."""


_opened: Callable[..., Any] = lru_cache(maxsize=8)(lambda kind, *given: kind(*given))


class OnnxEncoder(OnnxModel, Encoder):
    """See the module; `find` makes it."""

    @cached_property
    def size(self) -> int:  # type: ignore[override]
        """Numbers in a vector."""
        return self._measured_size()

    def expect(self, size: int) -> None:
        """See `Encoder.expect`."""
        self.__dict__.setdefault("size", size)
        super().expect(size)

    def __reduce__(self) -> tuple[Callable[..., Encoder], tuple[Any, ...]]:
        """Workers open the folder again, once each, with one thread: there are as many workers as cores."""
        return reopened, (f"onnx:{self.folder}", self.digest, 1)

    def vectors(self, texts: Sequence[str]) -> Any:
        """See `Encoder.vectors`."""
        return self.outputs(texts)

    def _rows(self, found: Any, texts: int) -> Any:
        found = found.mean(axis=1, dtype=np.float64) if np.ndim(found) == 3 else found
        return found if np.ndim(found) == 2 and len(found) == texts else None

    def _nothing(self, texts: int) -> Any:
        if "size" not in self.__dict__:  # it is being measured
            raise InputError(self.folder / TOKENIZER, "makes no token of 'word'", "add a token for unknown words")
        return np.zeros((texts, self.size))


def folder_digest(folder: Path, kind: str = "encoder") -> str:
    """`Encoder.digest` of a model's files: a large model has others beside it. Raises InputError.

    Reading 23 MB takes 35 ms of a processor; a question that was asked before reads two such folders, 2.3% of its 3.05
    s (measured in turn). A memory of digests is therefore not worth its code.
    """
    settings = f"onnx 1 {TOKENS} {MOST_TOKENS} {CHARACTERS}"
    files = [path for path in folder.iterdir() if path.is_file() and path.suffix != ".md"]
    files.sort(key=lambda path: (not path.name.startswith(MODEL), path.name != TOKENIZER, path))
    return digest_of(settings if kind == "encoder" else f"{settings} {kind}", files)


ENCODERS.add("onnx", OnnxEncoder.find)


def _open_tokenizer(path: Path, usual: int) -> tuple[Any, int]:
    """A tokenizer, and how many tokens of a text are read. Raises InputError."""
    try:
        from tokenizers import Tokenizer  # noqa: PLC0415 an extra, which not everybody installs
    except ModuleNotFoundError:
        raise InputError("tokenizers", "this Python package is not installed", EXTRA) from None
    try:
        tokenizer = Tokenizer.from_file(str(path))
        tokens = min((tokenizer.truncation or {}).get("max_length", usual), MOST_TOKENS)
        tokenizer.no_padding()
        tokenizer.enable_truncation(tokens)
    except BaseException as error:  # a panic of Rust too
        if isinstance(error, MemoryError | KeyboardInterrupt):
            raise
        raise InputError(path, f"is no tokenizer ({_line(error)})", "use the file of the tokenizers package") from None
    return tokenizer, tokens


def _open_model(path: Path) -> tuple[Any, int]:
    """A session, and how many texts it takes in a call: several on a graphics card. Raises InputError."""
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")  # else it writes to the user's cache, and reports what it runs
    try:
        import onnxruntime  # noqa: PLC0415 an extra, which not everybody installs
    except ModuleNotFoundError:
        raise InputError("onnxruntime", "this Python package is not installed", EXTRA) from None
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1  # threads work on one text each
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED  # on every processor
    options.log_severity_level = 4  # errors are raised
    providers = ["CPUExecutionProvider"]
    try:
        if _CUDA in onnxruntime.get_available_providers() and b"DynamicQuantizeLinear" not in path.read_bytes():
            providers = [_CUDA, *providers]
        # It prints that it falls back to the processor; the standard output is that of all threads.
        with redirect_stdout(StringIO()) if len(providers) > 1 else nullcontext():
            session = onnxruntime.InferenceSession(str(path), options, providers=providers)
        session.disable_fallback()
    except Exception as error:
        what = f"onnxruntime cannot load this model ({_line(error)})"
        raise InputError(path, what, "export it again, or update onnxruntime") from None
    return session, _BATCH if session.get_providers()[0] == _CUDA else 1


def _line(error: BaseException) -> str:
    return str(error).partition("\n")[0][:200]
