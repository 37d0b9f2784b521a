"""The open collection as the reader gives it: count, first, tenth and last record.

The expected values were read from the CSV with ``csv`` and ``ast.literal_eval`` alone.
"""

from __future__ import annotations

import ast
import csv
from itertools import islice

import pytest
from support.collection import COLLECTION, needs_collection

from ltr.corpora.argument import Argument, Sentence
from ltr.corpora.source import open_corpus

pytestmark = needs_collection


@pytest.fixture(scope="module")
def arguments() -> list[Argument]:
    return list(open_corpus(str(COLLECTION)))


def test_count(arguments: list[Argument]) -> None:
    assert len(arguments) == 24_929
    # 142,340 sentences are in the cells, and 164 conclusions of one word are only in their own column.
    assert sum(len(argument.sentences) for argument in arguments) == 142_340 + 164
    assert sum(not argument.conclusion.strip() for argument in arguments) == 1_717


def test_first(arguments: list[Argument]) -> None:
    first = arguments[0]
    name = "S1cdf7bf1-Afe0e6ccc"
    assert first.id == name
    assert first.conclusion == "Increased traffic as a result of the prohibition of cars"
    assert first.stance == "PRO"
    assert first.title == "Cars Should Be Banned From City Centres"
    assert first.url == "https://debatewise.org/debates/3521-cars-should-be-banned-from-city-centres/"
    assert len(first.sentences) == 10
    assert first.sentences[0] == Sentence(
        f"{name}__PREMISE__1",
        "One of the predominant characteristics among CBDs is their privileged geographical location "
        "within the cities in which they are located.",
    )
    assert first.sentences[-1] == Sentence(f"{name}__CONC__1", first.conclusion)


def test_rows_say_what_literal_eval_says(arguments: list[Argument]) -> None:
    assert COLLECTION is not None
    csv.field_size_limit(2**31 - 1)
    with (COLLECTION / "args_processed_04_01.csv").open(encoding="utf-8", newline="") as handle:
        for row, argument in islice(zip(csv.DictReader(handle), arguments, strict=True), 0, None, 20):
            cell = [Sentence(item["sent_id"], item["sent_text"]) for item in ast.literal_eval(row["sentences"])]
            assert list(argument.sentences[: len(cell)]) == cell
            assert argument.stance == ast.literal_eval(row["premises"])[0]["stance"]
            context = ast.literal_eval(row["context"])
            assert argument.title == context["topic"]
            assert argument.url == (context["sourceUrl"] or "")
