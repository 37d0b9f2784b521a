"""Results from plain values."""

from __future__ import annotations

import pandas as pd

from ltr.answers.answer import Answer, Snippet
from ltr.answers.judge import Argument, Verdict, is_likely, why
from ltr.answers.search import present

GROUPS = [("PRO", "For"), ("CON", "Against"), ("", "Unclear")]
ARGUMENT = Argument("Close zoos", in_debate=2, conclusion="Close zoos", stance=1, toward=1)
VERDICTS = {
    "a": [Verdict(ARGUMENT, "PRO", 2.5, 2.5, sure=True)],
    "b": [Verdict(ARGUMENT, "CON", -1.0, -1.0)],
    "c": [Verdict(ARGUMENT, "Q0")],
}


def snippets(item: str) -> tuple[Snippet, ...]:
    return (Snippet(f"{item}__PREMISE__1", item, item, "", "premise", 1, 1, item, "Close zoos", "PRO", "Zoos"),)


def test_results_by_rank_with_their_facts() -> None:
    verdicts = [VERDICTS[item] for item in "cab"]
    columns = {"rank": [3, 1, 2], "stance": ["Q0", "PRO", "CON"], "score": [0.3, 1.0, 0.5], "relevance": 1.5}
    facts = {"why": [*map(why, verdicts)], "likely": [*map(is_likely, verdicts)], "point": [None, 0, None]}
    facts |= {"alike": [(), ("d",), ()], "sentences": [*map(snippets, "cab")]}
    results = present(pd.DataFrame(columns | {"weak": [True, False, False]}), facts, ["relevance", "quality"])
    assert [(one.id[0], one.rank, one.stance, one.weak, one.likely, one.alike) for one in results] == [
        ("a", 1, "PRO", False, False, ("d",)),
        ("b", 2, "CON", False, True, ()),
        ("c", 3, "Q0", True, False, ()),
    ]
    assert [one.why for one in results] == ['For: argues for "Close zoos"', 'Against: argues for "Close zoos"', ""]
    assert [one.point for one in results] == [0, None, None]
    answer = Answer("Close zoos?", results, 1.5, 9, GROUPS, toward="question")
    assert answer.sides_known == "Sides of 2 results: 1 sure, 1 likely."
    document = answer.document("corpus", "model")
    assert document["sides"] == "question"
    assert document["results"][0]["scores"] == {"relevance": 1.5}
    assert {heading: len(own) for heading, own in answer.sides.items()} == {"For": 1, "Against": 1, "Unclear": 1}
