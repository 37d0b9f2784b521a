"""Whether the columns of an index fit each other, and its files: somebody may have made them."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from features.core.statistics import UNITS
from features.core.tables import SOURCE
from ltr.index.debates import NO_PARENT, in_circle
from ltr.index.strings import BLOCK
from ltr.index.tables import STANCES

Array = np.ndarray[Any, Any]

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
        column, blocks = columns["text_end"][start:end], columns[f"blocks-{part:04}"]
        size = int(column.max(initial=0))
        if blocks.shape != (-(-size // BLOCK), 2) or blocks.dtype != np.int64:
            raise ValueError("blocks has another shape")
        ordered += [(column, size), (blocks[:, 0], sizes[f"text-{part:04}.bin"])]
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
