"""The page in a browser: by mouse, by keyboard, light and dark, with hostile words, and nobody asked but its server."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit
from urllib.request import urlopen

import pytest
from support.browser import By, Keys, background, choose, every, focus_by_tab, look, one, texts, wait
from support.served import ALONE, BREAD, HOSTILE, QUESTION, answerers, get

from ltr.commands import evaluate
from ltr.data.qrels import read_pair_qrels, read_stances
from ltr.data.topics import read_topics
from ltr.escapes import is_formula

TOPIC = "should-cities-ban-cars-from-their-centres"
"""Number of `QUESTION` in saved grades."""


@pytest.fixture
def page(browser: Any, address: str) -> Iterator[Any]:
    """The page, with nothing asked. Afterwards the console is silent, and no one else was asked for anything."""
    for log in ("browser", "performance"):
        browser.get_log(log)
    look(browser, "light", 1280)
    browser.get(f"{address}/")
    browser.execute_script("localStorage.clear()")
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
    page.execute_script("document.getElementById('weights-box').open = true")


def order(page: Any, side: str) -> list[str]:
    """The first result of every point, and the results without one, as they stand; nothing is unfolded."""
    script = (
        "return [...document.querySelectorAll(`[data-side='${arguments[0]}'] .unit`)].map((unit) => unit.dataset.id)"
    )
    return list(page.execute_script(script, side))


def entries(found: list[dict[str, Any]], side: str) -> list[list[str]]:
    """The results of a side that are worth showing, in this order: of one point together, else alone."""
    lists: dict[object, list[str]] = {}
    for result in found:
        if result["side"] == side and not result["weak"]:
            lists.setdefault(result["id"] if result["point"] is None else result["point"], []).append(result["id"])
    return list(lists.values())


def firsts(found: list[dict[str, Any]], side: str, count: int = 5) -> list[str]:
    return [first for first, *_ in entries(found, side)][:count]


def tab_to(page: Any, title: str) -> Any:
    """Press Tab until an element with this in its text has the focus."""
    for _ in range(200):
        page.switch_to.active_element.send_keys(Keys.TAB)
        if title in page.switch_to.active_element.text:
            return page.switch_to.active_element
    pytest.fail(f"{title} cannot be reached by Tab")


def focused(page: Any) -> str:
    """Id of the result that has the focus."""
    return str(page.execute_script("return document.activeElement.dataset.id"))


def folds(page: Any, title: str) -> list[Any]:
    """The summaries with this in their title."""
    return [summary for summary in every(page, "summary") if title in summary.text]


def press(page: Any, title: str, unit: int = 0) -> Any:
    """Press a button of a result."""
    grade = every(page, ".unit")[unit].find_element(By.XPATH, ".//summary[.='Grade']")
    if not grade.find_element(By.XPATH, "..").get_attribute("open"):
        grade.click()
    buttons = every(page, ".unit")[unit].find_elements(By.CSS_SELECTOR, ".judge button")
    button = next(button for button in buttons if button.text == title)
    button.click()
    return button


def saved(page: Any, folder: Path, what: str) -> Path:
    """The file that a link holds."""
    link = one(page, f"#save-{what}")
    path = folder / str(link.get_attribute("download"))
    path.write_text(unquote(link.get_attribute("href").partition(",")[2]), "utf-8")
    return path


def titles(page: Any, folder: Path) -> dict[str, str]:
    """Number and title of the saved topics."""
    return {topic.number: topic.title for topic in read_topics(saved(page, folder, "topics"))}


def slide(page: Any, dimension: str, value: float) -> None:
    """Move a slider, and wait for the new order."""
    page.execute_script("document.getElementById('status').textContent = '…'")
    script = "const s = document.getElementById(arguments[0]); s.value = arguments[1]; "
    script += "for (const kind of ['input', 'change']) s.dispatchEvent(new Event(kind))"
    page.execute_script(script, f"weight-{dimension}", value)
    wait(page, lambda: one(page, "#status").text == "Reordered.")


def results(address: str, **query: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = get(address, "/api/search", **query)[1]["results"]
    return found


def beyond(page: Any) -> list[str]:
    """What stands beyond the width of the page, or has text beyond its own box."""
    script = (
        "const width = document.documentElement.clientWidth;"
        "return [...document.querySelectorAll('body *:not(.skip):not(option)')].filter((found) => {"
        "  if (!found.checkVisibility()) return false;"
        "  const { left, right } = found.getBoundingClientRect();"
        "  return right > width + 1 || left < -1 || (found.clientWidth && found.tagName !== 'INPUT'"
        "    && found.scrollWidth > found.clientWidth + 1);"
        "}).map((found) => found.outerHTML.slice(0, 200))"
    )
    return list(page.execute_script(script))


CHANGED = """
const send = fetch;
window.fetch = async (path) => {
  const answer = await (await send(path)).json();
  %s
  return new Response(JSON.stringify(answer));
};
"""
"""Answers as those of a larger corpus: the sample has few results that are worth showing."""
ONE_POINT = (
    CHANGED
    % """
