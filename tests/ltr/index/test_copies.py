"""Copies that are counted across the parts of an index, against dictionaries."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ltr.index.debates import has_copies, shared_columns
from ltr.index.folder import save_array

Array = np.ndarray[Any, Any]
KINDS = {"page_key": np.uint64, "said_key": np.uint64, "claimed_key": np.uint64, "stance": np.int8}


def merged(folder: Path, tables: list[dict[str, Array]]) -> tuple[dict[str, list[int]], bool]:
    """The columns of the whole, and whether an id comes twice."""
    parts = []
    for number, table in enumerate(tables):
        parts.append(folder / f"part-{number:04}")
        parts[-1].mkdir(parents=True)
        for name, values in table.items():
            save_array(parts[-1] / f"{name}.npy", values)
    starts = [0, *np.cumsum([len(table["near_key"]) for table in tables]).tolist()]
    return {name: values.tolist() for name, values in shared_columns(parts, starts)}, has_copies(parts)


def test_by_hand(tmp_path: Path) -> None:
    high = (1 << 64) - 1
    columns = {"page_key": [7, 0], "said_key": [5, 5], "claimed_key": [6, 6], "stance": [1, 1]}
    first = {name: np.array(values, KINDS[name]) for name, values in columns.items()}
    first |= {"near_key": np.array([high, 3, high], np.uint64), "exact_key": np.array([9, high, 8], np.uint64)}
    first |= {"sample_keys": np.array([1, 2], np.uint64), "conclusion_row": np.array([1, -1])}
    # On the page of the first argument of the first part, somebody argues against its premises.
    columns = {"page_key": [7], "said_key": [4], "claimed_key": [5], "stance": [2]}
    second = {name: np.array(values, KINDS[name]) for name, values in columns.items()}
    second |= {"near_key": np.array([high], np.uint64), "exact_key": np.array([high], np.uint64)}
    second |= {"sample_keys": np.array([3], np.uint64), "conclusion_row": np.array([0])}
    found, same_id = merged(tmp_path, [first, second])
    assert found == {
        "near_count": [3, 1, 3, 3],
        "canonical": [0, 1, 2, 1],
        "conclusion_count": [2, 0, 2],
        "parent": [-1, -1, 0],
        "root": [0, 1, 0],
        "side": [1, 1, -1],  # stances: for, for; against a premise of the first
        "page": [0, 1, 0],
        "debate": [0, 1, 0],
    }
    assert not same_id
