"""A folder with ``model.onnx`` and ``tokenizer.json`` as a cross-encoder, by onnxruntime and tokenizers.

The model reads a question and a text together and returns one number, or two, for *not relevant* and *relevant*: then
the score is the second less the first. Nogueira and Cho 2019, https://arxiv.org/abs/1901.04085.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ltr.text_models.onnx import MOST_TOKENS, OnnxModel
from ltr.text_models.rerankers import RERANKERS, Reranker


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

    def _nothing(self, texts: int) -> Any:
        return np.zeros((texts, 1))


RERANKERS.add("onnx", OnnxCrossEncoder.find)