const [one, other] = answer.results.filter((result) => result.side === 'CON');
Object.assign(other, { point: one.point, weak: false });
"""
)

CONTRAST = """
// Texts with a contrast below 4.5 (WCAG 2.2, 1.4.3), but those of disabled controls.
const channel = (value) => (value /= 255) <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
const numbers = (colour) => colour.match(/[\\d.]+/g).map(Number);
const behind = (found) => {
  for (let at = found; at; at = at.parentElement) {
    const colour = numbers(getComputedStyle(at).backgroundColor);
    if (colour.length === 3 || colour[3] === 1) return colour;
  }
  return [255, 255, 255];
};
return [...document.querySelectorAll("body *")].filter((found) => found.checkVisibility()
  && !found.disabled && [...found.childNodes].some((node) => node.nodeType === 3 && node.data.trim())).map((found) => {
  const [one, other] = [numbers(getComputedStyle(found).color), behind(found)].map(light);
  const ratio = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
  return [ratio, found.className, found.textContent.slice(0, 40)];
}).filter(([ratio]) => ratio < 4.5);
"""


UNDERSTOOD = CHANGED % (
    "const first = { ask: 'Ban cars', spelled: 'cites', sides_known: 'Known.' };"
    "Object.assign(answer, /agree|oppose|neither/.test(path) ? { ask: '' } : first);"
    "window.asked = path; for (const result of answer.results ?? []) result.likely = true;"
)
"""An answer with all that may be said about it; parameters that this server may not know are left out."""


# ---- to ask ----------------------------------------------------------------------------------------


def test_a_question_is_answered_side_by_side(page: Any, address: str) -> None:
    ask(page)
    assert texts(page, ".group h2")[:2] == ["For", "Against"]
    found = results(address, q=QUESTION)
    for side in ("PRO", "CON"):
        assert order(page, side) == firsts(found, side)
    (first,) = [result for result in found if result["id"] == order(page, "PRO")[0]]
    shown = texts(page, ".entries > li")[0].split("\n")
    for sentence in first["sentences"]:
        assert len([line for line in shown if line.endswith(sentence["shown"])]) == 1, "once, if as the heading"
    assert first["why"] in shown
    pro, con = (element.rect for element in every(page, ".group")[:2])
    assert pro["y"] == con["y"]
    assert pro["x"] + pro["width"] <= con["x"]
    assert "215 arguments" in one(page, ".answers:not([hidden])").text
    folds(page, "About this ranking")[0].click()
    assert answerers()["pairs"].names["trained"] in one(page, ".answers:not([hidden])").text
    assert "2 arguments" not in one(page, "#error").text


def test_examples_are_asked_by_a_click(page: Any) -> None:
    for task, answerer in answerers().items():
        one(page, f"[value={task}]").click()
        assert texts(page, "#examples div:not([hidden]) a") == list(answerer.examples)
        assert len(answerer.examples) <= 6
        assert len(texts(page, "#examples div:not([hidden]) h2")) == bool(answerer.examples)
        (purpose,) = texts(page, "#examples div:not([hidden]) p")
        assert purpose.startswith("Ask a question with two sides")
        assert purpose.endswith(f"out of {answerer.index.arguments:,} {answerer.task.reads}.")
    one(page, "[value=pairs]").click()
    example = one(page, "#examples a")
    question = example.text
    example.click()
    answered(page, question)
    assert every(page, ".unit")
    assert not one(page, "#examples").is_displayed()
    page.back()
    wait(page, lambda: one(page, "#examples").is_displayed())
    assert every(page, ".unit") == []


def test_results_of_one_point_stand_together(page: Any, address: str) -> None:
    page.execute_script(ONE_POINT)
    ask(page)
    _, found = get(address, "/api/search", q=QUESTION)
    point = {point["number"]: point for point in found["points"]}
    first, second = [result for result in found["results"] if result["side"] == "CON"][:2]
    ids, number = [first["id"], second["id"]], first["point"]
    box = one(page, f"#point-{number}")
    assert box.find_element(By.CSS_SELECTOR, "h3").text == point[number]["heading"]
    fold = next(fold for fold in box.find_elements(By.CSS_SELECTOR, "summary") if "on this point" in fold.text)
    assert fold.text == f"{len(ids) - 1} more on this point"
    fold.click()
    there = f"return [...document.querySelectorAll('#point-{number} .unit')].map((unit) => unit.dataset.id)"
    wait(page, lambda: page.execute_script(there) == ids)
    slide(page, "quality", 0.75)
    assert sorted(page.execute_script(there)) == sorted(ids), "it stays unfolded while results move"


def test_a_side_begins_with_its_key_points(page: Any, address: str) -> None:
    ask(page, ALONE)
    _, found = get(address, "/api/search", q=ALONE)
    for side in ("PRO", "CON"):
        keys = [point for point in found["points"] if point["key"] and point["side"] == side]
        assert keys
        lines = texts(page, f".overview .{side.lower()} li")
        assert [line.startswith(key["heading"]) for line, key in zip(lines, keys, strict=True)] == [True] * len(keys)
        for line, key in zip(lines, keys, strict=True):
            said = f" {key['arguments']} arguments make this point" if key["arguments"] > 1 else ""
            assert line == key["heading"] + said
        url = page.current_url
        every(page, f".overview .{side.lower()} li a")[-1].click()
        wait(page, lambda keys=keys: page.switch_to.active_element.get_attribute("id") == f"point-{keys[-1]['number']}")
        assert page.current_url == url


def test_weaker_results_are_folded(page: Any, address: str) -> None:
    ask(page)
    found = results(address, q=QUESTION)
    for group in every(page, ".group"):
        side = group.get_attribute("data-side")
        weak = [result["id"] for result in found if result["side"] == side and result["weak"]]
        own = [fold for fold in group.find_elements(By.CSS_SELECTOR, "summary") if "Weaker" in fold.text]
        assert [fold.text for fold in own] == [f"Weaker results ({len(weak)})"] * bool(weak)
        if weak:
            assert set(weak).isdisjoint(order(page, side))
            own[0].click()
            wait(page, lambda weak=weak, side=side: order(page, side)[-len(weak) :] == weak)
    assert folds(page, "Weaker")
    weak = sum(result["weak"] for result in found)
    known = get(address, "/api/search", q=QUESTION)[1]["sides_known"]
    assert one(page, "#status").text.startswith(f"{known} {weak} weaker ones are folded.")


def test_weak_results_never_come_first(page: Any) -> None:
    """Where nothing is about the question, one line says so, with a way to what shares its words."""
    weak = "for (const result of answer.results ?? []) result.weak = true; answer.sides_known = answer.note = '';"
    page.execute_script(CHANGED % weak)
    ask(page)
    assert one(page, "#status").text == "Nothing here is about this question."
    assert every(page, ".group, .overview, .unit") == []
    assert not one(page, "#take").is_displayed()
    (fold,) = [fold for fold in every(page, "#results summary") if fold.is_displayed()]
    assert re.fullmatch(r"\d+ texts with some of its words", fold.text)
    fold.click()
    wait(page, lambda: len(every(page, ".unit")) == int(fold.text.split()[0]))


def test_where_no_text_has_a_side_there_are_no_empty_boxes(page: Any) -> None:
    page.execute_script(CHANGED % "for (const result of answer.results ?? []) Object.assign(result, { side: '' });")
    ask(page)
    assert texts(page, ".group h2") == ["Unclear"]
    assert every(page, ".overview .con") == []


def test_a_side_without_a_key_point_says_so(page: Any) -> None:
    change = """
    for (const point of answer.points ?? []) point.key = point.key && point.side === 'PRO';
    if (answer.results) answer.results = answer.results.filter(({ side }) => side !== %s);
    """
    for gone, said in (("''", "No text says a point in one short sentence."), ("'CON'", "No text takes this side.")):
        page.get(page.current_url)
        page.execute_script(CHANGED % change % gone)
        ask(page, ALONE)
        assert texts(page, ".overview .con p") == [said]
        assert texts(page, ".overview .pro p") == []


def test_results_of_one_source(page: Any, address: str) -> None:
    ask(page)
    found = results(address, q=QUESTION)
    choices = {option.get_attribute("value"): option.text for option in every(page, "#source option")}
    debates = {sentence["debate"] for result in found for sentence in result["sentences"]}
    sites = {urlsplit(sentence["url"]).hostname for result in found for sentence in result["sentences"]}
    assert choices.keys() == {"", *debates, *sites}
    for name, value in ((QUESTION, "debate"), ("forum.example.org", "url")):
        choose(page, "#source", name)
        own = [one for one in found if any(name in sentence[value] for sentence in one["sentences"])]
        assert choices[name] == f"{name} ({len(own)})"
        assert 0 < len(own) < len(found)
        for side in ("PRO", "CON"):
            assert order(page, side) == firsts(own, side)
        assert one(page, "#status").text == f"Only from {name}."
        assert page.switch_to.active_element.get_attribute("id") == "source"
    choose(page, "#source", "")
    assert order(page, "PRO") == firsts(found, "PRO")


def test_more_like_this_asks_with_the_sentence(page: Any, address: str) -> None:
    ask(page)
    first = next(result for result in results(address, q=QUESTION) if result["id"] == order(page, "PRO")[0])
    one(page, ".unit .tools > a").click()
    wait(page, lambda: one(page, "#q").get_attribute("value") in [one["shown"] for one in first["sentences"]])
    answered(page, one(page, "#q").get_attribute("value"))
    assert every(page, ".unit")


def test_all_texts_of_a_side_are_shown(page: Any) -> None:
    many = """
    if (answer.counts) {
      answer.counts.PRO = 99;
      const [first] = answer.results.filter(({ side }) => side === 'PRO');
      const copies = /k=100/.test(path) ? 98 : 20;
      answer.results = Array.from({ length: copies }, (_, n) => ({ ...first, id: `n${n}`, point: null, weak: false }));
    }
    """
    page.execute_script(CHANGED % many)
    ask(page)
    assert len(order(page, "PRO")) == 5
    one(page, ".more").click()
    wait(page, lambda: len(order(page, "PRO")) == 98)
    assert "k=100" in page.current_url
    assert every(page, ".more") == []
    assert page.switch_to.active_element.get_attribute("data-id") == "n5"
    assert "&k=" not in one(page, "#run").get_attribute("href"), "a run has all results"


def test_how_a_question_was_read_is_said_and_corrected(page: Any) -> None:
    page.execute_script(UNDERSTOOD.replace("send(path)", "send(path.replace(/&as_typed=[^&]*/g, ''))"))
    ask(page)
    wrong, debate = texts(page, ".asked")
    assert wrong.startswith(f"Showing results for {QUESTION}")
    assert debate.split("\n") == ["Is saying “Ban cars” the same as answering yes?YesNo, the oppositeNeither"]
    assert "Known." in one(page, "#status").text
    assert set(texts(page, ".unit > .tag")) <= {"likely for", "likely against", "likely unclear"}
    replies = {"agree": "is the same as answering yes", "oppose": "is the opposite", "neither": "is neither yes nor no"}
    for at, (name, said) in enumerate(replies.items()):
        every(page, ".asked button")[1 + at].click()
        wait(page, lambda name=name: f"{name}=Ban+cars" in page.current_url)
        (line,) = texts(page, ".asked")
        assert line.startswith(f"You said: “Ban cars” {said}")
        assert f"{name}=Ban+cars" in page.execute_script("return window.asked")
        undo = one(page, ".asked button")
        assert (undo.text, undo.accessible_name) == ("Undo", "Undo what you said of “Ban cars”")
        undo.click()
        wait(page, lambda: "Ban+cars" not in page.current_url and len(every(page, ".asked")) == 2)


def test_both_sides_are_in_the_first_screen(page: Any) -> None:
    for width, height in ((1366, 768), (390, 844)):
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        page.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        ask(page)
        page.execute_script("scrollTo(0, 0)")
        boxes = [box.rect for box in every(page, ".overview .pro, .overview .con")]
        assert len(boxes) == 2
        assert all(box["y"] + box["height"] < height for box in boxes), width
        assert not every(page, ".overview ~ .overview")


def test_whose_side_the_small_print_means(page: Any, address: str) -> None:
    """A stance toward an argument's own conclusion is never a bare PRO or CON beside a side toward the question."""
    ask(page)
    for fold in folds(page, "Weaker"):
        fold.click()
    wait(page, lambda: "Loading" not in one(page, "main").text)
    found = {result["id"]: result for result in results(address, q=QUESTION)}
    units = every(page, ".unit")
    assert len(units) > 5
    for unit in units:
        result, text = found[unit.get_attribute("data-id")], unit.text
        assert "CON" not in text
        assert "PRO" not in text
        assert "score" not in text
        assert result["why"] in text
        for sentence in result["sentences"]:
            if sentence["role"] == "conclusion" and sentence["stance"] == "CON":
                assert f"argues against: {sentence['shown']}" in text
            assert sentence["debate"] in text
        assert "relevance" not in text, "scores are shown by a click"


