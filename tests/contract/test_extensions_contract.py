"""One plug-in adds a component of every kind, and the commands work with all of them."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from support.processes import ROOT, printed, python
from support.refusals import refuses
from support.tables import described

import ltr
from features.core.feature import FEATURES
from features.core.registry import ComponentError
from ltr import plugins
from ltr.cli.main import main
from ltr.commands import check, encode, evaluate, explain, predict, train
from ltr.corpora.base import READERS, FileCorpus, Reader
from ltr.corpora.source import open_corpus
from ltr.data.topics import Topic
from ltr.learning.functions import FUNCTIONS, Evidence, LabellingFunction
from ltr.learning.labels import collect_votes
from ltr.ranking.candidates import Candidates, item_frame
from ltr.ranking.task import TASKS
from ltr.sample import SAMPLE
from ltr.text_models.encoders import ENCODERS
from ltr.text_models.rerankers import RERANKERS
from models.base import RANKERS

FRAME = pd.DataFrame({"x": np.zeros(3, np.float32)})
REGISTRIES = (FEATURES, RANKERS, FUNCTIONS, TASKS, READERS, ENCODERS, RERANKERS)

EXTENSION = """
from pathlib import Path

import numpy as np

from features.core.feature import feature
from ltr.corpora.argument import build_argument
from ltr.corpora.base import READERS, FileCorpus, Reader
from ltr.text_models.encoders import ENCODERS, FunctionEncoder
from ltr.text_models import reranker
from ltr.learning.functions import labelling_function
from ltr.tasks.arguments.task import Arguments
from ltr.ranking.task import register
from models.base import learned_ranker, ranker
from models.learned import by_column
from models.learned import LearnedRanker


@feature("argument", group="extension", measured_in="count", range=(0, np.inf), description="asks", lift=("min",))
def question_marks(context):
    return np.array([text.count("?") for text in context.arguments.text])


@ranker("calm", "few question marks first", kinds=("argument",))
class Calm:
    columns = ["question_marks"]

    def __init__(self, kind):
        pass

    def score(self, table):
        return -np.asarray(table["question_marks"])


@labelling_function("relevance", "asks little", ["question_marks"], kind="argument")
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


@reranker("shortest")
def shortest(question, texts):
    return [-len(text) for text in texts]

