"""The package rerankers as a re-ranker of ours: an ONNX cross-encoder through its FlashRank, and the same by us."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from support.environments import packages_beside
from support.onnx_models import WORDS, write_cross_encoder
from support.sample_model import sample_index, sample_model

from ltr.data.runs import read_run
from ltr.encoders.onnx import MODEL
from ltr.rerankers import open_reranker
from ltr.sample import SAMPLE

for package in ("onnx", "onnxruntime", "tokenizers"):
    pytest.importorskip(package, reason="the extra encoder is not installed")

NAME = "ms-marco-TinyBERT-L-2-v2"
THEIRS = ("rerankers==0.10.0", "FlashRank==0.2.10")
OTHERS = (
    *("pydantic", "pydantic-core", "annotated-types", "typing-extensions", "typing-inspection"),
    *("requests", "charset-normalizer", "urllib3", "idna", "certifi", "tqdm"),
)
"""What those two need and we do not have; the rest is ours."""
TEXTS = ["cars not in cities", "the people of the cities", "nothing", "cars banned " * 20, "something else"]
QUESTION = "Should cars be banned in cities?"

OWN = f"""
from functools import cache
from pathlib import Path

from rerankers import Reranker


@cache
def ranker():
    folder = str(Path(__file__).with_name("cache"))
    return Reranker("{NAME}", model_type="flashrank", cache_dir=folder, verbose=0)


def score(question, texts):
    found = ranker().rank(query=question, docs=texts, doc_ids=list(range(len(texts))))
    scores = {{result.doc_id: result.score for result in found.results}}
    return [scores[place] for place in range(len(texts))]
"""


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Variables with which Python finds the package, which is installed apart."""
    return packages_beside(tmp_path_factory.mktemp("packages"), *THEIRS, *OTHERS)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    values = np.random.default_rng(2).normal(size=len(WORDS)).astype(np.float32) / 3
    ours = write_cross_encoder(tmp_path / "ours", values)
    theirs = shutil.copytree(ours, tmp_path / "cache" / NAME)
    (theirs / MODEL).rename(theirs / "flashrank-TinyBERT-L-2-v2.onnx")
    facts = {
        "config": {"pad_token_id": 0},
        "tokenizer_config": {"model_max_length": 512, "pad_token": "[UNK]"},
        "special_tokens_map": {},
    }
    for name, content in facts.items():
        (theirs / f"{name}.json").write_text(json.dumps(content))
    (tmp_path / "own.py").write_text(OWN)
    return tmp_path


def test_scores_of_the_package_are_ours(environment: dict[str, str], folder: Path) -> None:
    code = "import json, sys\nfrom ltr.rerankers import open_reranker\n"
    code += f"found = open_reranker('own.py:score').score({QUESTION!r}, {TEXTS!r})\nprint(json.dumps(found.tolist()))"
    environment = {**environment, "PYTHONPATH": f"{Path.cwd()}{os.pathsep}{environment['PYTHONPATH']}"}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    logits = open_reranker(folder / "ours").score(QUESTION, TEXTS)
    assert json.loads(done.stdout) == pytest.approx(1 / (1 + np.exp(-logits)), abs=1e-6)


def test_predict_with_the_package(environment: dict[str, str], folder: Path) -> None:
    where = ["-i", str(SAMPLE), "--index", str(sample_index()), "-m", str(sample_model()), "--jobs", "1", "--quiet"]
    runs = {}
    for name, how in {"theirs": ["--rerank", f"{folder / 'own.py'}:score"], "plain": []}.items():
        command = [sys.executable, "-m", "ltr.predict", *where, "-o", str(folder / name), *how]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        runs[name] = [row.pair for row in read_run(folder / name / "run.txt")]
    assert runs["theirs"] != runs["plain"]
    assert sorted(runs["theirs"]) == sorted(runs["plain"])