def test_the_argument_around_a_sentence(page: Any, address: str) -> None:
    ask(page)
    unit = next(unit for unit in every(page, ".unit") if unit.find_elements(By.CSS_SELECTOR, ".sentence mark"))
    (result,) = [result for result in results(address, q=QUESTION) if result["id"] == unit.get_attribute("data-id")]
    sentences = [sentence["text"] for sentence in result["sentences"]]
    unit.find_elements(By.CSS_SELECTOR, "summary")[0].click()
    wait(page, lambda: unit.find_elements(By.CSS_SELECTOR, ".argument mark"))
    assert sorted(mark.text for mark in unit.find_elements(By.CSS_SELECTOR, ".argument mark")) == sorted(sentences)
    words = {mark.text.lower() for mark in unit.find_elements(By.CSS_SELECTOR, ".sentence mark")}
    assert words <= {"cars", "car", "city", "cities", "ban", "banned", "bans", "centre", "centres"}
    source = unit.find_element(By.CSS_SELECTOR, ".source a")
    assert source.get_attribute("href") == result["sentences"][0]["url"]
    assert source.get_attribute("rel") == "noreferrer noopener"
    assert len(unit.find_elements(By.CSS_SELECTOR, ".argument p")) > len(sentences) + 1
    assert not unit.find_elements(By.CSS_SELECTOR, "table"), "the context comes first, and alone"


