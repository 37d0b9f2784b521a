"""Pages: files and names on them exist, their examples work, their lines are short enough to read."""

from __future__ import annotations

import importlib
import shutil
from pathlib import Path
from typing import Any

import pytest
from support.pages import blocks, commands, dotted_names, files, module_words, prose
from support.plugins import loaded
from support.processes import printed, python
from support.sample_model import sample_index
from support.tables import Source, make_context

import ltr
from features.core.describe import describe
from ltr.commands import check
from ltr.corpora.source import open_corpus
from ltr.sample import SAMPLE

ROOT = Path(__file__).resolve().parents[2]
PAGES = [*(ROOT / "docs").glob("*.md"), *(ROOT / f"{name}.md" for name in ("README", "CONTRIBUTING", "CHANGELOG"))]


def resolve(name: str) -> object:
    """What a dotted name stands for. Raises AttributeError or ImportError."""
    parts = name.split(".")
    for cut in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:cut]))
        except ModuleNotFoundError:
            continue
        for part in parts[cut:]:
            found = getattr(found, part)
        return found
    raise ImportError(name)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_names_and_files_exist(page: Path) -> None:
    text = page.read_text("utf-8")
    if page.stem != "CHANGELOG":  # it names what is gone
        for name in sorted(dotted_names(text)):
            resolve(name)
    for name in sorted(files(text)):
        assert (ROOT / name).exists(), name


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_lines_can_be_read(page: Path) -> None:
    text = page.read_text("utf-8")
    assert not [line for line in prose(text) if len(line) > 120]
    assert not [line for line in "\n".join(blocks(text, "console")).splitlines() if len(line) > 120]
    assert "../" not in " ".join(commands(text)), "a reader lacks what lies beside the project"


def test_the_tutorial_on_a_corpus_works(tmp_path: Path) -> None:
    """Its lines, topics, grades and commands, in the order of the page."""
    text = (ROOT / "docs" / "your-corpus.md").read_text("utf-8")
    texts = blocks(text, "text")
    (tmp_path / "grades.csv").write_text(texts[1], "utf-8")
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus" / "arguments.jsonl").write_text(blocks(text, "json")[0], "utf-8")
    (tmp_path / "corpus" / "topics.xml").write_text(blocks(text, "xml")[0], "utf-8")
    for words in filter(None, map(module_words, commands(text))):
        printed(*words, cwd=tmp_path, RIPOSTE_CACHE=str(tmp_path / "cache"))
    for line in texts[0].splitlines():
        assert line.split()[:4] == (tmp_path / "out" / "run.txt").read_text("utf-8").split("\n", 1)[0].split()[:4]
    assert (tmp_path / "out" / "mine" / "run.txt").exists()


def test_the_features_of_each_scope_work(tmp_path: Path) -> None:
    """As the page shows them, with values that can be read off the texts."""
    path = tmp_path / "mine.py"
    path.write_text(blocks((ROOT / "docs" / "features.md").read_text("utf-8"), "python")[1], "utf-8")
    sources = (
        Source("S1-A1", "PRO", "Ban cars", ("In 2014, 12 cars stood here.",)),
        Source("S1-A2", "CON", "Trees grow", ("Cars and trees: 7.",)),
    )
    columns = ["digits_max", "topic_share_max", "claims_the_topic_max", "digits_apart"]
    with loaded(path):
        context = make_context(sources, "Ban cars?", [(0, 1), (3, 2)])
        values = describe(context, columns=columns)[columns].to_numpy().tolist()
    # "2014", "12", "car" and "stood", of which "car" is of the topic; "Ban cars" is all of it
    assert values[0] == [6, 1, 1, 6]
    # "tree", "grow"; "car", "tree" and "7"
    assert values[1] == pytest.approx([1, 1 / 3, 0, 1], abs=1e-6)


def test_the_page_on_plugins_works(tmp_path: Path) -> None:
    text = (ROOT / "docs" / "plugins.md").read_text("utf-8")
    (tmp_path / "mine.py").write_text(blocks(text, "python")[0], "utf-8")
    shutil.copytree(SAMPLE, tmp_path / "corpus")
    cache = str(tmp_path / "cache")
    first, train, last = map(module_words, commands(text))
    for words in (first, [*train, "--trees", "2", "--folds", "2"], last):
        printed(*words, "--jobs", "1", cwd=tmp_path, RIPOSTE_CACHE=cache)
    assert "calm" in (tmp_path / "model" / "manifest.json").read_text("utf-8")
    plugin = last.index("--plugin")
    done = python(*last[:plugin], *last[plugin + 2 :], "--jobs", "1", cwd=tmp_path, RIPOSTE_CACHE=cache)
    assert done.returncode == 2
    assert done.stderr.startswith(blocks(text, "text")[0].partition("(")[0])


def test_the_learner_of_the_page_on_plugins_works(tmp_path: Path) -> None:
    (tmp_path / "flat.py").write_text(blocks((ROOT / "docs" / "plugins.md").read_text("utf-8"), "python")[1], "utf-8")
    pairs = {"relevance": SAMPLE / "qrels-train-pairs-relevance.qrels"}
    with loaded(tmp_path / "flat.py"):
        given: dict[str, Any] = {"topics": SAMPLE / "topics-train.xml", "pair_qrels": pairs, "index": sample_index()}
        trained = ltr.train(SAMPLE, **given, objective="flat", columns=7, folds=2, dimension="relevance")
        figures = trained.held_out["pairs, relevance"]["condensed"]
        assert figures["relevance"] > figures["random"] + 0.1
        trained.save(tmp_path / "model")
        one, again = (
            ltr.Searcher(SAMPLE, model=model, index=sample_index()) for model in (trained, tmp_path / "model")
        )
        assert one.rank(depth=9).equals(again.rank(depth=9))
        assert len(again.model.blend.columns) == 7
        assert "flat" in str(trained)
        assert "rank 1" in str(again.explain("2", 1))


def test_the_reader_of_the_page_on_plugins_works(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "tabs.py").write_text(blocks((ROOT / "docs" / "plugins.md").read_text("utf-8"), "python")[2], "utf-8")
    (tmp_path / "mine.tsv").write_text("a1\tBan cars\tCars kill people.\n", "utf-8")
    with loaded(tmp_path / "tabs.py"):
        assert check.main([str(tmp_path / "mine.tsv")]) == 0
        (argument,) = open_corpus(str(tmp_path / "mine.tsv"))
    assert "mine.tsv: claims and reasons" in capsys.readouterr().out
    assert [tuple(one) for one in argument.sentences] == [
        ("a1__PREMISE__1", "Cars kill people."),
        ("a1__CONC__1", "Ban cars"),
    ]


def test_the_page_of_re_rankers_works(tmp_path: Path) -> None:
    """Its function, its commands, and its script, in the order of the page."""
    text = (ROOT / "docs" / "rerankers.md").read_text("utf-8")
    shutil.copytree(SAMPLE, tmp_path / "corpus")
    function, session = blocks(text, "python")
    (tmp_path / "mine.py").write_text(function, "utf-8")
    environment = {"RIPOSTE_CACHE": str(tmp_path / "cache"), "PYTHONPATH": f"{ROOT}:{tmp_path}"}
    asked = filter(None, map(module_words, commands(text)))
    said = [printed(*words, cwd=tmp_path, **environment) for words in asked]
    assert len(said) == 2
    assert "best 100 re-ranked by mine.py:overlap" in said[0]
    printed("-c", session, cwd=tmp_path, **environment)