"""


@pytest.fixture
def extended(tmp_path: Path) -> Iterator[Path]:
    """The plug-in, and a corpus in its format beside it; what it registers is forgotten afterwards."""
    path = tmp_path / "extension.py"
    path.write_text(EXTENSION, "utf-8")
    arguments = [(argument.id, *(one.text for one in argument.sentences)) for argument in open_corpus(str(SAMPLE))]
    lines = ["\t".join(" ".join(text.split()) for text in argument) + "\n" for argument in arguments]
    (tmp_path / "corpus.essays").write_text("".join(lines), "utf-8")
    shutil.copy(SAMPLE / "topics.xml", tmp_path)
    before = [set(registry.search()) for registry in REGISTRIES]
    yield path
    for plugin in [*plugins.LOADED.values()]:
        plugins.forget(plugin)
    assert [set(registry) for registry in REGISTRIES] == before


def test_one_file_adds_a_component_of_every_kind(extended: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = extended.parent
    common = ["-i", str(folder / "corpus.essays"), "--task", "essays", "--plugin", str(extended)]
    common += ["--index", str(folder / "index"), "--jobs", "1", "--quiet"]
    judged = ["--topics", str(SAMPLE / "topics-train.xml"), "--qrels", str(SAMPLE / "qrels-train-relevance.qrels")]
    model = ["-m", str(folder / "model")]
    options = ["--objective", "covariance", "--columns", "0", "--folds", "2", "--labels", "asks_little"]
    votes = f"--votes=ours:relevance={SAMPLE / 'qrels-train-quality.qrels'}"
    options += [votes]
    assert train.main([*common, *judged, *model, *options]) == 0
    manifest = json.loads((folder / "model" / "manifest.json").read_text("utf-8"))
    assert manifest["task"] == "essays"
    assert manifest["rankers"]["relevance"]["ranker"] == "covariance"
    assert manifest["features"]["question_marks"] == 1
    assert manifest["sources"]["functions"] == ["asks_little"]
    assert manifest["labels"]["relevance"]["weakly labelled"] > 0
    digest = hashlib.sha256(EXTENSION.encode()).hexdigest()
    assert manifest["plugins"] == {"extension": {"digest": digest, "needed": True}}

    assert predict.main([*common, *model, "-o", str(folder / "out")]) == 0
    run = folder / "out" / "run.txt"
    topic, _, essay, *_ = run.read_text("utf-8").split()
    assert essay.startswith("S")
    capsys.readouterr()
    assert evaluate.main(["--run", str(run), "--qrels", str(SAMPLE / "qrels-test-relevance.qrels")]) == 0
    assert "nDCG@5" in capsys.readouterr().out
    assert explain.main([*common, *model, "--run", str(run), "--topic", topic, "--rank", "1"]) == 0
    assert essay in capsys.readouterr().out
    more = ["-o", str(folder / "shortest"), "--rerank", "shortest", "--rerank-depth", "9"]
    assert predict.main([*common, *model, *more]) == 0
    assert "best 9 re-ranked by shortest" in capsys.readouterr().out
    assert encode.main([*common, "--encoder", "lengths:mine"]) == 0
    assert "texts encoded" in capsys.readouterr().out
    assert predict.main([*common, "-m", "calm", "-o", str(folder / "calm")]) == 0
    assert check.main([str(folder / "corpus.essays"), "--plugin", str(extended)]) == 0
    assert "predict --task essays" in capsys.readouterr().out

    # without the plug-in, the model asks for it; and a changed one is noticed
    assert not plugins.LOADED, "a plug-in is loaded for the time of a command"
    without = ["-i", str(SAMPLE), "--task", "arguments", *common[-5:], "-o", str(folder / "out")]
    refuses(lambda: predict.main([*without, *model]), "manifest.json", "needs the plug-in 'extension' (SHA-256")
    refuses(lambda: train.main(["--task", "essays"]), "--task", "(what a plug-in adds needs the plug-in)")
    extended.write_text(EXTENSION + "\n# another remark\n", "utf-8")
    capsys.readouterr()
    assert predict.main([*common, *model, "-o", str(folder / "again")]) == 0
    assert "another version of the plug-in extension" in capsys.readouterr().err
    assert (folder / "again" / "run.txt").read_bytes() == run.read_bytes()


@pytest.mark.parametrize(
    "workers",
    [
        pytest.param(["--jobs", "2"], id="processes", marks=pytest.mark.system),
        pytest.param(["--workers", "2"], id="cluster", marks=pytest.mark.cluster),
    ],
)
def test_workers_have_the_plugins_too(extended: Path, workers: list[str]) -> None:
    folder = extended.parent
    runs = []
    for number, how in enumerate((["--jobs", "1"], workers)):
        words = ["predict", "-i", str(folder / "corpus.essays"), "--task=essays", f"--plugin={extended}", "-m", "calm"]
        words += ["-o", str(folder / f"out-{number}"), "--index", str(folder / f"index-{number}"), "--quiet", *how]
        printed("-c", "from ltr.cli.main import main; main()", *words)
        runs.append((folder / f"out-{number}" / "run.txt").read_bytes())
    assert runs[0] == runs[1]
    assert runs[0]


WRONG = {
    "import no_such_package_here": "failed: ModuleNotFoundError: No module named 'no_such_package_here' (line 1); "
    "install no_such_package_here, or leave the plug-in out",
    "x = 1\n1 / 0": "failed: ZeroDivisionError: division by zero (line 2); mend the plug-in",
    "def f(:": "failed: SyntaxError: invalid syntax (wrong.py, line 1)",
    "raise SystemExit(3)": "failed: SystemExit: 3 (line 1)",
    "from models.base import ranker\n@ranker('bm25', 'taken')\nclass Mine: pass": "ranker 'bm25' is registered twice",
}


@pytest.mark.parametrize("number", range(len(WRONG)))
def test_a_plugin_that_cannot_be_loaded_is_named(tmp_path: Path, number: int) -> None:
    source, complaint = [*WRONG.items()][number]
    path = tmp_path / "wrong.py"
    path.write_text(source, "utf-8")
    before = [set(registry.search()) for registry in REGISTRIES]
    refuses(lambda: ltr.load_plugin(path), str(path), complaint)
    assert not plugins.LOADED
    assert [set(registry) for registry in REGISTRIES] == before


def test_names_of_plugins(extended: Path) -> None:
    refuses(lambda: ltr.load_plugin("/dev/zero"), "/dev/zero", "cannot be read (more than 16 mb)")
    refuses(lambda: ltr.load_plugin(extended.with_name("none.py")), "none.py", "cannot be read (no such file")
    other = extended.with_name("two words.py")
    other.write_text("", "utf-8")
    refuses(lambda: ltr.load_plugin(other), "two words.py", "not one of letters")
    ltr.load_plugin(extended)
    ltr.load_plugin(extended)  # which changes nothing
    extended.write_text("", "utf-8")
    refuses(lambda: ltr.load_plugin(extended), "extension.py", "another plug-in 'extension' is loaded")


FAULTS = {
    "feature": ("return 1 / 0", "failed: ZeroDivisionError: division by zero (line 11)"),
    "shape": ("return np.ones((2, 2))", "feature 'mine': gave shape (2, 2) where ("),
    "import": ("import no_such_package_here", "failed: ModuleNotFoundError: No module named 'no_such_package_here'"),
    "task": ("return 0", "faulty.py: this plug-in failed: TypeError: 'NoneType' object is not subscriptable"),
    "ranker": ("return np.array([len(t) for t in context.arguments.text])", "ranker 'mine': gave shape (3,) where ("),
}

FAULTY = """
import numpy as np

