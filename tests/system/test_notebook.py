"""The notebook of the pages shows what its cells give."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from support.pages import module_of

DOCS = Path(__file__).resolve().parents[2] / "docs"


NUMBER = re.compile(r"-?\d+\.\d+")


def parts(outputs: Any) -> tuple[list[str], list[float]]:
    """The words of outputs without bars and blanks, and their numbers."""
    text = json.dumps(outputs, ensure_ascii=False)
    return re.sub(r"[-+ ]+", " ", NUMBER.sub("0", text)).split(), list(map(float, NUMBER.findall(text)))


@pytest.mark.slow
def test_the_outputs_are_those_of_its_cells() -> None:
    notebooks = module_of(DOCS / "notebooks.py")
    notebook = json.loads((DOCS / "notebook.ipynb").read_text("utf-8"))
    shown = [cell["outputs"] for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert sum(map(bool, shown)) >= 6
    (words, numbers), (shown_words, shown_numbers) = parts(notebooks.run(notebook)), parts(shown)
    assert words == shown_words
    assert numbers == pytest.approx(shown_numbers, abs=0.01), "another processor may round the last digits differently"


def test_as_a_page_it_has_code_tables_and_text() -> None:
    page = module_of(DOCS / "notebooks.py").page(json.loads((DOCS / "notebook.ipynb").read_text("utf-8")))
    assert page.startswith("# Riposte in a notebook\n")
    assert page.count("```python\n") >= 6
    assert "```{raw} html\n<table><caption>Should cities ban cars" in page
