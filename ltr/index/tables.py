"""The tables of sentences and arguments, gathered while a part of a corpus is read."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from functools import cache, partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from features.core.statistics import UNITS
from features.core.tables import SOURCE
from ltr.corpora.argument import Argument
from ltr.data.arrays import save_array
from ltr.data.ids import sentence_number
from ltr.index.debates import NO_PARENT, in_circle, page_key
from ltr.index.strings import BLOCK, Blocks
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


MOST = 2**62
"""Largest count that is stored."""

_OF_ARGUMENTS = ("id_end", "title_end", "sentence_end", "stance", "conclusion_row", "debate_size", "body_key")
_OF_DEBATES = ("parent", "debate")
_OF_SENTENCES = ("text_end", "number", "near_key", "near_count", "canonical")
_OF_TERMS = tuple(f"{name}_{unit}" for unit in UNITS for name in ("df", "cf"))


def check_columns(columns: Mapping[str, Array], arguments: int, sentences: int, sizes: Mapping[str, int]) -> None:
    """Raise ValueError for columns that cannot be of one index: their values are positions in other columns.

    ``sizes`` are those of files in bytes.
    """
    starts, terms = columns["starts"], len(columns["terms"])
    lengths = dict.fromkeys((*_OF_ARGUMENTS, *_OF_DEBATES), arguments) | dict.fromkeys(_OF_SENTENCES, sentences)
    lengths |= dict.fromkeys((*_OF_TERMS, "terms"), terms) | {"lsa_terms": len(columns["lsa_vectors"])}
    for name, length in lengths.items():
        if columns[name].shape != (length,) or columns[name].dtype.kind not in "iu":
            raise ValueError(f"{name} has another shape")
    if starts.ndim != 2 or len(starts) != 2 or starts.dtype.kind not in "iu" or starts[:, 0].any():
        raise ValueError("starts has another shape")
    ends = {"id_end": sizes["ids.bin"], "title_end": sizes["titles.bin"], "sentence_end": sentences}
    ordered = [(columns[name], size) for name, size in ends.items()]
    ordered += [(starts[0], arguments), (starts[1], sentences)]
    for part, (start, end) in enumerate(pairwise(starts[1].tolist())):
        ends, blocks = columns["text_end"][start:end], columns[f"blocks-{part:04}"]
        if blocks.shape != (-(-int(ends[-1]) // BLOCK) if end > start else 0, 2) or blocks.dtype != np.int64:
            raise ValueError("blocks has another shape")
        ordered += [(ends, ends[-1] if end > start else 0), (blocks[:, 0], sizes[f"text-{part:04}.bin"])]
    for column, last in ordered:
        if column.min(initial=0) < 0 or (column[1:] < column[:-1]).any() or column.max(initial=0) != last:
            raise ValueError("ends are not in order")
    bounds = {"stance": (0, len(STANCES) - 1), "conclusion_row": (-1, sentences - 1), "canonical": (0, sentences - 1)}
    bounds |= {"parent": (NO_PARENT, arguments - 1), "debate": (0, arguments - 1)}
    for name, (low, high) in (bounds | dict.fromkeys(_OF_TERMS, (0, MOST))).items():
        if len(columns[name]) and not low <= int(columns[name].min()) <= int(columns[name].max()) <= high:
            raise ValueError(f"{name} is out of range")
    if in_circle(columns["parent"].astype(np.int64)).any():
        raise ValueError("parent has a circle")
    vectors, source = columns["lsa_vectors"], columns.get("source", np.zeros((arguments, 0)))
    if vectors.ndim != 2 or vectors.dtype.kind != "f" or not np.isfinite(vectors).all():
        raise ValueError("lsa_vectors are no vectors")
    if source.ndim != 2 or source.dtype.kind != "f" or len(source) != arguments or source.shape[1] > len(SOURCE):
        raise ValueError("source has another shape")


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
