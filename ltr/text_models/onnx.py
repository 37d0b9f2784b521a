"""A folder with ``model.onnx`` and ``tokenizer.json`` as a text model, by onnxruntime and tokenizers.

The model takes token ids, (n_texts, n_tokens). An encoder returns a vector a text, or one a token: then the text's
vector is their mean, or what the folder declares (`ltr.text_models.declared`). A cross-encoder reads a question and a
text together and returns one number, or two, for *not relevant* and *relevant*: then the score is the second less the
first (Nogueira and Cho 2019, https://arxiv.org/abs/1901.04085). On a processor one text is read at a time: eight-bit
models scale their numbers by all texts of a call, and a vector would depend on the others.
"""

from __future__ import annotations

import os
from abc import abstractmethod
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext, redirect_stdout
from functools import cached_property, lru_cache
from io import StringIO
from pathlib import Path
from threading import Lock
from typing import Any, Final, NamedTuple, Self

import numpy as np

from ltr.errors import InputError
from ltr.text_models.declared import Declared
from ltr.text_models.encoders import ENCODERS, Encoder
from ltr.text_models.model import TextModel, digest_of, reason
from ltr.text_models.rerankers import RERANKERS, Reranker

MODEL: Final = "model.onnx"
TOKENIZER: Final = "tokenizer.json"

TOKENS: Final = 128
"""Tokens of a text that are read, unless ``tokenizer.json`` sets another length."""
MOST_TOKENS: Final = 512
CHARACTERS: Final = 80
"""Characters that are read for each token, so that a text of any length takes limited time."""

Text = str | tuple[str, str]
Tokens = tuple[list[int], list[int]]
"""Token ids and types."""

_BATCH = 64
"""Texts per call on a graphics card."""
_INPUTS = ("input_ids", "attention_mask", "token_type_ids")
_TYPES = {"tensor(int64)": np.int64, "tensor(int32)": np.int32}
_CUDA = "CUDAExecutionProvider"


class _Opened(NamedTuple):
    session: Any
    inputs: Mapping[str, Any]
    """Name -> numpy type."""
    output: str
    tokenizer: Any


