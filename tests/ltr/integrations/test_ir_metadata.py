"""What is said of a run, and what TIRA's own checks say of both."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest
from support.refusals import refuses
from support.sample_model import sample_index, sample_model

from ltr.commands import predict
from ltr.data.runs import read_run, run_place
from ltr.integrations.ir_metadata import run_metadata, write_metadata
from ltr.sample import SAMPLE
from ltr.searcher import Searcher

HERE = ["-i", str(SAMPLE), "--index", str(sample_index()), "--quiet", "--jobs", "1", "--depth", "10"]


@pytest.fixture(scope="module")
def submission(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a compressed run with its metadata."""
    out = tmp_path_factory.mktemp("submission")
    assert predict.main([*HERE, "-o", str(out), "-m", "bm25", "--gzip", "--metadata", "Montague"]) == 0
    return out


def test_a_compressed_run_is_the_same_run(submission: Path, tmp_path: Path) -> None:
    assert {path.name for path in submission.iterdir()} == {"run.txt.gz", "ir-metadata.yml"}
    assert predict.main([*HERE, "-o", str(tmp_path), "-m", "bm25"]) == 0
    assert gzip.decompress((submission / "run.txt.gz").read_bytes()) == (tmp_path / "run.txt").read_bytes()
    assert read_run(submission / "run.txt.gz", "pair") == read_run(tmp_path / "run.txt", "pair")
    refuses(lambda: run_place(tmp_path, compressed=True), "run.txt", "a reader would find it beside run.txt.gz")


@pytest.mark.parametrize("form", ["run-with-metadata", "run.txt", "ir_metadata"])
def test_tira_takes_it(submission: Path, form: str) -> None:
    check = pytest.importorskip("tira.check_format", reason="pip install tira")
    code, said = check.check_format(submission, form)
    assert code.name == "OK", said


def leaves(fields: Any) -> list[str]:
    if isinstance(fields, dict):
        return [leaf for value in fields.values() for leaf in leaves(value)]
    return [leaf for item in fields for leaf in leaves(item)] if isinstance(fields, list) else [str(fields)]


def test_no_folder_of_this_machine_is_named() -> None:
    folder = sample_model()
    searcher = Searcher(SAMPLE, model=folder, index=sample_index())
    facts = run_metadata(searcher, SAMPLE / "topics.xml", "t", "x")
    assert facts["data"]["test collection"] == {"name": "args_processed_sample.csv", "topics": "topics.xml"}
    assert folder.name in facts["method"]["description"]
    ranked = facts["method"]["retrieval"][1]
    assert ranked["digest"] == searcher.model.manifest["digest"]
    assert ranked["weights"] == searcher.model.blend.weights
    assert facts["implementation"]["plug-ins"] == {}
    with_encoder = run_metadata(Searcher(index=sample_index()), None, "t", "x")["method"]["retrieval"]
    assert {"encoder", "digest"} <= with_encoder[2].keys()
    assert not [
        leaf for leaf in leaves(facts) if str(Path.home()) in leaf or str(folder.parent) in leaf or leaf[0] == "/"
    ]


def test_yaml_reads_it_back(tmp_path: Path) -> None:
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
    facts = run_metadata(Searcher(index=sample_index()), None, "t", "x")
    facts |= {"unseen": "a\x7f \x9b \ufffe \u2028 \U0001fffe \ud7ff", "seen": "ü \U0001f600 \\"}
    write_metadata(tmp_path / "facts.yml", facts)
    assert yaml.safe_load((tmp_path / "facts.yml").read_text("utf-8")) == facts
