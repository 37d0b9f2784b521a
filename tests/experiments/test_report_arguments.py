"""Whole arguments in a report and in a comparison: the shipped model and a run of the sample, by the commands."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from support.report import Outline
from support.sample_model import sample_index

from experiments.report.command import main as report
from ltr.commands import predict
from ltr.commands.compare import main as compare
from ltr.data.qrels import read_qrels
from ltr.data.runs import read_run
from ltr.errors import InputError
from ltr.index.reader import Index
from ltr.sample import SAMPLE

TASK = ["--task", "arguments"]
INDEX = ["--jobs", "1", "--quiet"]
QRELS = [SAMPLE / f"qrels-test-{name}.qrels" for name in ("relevance", "quality")]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Runs of the model that ships, of dph and of pairs."""
    made = {}
    for name, options in {"own": TASK, "dph": [*TASK, "-m", "dph"], "pairs": ["-m", "bm25"]}.items():
        folder = tmp_path_factory.mktemp(name)
        place = ["-i", str(SAMPLE), "-o", str(folder), "--index", str(sample_index())]
        assert predict.main([*place, *INDEX, *options]) == 0
        made[name] = folder / "run.txt"
    return made


@pytest.fixture(scope="module")
def page(runs: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Outline:
    out = tmp_path_factory.mktemp("report") / "report.html"
    judged = [word for path in QRELS for word in ("--qrels", str(path))]
    place = ["-i", str(SAMPLE), "-o", str(out), "--index", str(sample_index())]
    assert report([*place, *INDEX, *TASK, *judged, "--run", str(runs["own"]), "--run", str(runs["dph"])]) == 0
    return Outline(out.read_text("utf-8"))


def test_boards_are_those_of_the_argument_rankers(page: Outline) -> None:
    data = page.held("page-data")
    assert (data["unit"], data["sides"]) == ("argument", True)
    assert [board["set"] for board in data["boards"]] == ["test-relevance", "test-quality"]
    assert {board["level"] for board in data["boards"]} == {"argument"}
    assert data["runs"] == ["riposte", "riposte-dph"]


def test_the_first_argument_of_a_topic_is_shown_whole(page: Outline, runs: dict[str, Path]) -> None:
    data, found = page.held("page-data"), page.held("topic-0")
    number = data["topics"][0]["number"]
    first = next(row.pair for row in read_run(runs["own"]) if row.topic == number)
    [[start, count]] = found["runs"]["riposte"]["units"][0]
    lines = [(name, role, text) for name, _, lines in found["arguments"] for role, text in lines]
    shown = lines[start : start + count]
    assert {name for name, _, _ in shown} == {first}
    assert shown[0][1] == "CONC__1", "the conclusion comes first"
    index = Index(sample_index())
    rows = index.sentence_rows(index.argument_rows([first])[first])
    assert sorted(text for _, _, text in shown) == sorted(map(index.text, rows))
    judged = read_qrels(QRELS[0])[number]
    assert found["grades"]["test-relevance"] == {id_: judged[id_] for id_ in {name for name, _, _ in lines} & {*judged}}


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["--run", "{pairs}"], r"run.txt line 1: '.*' is not an argument"),
        (["--pair-qrels", f"relevance={SAMPLE}/qrels-test-pairs-relevance.qrels"], "and what is ranked are arguments"),
        (["--qrels", f"{SAMPLE}/qrels-test-pairs-relevance.qrels"], "judges pairs, and what is ranked are arguments"),
    ],
)
def test_pairs_do_not_mix_with_arguments(argv: list[str], said: str, runs: dict[str, Path], tmp_path: Path) -> None:
    place = ["-i", str(SAMPLE), "-o", str(tmp_path / "out.html"), "--index", str(sample_index())]
    with pytest.raises(InputError, match=said):
        report([*place, *INDEX, *TASK, "--run", str(runs["own"]), *(word.format(**runs) for word in argv)])
    assert not (tmp_path / "out.html").exists()


def test_a_comparison_of_runs_of_arguments(runs: dict[str, Path], capsys: pytest.CaptureFixture[str]) -> None:
    own, dph, pairs = (str(runs[name]) for name in ("own", "dph", "pairs"))
    argv = [*TASK, "--quiet", "--argument-qrels", f"relevance={QRELS[0]}", "--argument-qrels", f"quality={QRELS[1]}"]
    assert compare([own, dph, *argv]) == 0
    out = capsys.readouterr().out
    assert "Level: whole item." in out
    assert "mean of the dimensions: means over topics" in out
    assert len(re.findall(r"^dph.*/run.txt +(?:relevance|quality|mean) ", out, re.MULTILINE)) == 12, "tests and risks"
    with pytest.raises(InputError, match="is not an argument"):
        compare([own, pairs, *argv])
    assert compare([own, pairs, *argv[2:]]) == 0, "without --task a run of pairs is read as its arguments"
    with pytest.raises(InputError, match="is not a pair"):
        compare([own, dph, "--task", "pairs", *argv[2:]])
