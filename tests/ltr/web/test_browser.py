"""The page in a browser: by mouse, by keyboard, light and dark, with hostile words, and nobody asked but its server."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import pairwise
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from support.browser import (
    By,
    Keys,
    background,
    every,
    focus_by_tab,
    look,
    one,
    texts,
    wait,
)
from support.served import BREAD, HOSTILE, QUESTION, answerers, get


@pytest.fixture
def page(browser: Any, address: str) -> Iterator[Any]:
    """The page, with nothing asked. Afterwards the console is silent, and no one else was asked for anything."""
    for log in ("browser", "performance"):
        browser.get_log(log)
    look(browser, "light", 1280)
    browser.get(f"{address}/")
    yield browser
    assert browser.get_log("browser") == []
    asked = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    sent = [event["params"] for event in asked if event["method"] == "Network.requestWillBeSent"]
    urls = [one["request"]["url"] for one in sent if one["documentURL"].startswith(address)]
    assert f"{address}/" in urls, "the log would show a request: it shows that of the page itself"
    assert all(url.startswith((f"{address}/", "data:")) for url in urls)


def requests(page: Any) -> int:
    """Requests that the page has made since it was opened."""
    return int(page.execute_script("return performance.getEntriesByType('resource').length"))


def ask(page: Any, question: str = QUESTION) -> None:
    box = one(page, "#q")
    box.clear()
    box.send_keys(question, Keys.ENTER)
    answered(page, question)


def answered(page: Any, question: str = QUESTION) -> None:
    wait(page, lambda: page.title == f"{question} | Riposte" and "…" not in one(page, "#status").text)


def order(page: Any, side: str) -> list[str]:
    script = (
        "return [...document.querySelectorAll(`[data-side='${arguments[0]}'] .unit`)].map((unit) => unit.dataset.id)"
    )
    return list(page.execute_script(script, side))


def slide(page: Any, dimension: str, value: float) -> None:
    script = "const s = document.getElementById(arguments[0]); s.value = arguments[1]; "
    script += "for (const kind of ['input', 'change']) s.dispatchEvent(new Event(kind))"
    page.execute_script(script, f"weight-{dimension}", value)


def results(address: str, **query: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = get(address, "/api/search", **query)[1]["results"]
    return found


# ---- to ask ----------------------------------------------------------------------------------------


def test_a_question_is_answered_side_by_side(page: Any, address: str) -> None:
    ask(page)
    assert texts(page, ".group h2")[:2] == ["For", "Against"]
    found = results(address, q=QUESTION)
    for side in ("PRO", "CON"):
        assert order(page, side) == [result["id"] for result in found if result["side"] == side][:5]
    sentences = [sentence["text"] for sentence in next(r for r in found if r["side"] == "PRO")["sentences"]]
    assert texts(page, ".unit:first-child .sentence")[:2] == sentences
    pro, con = (element.rect for element in every(page, ".group")[:2])
    assert pro["y"] == con["y"]
    assert pro["x"] + pro["width"] <= con["x"]
    assert "toward the question" in one(page, "#results p.soft").text
    model = one(page, ".answers:not([hidden])").text
    assert answerers()["pairs"].names["trained"] in model
    assert "2 arguments" not in one(page, "#error").text


def test_more_are_shown_on_demand(page: Any, address: str) -> None:
    ask(page)
    found = [result["id"] for result in results(address, q=QUESTION) if result["side"] == "PRO"]
    assert len(found) > 5
    assert order(page, "PRO") == found[:5]
    others = order(page, "CON")
    one(page, "[data-side='PRO'] .more").click()
    assert order(page, "PRO") == found[:10]
    assert order(page, "CON") == others
    assert page.switch_to.active_element.get_attribute("data-id") == found[5], "reading goes on there"


def test_the_argument_around_a_sentence(page: Any) -> None:
    ask(page)
    unit = one(page, ".unit")
    sentences = [element.text for element in unit.find_elements(By.CSS_SELECTOR, ".sentence")]
    unit.find_elements(By.CSS_SELECTOR, "summary")[0].click()
    wait(page, lambda: unit.find_elements(By.CSS_SELECTOR, "mark"))
    assert sorted(mark.text for mark in unit.find_elements(By.CSS_SELECTOR, "mark")) == sorted(sentences)
    assert len(unit.find_elements(By.CSS_SELECTOR, ".argument p")) > len(sentences) + 1


def test_why_it_stands_there(page: Any) -> None:
    ask(page)
    unit = one(page, ".unit")
    unit.find_elements(By.CSS_SELECTOR, "summary")[1].click()
    wait(page, lambda: unit.find_elements(By.CSS_SELECTOR, ".parts"))
    rows = unit.find_elements(By.CSS_SELECTOR, ".parts tbody")
    assert [row.find_element(By.CSS_SELECTOR, "th").text for row in rows] == ["relevance", "quality", "coherence"]

    def number(element: Any) -> float:
        return float(element.text.replace("\u2212", "-"))

    for row in rows:
        total, *families = row.find_elements(By.CSS_SELECTOR, ".number")
        assert sum(map(number, families)) == pytest.approx(number(total), abs=0.0015 * (len(families) + 1))
        assert all(bar.rect["width"] > 0 for bar in row.find_elements(By.CSS_SELECTOR, "rect")[:1])


def test_the_three_tasks(page: Any) -> None:
    one(page, "[value=comparative]").click()
    ask(page, BREAD)
    assert texts(page, ".group h2")[:2] == ["For bread box", "For linen bag"]
    weights = answerers()["comparative"].weights
    assert texts(page, ".slider label") == list(weights) == ["relevance", "quality", "source"]
    assert texts(page, ".slider output") == [f"{weight:.2f}" for weight in weights.values()]
    ask(page, QUESTION)
    one(page, "[value=arguments]").click()
    wait(page, lambda: len(every(page, ".slider")) == 2)
    assert "argument" in one(page, "#status").text
    assert "Read the argument" in texts(page, "summary")


# ---- sliders and addresses -------------------------------------------------------------------------


def test_a_slider_orders_at_once_and_asks_nobody(page: Any, address: str) -> None:
    ask(page)
    before, asked = order(page, "PRO"), requests(page)
    slide(page, "relevance", 0)
    slide(page, "quality", 2)
    slide(page, "coherence", 0)
    found = [result for result in results(address, q=QUESTION) if result["side"] == "PRO"]
    best = sorted(found, key=lambda result: (-result["scores"]["quality"], result["id"]))
    assert order(page, "PRO") == [result["id"] for result in best][:5] != before
    assert requests(page) == asked
    assert texts(page, ".slider output") == ["0.00", "2.00", "0.00"]
    one(page, "#reset").click()
    assert order(page, "PRO") == before
    assert requests(page) == asked


def test_a_search_with_these_weights_looks_at_all(page: Any, address: str) -> None:
    ask(page)
    slide(page, "relevance", 0)
    one(page, "#again").click()
    wait(page, lambda: "blend=" in page.current_url and "…" not in one(page, "#status").text)
    found = [result for result in results(address, q=QUESTION, blend="0,.7,.4") if result["side"] == "PRO"]
    assert order(page, "PRO") == [result["id"] for result in found][:5]


def test_an_address_is_a_view(page: Any) -> None:
    ask(page)
    slide(page, "quality", 1.5)
    shown, url = (order(page, "PRO"), order(page, "CON")), page.current_url
    query = parse_qs(urlsplit(url).query)
    assert query == {"task": ["pairs"], "q": [QUESTION], "weights": ["1,1.5,0.4"]}
    page.get("about:blank")
    page.get(url)
    answered(page)
    assert (order(page, "PRO"), order(page, "CON")) == shown
    assert texts(page, ".slider output") == ["1.00", "1.50", "0.40"]
    ask(page, "Should zoos be closed?")
    page.back()
    answered(page)
    assert (order(page, "PRO"), order(page, "CON")) == shown
    assert one(page, "#q").get_attribute("value") == QUESTION


def test_an_address_with_nonsense_is_survived(page: Any, address: str) -> None:
    page.get(f"{address}/?{urlencode({'task': 'x', 'q': QUESTION, 'weights': '1,x', 'more': '<b>'})}")
    answered(page)
    assert texts(page, ".slider output") == ["1.00", "0.70", "0.40"]


def test_what_can_be_taken_along(page: Any, address: str) -> None:
    ask(page)
    slide(page, "relevance", 0)
    for link, path in (("#run", "/api/run"), ("#json", "/api/search")):
        url = urlsplit(one(page, link).get_attribute("href"))
        assert (f"{url.scheme}://{url.netloc}", url.path) == (address, path)
        assert parse_qs(url.query)["blend"] == ["0,0.7,0.4"]
        assert one(page, link).get_attribute("download")


# ---- for everybody ---------------------------------------------------------------------------------


def test_by_keyboard_alone(page: Any) -> None:
    focus_by_tab(page, "q")
    page.switch_to.active_element.send_keys(QUESTION, Keys.ENTER)
    answered(page)
    before = order(page, "PRO")
    focus_by_tab(page, "weight-quality")
    for _ in range(12):
        page.switch_to.active_element.send_keys(Keys.ARROW_RIGHT)
    assert texts(page, ".slider output")[1] == "1.30"
    assert page.switch_to.active_element.get_attribute("id") == "weight-quality", "it keeps the focus while lists move"
    assert one(page, "#status").text == "Reordered."
    focus_by_tab(page, "reset")
    page.switch_to.active_element.send_keys(Keys.ENTER)
    assert order(page, "PRO") == before
    for _ in range(40):
        page.switch_to.active_element.send_keys(Keys.TAB)
        if page.switch_to.active_element.tag_name == "summary":
            break
    page.switch_to.active_element.send_keys(Keys.SPACE)
    wait(page, lambda: every(page, ".argument"))
    assert page.switch_to.active_element.value_of_css_property("outline-style") == "solid", "the focus can be seen"


def test_names_and_landmarks(page: Any) -> None:
    ask(page)
    assert one(page, "html").get_attribute("lang") == "en"
    assert {element.aria_role for element in every(page, "header, main, form")} >= {"banner", "main", "search"}
    controls = every(page, "input, button, a, summary")
    assert [
        control.accessible_name for control in controls if control.is_displayed() and not control.accessible_name
    ] == []
    assert one(page, "#weight-quality").accessible_name == "quality"
    assert one(page, "#q").accessible_name == "Question"
    assert one(page, "#status").get_attribute("aria-live") == "polite"
    assert one(page, "#error").get_attribute("role") == "alert"
    levels = [int(element.tag_name[1]) for element in every(page, "h1, h2, h3") if element.is_displayed()]
    assert levels[0] == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))
    skip = one(page, ".skip")
    assert skip.get_attribute("href").endswith("#results")


def test_light_and_dark_wide_and_narrow(page: Any) -> None:
    ask(page)
    for element in every(page, ".unit")[0].find_elements(By.CSS_SELECTOR, "summary"):
        element.click()
    wait(page, lambda: every(page, ".parts") and every(page, ".argument"))
    light = background(page)
    look(page, "dark", 1280)
    assert background(page) != light
    for width in (320, 400, 800, 1920):
        look(page, "dark", width)
        assert page.execute_script("return document.documentElement.scrollWidth <= innerWidth"), width


def test_words_of_strangers_are_text(page: Any) -> None:
    attack = "cars </script><img src=x onerror=document.title='owned'> \"' cities"
    ask(page, attack)
    ask(page)
    one(page, "[value=arguments]").click()
    wait(page, lambda: any(HOSTILE in text for text in texts(page, ".sentence")))
    place = next(at for at, text in enumerate(texts(page, ".unit")) if HOSTILE in text)
    every(page, ".unit")[place].find_element(By.CSS_SELECTOR, "summary").click()
    wait(page, lambda: any(HOSTILE in text for text in texts(page, ".argument")))
    assert every(page, "img, b, #results script") == []
    assert page.title == f"{QUESTION} | Riposte"


def test_what_went_wrong_is_said(page: Any, address: str) -> None:
    ask(page, "xylophone")
    assert one(page, "#status").text.startswith("No text shares a word")
    assert not one(page, "#take").is_displayed()
    box = one(page, "#q")
    box.clear()
    box.send_keys("of the", Keys.ENTER)
    wait(page, lambda: one(page, "#error").is_displayed())
    assert one(page, "#error").text == "there is no word to search for in the question: say what it is about."
    log = page.get_log("browser")  # Chromium's own line for an answer that is an error
    assert [entry["level"] for entry in log] == ["SEVERE"]
    assert "400" in log[0]["message"]
    ask(page)
    assert not one(page, "#error").is_displayed()
