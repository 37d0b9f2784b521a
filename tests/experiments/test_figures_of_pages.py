"""Figures of README and the pages come from files that commands write, of the models that ship."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from support.pages import BLOCK, module_of

from models.defaults import BLENDS

ROOT = Path(__file__).resolve().parents[2]
FIGURES = ROOT / "docs" / "figures"
DECIMALS = re.compile(r"(?<![\w.])[01]?\.\d\d")
"""Such as ``.53`` or ``0.530``, but not a version."""
MEASURED_ONCE = re.compile(r"<!-- measured, with version [\d.]+ -->\n.*?<!-- end -->", re.DOTALL)
"""A table with a row that cannot be measured again, such as an earlier version's."""
DIGEST = "0" * 64


@pytest.fixture(scope="module")
def make() -> Iterator[ModuleType]:
    """docs/figures/make.py."""
    before = list(sys.path)
    yield module_of(FIGURES / "make.py")
    sys.path[:] = before


def test_figures_are_of_the_models_that_ship(make: ModuleType) -> None:
    stale = make.outdated(FIGURES, make.shipped())
    assert not stale, f"measured with another model: {', '.join(stale)}; run make figures DATA=path/to/data"
    assert {path.stem for path in FIGURES.glob("*.json")} == set(make.STUDIES)


def test_tables_are_filled_from_the_files(make: ModuleType) -> None:
    changed = [page.name for page, _ in make.changed_pages()]
    assert not changed, f"tables or drawings that the files of figures do not give: {changed}; run make figures"


def test_the_line_is_drawn_with_its_named_points(make: ModuleType) -> None:
    files = make.sources()
    draw = make.DRAWINGS["line.svg"]
    people = files["curves.json"]["figures"]["people"]
    shares = 0, make.read(ROOT / "models" / "pretrained" / "pairs" / "manifest.json")["blend"]["reading"]
    assert people.keys() >= {f"{of['quality']:g} {share:g}" for of in BLENDS.values() for share in shares}
    before = draw(files)
    assert all(f">{name}</text>" in before for name in BLENDS)
    people["1.2 0"]["relevance"] += 0.001
    assert draw(files) != before


@pytest.mark.parametrize(("page", "tables"), [("README.md", 1), ("docs/results.md", 2)])
def test_no_figure_is_written_by_hand(page: str, tables: int, make: ModuleType) -> None:
    text = (ROOT / page).read_text("utf-8")
    assert len(make.MARKED.findall(text)) >= tables
    by_hand = MEASURED_ONCE.sub("", make.MARKED.sub("", BLOCK.sub("", text)))
    assert not [line for line in by_hand.splitlines() if DECIMALS.search(line)]


def test_people_stand_first(make: ModuleType) -> None:
    marks = [words.split()[0] for _, words, _ in make.MARKED.findall((ROOT / "docs/results.md").read_text("utf-8"))]
    assert marks[0] == "human.json"
    assert marks.count("human.json") == marks.index(next(mark for mark in marks if mark != "human.json"))


def test_a_model_that_was_trained_again_makes_its_figures_stale(make: ModuleType) -> None:
    digests = make.shipped()
    assert make.outdated(FIGURES, digests | {"arguments": DIGEST}) == ["human"]
    assert make.outdated(FIGURES, digests | {"pairs": DIGEST}) == list(make.STUDIES)


def test_a_digit_that_was_changed_is_found(make: ModuleType) -> None:
    text = (ROOT / "docs" / "results.md").read_text("utf-8")
    files = make.sources()
    first = make.MARKED.search(text)[0]
    digit = re.search(r"\.(\d\d\d) ", first)
    changed = text.replace(first, first.replace(digit[1], f"{(int(digit[1]) + 1) % 1000:03}"))
    assert changed != text
    assert make.filled(text, files) == make.filled(changed, files) == text


def test_a_study_is_run_and_kept(make: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a command that takes a moment: the version, the digest and the command are in the file."""
    sample = ROOT / "ltr" / "sample"
    command = "riposte evaluate --run path/to/run.txt --pair-qrels relevance=path/to/r.qrels"
    command += " --json path/to/out/first-five.json"
    monkeypatch.setattr(make, "OUT", tmp_path / "out")
    (tmp_path / "first-five.json").write_text(json.dumps({"command": command, "models": {"pairs": DIGEST}}))
    (tmp_path / "r.qrels").write_bytes((sample / "qrels-test-pairs-relevance.qrels").read_bytes())
    topic, _, pair, _ = (tmp_path / "r.qrels").read_text().split("\n", 1)[0].split()
    (tmp_path / "run.txt").write_text(f"{topic} Q0 {pair} 1 1 t\n")
    make.measure(tmp_path / "first-five.json", tmp_path)
    kept = json.loads((tmp_path / "first-five.json").read_text())
    assert kept["command"] == command
    assert kept["models"] == {"pairs": make.shipped()["pairs"]}
    assert str(tmp_path) not in json.dumps(kept)
    head = make.table(["f", "first-five"], {"f": kept}).splitlines()[0]
    assert head == "| held-out run | relevance | judged@5 | relevance, condensed |"