class OnnxModel(TextModel):
    """A folder with a model and a tokenizer, which reads texts, or pairs of texts.

    Model and tokenizer are opened when a text is read, which takes half a second: a question that was asked before
    needs neither. Whatever opens them raises InputError. A subclass says what a row of the model's output must be.
    """

    tokens = TOKENS
    """Tokens that are read, unless ``tokenizer.json`` sets another length."""
    preferred = "sentence_embedding"
    """The output that is read where the model has it, else the first one."""
    returns = "a vector a text, or one a token"
    """The output that the model must have, for messages."""

    def __init__(self, folder: Path, digest: str, threads: int) -> None:
        self.folder, self.digest, self.name, self.opened_by = folder, digest, str(folder), f"onnx:{folder}"
        self._threads, self._lock = threads, Lock()
        self._pool = ThreadPoolExecutor(threads)  # threads stay: to start one takes as long as to read a short text
        self._opened: _Opened | None = None

    @classmethod
    def find(cls, folder: str | Path, threads: int = 1) -> Self:
        """The model in a folder, opened once while its files are the same. Raises InputError."""
        folder = Path(folder).absolute()
        if not (folder / MODEL).is_file() or not (folder / TOKENIZER).is_file():
            raise InputError(folder, f"there is no {cls.kind} in it", f"name a folder with {MODEL} and {TOKENIZER}")
        return _found(cls, folder, folder_digest(folder, cls.kind), threads)

    def prepare(self) -> None:
        """Open model and tokenizer once, in another thread; what is wrong is raised when a text is read."""
        self._pool.submit(self.open)

    def open(self) -> _Opened:
        """Open model and tokenizer once. Raises InputError."""
        # In this thread: what another one gives back of its memory, 50 MB, this one could not take.
        with self._lock:
            self._opened = self._opened or self._open()
            return self._opened

    def _open(self) -> _Opened:
        session, tokenizer = _open_session(self.folder / MODEL), _open_tokenizer(self.folder / TOKENIZER, self.tokens)
        if folder_digest(self.folder, self.kind) != self.digest:
            what = f"the {self.kind} was changed while it was in use"
            raise InputError(self.folder, what, "run the command again")
        outputs = [output.name for output in session.get_outputs()]
        output = self.preferred if self.preferred in outputs else outputs[0]
        return _Opened(session, _inputs(session, self.folder / MODEL), output, tokenizer)

    def outputs(self, texts: Sequence[Text]) -> Any:
        """(n_texts, size) the model's output for each text, or pair of texts, which does not depend on the others."""
        opened = self.open()
        mapped: Callable[..., Iterator[Any]] = map if self._threads == 1 or len(texts) == 1 else self._pool.map
        tokens: list[Tokens] = list(mapped(self._read, texts))
        on_card = opened.session.get_providers()[0] == _CUDA
        batches = _batches([len(ids) for ids, _ in tokens], _BATCH if on_card else 1)
        found = list(mapped(lambda batch: self._run([tokens[place] for place in batch]), batches))
        return np.vstack(found)[np.argsort(np.concatenate(batches))]

    def _read(self, text: Text) -> Tokens:
        """The tokens of the beginning of a text, or of two."""
        tokenizer = self.open().tokenizer
        longest = tokenizer.truncation["max_length"] * CHARACTERS
        both = (text,) if isinstance(text, str) else text
        read = tokenizer.encode(*(part[:longest].encode("utf-8", "replace").decode("utf-8") for part in both))
        return read.ids, read.type_ids

    def _run(self, read: Sequence[Tokens]) -> Any:
        """(n_texts, size) rows of texts with the same number of tokens."""
        opened = self.open()
        ids, types = (np.array(rows, np.int64) for rows in zip(*read, strict=True))
        if not ids.size:  # a tokenizer that reads nothing in the text
            return self._nothing(len(ids))
        given = dict(zip(_INPUTS, (ids, np.ones_like(ids), types), strict=True))
        (found,) = opened.session.run(
            [opened.output], {name: given[name].astype(kind) for name, kind in opened.inputs.items()}
        )
        if (rows := self._rows(found, len(ids))) is None:
            what = f"the output {opened.output!r} has the shape {np.shape(found)} for token ids of shape {ids.shape}"
            raise InputError(self.folder / MODEL, what, f"export a model with {self.returns}")
        return rows

    @abstractmethod
    def _rows(self, found: Any, texts: int) -> Any:
        """(n_texts, size) from the model's output; None where it has another shape."""

    def _nothing(self, texts: int) -> Any:
        """(n_texts, size) for texts without a token."""
        return np.zeros((texts, getattr(self, "width", 1)))


_found: Callable[..., Any] = lru_cache(maxsize=8)(lambda kind, *given: kind(*given))


class OnnxEncoder(OnnxModel, Encoder):
    """See the module; `find` makes it."""

    facts = ("name",)  # its size is measured later

    @cached_property
    def size(self) -> int:  # type: ignore[override]
        """Numbers in a vector."""
        return self._measured_size()

    @cached_property
    def declared(self) -> Declared:
        """What the folder declares. Raises InputError."""
        return Declared.read(self.folder)

    def vectors(self, texts: Sequence[str]) -> Any:
        """See `Encoder.vectors`."""
        return self.outputs([self.declared.text + text for text in texts])

    def question_vectors(self, texts: Sequence[str]) -> Any:
        """See `Encoder.question_vectors`."""
        return self.outputs([self.declared.question + text for text in texts])

    def _rows(self, found: Any, texts: int) -> Any:
        if np.ndim(found) == 3:
            if self.declared.refused:
                what, hint = self.declared.refused, "export a model with the output sentence_embedding, or use another"
                raise InputError(self.folder, f"{what}, and the model returns a vector per token", hint)
            found = self.declared.pooled(found)
        return found[:, : self.declared.size] if np.ndim(found) == 2 and len(found) == texts else None

    def _nothing(self, texts: int) -> Any:
        if "size" not in self.__dict__:  # it is being measured
            raise InputError(self.folder / TOKENIZER, "makes no token of 'word'", "add a token for unknown words")
        return np.zeros((texts, self.size))


