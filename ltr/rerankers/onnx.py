"""A folder with ``model.onnx`` and ``tokenizer.json`` as a cross-encoder, by onnxruntime and tokenizers.

The model reads a question and a text together and returns one number, or two, for *not relevant* and *relevant*: then
the score is the second less the first. Nogueira and Cho 2019, https://arxiv.org/abs/1901.04085.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from ltr.encoders.onnx import MOST_TOKENS, OnnxModel, checked_folder, folder_digest
from ltr.rerankers.base import RERANKERS, Reranker

KIND = "cross-encoder"


class OnnxCrossEncoder(OnnxModel, Reranker):
    """See the module; `open_folder` makes it."""

    digest: str
    kind = KIND
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

    def _nothing(self, texts: int) -> Any:
        return np.zeros((texts, 1))


def open_folder(folder: str, threads: int = 1) -> OnnxCrossEncoder:
    """The cross-encoder in a folder, which uses ``threads`` for several texts. Raises InputError."""
    path = checked_folder(folder, KIND)
    return _opened(path, folder_digest(path, KIND), threads)


_opened = lru_cache(maxsize=4)(OnnxCrossEncoder)
"""Opened once while its files are the same."""

RERANKERS.add("onnx", open_folder)
