"""One module outside the packages adds a component of every kind, and the commands work with all of them."""

from __future__ import annotations

import importlib.util
import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from features.core.feature import FEATURES
from ltr.commands import encode, evaluate, explain, predict, train
from ltr.corpora.base import READERS
from ltr.corpora.source import open_corpus
from ltr.encoders.base import ENCODERS
from ltr.sample import SAMPLE
from ltr.supervision.functions import FUNCTIONS
from ltr.supervision.label_models.base import LABEL_MODELS
from ltr.tasks.base import TASKS
from models.base import RANKERS

REGISTRIES = (FEATURES, RANKERS, FUNCTIONS, LABEL_MODELS, TASKS, READERS, ENCODERS)

EXTENSION = """
from pathlib import Path

import numpy as np

from features.core.feature import feature
from ltr.supervision.label_models.base import Combined, label_model
from ltr.corpora.argument import build_argument
from ltr.corpora.base import READERS, FileCorpus, Reader
from ltr.encoders.base import ENCODERS, FunctionEncoder
from ltr.supervision.functions import labelling_function
from ltr.tasks.arguments import Arguments
from ltr.tasks.base import register
from models.base import learned_ranker
from models.inputs import by_column
from models.learned import LearnedRanker


@feature("argument", group="extension", measured_in="count", range=(0, np.inf), description="asks", lift=("min",))
def question_marks(context):
    return np.array([text.count("?") for text in context.arguments.text])


@labelling_function("relevance", "asks little", ["question_marks"], unit="argument")
def asks_little(evidence):
    return np.where(evidence.column("question_marks") > 3, 0.0, 1.0)


@learned_ranker("covariance", "each input weighs its covariance with the labels")
class Covariance(LearnedRanker):
    def fit(self, data):
        values = data.values - data.values.mean(axis=0)
        self.weights = values.T @ (data.labels - data.labels.mean()) / (1e-9 + (values**2).sum(axis=0))

    def gains(self):
        return dict(zip(self.columns, by_column(self.inputs, np.abs(self.weights)[None])[0], strict=True))

    def score_values(self, values):
        return (values @ self.weights).round(6)

    def terms(self, values):
        return by_column(self.inputs, values * self.weights)

    def settings(self):
        return {
            "ranker": "covariance",
            "parameters": vars(self.parameters),
            "inputs": self.inputs,
            "weights": self.weights.tolist(),
        }

    @classmethod
    def load(cls, settings, files, *, threads=1):
        model = cls(settings["inputs"], None, threads=threads)
        model.weights = np.array(settings["weights"])
        return model


class Essays(Arguments):
    name = "essays"
    looks_for = "Essays"


register(Essays())
class EssayCorpus(FileCorpus):
    def _read(self):
        with self._opened() as file:
            for line in file:
                name, *sentences = line.decode().rstrip("\\n").split("\\t")
                premises = [(f"{name}__PREMISE__{n}", text) for n, text in enumerate(sentences, 1)]
                yield build_argument(name, sentences[0], "", premises, title="", url="")


READERS.add("essays", Reader(lambda path: EssayCorpus(Path(path)), suffixes=(".essays",)))


def lengths(texts):
    return [[len(text), 1] for text in texts]


ENCODERS.add("lengths", lambda name, threads: FunctionEncoder(lengths, name))


@label_model("median", "median of the votes")
def median(ballot):
    return Combined(np.nanmedian(ballot.votes, axis=1), np.full(ballot.votes.shape[1], np.nan))
"""


@pytest.fixture
def extended(tmp_path: Path) -> Iterator[Path]:
    """A corpus in the extension's format; what it registers is forgotten afterwards."""
    before = [dict(registry.search()) for registry in REGISTRIES]
    path = tmp_path / "extension.py"
    path.write_text(EXTENSION, "utf-8")
    spec = importlib.util.spec_from_file_location("extension", path)
    assert spec
    assert spec.loader
    spec.loader.exec_module(importlib.util.module_from_spec(spec))
    arguments = [(argument.id, *(one.text for one in argument.sentences)) for argument in open_corpus(str(SAMPLE))]
    lines = ["\t".join(" ".join(text.split()) for text in argument) + "\n" for argument in arguments]
    (tmp_path / "corpus.essays").write_text("".join(lines), "utf-8")
    shutil.copy(SAMPLE / "topics.xml", tmp_path)
    yield tmp_path / "corpus.essays"
    for registry, kept in zip(REGISTRIES, before, strict=True):
        for name in registry.keys() - kept.keys():
            del registry[name]


def test_one_file_adds_a_component_of_every_kind(extended: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = extended.parent
    common = ["-i", str(extended), "--task", "essays", "--index", str(folder / "index"), "--jobs", "1", "--quiet"]
    judged = ["--topics", str(SAMPLE / "topics-train.xml"), "--qrels", str(SAMPLE / "qrels-train-relevance.qrels")]
    model = ["-m", str(folder / "model")]
    options = ["--objective", "covariance", "--columns", "0", "--folds", "2", "--labels", "asks_little"]
    votes = f"--votes=ours:relevance={SAMPLE / 'qrels-train-quality.qrels'}"
    options += [votes, "--label-model", "median"]
    assert train.main([*common, *judged, *model, *options]) == 0
    manifest = json.loads((folder / "model" / "manifest.json").read_text("utf-8"))
    assert manifest["task"] == "essays"
    assert manifest["rankers"]["relevance"]["ranker"] == "covariance"
    assert manifest["features"]["question_marks"] == 1
    assert manifest["sources"]["functions"] == ["asks_little"]
    assert manifest["sources"]["label_model"] == "median"
    assert manifest["labels"]["relevance"]["weakly labelled"] > 0

    assert predict.main([*common, *model, "-o", str(folder / "out")]) == 0
    run = folder / "out" / "run.txt"
    topic, _, essay, *_ = run.read_text("utf-8").split()
    assert essay.startswith("S")
    capsys.readouterr()
    assert evaluate.main(["--run", str(run), "--qrels", str(SAMPLE / "qrels-test-relevance.qrels")]) == 0
    assert "nDCG@5" in capsys.readouterr().out
    assert explain.main([*common, *model, "--run", str(run), "--topic", topic, "--rank", "1"]) == 0
    assert essay in capsys.readouterr().out
    assert encode.main([*common, "--encoder", "lengths:mine"]) == 0
    assert "texts encoded" in capsys.readouterr().out


def test_help_offers_what_is_registered(extended: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        train.main(["--help"])
    said = " ".join(capsys.readouterr().out.split())
    assert "covariance" in said[said.index("--objective NAME") :]
    assert "essays" in said[said.index("--task NAME") :]
