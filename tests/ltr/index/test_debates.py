"""The structure of debates: parents, chains, contradictions and circles; and copies across the parts of an index."""

from __future__ import annotations

import json
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.corpora import Row, build, write_corpus

from ltr.index.debates import NO_PARENT, SIGNS, find_parents, find_roots, has_copies, shared_columns
from ltr.index.folder import save_array

Debate = list[tuple[str, str, int]]
"""Premises, conclusion and stance (0: unknown) of each argument."""


def parents(debate: Debate, pages: list[int] | None = None) -> list[int]:
    texts = {"": 0}
    said, claimed = ([texts.setdefault(row[at], len(texts)) for row in debate] for at in (0, 1))
    keys = (np.array(values, np.uint64) for values in (pages or [7] * len(debate), said, claimed))
    return find_parents(*keys, np.array([row[2] for row in debate], np.int8)).tolist()


CASES: list[tuple[str, Debate, list[int]]] = [
    ("c is said for b, b against a; nobody says a", [("d", "c", 1), ("c", "b", 1), ("b", "a", 2)], [1, 2, -1]),
    ("the first of several parents", [("c", "b", 1), ("b", "z", 2), ("b", "a", 1)], [1, -1, -1]),
    ("no parent without a stance, but children", [("c", "b", 0), ("b", "a", 0), ("b", "a", 2)], [2, -1, -1]),
    ("for a and against a", [("c", "b", 1), ("b", "a", 1), ("b", "a", 2)], [-1, -1, -1]),
    ("not against z", [("c", "b", 1), ("b", "a", 1), ("b", "a", 2), ("b", "z", 2)], [3, -1, -1, -1]),
    ("the same twice", [("c", "b", 1), ("b", "a", 1), ("b", "a", 1)], [1, -1, -1]),
    ("a circle, and what leads to it", [("b", "a", 1), ("a", "b", 1), ("c", "b", 1)], [-1, -1, 0]),
    ("what says its own conclusion", [("a", "a", 1), ("b", "a", 1)], [-1, -1]),
    ("no premises or no conclusion", [("", "a", 1), ("a", "", 1), ("", "", 1)], [-1, -1, -1]),
    ("nothing", [], []),
]


@pytest.mark.parametrize(("debate", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_parents_by_hand(debate: Debate, expected: list[int]):
    assert parents(debate) == expected


def test_parents_are_of_the_same_page():
    assert parents([("c", "b", 1), ("b", "a", 1), ("b", "a", 1)], [1, 2, 1]) == [2, -1, -1]
    assert parents([("c", "b", 1), ("b", "a", 1)], [0, 0]) == [-1, -1]


@given(st.lists(st.tuples(st.sampled_from("abcde"), st.sampled_from("abcde"), st.integers(0, 2)), max_size=30))
def test_any_graph_becomes_a_forest_of_said_conclusions(debate: Debate):
    found = parents(debate)
    roots, sides = find_roots(np.array(found, np.int64), np.array([row[2] for row in debate], np.int64))
    for first, parent in enumerate(found):
        row, path = parent, [first]
        while row != NO_PARENT:
            assert row not in path
            assert debate[row][0] == debate[path[-1]][1]
            assert debate[row][2] != 0
            path.append(row)
            row = found[row]
        assert roots[first] == path[-1]
        assert sides[first] == prod(SIGNS[debate[row][2]] for row in path)


ROWS: list[Row] = [
    ("S1-A1", "More people would take part.", "CON", ["Turnout of the young is low."]),
    ("S2-A1", "More people would take part", "PRO", ["Another page."]),
    ("S1-A2", "Lower the voting age", "PRO", ["More people", "would take part!"]),
    ("S1-A3", "Lower the voting age", "CON", ["Children are not mature."]),
]


@pytest.mark.parametrize("rows", [ROWS, ROWS[::-1]])
def test_an_index_has_the_debates(tmp_path, rows):
    index = build(write_corpus(tmp_path / "c", rows), tmp_path / "i")
    row = index.row_of
    roots = {name: index.argument_id(int(index.column("root")[at])) for name, at in row.items()}
    # Words alone count, across sentences.
    assert roots == {"S1-A1": "S1-A2", "S1-A2": "S1-A2", "S1-A3": "S1-A3", "S2-A1": "S2-A1"}
    assert index.debate(row["S1-A3"]).tolist() == sorted(row[f"S1-A{number}"] for number in (1, 2, 3))
    assert index.debate(row["S2-A1"]).tolist() == [row["S2-A1"]]
    assert {index.resolution(row[f"S1-A{number}"]) for number in (1, 2, 3)} == {"Lower the voting age"}
    assert [index.in_debate(at) for at in range(4)] == [len(index.debate(at)) for at in range(4)]
    sentences = np.arange(index.sentences)[::-1]
    assert index.sentence_ids(sentences) == list(map(index.sentence_id, sentences.tolist()))
    assert [index.side_toward_resolution(row[name]) for name in ("S1-A1", "S1-A2", "S1-A3", "S2-A1")] == [-1, 1, -1, 1]


def debates(tmp_path: Path, *lines: dict[str, object]) -> list[int]:
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "passages.jsonl").write_text("\n".join(map(json.dumps, lines)))
    return build(tmp_path / "c", tmp_path / "i").column("debate").tolist()


def test_a_debate_where_no_id_names_a_page(tmp_path):
    texts = iter(f"Text {number}." for number in range(99))
    rows = [("Ban cars", ""), ("ban CARS!", ""), ("", ""), ("", ""), ("", "Cars"), ("", "Cars"), ("Ban cars", "Cars")]
    lines = [
        {"id": f"a{at}", "text": next(texts), "conclusion": conclusion, "title": title}
        for at, (conclusion, title) in enumerate(rows)
    ]
    # By conclusion where there is no page; alone without both; by title else, apart from its debate with a conclusion.
    assert debates(tmp_path, *lines) == [0, 0, 2, 3, 4, 4, 6]


def test_without_a_resolution_there_is_no_side(tmp_path):
    index = build(write_corpus(tmp_path / "c", [("S1-A1", "", "PRO", ["Yes, of course."])]), tmp_path / "i")
    assert (index.resolution(0), index.side_toward_resolution(0)) == ("", 0)


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
