"""``sentence-transformers:FOLDER``: a model of the package sentence-transformers, for users who have it installed.

The package could run code that a folder names, and load pickled numbers: folders that need either are refused.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from ltr.encoders.base import ENCODERS, Encoder, digest_of, reopened
from ltr.errors import InputError

KIND: Final = "sentence-transformers"
MODULES: Final = "modules.json"

_OURS = "sentence_transformers."
_PARTS = ("Transformer", "Pooling", "Normalize")
_HINT = "name a folder as SentenceTransformer.save writes it"


class SentenceTransformerEncoder(Encoder):
    """See the module."""

    def __init__(self, folder: Path, digest: str) -> None:
        """Raises InputError."""
        self._folder, self.digest, self.name = folder, digest, f"{KIND}:{folder}"
        self._model, self._batch = load_model("SentenceTransformer", folder, _HINT)
        self.size = self._measured_size()

    def __reduce__(self) -> tuple[Callable[..., Encoder], tuple[Any, ...]]:
        """Workers open the folder again, once each."""
        return reopened, (self.name, self.digest, 1)

    def vectors(self, texts: Sequence[str]) -> Any:
        """See `Encoder.vectors`. The package chooses the number of threads."""
        return self._model.encode(list(texts), batch_size=self._batch, show_progress_bar=False)


def open_model(folder: str, threads: int = 1) -> Encoder:
    """The encoder in a folder. Raises InputError."""
    path = Path(folder).absolute()
    refuse_other_parts(path, _PARTS)
    files = sorted(file for file in path.rglob("*") if file.is_file())
    names = " ".join(str(file.relative_to(path)) for file in files)
    return _opened(path, digest_of(f"{KIND} {names}", files))


def load_model(kind: str, folder: Path, hint: str) -> tuple[Any, int]:
    """A model of that class of the package, and how many texts it reads in a call. Raises InputError."""
    try:
        package: Any = import_module("sentence_transformers")
    except ModuleNotFoundError:
        what = "this Python package is not installed"
        raise InputError("sentence_transformers", what, "pip install sentence-transformers") from None
    safe = {"use_safetensors": True}
    try:
        model = getattr(package, kind)(str(folder), local_files_only=True, trust_remote_code=False, model_kwargs=safe)
    except Exception as error:
        reason = str(error).partition("\n")[0]
        raise InputError(folder, f"sentence-transformers cannot load this model ({reason})", hint) from None
    return model, 1 if str(model.device) == "cpu" else 64


def refuse_other_parts(path: Path, known: Sequence[str] = ()) -> None:
    """Raise InputError where the model in a folder has parts other than the package's own, or than those ``known``."""
    try:
        kinds = [str(part["type"]) for part in json.loads((path / MODULES).read_text("utf-8"))]
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        raise InputError(path, "this is no model of sentence-transformers", _HINT) from None
    for kind in kinds:
        if not kind.startswith(_OURS) or (known and kind.rpartition(".")[2] not in known):
            what = f"the model has a part {kind!r}, which could run code of its own"
            hint = f"use a model of {', '.join(known)} alone" if known else "use a model of the package's own parts"
            raise InputError(path / MODULES, what, f"{hint}, or export it to ONNX")


_opened = lru_cache(maxsize=2)(SentenceTransformerEncoder)
"""Opened once while its files are the same."""

ENCODERS.add(KIND, open_model)
