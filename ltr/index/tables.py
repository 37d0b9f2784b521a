"""The tables of sentences and arguments, gathered while a part of a corpus is read."""

from __future__ import annotations

from contextlib import ExitStack
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from ltr.corpora.argument import Argument
from ltr.data.arrays import save_array
from ltr.data.ids import sentence_number
from ltr.index.debates import page_key
from ltr.index.strings import Blocks
from ltr.index.vocabulary import Terms, byte_lengths, sequence_keys

Array = np.ndarray[Any, Any]

STANCES = ("", "PRO", "CON")

COLUMNS = {
    "text_end": np.int64,
    "id_end": np.int64,
    "title_end": np.int64,
    "sentence_end": np.int64,
    "number": np.int32,
    "stance": np.int8,
    "conclusion_row": np.int64,
    "exact_key": np.uint64,
    "near_key": np.uint64,
    "body_key": np.uint64,
    "page_key": np.uint64,
    "said_key": np.uint64,
    "claimed_key": np.uint64,
}
"""Columns of both tables. Keys are equal for sentences of the same words in the same order (exact) or of the same set
of terms (near), for arguments of the same premises (body), of one page, and for the words of all premises (said) and
of the conclusion (claimed)."""


class Tables(ExitStack):
    """Texts, ids and properties of sentences and arguments, in corpus order."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder
        self._columns: dict[str, list[np.ndarray[Any, Any]]] = {
            name: [np.zeros(0, kind)] for name, kind in COLUMNS.items()
        }
        self._number = cache(partial(sentence_number, argument=""))  # the same few roles come again and again
        self._written = dict.fromkeys(("text", "ids", "titles"), 0)
        self._files: dict[str, Any] = {
            name: self.enter_context((folder / f"{name}.bin").open("wb")) for name in self._written
        }
        self._files["text"] = Blocks(self._files["text"])
        self._sources: list[tuple[float, ...]] = []
        self.arguments = 0
        self.sentences = 0

    def add(
        self, chunk: list[Argument], texts: list[str], terms: Terms
    ) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        """Add arguments with the texts of all their sentences, and the terms of these.

        Returns (n_arguments,) twice, counted in the sentences of the chunk: where each argument's sentences end, and
        where its premises do.
        """
        # Conclusions are numbered from -1 downwards, premises from 1 upwards: the sign gives the role.
        roles = [sentence.id[len(argument.id) :] for argument in chunk for sentence in argument.sentences]
        numbers = np.fromiter(map(self._number, roles), np.int32, len(roles))
        lengths = np.array([len(argument.sentences) for argument in chunk])
        ends = np.cumsum(lengths)
        premises = np.concatenate([[0], np.cumsum(numbers > 0)])
        premise_ends = ends - lengths + premises[ends] - premises[ends - lengths]
        self.append("text_end", self._write("text", texts))
        self.append("id_end", self._write("ids", [argument.id for argument in chunk]))
        self.append("title_end", self._write("titles", [argument.title for argument in chunk]))
        self.append("number", numbers)
        self.append("exact_key", terms.keys)
        self.append("body_key", sequence_keys(terms.keys[numbers > 0], premises[ends]))
        word_ends = np.append(0, terms.word_ends)[np.stack([premise_ends, ends], axis=1).ravel()]
        keys = np.where(np.diff(word_ends, prepend=0), sequence_keys(terms.words, word_ends), 0)
        self.append("said_key", keys[0::2])
        self.append("claimed_key", keys[1::2])
        self.append("page_key", np.array([page_key(argument) for argument in chunk], np.uint64))
        self.append("sentence_end", self.sentences + ends)
        self.append("stance", np.array([STANCES.index(argument.stance) for argument in chunk], np.int8))
        self.append("conclusion_row", np.where(premise_ends < ends, self.sentences + ends - 1, -1))
        self._sources += [argument.source for argument in chunk if argument.source]
        self.sentences += len(texts)
        self.arguments += len(chunk)
        return ends, premise_ends

    def append(self, name: str, values: np.ndarray[Any, Any]) -> None:
        """Add the chunk's values of a column."""
        self._columns[name].append(values.astype(COLUMNS[name]))

    def _write(self, name: str, texts: list[str]) -> np.ndarray[Any, Any]:
        """Write texts, and return where each ends in the file."""
        self._files[name].write("".join(texts).encode())
        ends: np.ndarray[Any, Any] = self._written[name] + np.cumsum(byte_lengths(texts))
        self._written[name] = int(ends[-1]) if texts else self._written[name]
        return ends

    def save(self) -> None:
        """Write what is not written yet."""
        save_array(self._folder / "blocks.npy", self._files["text"].finish())
        self.close()
        columns = {name: np.concatenate(pieces) for name, pieces in self._columns.items()}
        columns["near_key"] = np.where(columns["near_key"] == 0, columns["exact_key"], columns["near_key"])
        for name, values in columns.items():
            save_array(self._folder / f"{name}.npy", values)
        if self._sources:  # of all rows or of none
            save_array(self._folder / "source.npy", np.array(self._sources, np.float64))
