"""Whole arguments from training to evaluation, by the commands, on the sample."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.refusals import refuses
from support.sample_model import sample_index

from ltr.commands import explain, predict, search, train
from ltr.corpora.argsme import JsonCorpus
from ltr.corpora.source import open_corpus
from ltr.data.runs import RunRow, read_run, validate_run
from ltr.data.topics import read_topics
from ltr.model_folder.store import PRETRAINED
from ltr.sample import SAMPLE
from models.base import baselines

TASK = ["--task", "arguments"]
FEW = ["--trees", "20", "--seeds", "1", "--folds", "2", "--quiet", "--jobs", "1"]


@pytest.fixture(scope="module")
def index() -> list[str]:
    return ["--index", str(sample_index()), "--quiet", "--jobs", "1"]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory, index: list[str]) -> Path:
    folder = tmp_path_factory.mktemp("arguments") / "model"
    assert train.main([*TASK, "-m", str(folder), *FEW, *index[:2]]) == 0
    return folder


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory, model: Path, index: list[str]) -> Path:
    return ranked(tmp_path_factory.mktemp("run"), index, "-m", str(model)) / "run.txt"


def ranked(out: Path, index: list[str], *options: str) -> Path:
    assert predict.main(["-i", str(SAMPLE), "-o", str(out), *TASK, *index, *options]) == 0
    return out


def rows_of(path: Path) -> list[RunRow]:
    rows = read_run(path)
    validate_run(rows, kind="argument")
    assert {row.stance for row in rows} == {"Q0"}
    return rows


def test_a_model_says_what_it_ranks(model: Path):
    manifest = json.loads((model / "manifest.json").read_text("utf-8"))
    assert manifest["task"] == "arguments"
    assert manifest["blend"]["weights"] == {"quality": 0.7, "relevance": 1.0}
    assert manifest["labels"]["relevance"]["graded"] == 143
    assert manifest["labels"]["relevance"]["weakly labelled"] > 100
    assert manifest["labels"]["quality"]["weakly labelled"] == 0
    assert set(manifest["cross_validation"]["figures"]["arguments, relevance"]) >= set(baselines("argument"))


def test_a_run_is_valid_and_the_same_each_time(run: Path, model: Path, index: list[str], tmp_path: Path):
    rows = rows_of(run)
    assert len({row.topic for row in rows}) == 4
    assert (ranked(tmp_path, index, "-m", str(model)) / "run.txt").read_bytes() == run.read_bytes()
    shallow = rows_of(ranked(tmp_path, index, "-m", str(model), "--depth", "3") / "run.txt")
    assert [row.pair for row in shallow] == [row.pair for row in rows if row.rank <= 3]


@pytest.mark.parametrize("name", baselines("argument"))
def test_named_rankers_give_runs(name: str, index: list[str], tmp_path: Path):
    assert {row.tag for row in rows_of(ranked(tmp_path, index, "-m", name) / "run.txt")} == {f"riposte-{name}"}


def test_an_argument_is_explained(run: Path, model: Path, index: list[str], capsys):
    first = rows_of(run)[0]
    where = ["--run", str(run), "--topic", first.topic, "--rank", "1", "--against", "2", "-m", str(model)]
    assert explain.main([*where, *TASK, *index, "--json", "-"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["pair"]["pair"] == first.pair
    assert [part["id"] for part in found["pair"]["sentences"]] == [first.pair]
    assert len(found["pair"]["sentences"][0]["text"].split()) > 5
    lead = found["pair"]["score"] - found["against"]["score"]
    assert found["adds"] == pytest.approx(lead, abs=1e-4)


def test_search_shows_whole_arguments(model: Path, index: list[str], capsys):
    question = read_topics(SAMPLE / "topics.xml")[0].title
    assert search.main([question, "-m", str(model), "-n", "2", *TASK, *index, "--json", "-"]) == 0
    results = json.loads(capsys.readouterr().out)["results"]
    assert results
    for result in results:
        (part,) = result["sentences"]
        assert (part["role"], part["id"]) == ("argument", part["argument"])
    assert search.main([question, "-m", str(model), "-n", "2", "--details", *TASK, *index]) == 0
    assert f"rank {results[0]['rank']}: {results[0]['sentences'][0]['id']}" in capsys.readouterr().out


def test_the_labs_json_files_make_the_same_kind_of_run(tmp_path: Path):
    arguments = [
        {
            "id": f"c67482ba-2019-04-18T13:32:05Z-0000{n}-000",
            "conclusion": "Ban all cars",
            "premises": [{"text": f"Cars are loud. Cars kill {n} people. {word} cars smell.", "stance": "PRO"}],
            "context": {"discussionTitle": "Cars", "sourceUrl": "u"},
        }
        for n, word in enumerate(("Old", "Most", "Fast"))
    ]
    lab = tmp_path / "lab"
    lab.mkdir()
    (lab / "idebate.json").write_text(json.dumps({"arguments": arguments[:1]}), "utf-8")
    (lab / "debateorg.json").write_text(json.dumps({"arguments": arguments[1:]}), "utf-8")
    (lab / "topics.xml").write_text(
        "<topics><topic><number>1</number><title>Ban cars?</title></topic></topics>", "utf-8"
    )
    assert isinstance(open_corpus(str(lab)), JsonCorpus)
    options = ["-i", str(lab), "-o", str(tmp_path / "out"), *TASK, "--index", str(tmp_path / "ix"), "--quiet"]
    assert predict.main([*options, "-m", "dirichlet"]) == 0
    assert {row.pair for row in rows_of(tmp_path / "out" / "run.txt")} == {one["id"] for one in arguments}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            ["--task", "arguments", "-m", str(PRETRAINED / "pairs")],
            "the model is for the task pairs; name that task, or another model",
        ),
        (
            ["-m", str(PRETRAINED / "arguments")],
            "the model is for the task arguments; name that task, or another model",
        ),
        (["-m", "elrond"], "elrond: it ranks no pairs; name a model folder or one of: argues, bm25, "),
        (["--task", "arguments", "-m", "elrod"], "elrod: there is no such model; name a model folder or one of: "),
        (["--task", "arguments", "-m", "dph", "--dimension", "quality"], "dph has no dimensions"),
        (["--task", "documents"], "--task: 'documents' is not one of pairs"),
        (["--task", "arguments", "--blend", "1,1,1"], "the model has no ranker of coherence; weigh other dimensions"),
    ],
)
def test_what_cannot_be_is_refused(options: list[str], said: str, tmp_path: Path, index: list[str]):
    refuses(lambda: predict.main(["-i", str(SAMPLE), "-o", str(tmp_path / "out"), *index, *options]), said)
    assert not (tmp_path / "out").exists()
