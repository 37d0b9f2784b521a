"""The report in a browser: everything that moves, by mouse and by keyboard, and that nothing is asked of a network."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from support.browser import By, Keys, Select, choose, every, focus_by_tab, look, one, texts, wait
from support.report import HOSTILE, TAG, TITLE, blob, data, sample_report


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    """The report, just opened, its first topic unpacked. Afterwards the console is silent and nothing was fetched."""
    for log in ("browser", "performance"):
        browser.get_log(log)
    look(browser, "light", 1280)
    browser.get(sample_report().as_uri())
    opened(browser, number(0))
    yield browser
    assert browser.get_log("browser") == []
    assert browser.execute_script("return performance.getEntriesByType('resource').map((entry) => entry.name)") == []
    asked = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    sent = [event["params"] for event in asked if event["method"] == "Network.requestWillBeSent"]
    urls = [event["request"]["url"] for event in sent if event["documentURL"].startswith("file:")]
    assert urls, "the log would show a request: it shows that of the page itself"
    assert {url.partition(":")[0] for url in urls} <= {"file", "data"}
    assert not [event for event in sent if event["request"]["url"].startswith(("http", "ws"))]


def number(place: int) -> str:
    return str(data()["topics"][place]["number"])


def opened(browser: Any, topic: str) -> None:
    wait(browser, lambda: one(browser, "#lists").get_attribute("data-topic") == topic)


# ---- first sight ----------------------------------------------------------------------------------


def test_charts_have_a_size_and_keep_inside(page: Any) -> None:
    for width in (1280, 400):
        look(page, "light", width)
        inside = page.execute_script("return document.documentElement.scrollWidth <= innerWidth")
        assert inside, f"nothing sticks out at {width} px"
        charts = every(page, "figure svg")
        assert len(charts) == 13
        for chart in charts:
            box = chart.rect
            assert box["height"] > 60
            for dot in chart.find_elements(By.CSS_SELECTOR, "circle"):
                assert box["x"] <= dot.rect["x"]
                assert dot.rect["x"] + dot.rect["width"] <= box["x"] + box["width"]


def test_tables_fit_a_wide_window_and_scroll_in_a_narrow_one(page: Any) -> None:
    boxes = "return [...document.querySelectorAll('.scroll:has(table)')].map((box) => "
    look(page, "light", 1280)
    for caption, width, room in page.execute_script(f"{boxes}[box.ariaLabel, box.scrollWidth, box.clientWidth])"):
        assert width <= room, f"{caption} is cut at 1,280 px"
    look(page, "light", 360)
    assert page.execute_script("return document.documentElement.scrollWidth <= innerWidth")
    cut = page.execute_script(f"{boxes}box).filter((box) => box.scrollWidth > box.clientWidth)")
    assert cut
    for box in cut:
        assert box.value_of_css_property("overflow-x") == "auto"
        assert box.get_attribute("tabindex") == "0", "the keyboard scrolls it"


# ---- explorer -------------------------------------------------------------------------------------


def test_a_topic_by_keyboard_alone(page: Any) -> None:
    focus_by_tab(page, "topic")
    page.switch_to.active_element.send_keys(Keys.ARROW_DOWN)
    opened(page, number(1))
    page.switch_to.active_element.send_keys(Keys.ARROW_UP)
    opened(page, number(0))
    focus_by_tab(page, "run-b")
    page.switch_to.active_element.send_keys("bm25")
    wait(page, lambda: len(every(page, ".list")) == 2)
    focus_by_tab(page, "next")
    outline = page.switch_to.active_element.value_of_css_property("outline-style")
    assert outline == "solid", "the focus can be seen"
    page.switch_to.active_element.send_keys(Keys.ENTER)
    opened(page, number(1))


def test_pairs_say_rank_stance_score_and_source(page: Any) -> None:
    heads = texts(page, ".unit .head")
    assert len(heads) == 50
    assert texts(page, ".unit .rank") == [f"{rank}." for rank in range(1, 51)]
    stances = texts(page, ".stance")
    assert len(stances) == 50
    assert {*stances} <= {"pro", "con", "unclear"}
    scores = [float(head.split("score ")[1].split()[0]) for head in heads]  # grades may follow
    assert scores == sorted(scores, reverse=True)
    assert len(every(page, ".unit .sentence")) == len(every(page, ".unit .sentence + .source")) == 100
    sources = " ".join(texts(page, ".source"))
    assert "premise 1 of S" in sources
    assert "judged relevance " in sources


def test_the_argument_around(page: Any) -> None:
    card = one(page, ".unit")
    sentences = [found.text for found in card.find_elements(By.CSS_SELECTOR, ".sentence")]
    summary = card.find_element(By.CSS_SELECTOR, "details summary")
    assert not card.find_elements(By.CSS_SELECTOR, ".argument")
    summary.send_keys(Keys.ENTER)
    wait(page, lambda: card.find_elements(By.CSS_SELECTOR, ".argument"))
    marks = [mark.text for mark in card.find_elements(By.CSS_SELECTOR, "mark")]
    assert sorted(marks) == sorted(sentences)
    assert len(card.find_elements(By.CSS_SELECTOR, ".argument p")) > 3
    summary.click()
    wait(page, lambda: not card.find_element(By.CSS_SELECTOR, "mark").is_displayed())


def test_grades_of_pairs_stand_beside_them(page: Any) -> None:
    choose(page, "#run-a", "bm25")
    wait(page, lambda: one(page, "h3 + ol").get_attribute("aria-label") == "pairs of bm25")
    grades_of = blob(0)["runs"]["bm25"]["grades"]
    found = 0
    for place, head in enumerate(texts(page, ".head")):
        grades = {name: of[place] for name, of in grades_of.items() if of[place] is not None}
        assert ("graded" in head) == bool(grades)
        assert all(f"{name} {grade:g}" in head for name, grade in grades.items())
        found += bool(grades)
    assert found


def test_two_runs_side_by_side(page: Any) -> None:
    choose(page, "#run-b", "bm25")
    wait(page, lambda: len(every(page, ".list")) == 2)
    left, right = every(page, ".list")
    assert left.rect["y"] == right.rect["y"]
    assert [box.find_element(By.TAG_NAME, "h3").text for box in (left, right)] == ["riposte", "bm25"]
    said = texts(page, ".list:first-child .head")
    assert all(text.endswith(("in bm25", "of bm25")) for text in said)
    # Where the left list says rank n, the right one has the same two sentences there.
    place, rank = next(
        (place, int(text.split("rank ")[1].split(" in")[0]))
        for place, text in enumerate(said)
        if "rank " in text and int(text.split("rank ")[1].split(" in")[0]) <= 50
    )
    one_side = texts(page, ".list:first-child .sentence")[2 * place : 2 * place + 2]
    other_side = texts(page, ".list:last-child .sentence")[2 * rank - 2 : 2 * rank]
    assert sorted(one_side) == sorted(other_side)
    look(page, "light", 400)
    assert left.rect["y"] < right.rect["y"], "one above the other where it is narrow"
    choose(page, "#run-b", "")
    wait(page, lambda: len(every(page, ".list")) == 1)


def test_show_more(page: Any) -> None:
    total = len(blob(0)["runs"]["riposte"]["units"])
    more = one(page, ".more")
    assert more.text == f"Show 50 more of {total - 50} pairs"
    more.send_keys(Keys.ENTER)
    wait(page, lambda: len(every(page, ".unit")) == min(100, total))
    assert page.switch_to.active_element.find_element(By.CSS_SELECTOR, ".rank").text == "51."
    assert one(page, "#status").text == "riposte: 100 pairs shown."
    page.execute_script("while (!arguments[0].hidden) arguments[0].click();", more)
    assert len(every(page, ".unit")) == total


def test_a_run_without_pairs_and_sentences_without_text(page: Any) -> None:
    choose(page, "#run-a", TAG)
    wait(page, lambda: len(every(page, ".unit")) == 2)
    assert one(page, ".list h3").text == TAG
    assert one(page, ".unit:nth-child(2) .sentence").text == "(the corpus has no text for this sentence)"
    choose(page, "#topic", number(1))
    opened(page, number(1))
    assert "This run has no pair for this topic." in one(page, "#lists").text


def test_hostile_texts_are_only_texts(page: Any) -> None:
    page.execute_script("const more = document.querySelector('.more'); while (!more.hidden) more.click();")
    shown = page.execute_script(
        "return [...document.querySelectorAll('.sentence')].map((found) => found.textContent)"
        ".filter((text) => text.includes(arguments[0]))",
        HOSTILE,
    )
    assert shown, "the sentence is shown with its tags as letters"
    assert Select(one(page, "#topic")).first_selected_option.text == f"{number(0)}. {TITLE}"
    assert TITLE in one(page, "#topics-chart").text
    assert not every(page, "main img, main b, main i, main u")
    assert every(page, "script")[-1].get_attribute("id") == f"topic-{len(data()['topics']) - 1}"


# ---- topics, one by one ---------------------------------------------------------------------------


def test_a_topic_of_the_chart_opens_in_the_explorer(page: Any) -> None:
    values = data()["boards"][0]["values"]["nDCG@5"]
    shown = [row.text.replace("\u2212", "-") for row in every(page, "#topics-chart button")]
    gains = [float(text.rsplit(",", 1)[1]) for text in shown]
    assert gains == sorted(gains, reverse=True)
    expected = sorted((values["riposte"][t] - values[TAG][t] for t in values["riposte"]), reverse=True)
    assert gains == pytest.approx(expected, abs=0.0006)
    choose(page, "#topics-b", "bm25")
    last = next(b for b in every(page, "#topics-chart button") if b.text.startswith(f"{number(1)}."))
    last.send_keys(Keys.ENTER)
    opened(page, number(1))
    assert page.switch_to.active_element.get_attribute("id") == "explorer-h"
    assert [head.text for head in every(page, ".list h3")] == ["riposte", "bm25"]
    assert "riposte is better than bm25 on " in one(page, "#topics-status").text