def test_why_it_stands_there(page: Any) -> None:
    ask(page)
    unit = one(page, ".unit")
    scores = r"relevance [\d.]+ of 2; quality [\d.]+ of 2; coherence [\d.]+ of 2; words -?[\d.]+; argues [\d.]+"
    assert not re.search(scores, unit.text)
    unit.find_elements(By.CSS_SELECTOR, "summary")[0].click()
    wait(page, lambda: unit.find_elements(By.CSS_SELECTOR, ".argument"))
    unit.find_element(By.XPATH, ".//summary[.='Why this rank']").click()
    wait(page, lambda: unit.find_elements(By.CSS_SELECTOR, "table"))
    assert re.search(scores, unit.text), "a baseline's score is not a grade"
    names = [row.text for row in unit.find_elements(By.CSS_SELECTOR, "th")]
    assert {name.partition(": ")[0] for name in names} == {*answerers()["pairs"].weights}

    def number(text: str) -> float:
        return float(text.replace("\u2212", "-"))

    parts = [number(cell.text) for cell in unit.find_elements(By.CSS_SELECTOR, "td")]
    total = unit.find_element(By.CSS_SELECTOR, "caption").text.removesuffix(" in total").rpartition(" ")[2]
    assert sum(parts) == pytest.approx(number(total), abs=0.001 * (len(parts) + 20))
    assert [*map(abs, parts)] == sorted(map(abs, parts), reverse=True)


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
    assert re.match(r"\d+ for.*, \d+ against", one(page, "#status").text)
    assert "Read the argument" in texts(page, "summary")
    look(page, "light", 360)
    assert beyond(page) == []


