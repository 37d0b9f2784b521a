"""``--rerank`` in the commands: another order, kept scores, and one line where a re-ranker is at fault."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.processes import python
from support.refusals import refuses
from support.sample_model import sample_index, sample_model

from ltr.commands import predict, search
from ltr.data.runs import read_run
from ltr.errors import InputError
from ltr.sample import SAMPLE

OWN = """
from pathlib import Path

def length(question, texts):
    with Path(__file__).with_suffix(".log").open("a") as log:
        log.write(f"{len(texts)}\\n")
    return [len(text) for text in texts]

length.pointwise = True

def nan(question, texts):
    return [float("nan")] * len(texts)

def short(question, texts):
    return [1.0]

def fails(question, texts):
    raise RuntimeError("out of\\nwords")
"""
QUESTION = "Should cities ban cars from their centres?"


@pytest.fixture
def own(tmp_path: Path) -> Path:
    path = tmp_path / "own.py"
    path.write_text(OWN)
    return path


def given(out: Path) -> list[str]:
    where = ["-i", str(SAMPLE), "--index", str(sample_index()), "-m", str(sample_model())]
    return [*where, "-o", str(out), "--jobs", "1", "--quiet"]


def pairs(out: Path) -> list[str]:
    return [row.pair for row in read_run(out / "run.txt")]


def test_predict_orders_the_head_anew_and_keeps_its_scores(own: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder, how = own.parent, ["--rerank", f"{own}:length", "--rerank-depth", "30"]
    predict.main(given(folder / "plain"))
    predict.main([*given(folder / "first"), *how])
    assert f"best 30 re-ranked by {own}:length" in capsys.readouterr().out
    asked = (folder / "own.log").read_text()
    assert sum(map(int, asked.split())) <= 4 * 30
    predict.main([*given(folder / "second"), *how])
    assert (folder / "own.log").read_text() == asked, "the second run asks for nothing"
    assert (folder / "first" / "run.txt").read_bytes() == (folder / "second" / "run.txt").read_bytes()
    assert pairs(folder / "first") != pairs(folder / "plain")
    assert sorted(pairs(folder / "first")) == sorted(pairs(folder / "plain"))


def test_a_fault_ends_the_program_with_one_line(own: Path) -> None:
    for name, said in {
        "nan": "NaN or infinity",
        "short": "an array of shape (1,) for ",
        "fails": "the re-ranker failed (RuntimeError: out of)",
    }.items():
        refuses(lambda name=name: predict.main([*given(own.parent), "--rerank", f"{own}:{name}"]), str(own), said)
    done = python("-m", "ltr.predict", *given(own.parent), "--rerank", "own_absent:f")
    assert done.returncode == 2
    assert done.stderr.startswith("error: own_absent:f: cannot be imported (ModuleNotFoundError")
    assert done.stderr.count("\n") == 1


def test_options_without_a_re_ranker_are_refused(own: Path) -> None:
    refuses(lambda: predict.main([*given(own.parent), "--rerank-depth", "3"]), "--rerank: ", "needs a re-ranker")
    for wrong in (["--rerank-depth", "0"], ["--rerank-depth", "1001"]):
        with pytest.raises(InputError, match=r"^--rerank-\w+: '"):
            predict.main([*given(own.parent), "--rerank", "x", *wrong])


def test_search_and_its_json(own: Path, capsys: pytest.CaptureFixture[str]) -> None:
    where = [*given(own)[:6], "--jobs", "1", "--quiet"]
    search.main([QUESTION, *where, "--json", "-"])
    plain = json.loads(capsys.readouterr().out)
    search.main([QUESTION, *where, "--json", "-", "--rerank", f"{own}:length", "--rerank-depth", "20"])
    found = json.loads(capsys.readouterr().out)
    assert found["results"] != plain["results"]
    assert found["model"] == f"{plain['model']}, best 20 re-ranked by {own}:length"
    best = min(found["results"], key=lambda result: result["rank"])
    words = "\n".join(sentence["text"] for sentence in best["sentences"])
    assert len(words) >= max(len("\n".join(s["text"] for s in r["sentences"])) for r in found["results"])
