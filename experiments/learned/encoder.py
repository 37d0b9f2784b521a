"""A sentence encoder, run once to make small vectors; nothing that ships needs its packages."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

import numpy as np

from features.core.statistics import FloatArray
from ltr.errors import InputError

LONGEST = 128
"""Pieces of a text that are read."""
BATCH = 32


class Encoder:
    """Vectors of texts from ``model.onnx`` and ``tokenizer.json``: the mean over their pieces, of length 1."""

    def __init__(self, folder: Path) -> None:
        """Raises InputError where a file or a package is missing."""
        try:
            runtime, tokenizers = import_module("onnxruntime"), import_module("tokenizers")
        except ImportError as error:
            raise InputError("usage", str(error), "pip install onnxruntime tokenizers") from None
        settings = runtime.SessionOptions()
        settings.intra_op_num_threads = settings.inter_op_num_threads = 1
        try:
            self._tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
            self._session = runtime.InferenceSession(str(folder / "model.onnx"), settings)
        except Exception as error:  # both packages raise their own, without a common base
            raise InputError(folder, f"cannot be read ({error})", "name the folder of an encoder") from None
        self._tokenizer.enable_truncation(LONGEST)
        self._tokenizer.no_padding()

    def pieces(self) -> list[str]:
        """The vocabulary by number."""
        vocabulary = self._tokenizer.get_vocab()
        return sorted(vocabulary, key=vocabulary.__getitem__)

    def encode(self, texts: Sequence[str]) -> FloatArray:
        """(n_texts, n_dimensions)"""
        return self._run([found.ids for found in self._tokenizer.encode_batch(list(texts))])

    def encode_pieces(self, numbers: Sequence[int]) -> FloatArray:
        """(n_pieces, n_dimensions), each as a text of its own."""
        start, end = self._tokenizer.encode("").ids
        return self._run([[start, number, end] for number in numbers])

    def _run(self, texts: Sequence[Sequence[int]]) -> FloatArray:
        order = sorted(range(len(texts)), key=lambda row: (len(texts[row]), row))
        found = []
        for first in range(0, len(order), BATCH):
            rows = order[first : first + BATCH]
            ids = np.zeros((len(rows), len(texts[rows[-1]])), np.int64)
            for place, row in enumerate(rows):
                ids[place, : len(texts[row])] = texts[row]
            mask = (np.arange(ids.shape[1]) < [[len(texts[row])] for row in rows]).astype(np.int64)
            given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
            states = self._session.run(None, given)[0].astype(np.float64)
            means = (states * mask[:, :, None]).sum(axis=1) / mask.sum(axis=1)[:, None]
            found.append(means / np.linalg.norm(means, axis=1, keepdims=True))
        return np.concatenate(found)[np.argsort(order)]
