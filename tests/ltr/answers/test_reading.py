from __future__ import annotations

from pathlib import Path

import pytest
from support.corpora import Row, build, write_corpus

from ltr.answers.sentences import points_back
from ltr.answers.texts import row_before, snippets_of
from ltr.searcher import Searcher

ROWS: list[Row] = [
    ("S1-A1", "Zoos should close", "PRO", ["They are cruel.", "Moreover, they cost much.", "Animals suffer."]),
    ("S1-A2", "Zoos should stay", "CON", ["It is wrong to close zoos.", "Zoos teach."]),
]


@pytest.mark.parametrize(
    ("text", "back"),
    [
        ("This would be wrong.", True),
        ("“They are cruel.", True),
        ("Moreover, it costs much.", True),
        ("[1] However it may be", False),  # what stands before it is cleaned off first
        ("On the other hand, zoos teach.", True),
        ("It costs much.", True),
        ("It is wrong to close zoos.", False),
        ("Thistles are plants.", False),
        ("Its use is wide.", True),
        ("The zoo is closed.", False),
        ("", False),
    ],
)
def test_openings(text: str, back: bool) -> None:
    assert points_back(text) is back


def test_the_order_of_reading(tmp_path: Path) -> None:
    """The corpus stores premises first; an argument is read from its conclusion on."""
    with Searcher(write_corpus(tmp_path / "corpus", ROWS), model="bm25", index=tmp_path / "index", jobs=1) as zoos:
        index = zoos.index
        first, second, third, conclusion = index.sentence_rows(index.row_of["S1-A1"])
        assert [row_before(index, row) for row in (first, second, third)] == [conclusion, first, second]
        assert row_before(index, conclusion) is None
        answer = zoos.search("Do zoos cost much?")
        found = {one.id: one for result in answer.results for one in result.sentences}
        assert found["S1-A1__PREMISE__2"].before in ("They are cruel.", "")
        beside = next(r for r in answer.results if "S1-A1__PREMISE__2" in r.id)
        assert (found["S1-A1__PREMISE__2"].before == "") is ("S1-A1__PREMISE__1" in beside.id)


def test_a_sentence_has_its_place_whatever_its_number(tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path / "corpus", ROWS)
    for file in corpus.glob("*.csv"):
        file.write_text(file.read_text("utf-8").replace("A1__PREMISE__3", "A1__PREMISE__50000"), "utf-8")
    (third,) = snippets_of(build(corpus), "S1-A1__PREMISE__50000", "pair")
    assert (third.text, third.role, third.place, third.of) == ("Animals suffer.", "premise", 3, 3)