# ---- sliders and addresses -------------------------------------------------------------------------


def test_sliders_weigh_the_dimensions(page: Any, address: str) -> None:
    ask(page)
    before = order(page, "PRO")
    assert {slider.get_attribute("aria-describedby") for slider in every(page, ".slider input")} == {
        about.get_attribute("id") for about in every(page, ".slider small") if about.text
    }
    slide(page, "relevance", 0)
    slide(page, "quality", 2)
    slide(page, "coherence", 0)
    slide(page, "words", 0)
    slide(page, "argues", 0)
    found = results(address, q=QUESTION, k="20", blend="0,2,0,0,0")
    assert order(page, "PRO") == firsts(found, "PRO") != before
    assert texts(page, ".slider output") == ["0.00", "2.00", "0.00", "0.00", "0.00"]
    one(page, "#reset").click()
    wait(page, lambda: one(page, "#status").text == "Reordered by the weights of the model.")
    assert order(page, "PRO") == before
    assert "blend" not in page.current_url


def test_an_address_is_a_view(page: Any) -> None:
    ask(page)
    slide(page, "quality", 1.5)
    shown, url = (order(page, "PRO"), order(page, "CON")), page.current_url
    query = parse_qs(urlsplit(url).query)
    assert query == {"task": ["pairs"], "q": [QUESTION], "blend": ["1,1.5,0.7,0.75,0.5"]}
    page.get("about:blank")
    page.get(url)
    answered(page)
    assert (order(page, "PRO"), order(page, "CON")) == shown
    assert texts(page, ".slider output") == ["1.00", "1.50", "0.70", "0.75", "0.50"]
    ask(page, "Should zoos be closed?")
    page.back()
    answered(page)
    assert (order(page, "PRO"), order(page, "CON")) == shown
    assert one(page, "#q").get_attribute("value") == QUESTION