def folder_digest(folder: Path, kind: str = "encoder") -> str:
    """`Encoder.digest` of a model's files: a large model has others beside it. Raises InputError.

    Reading 23 MB takes 35 ms of a processor, 1% of a question: a memory of digests is not worth its code.
    """
    settings, every = f"onnx 1 {TOKENS} {MOST_TOKENS} {CHARACTERS}", [*folder.iterdir()]
    if kind == "encoder":
        declared = Declared.read(folder)
        settings, every = settings + declared.marker, [*every, declared.file]
    files = [path for path in every if path.is_file() and path.suffix != ".md"]
    files.sort(key=lambda path: (not path.name.startswith(MODEL), path.name != TOKENIZER, path))
    return digest_of(settings if kind == "encoder" else f"{settings} {kind}", files)


class OnnxCrossEncoder(OnnxModel, Reranker):
    """See the module; `find` makes it."""

    digest: str
    kind = "cross-encoder"
    tokens = MOST_TOKENS
    returns = "one number for a question and a text, or two"
    preferred = "logits"

    def scores(self, question: str, texts: list[str]) -> Any:
        """See `Reranker.scores`."""
        return self.outputs([(question, text) for text in texts])[:, 0]

    def _rows(self, found: Any, texts: int) -> Any:
        found = np.asarray(found, np.float64)
        found = found[:, None] if found.ndim == 1 else found
        if found.ndim != 2 or len(found) != texts or found.shape[1] not in (1, 2):
            return None
        return found if found.shape[1] == 1 else found[:, 1:] - found[:, :1]


ENCODERS.add("onnx", OnnxEncoder.find)
RERANKERS.add("onnx", OnnxCrossEncoder.find)


def _batches(lengths: Sequence[int], size: int) -> list[list[int]]:
    """The places of texts that share a call: of the same length alone, so that nothing is padded."""
    places: dict[int, list[int]] = defaultdict(list)
    for place, length in enumerate(lengths):
        places[length].append(place)
    return [alike[start : start + size] for alike in places.values() for start in range(0, len(alike), size)]


def _open_tokenizer(path: Path, usual: int) -> Any:
    """A tokenizer that cuts texts. Raises InputError."""
    from tokenizers import Tokenizer  # noqa: PLC0415 a question that was asked before does without

    try:
        tokenizer = Tokenizer.from_file(str(path))
        tokenizer.no_padding()
        tokenizer.enable_truncation(min((tokenizer.truncation or {}).get("max_length", usual), MOST_TOKENS))
    except BaseException as error:  # a panic of Rust too
        if isinstance(error, MemoryError | KeyboardInterrupt):
            raise
        what = f"is not a tokenizer ({reason(error)})"
        raise InputError(path, what, "use the file of the tokenizers package") from None
    return tokenizer


def _open_session(path: Path) -> Any:
    """A session, on a graphics card where there is one. Raises InputError."""
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")  # else it writes to the user's cache, and reports what it runs
    import onnxruntime  # noqa: PLC0415 a question that was asked before does without

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
        what = f"onnxruntime cannot load this model ({reason(error)})"
        raise InputError(path, what, "export it again, or update onnxruntime") from None
    return session


def _inputs(session: Any, path: Path) -> dict[str, Any]:
    """The model's inputs with their types. Raises InputError."""
    inputs = {one.name: _TYPES.get(one.type) for one in session.get_inputs()}
    if "input_ids" not in inputs or not inputs.keys() <= {*_INPUTS} or None in inputs.values():
        hint = f"export one with input_ids, and whole numbers {', '.join(_INPUTS)} alone"
        raise InputError(path, f"the model has the inputs {', '.join(inputs)}", hint)
    return inputs
