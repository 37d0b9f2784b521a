"""The page to grade in: nothing in a text becomes markup, and in a browser it grades by keyboard and keeps grades."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from support.report import Outline

from experiments.pool.files import page_text
from experiments.pool.grades import read_sheet
from models.base import DIMENSIONS

HOSTILE = "</script><script>document.title='owned'</script><img src=x onerror=alert(1)> $style & \u2028 \"'"


def shown_pair(number: int, topic: str, first: str, second: str) -> dict[str, object]:
    return {"number": number, "topic": topic, "first": first, "second": second}


SHOWN = [
    shown_pair(1, HOSTILE, "First one.", HOSTILE),
    shown_pair(2, "Topic", "a", "b"),
    shown_pair(3, "Topic", "c", "d"),
]
TEXT = page_text(SHOWN, "0123456789ab")
TAGS = Outline(TEXT).elements


def test_texts_are_data_alone() -> None:
    plain = page_text([shown_pair(1, "t", "a", "b")], "0123456789ab")
    assert TEXT.count("<script") == plain.count("<script") == 2
    assert "<img" not in TEXT
    (data,) = re.findall(r'<script type="application/json" id="page-data">(.*?)</script>', TEXT, re.DOTALL)
    found = json.loads(data)
    assert found["units"][0] == {"number": 1, "topic": HOSTILE, "first": "First one.", "second": HOSTILE}
    assert found["dimensions"] == list(DIMENSIONS)


def test_nothing_is_asked_of_a_network() -> None:
    (policy,) = [attrs["content"] for tag, attrs in TAGS if attrs.get("http-equiv") == "Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; ")
    for kind, element in (("script", r"<script>(.*?)</script>"), ("style", r"<style>(.*?)</style>")):
        (code,) = re.findall(element, TEXT, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy
    assert not [attrs for _, attrs in TAGS if "src" in attrs or str(attrs.get("href", "data:"))[:5] != "data:"]


def test_every_control_has_a_name() -> None:
    assert ("html", {"lang": "en"}) in TAGS
    radios = [attrs for tag, attrs in TAGS if attrs.get("type") == "radio"]
    assert [(r["name"], r["value"]) for r in radios] == [(d, str(g)) for d in DIMENSIONS for g in range(3)]
    assert TEXT.count("<label><input") == 10, "nine grades and the switch of the keys"
    assert [tag for tag, _ in TAGS].count("legend") == 3


@pytest.fixture(scope="module")
def browser(browser: Any) -> Any:
    """With the page opened; it keeps what is graded from test to test."""
    page = browser.downloads / "pairs.html"
    page.write_text(TEXT, "utf-8")
    browser.get(page.as_uri())
    return browser


def press(browser: Any, keys: str) -> None:
    from selenium.webdriver.common.action_chains import ActionChains

    ActionChains(browser).send_keys(*keys).perform()


def text(browser: Any, name: str) -> str:
    return str(browser.execute_script("return document.getElementById(arguments[0]).textContent", name))


def checked(browser: Any) -> list[str]:
    return list(
        browser.execute_script(
            "return [...document.querySelectorAll(':checked[type=radio]')].map((r) => r.name + r.value)"
        )
    )


def eventually(browser: Any, holds: Callable[[], bool]) -> bool:
    """Whether it comes to hold: a busy browser writes what a page keeps, and whole files, when it finds the time."""
    from selenium.webdriver.support.ui import WebDriverWait

    return bool(WebDriverWait(browser, 30, poll_frequency=0.2).until(lambda _: holds()))


def test_grading_by_keyboard(browser: Any) -> None:
    assert (browser.title, text(browser, "second")) == ("Grade 3 pairs of sentences", HOSTILE)
    press(browser, "21")
    assert checked(browser) == ["relevance2", "quality1"]
    assert text(browser, "counts") == "0 of 3 graded"
    press(browser, "0")  # the third grade goes on to the next pair
    assert (text(browser, "first"), text(browser, "counts"), checked(browser)) == ("a", "1 of 3 graded", [])
    press(browser, "n1")
    assert (text(browser, "first"), checked(browser)) == ("c", ["relevance1"])
    assert eventually(browser, lambda: browser.refresh() or text(browser, "counts") == "1 of 3 graded"), "grades stay"
    assert text(browser, "first") == "a", "it opens where the first grade is missing"
    press(browser, "n22")
    assert (text(browser, "first"), text(browser, "counts")) == ("a", "2 of 3 graded"), "and goes on to what is left"
    press(browser, "000")
    assert (text(browser, "counts"), checked(browser)) == ("3 of 3 graded", [f"{name}0" for name in DIMENSIONS])
    assert "All are graded" in text(browser, "status")
    press(browser, "pp")
    assert checked(browser) == ["relevance2", "quality1", "coherence0"]
    assert browser.get_log("browser") == []


def test_the_download_is_what_the_command_reads(browser: Any) -> None:
    browser.execute_script("document.getElementById('download').click()")
    file = browser.downloads / "grades-0123456789ab.txt"
    assert eventually(browser, lambda: file.exists() and file.stat().st_size > 0)
    found = read_sheet(file, {1: None, 2: None, 3: None}, "0123456789ab").grades
    assert {number: [*of.values()] for number, of in found.items()} == {1: [2, 1, 0], 2: [0, 0, 0], 3: [1, 2, 2]}
    assert browser.execute_script("return performance.getEntriesByType('resource').length") == 0


def test_keys_can_be_turned_off_and_both_themes_differ(browser: Any) -> None:
    def background() -> str:
        return str(browser.execute_script("return getComputedStyle(document.body).backgroundColor"))

    before = checked(browser)
    browser.execute_script("document.getElementById('keys').click()")
    press(browser, "0n")
    assert checked(browser) == before
    browser.execute_script("document.getElementById('keys').click()")
    light = background()
    dark = {"features": [{"name": "prefers-color-scheme", "value": "dark"}]}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", dark)
    assert background() != light


def test_one_dimension(browser: Any) -> None:
    rows = [{"number": 1, "topic": "t", "first": "a", "second": "b"}, {"number": 2, "topic": "t", "first": "c"}]
    page = browser.downloads / "one.html"
    page.write_text(page_text([{"second": "b", **row} for row in rows], "abcdefabcdef", "pair", ["quality"]), "utf-8")
    browser.get(page.as_uri())
    press(browser, "2")
    assert (text(browser, "first"), text(browser, "counts")) == ("c", "1 of 2 graded")
    press(browser, "0")
    browser.find_element("id", "by").send_keys("ann1")
    assert text(browser, "counts") == "2 of 2 graded"
    browser.execute_script("document.getElementById('download').click()")
    file = browser.downloads / "grades-abcdefabcdef.txt"
    assert eventually(browser, lambda: file.exists() and file.stat().st_size > 0)
    sheet = read_sheet(file, {1: None, 2: None}, "abcdefabcdef")
    assert (sheet.by, sheet.grades) == ("ann1", {1: {"quality": 2}, 2: {"quality": 0}})
    assert browser.get_log("browser") == []