def test_what_can_be_taken_along(page: Any, address: str) -> None:
    ask(page)
    slide(page, "relevance", 0)
    for link, path in (("#run", "/api/run"), ("#json", "/api/search")):
        url = urlsplit(one(page, link).get_attribute("href"))
        assert (f"{url.scheme}://{url.netloc}", url.path) == (address, path)
        assert parse_qs(url.query)["blend"] == ["0,1.2,0.7,0.75,0.5"]
        assert parse_qs(url.query).get("topic", [TOPIC]) == [TOPIC], "that of saved grades"
        assert one(page, link).get_attribute("download")


def content(page: Any, link: str) -> str:
    """The file that a link holds."""
    return unquote(one(page, link).get_attribute("href").partition(",")[2])


def test_an_answer_is_taken_along_as_markdown_and_csv(page: Any, address: str) -> None:
    formula = "for (const result of answer.results ?? []) result.sentences[0].shown = '=1+1 *\"x\"* <b>';"
    page.execute_script(CHANGED % formula)
    ask(page)
    shown = [result for result in results(address, q=QUESTION) if not result["weak"]]
    rows = list(csv.DictReader(content(page, "#csv").removeprefix("\ufeff").splitlines()))
    assert sorted(row["id"] for row in rows) == sorted(result["id"] for result in shown)
    by_id = {result["id"]: result for result in shown}
    for row in rows:
        result = by_id[row["id"]]
        assert row["side"] == {"PRO": "For", "CON": "Against", "": "Unclear"}[result["side"]]
        assert row["certainty"] == "likely" * result["likely"]
        assert row["text"].startswith('\'=1+1 *"x"* <b>') or result["sentences"][0]["before"]
        assert not is_formula(row["text"])
        assert row["address"] == " ".join(dict.fromkeys(one["url"] for one in result["sentences"]))
    one(page, "#csv").click()
    wait(page, (page.downloads / "answer.csv").exists)
    assert (page.downloads / "answer.csv").read_bytes().decode() == content(page, "#csv")
    lines = content(page, "#markdown").splitlines()
    assert lines[0] == f"# {QUESTION}"
    assert [line for line in lines if line.startswith("## ")][:2] == ["## For", "## Against"]
    items = [line for line in lines if line.startswith("- ")]
    assert len(items) == len(shown)
    assert all(r'=1+1 \*"x"\* \<b\>' in item for item in items)
    assert all(f"](<{result['sentences'][0]['url']}>" in content(page, "#markdown") for result in shown)


