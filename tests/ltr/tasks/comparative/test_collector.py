"""Copies among the hits of a search."""

from __future__ import annotations

from ltr.tasks.comparative.collect.collector import Hit, without_copies


def test_copies_leave() -> None:
    hits = [
        Hit("a", "Tea or coffee? A guide", "Tea is hot."),
        Hit("b", "Another page altogether", "tea  is HOT!"),
        Hit("c", "TEA OR COFFEE: a guide", "Coffee is hotter."),
        Hit("d", "x", "coffee is hotter"),  # a copy of a copy
        Hit("e", "Tea", "Milk first."),
        Hit("f", "tea", "Milk last."),  # a short title
        Hit("a", "", "In other words."),
    ]
    assert "".join(hit.key for hit in without_copies(hits)) == "aef"
