"""The page of a report: what it shows, and that names in it are text and nothing else."""

from __future__ import annotations

import base64
import hashlib
import re

import pytest
from support.outline import Outline

from ltr.evaluation.page import chart_scale, charts
from ltr.evaluation.report import Report
from ltr.evaluation.runs import evaluate

HOSTILE = "<img src=x onerror=alert(1)></title></script>\u202e"


def report() -> Report:
    """Two runs of three topics, one of which has a hostile name, as a run has."""
    good = {topic: {"x": 2.0, "y": 1.0} for topic in ("1", "2", HOSTILE[:-1].replace(" ", "/"))}
    bad = {topic: {"x": 1.0, "y": 2.0} for topic in good}
    return evaluate({HOSTILE: good, "bad": bad}, {topic: {"x": 1.0, "y": 0.0} for topic in good})


def test_the_page_shows_charts_tables_and_notes() -> None:
    found, text = report(), report().html()
    outline = Outline(text)
    # Means and values of topics, each of the two tested measures.
    assert len(outline.of("svg")) == 2 * 2
    assert len(outline.of("table")) == len(outline.of("caption")) == len(found.tables()) + len(found.topic_tables())
    assert all(attributes.get("scope") in ("col", "row") for attributes in outline.of("th"))
    ids = [attributes["id"] for _, attributes in outline.elements if "id" in attributes]
    assert len(ids) == len(set(ids)) == 4
    assert {attributes["aria-labelledby"] for attributes in outline.of("svg")} == set(ids)
    cells = outline.texts["td"]
    # The relevant one second: 1 / log2(3) = .631.
    assert "0.631 [0.631, 0.631]" in cells
    assert all(note in outline.texts["p"] for note in found.notes())


def test_nothing_runs_is_fetched_or_becomes_markup() -> None:
    text = report().html()
    outline = Outline(text)
    assert not {"img", "script", "iframe", "object"} & outline.texts.keys()
    for tag, attributes in outline.elements:
        assert not attributes.keys() & {"src", "srcset", "style", "action"}, tag
        assert not any(name.startswith("on") for name in attributes), tag
    assert {attributes["href"] for attributes in outline.of("link")} == {"data:,"}
    assert not re.findall(r"https?://", text)
    assert "\u202e" not in text, "nothing turns the direction of what follows"
    assert HOSTILE[:-1].replace(" ", "/") in outline.texts["th"]
    (policy,) = (a["content"] or "" for a in outline.of("meta") if a.get("http-equiv"))
    (style,) = outline.texts["style"]
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert policy.startswith(f"default-src 'none'; style-src 'sha256-{digest}'")
    assert f"<td>{'1.000 [1.000, 1.000]'}</td>" in report()._repr_html_()


def test_charts_keep_within_their_scale() -> None:
    found = report()
    for chart in charts(found.figures, found.at_random, found.plan.measures, "bad"):
        assert chart.means["bad"].mean == pytest.approx(0.63093, abs=1e-5)
        assert [*chart.means] == [HOSTILE, "bad", "random order"]
        assert chart.topics["1"] == {HOSTILE: 1.0, "bad": chart.means["bad"].mean}
        for ticks, across in (chart.means_scale, chart.topics_scale):
            assert [across(ticks[0]), across(ticks[-1])][1] == "98.00%"


@pytest.mark.parametrize(
    ("values", "ticks"),
    [([0.0, 1.0], [0, 0.2, 0.4, 0.6, 0.8, 1]), ([-0.12, 0.31], [-0.2, -0.1, 0, 0.1, 0.2, 0.3, 0.4]), ([0.5], [0.5])],
)
def test_ticks_are_round_numbers_around_the_values(values: list[float], ticks: list[float]) -> None:
    found, across = chart_scale(values)
    assert found == pytest.approx(ticks)
    assert across(ticks[0]) == "2.00%"
