"""A Chromium without a window, and what tests of pages do with it; they are skipped where there is none."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("selenium", reason="selenium is not installed (pip install 'riposte-ltr[dev]')")
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select, WebDriverWait

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")
FLAGS = (
    "--headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --window-size=1280,900"
)


@contextmanager
def chromium() -> Iterator[Any]:
    """A Chromium of its own, with its logs on; what it downloads lies in its ``downloads``."""
    if not (BROWSER and DRIVER):
        pytest.skip("no chromium or chromedriver (apt-get install chromium chromium-driver)")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        options = webdriver.ChromeOptions()
        options.binary_location = str(BROWSER)
        for flag in [*FLAGS.split(), f"--user-data-dir={profile}"]:
            options.add_argument(flag)
        options.add_experimental_option("prefs", {"download.default_directory": profile})
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        driver = webdriver.Chrome(options=options, service=Service(DRIVER))
        driver.downloads = Path(profile)
        yield driver
        driver.quit()


def look(browser: Any, scheme: str, width: int) -> None:
    media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)


def wait(browser: Any, until: Callable[[], object]) -> None:
    WebDriverWait(browser, 60, poll_frequency=0.02).until(lambda _: until())


def one(browser: Any, selector: str) -> Any:
    return browser.find_element(By.CSS_SELECTOR, selector)


def every(browser: Any, selector: str) -> list[Any]:
    found: list[Any] = browser.find_elements(By.CSS_SELECTOR, selector)
    return found


def texts(browser: Any, selector: str) -> list[str]:
    """What is shown of every element, in one question."""
    script = "return [...document.querySelectorAll(arguments[0])].map((found) => found.innerText)"
    return list(browser.execute_script(script, selector))


def choose(browser: Any, selector: str, value: str) -> None:
    Select(one(browser, selector)).select_by_value(value)


def focus_by_tab(browser: Any, name: str, steps: int = 80) -> None:
    """Press Tab until the element of that id has the focus; whoever has no mouse must get there."""
    for _ in range(steps):
        browser.switch_to.active_element.send_keys(Keys.TAB)
        if browser.switch_to.active_element.get_attribute("id") == name:
            return
    pytest.fail(f"{name} cannot be reached by Tab")


def background(browser: Any) -> str:
    return str(one(browser, "body").value_of_css_property("background-color"))
