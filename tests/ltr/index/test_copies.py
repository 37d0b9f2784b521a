"""Copies that are counted across the parts of an index, against dictionaries."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ltr.data.arrays import save_array
from ltr.index.debates import find_debates, find_parents, has_copies, shared_columns

Array = np.ndarray[Any, Any]
KEYS = [1, 2, 1 << 31, 1 << 62, 1 << 63, (1 << 63) + 1, (1 << 64) - 1]
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


def expected(tables: list[dict[str, Array]]) -> dict[str, list[int]]:
    """The same from all rows at once, keys counted in dictionaries."""
    near, exact = (np.concatenate([table[name] for table in tables]).tolist() for name in ("near_key", "exact_key"))
    conclusions = [
        int(table["exact_key"][row]) if row >= 0 else None for table in tables for row in table["conclusion_row"]
    ]
    sizes = Counter(key for key in conclusions if key is not None)
    pages, said, claimed, stances = (np.concatenate([table[name] for table in tables]) for name in KINDS)
    parents = find_parents(pages, said, claimed, stances)
    return {
        "near_count": [Counter(near)[key] for key in near],
        "canonical": [exact.index(key) for key in exact],
        "debate_size": [sizes[key] if key is not None else 0 for key in conclusions],
        "parent": parents.tolist(),
        "debate": find_debates(pages, claimed, parents).tolist(),
    }


@st.composite
def part(draw: st.DrawFn) -> dict[str, Array]:
    """A part of up to six arguments, each with as many sentences as it likes."""
    sentences, arguments = draw(st.integers(1, 9)), draw(st.integers(1, 6))
    few = st.sampled_from(KEYS)

    def column(values: st.SearchStrategy[int], size: int, kind: Any = np.uint64) -> Array:
        return np.array(draw(st.lists(values, min_size=size, max_size=size)), kind)

    table = {name: column(few, sentences) for name in ("near_key", "exact_key")}
    table |= {name: column(st.sampled_from([0, *KEYS]), arguments) for name in ("page_key", "said_key", "claimed_key")}
    table["sample_keys"] = column(st.integers(0, 2**64 - 1), arguments)
    table["stance"] = column(st.integers(0, 2), arguments, np.int8)
    table["conclusion_row"] = column(st.integers(-1, sentences - 1), arguments, np.int64)
    return table


@settings(max_examples=60, deadline=None)
@given(tables=st.lists(part(), min_size=1, max_size=4))
def test_parts_give_what_the_whole_gives(
    tables: list[dict[str, Array]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    found, same_id = merged(tmp_path_factory.mktemp("parts"), tables)
    assert found == expected(tables)
    ids = np.concatenate([table["sample_keys"] for table in tables]).tolist()
    assert same_id == (len(set(ids)) < len(ids))


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
        "debate_size": [2, 0, 2],
        "parent": [-1, -1, 0],
        "debate": [0, 1, 0],
    }
    assert not same_id