from features.core.feature import feature
from ltr.tasks.arguments.task import Arguments
from ltr.ranking.task import register
from models.base import ranker

@feature("argument", group="extension", measured_in="count", range=(0, 9e9), description="mine", lift=("min",))
def mine(context):
    {body}

@ranker("mine", "mine", kinds=("argument",))
class Mine:
    columns = ["mine"]

    def __init__(self, kind):
        pass

    def score(self, table):
        return [1, 2, 3]


class Task(Arguments):
    name = "mine"

    def propose(self, search):
        pass

register(Task())
"""


@pytest.mark.parametrize(("fault", "jobs"), [*((fault, "1") for fault in FAULTS), ("feature", "2"), ("task", "2")])
def test_a_plugin_that_fails_ends_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], fault: str, jobs: str
) -> None:
    body, complaint = FAULTS[fault]
    path = tmp_path / "faulty.py"
    path.write_text(FAULTY.format(body=body), "utf-8")
    task = "mine" if fault == "task" else "arguments"
    words = ["predict", "--task", task, "-i", str(SAMPLE), "-o", str(tmp_path / "out"), "-m", "mine"]
    monkeypatch.setattr(sys, "argv", ["riposte", *words, "--plugin", str(path), "--quiet", "--jobs", jobs])
    with pytest.raises(SystemExit) as caught:
        main()
    assert not plugins.LOADED
    assert caught.value.code == 2
    said = capsys.readouterr().err
    assert said.startswith("error: ")
    assert complaint in said
    assert said.count("\n") == 1
    assert not (tmp_path / "out" / "run.txt").exists()


@pytest.mark.system
def test_an_installed_package_is_a_plugin(tmp_path: Path) -> None:
    """A package and its metadata on Python's path, as pip puts them there."""
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "__init__.py").write_text(EXTENSION, "utf-8")
    info = tmp_path / "mine_riposte-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: mine-riposte\nVersion: 1.0\n", "utf-8")
    (info / "entry_points.txt").write_text("[riposte.plugins]\nmine = mine\n", "utf-8")
    words = ["predict", "--task", "essays", "-i", str(SAMPLE), "-o", str(tmp_path / "out"), "-m", "calm"]
    words += ["--jobs", "2", "--quiet"]
    run = ["-c", "from ltr.cli.main import main; main()", *words]
    found = os.pathsep.join(map(str, (tmp_path, ROOT)))
    printed(*run, PYTHONPATH=found)
    assert (tmp_path / "out" / "run.txt").stat().st_size > 0
    (tmp_path / "mine" / "__init__.py").write_text("import no_such_package_here", "utf-8")
    done = python(*run, PYTHONPATH=found)
    assert done.returncode == 2
    assert done.stderr == (
        "error: plug-in mine of mine-riposte: this plug-in failed: ModuleNotFoundError: No module named "
        "'no_such_package_here'; install no_such_package_here, or leave the plug-in out\n"
    )


