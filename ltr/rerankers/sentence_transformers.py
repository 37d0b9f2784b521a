"""``sentence-transformers:FOLDER``: a ``CrossEncoder`` of that package, for users who have it installed.

Nothing is downloaded, no code of the folder runs, and numbers are read from safetensors alone.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from ltr.encoders.base import digest_of
from ltr.encoders.sentence_transformers import MODULES, load_model, refuse_other_parts
from ltr.errors import InputError
from ltr.rerankers.base import RERANKERS, Reranker

KIND: Final = "sentence-transformers"
_HINT = "name a folder as CrossEncoder.save writes it"


class SentenceTransformersCrossEncoder(Reranker):
    """See the module."""

    def __init__(self, folder: Path, digest: str) -> None:
        """Raises InputError."""
        self.digest, self.name = digest, f"{KIND}:{folder}"
        self._model, self._batch = load_model("CrossEncoder", folder, _HINT)

    def scores(self, question: str, texts: list[str]) -> Any:
        """See `Reranker.scores`. The package chooses the number of threads."""
        pairs = [(question, text) for text in texts]
        return self._model.predict(pairs, batch_size=self._batch, show_progress_bar=False)


def open_model(folder: str, threads: int = 1) -> Reranker:
    """The cross-encoder in a folder. Raises InputError."""
    path = Path(folder).absolute()
    if not (path / "config.json").is_file():
        raise InputError(path, "this is no model of sentence-transformers", _HINT)
    if (path / MODULES).exists():
        refuse_other_parts(path)
    files = sorted(file for file in path.rglob("*") if file.is_file())
    names = " ".join(str(file.relative_to(path)) for file in files)
    return _opened(path, digest_of(f"{KIND} cross-encoder {names}", files))


_opened = lru_cache(maxsize=2)(SentenceTransformersCrossEncoder)
"""Opened once while its files are the same."""

RERANKERS.add(KIND, open_model)
