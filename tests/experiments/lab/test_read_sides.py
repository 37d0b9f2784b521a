"""Sides that were read beside sides as shown: what is counted, on an answer and through the command."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from experiments.lab.read_sides import OWN_TEXTS, SHOWN, as_shown, figures, main, read_sides
from ltr.answers.answer import Answer, Result, Snippet


def result(argument: str, side: str, *, likely: bool = False, weak: bool = False) -> Result:
    snippet = Snippet(f"{argument}__P1", "", "", "", "premise", 1, 1, argument, "", None, "")
    return Result(1, side, 1.0, (snippet,), likely=likely, weak=weak)


def test_what_is_counted():
    results = [
        result("a", "PRO"),
        result("b", "PRO", likely=True),
        result("c", "Q0"),
        result("d", "CON", weak=True),
        result("e", "CON"),
        result("f", "Q0"),
    ]
    answer = Answer("Q?", results, None, 6, [])
    rows = as_shown("Q?", answer, {"a": 1, "b": -1, "b__P1": -1, "c": 1, "d": -1, "e": 0, "f": 0})
    rows += as_shown("None?", answer, {}) + as_shown("Nothing?", Answer("", [], None, 0, []), {})
    assert figures(pd.DataFrame(rows)) == {
        "texts with a side": 5,
        "shown on it": 1 / 5,
        "shown on the other": 2 / 5,
        "shown as unclear": 1 / 5,
        "not shown": 1 / 5,
        "surely on it": 1 / 5,
        "surely on the other": 0,
        "results with a side": 4,
        "right": 1 / 4,
        "right, of sure ones": 1 / 2,
        "questions turned round": 1,
        "questions without a text": 2,
        "answered all the same": 1,
    }


@pytest.mark.parametrize("table", [SHOWN, *OWN_TEXTS.glob("*/*.tsv")], ids=lambda table: table.parent.name)
def test_the_tables_that_ship(table: Path):
    sides = read_sides(table)
    assert len(sides) > 5
    assert {side for of in sides.values() for side in of.values()} == {1, 0, -1}
    if table != SHOWN:
        texts = table.with_name("arguments.jsonl").read_text("utf-8").splitlines()
        assert {id_ for of in sides.values() for id_ in of} <= {json.loads(text)["id"] for text in texts}


def test_the_command(tmp_path, capsys):
    lines = [
        {"id": "a", "conclusion": "The pool should be closed", "stance": "PRO", "text": "The pool loses money."},
        {"id": "b", "conclusion": "The pool should be closed", "stance": "CON", "text": "Children swim in the pool."},
    ]
    (tmp_path / "arguments.jsonl").write_text("\n".join(map(json.dumps, lines)) + "\n", "utf-8")
    table = tmp_path / "read.tsv"
    table.write_text(
        "question\tid\tside\nShould the pool be closed?\ta\t1\nShould the pool be closed?\tb\t-1\n", "utf-8"
    )
    assert main(["-i", str(tmp_path), "--read", str(table)]) == 0
    assert "shown on it                              1" in capsys.readouterr().out.splitlines()