def test_what_a_reader_gives_is_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Words(FileCorpus):
        def _read(self):  # type: ignore[no-untyped-def]
            yield "no argument"

    path = tmp_path / "corpus.words"
    path.write_text("", "utf-8")
    for opened, complaint in (
        (lambda path: None, "the reader returned NoneType, expected Corpus"),
        (lambda path: Words(Path(path)), "row 1: the reader returned str, expected Argument"),
    ):
        monkeypatch.setitem(READERS.search(), "words", Reader(opened, suffixes=(".words",)))  # type: ignore[arg-type]
        refuses(lambda: list(open_corpus(str(path))), "corpus.words", complaint)


@pytest.mark.parametrize(
    ("votes", "complaint"),
    [
        ([0.5], "gave shape (1,) where (3,) was due"),
        (["a", "b", "c"], "gave no array of numbers"),
        ([0.1, 2, 0.3], "gave votes outside of 0 to 1"),
        ([0.1, np.inf, 0.3], "not finite"),
    ],
)
def test_votes_are_checked(votes: list[object], complaint: str) -> None:
    items = item_frame([(["a", "b", "c"], [0, 1, 2], [0, 1, 2])], ["Q0"] * 3)
    table = Candidates.of_topic(Topic("51", "?"), described(items, FRAME), kind="argument")
    function = LabellingFunction("mine", "quality", "", (), 1.0, "argument", False, lambda evidence: votes)  # type: ignore
    with pytest.raises(ComponentError) as caught:
        collect_votes(Evidence(table), [function])
    assert str(caught.value).startswith("labelling function 'mine': ")
    assert complaint in str(caught.value)
    column = FRAME.columns[0]
    nosy = replace(function, vote=lambda evidence: evidence.column(column))
    with pytest.raises(ComponentError, match=f"'mine': reads the column '{column}', which it does not declare"):
        collect_votes(Evidence(table), [nosy])
    assert len(collect_votes(Evidence(table), [replace(nosy, columns=(column,))])) == 3
    good = replace(function, vote=lambda evidence: np.array([0, np.nan, 1]))
    assert collect_votes(Evidence(table), [good])[[0, 2], 0].tolist() == [0, 1]


@pytest.mark.parametrize(
    ("method", "complaint"),
    [
        ("def gains(self):\n        return {}", "ranker 'covariance': gave no gain of the column '"),
        (
            "def settings(self):\n        return {'weights': self.weights}",
            "this plug-in failed: TypeError: Object of type",
        ),
        ("def score_values(self, values):\n        return values", "ranker 'covariance': gave shape ("),
    ],
    ids=["gains", "settings", "scores"],
)
def test_a_learned_ranker_is_checked(
    extended: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], method: str, complaint: str
) -> None:
    extended.write_text(EXTENSION.replace("    @classmethod", f"    {method}\n\n    @classmethod"), "utf-8")
    words = ["train", "--task", "arguments", "--plugin", str(extended), "--objective", "covariance", "--folds", "2"]
    words += ["-m", str(extended.parent / "model"), "--jobs", "1", "--quiet"]
    monkeypatch.setattr(sys, "argv", ["riposte", *words])
    with pytest.raises(SystemExit) as caught:
        main()
    said = capsys.readouterr().err
    assert caught.value.code == 2, said
    assert complaint in said
    assert [line[:7] for line in said.splitlines() if not line.startswith("warning: ")] == ["error: "]
    assert not (extended.parent / "model").exists()