def test_on_paper_are_question_corpus_and_date(page: Any) -> None:
    ask(page)
    assert not [part for part in every(page, ".paper") if part.is_displayed()]
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    question, corpus = texts(page, ".paper")
    assert question == QUESTION
    assert re.fullmatch(r".+, \w+ \d+, 20\d\d", corpus)
    assert corpus.startswith(answerers()["pairs"].names["corpus"])
    assert one(page, ".paper").is_displayed()
    assert not [part for part in every(page, "form, button, summary, #take") if part.is_displayed()]
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


# ---- grades ----------------------------------------------------------------------------------------


def test_grades_are_kept_and_saved(page: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ask(page)
    asked = requests(page)
    assert not one(page, "#save-relevance").is_displayed()
    ids = [unit.get_attribute("data-id") for unit in every(page, ".unit")]
    assert press(page, "Not relevant").get_attribute("aria-pressed") == "true"
    press(page, "Relevant", 1)
    press(page, "Not relevant", 2)
    press(page, "Not relevant", 2)  # undone
    assert one(page, "#save-relevance").text == "Save 2 grades (qrels)"
    assert requests(page) == asked, "the server is told nothing"
    press(page, "Wrong side: against")
    wait(page, lambda: focused(page) == ids[0])
    assert one(page, "#save-sides").text == "Save 1 side (qrels)"
    graded = read_pair_qrels([("relevance", saved(page, tmp_path, "relevance"))])["relevance"]
    assert graded == {TOPIC: {ids[0]: 0, ids[1]: 2}}
    assert read_stances(saved(page, tmp_path, "sides")) == {TOPIC: {ids[0]: "CON"}}
    assert titles(page, tmp_path) == {TOPIC: QUESTION}
    with urlopen(one(page, "#run").get_attribute("href")) as response:
        (tmp_path / "run.txt").write_bytes(response.read())
    files = ["--run", str(tmp_path / "run.txt"), "--stance-qrels", str(tmp_path / "sides.qrels")]
    assert evaluate.main([*files, "--pair-qrels", f"relevance={tmp_path / 'relevance.qrels'}"]) == 0
    assert "1 judged topic." in capsys.readouterr().out
    page.get(page.current_url)
    answered(page)
    pressed = texts(page, ".judge [aria-pressed='true']")
    assert sorted(pressed) == ["Moved here by you", "Not relevant", "Relevant"], "after a reload, too"
    attack = 'Should <b>zoos</b> & "parks" be closed?'
    ask(page, attack)
    press(page, "Relevant")
    ask(page)
    assert one(page, "#save-relevance").text == "Save 3 grades (qrels)"
    assert list(titles(page, tmp_path).values()) == [QUESTION, attack]
    for left in range(len(pressed), 0, -1):
        one(page, ".judge [aria-pressed='true']").click()
        wait(page, lambda left=left: len(every(page, ".judge [aria-pressed='true']")) == left - 1)
    assert one(page, "#save-relevance").text == "Save 1 grade (qrels)"
    assert not one(page, "#save-sides").is_displayed()


def test_a_text_on_the_wrong_side_moves_at_once_and_stays_there(page: Any, address: str) -> None:
    ask(page)
    first, before = order(page, "PRO")[0], order(page, "CON")
    others = {result["id"] for result in results(address, q=QUESTION) if result["side"] == "CON"}
    count = int(one(page, "#status").text.split()[0])

    def side_of(id_: str) -> str:
        script = "return document.querySelector(`[data-id='${arguments[0]}']`)?.closest('section').dataset.side"
        return str(page.execute_script(script, id_))

    press(page, "Wrong side: against")
    wait(page, lambda: focused(page) == first)
    assert (side_of(first), first in others) == ("CON", False)
    assert one(page, "#status").text == "Moved. Press its button again to undo."
    assert "moved" not in page.current_url, "the address of a view has nobody's sides"
    assert "moved=CON" in one(page, "#json").get_attribute("href")
    ask(page, "Should zoos be closed?")
    ask(page)
    assert side_of(first) == "CON", "later answers remember it"
    ask(page, "Should cars be allowed in city centres?")
    assert side_of(first) == "PRO", "also in other words"
    ask(page)
    assert int(one(page, "#status").text.split()[0]) == count - 1
    assert first not in order(page, "PRO")
    place = [unit.get_attribute("data-id") for unit in every(page, ".unit")].index(first)
    press(page, "Wrong side: unclear", place)
    wait(page, lambda: side_of(first) == "")
    wait(page, lambda: focused(page) == first)
    place = [unit.get_attribute("data-id") for unit in every(page, ".unit")].index(first)
    press(page, "Moved here by you", place)
    wait(page, lambda: side_of(first) == "PRO")
    assert order(page, "CON") == before
    assert not one(page, "#save-sides").is_displayed()


# ---- for everybody ---------------------------------------------------------------------------------


def test_by_keyboard_alone(page: Any) -> None:
    focus_by_tab(page, "q")
    page.switch_to.active_element.send_keys(QUESTION, Keys.ENTER)
    answered(page)
    tab_to(page, "Read the argument").send_keys(Keys.SPACE)
    wait(page, lambda: every(page, ".argument"))
    assert page.switch_to.active_element.value_of_css_property("outline-style") == "solid", "the focus can be seen"
    before = order(page, "PRO")
    focus_by_tab(page, "weight-quality", steps=300)
    for _ in range(12):
        page.switch_to.active_element.send_keys(Keys.ARROW_RIGHT)
    wait(page, lambda: one(page, "#status").text == "Reordered.")
    assert texts(page, ".slider output")[1] == "1.80"
    assert page.switch_to.active_element.get_attribute("id") == "weight-quality", "it keeps the focus while lists move"
    focus_by_tab(page, "reset")
    page.switch_to.active_element.send_keys(Keys.ENTER)
    wait(page, lambda: one(page, "#status").text == "Reordered by the weights of the model.")
    assert order(page, "PRO") == before


def test_names_and_landmarks(page: Any) -> None:
    ask(page)
    assert one(page, "html").get_attribute("lang") == "en"
    assert {element.aria_role for element in every(page, "header, main, form")} >= {"banner", "main", "search"}
    controls = every(page, "input, select, button, a, summary")
    names = Counter(control.accessible_name for control in controls if control.is_displayed())
    assert "" not in names
    pressed = Counter(one.accessible_name for one in every(page, "button, summary") if one.is_displayed())
    assert max(pressed.values()) == 1, pressed.most_common(3)
    argument = [name for name in names if name.startswith("Read the argument")]
    assert len(argument) == len([fold for fold in folds(page, "Read the argument") if fold.is_displayed()]) > 5
    for title in ("Grade", "Copy with source", "More like this"):
        assert len([name for name in names if name.startswith(f"{title}: ")]) == len(argument), title
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
    for fold in (*folds(page, "on this point"), *folds(page, "Weaker")):
        fold.click()
    press(page, "Relevant")
    wait(page, lambda: every(page, ".argument") and "Loading" not in one(page, "main").text)
    for fold in folds(page, "Why this rank"):
        fold.click()
    wait(page, lambda: every(page, "table") and "Loading" not in one(page, "main").text)
    light = background(page)
    assert page.execute_script(CONTRAST) == []
    look(page, "dark", 1280)
    assert background(page) != light
    assert page.execute_script(CONTRAST) == []
    for width in (320, 360, 400, 800, 1280, 1920):
        look(page, "dark", width)
        assert beyond(page) == [], width


def test_words_of_strangers_are_text(page: Any) -> None:
    attack = "cars </script><img src=x onerror=document.title='owned'> \"' cities"
    ask(page, attack)
    ask(page)
    one(page, "[value=arguments]").click()
    wait(page, lambda: "task=arguments" in page.current_url)  # pairs show these words, too
    place = next(at for at, text in enumerate(texts(page, ".unit")) if HOSTILE in text)
    every(page, ".unit")[place].find_element(By.CSS_SELECTOR, "summary").click()
    wait(page, lambda: any(HOSTILE in text for text in texts(page, ".argument")))
    assert every(page, "img, b, #results script") == []
    assert page.title == f"{QUESTION} | Riposte"


def test_what_went_wrong_is_said(page: Any, address: str) -> None:
    ask(page, "xylophone")
    assert one(page, "#status").text == "Nothing here is about this question."
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
