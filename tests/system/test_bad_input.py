"""Everything that can be wrong with what a user gives: one line, exit 2, and nothing half-written."""

from __future__ import annotations

import json
import os
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.corpora import SMALL, write_corpus
from support.sample_model import sample_model

from experiments import ablation, learning_curve, supervision
from ltr.cli import process as command_process
from ltr.cli.process import run_command
from ltr.commands import evaluate, explain, export, fuse, predict, search, train
from ltr.corpora.source import open_corpus
from ltr.index.cache import open_index
from ltr.progress import Progress
from ltr.sample import SAMPLE

ROOT = Path(__file__).resolve().parents[2]
TOPICS = "<topics><topic><number>1</number><title>Ban cars?</title></topic></topics>"

Main = Callable[[list[str] | None], int | None]
Complain = Callable[..., str]


class Place:
    """A small corpus with topics, an output folder with an older run, and what must stay as it is."""

    def __init__(self, folder: Path) -> None:
        self.corpus = write_corpus(folder / "corpus", SMALL)
        self.table = self.corpus / "args_processed.csv"
        self.topics = self.corpus / "topics.xml"
        self.topics.write_text(TOPICS)
        self.out = folder / "out"
        self.out.mkdir()
        self.run = self.out / "run.txt"
        self.run.write_text("old run\n")
        self.index = folder / "index"
        self.options = ["-i", str(self.corpus), "-o", str(self.out), "--index", str(self.index), "-m", "bm25"]

    def assert_untouched(self) -> None:
        assert self.run.read_text() == "old run\n"
        assert [path.name for path in self.out.iterdir()] == ["run.txt"]
        assert not list(self.index.parent.glob(".*.part"))

    def change(self, old: bytes, new: bytes) -> None:
        content = self.table.read_bytes()
        assert old in content
        self.table.write_bytes(content.replace(old, new, 1))


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


@pytest.fixture
def complain(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Complain:
    """Run a command to its end inside this process; the one line that it says."""
    monkeypatch.setattr(command_process, "_close_stdout", lambda: None)

    def call(main: Main, *options: object) -> str:
        monkeypatch.setattr(sys, "argv", ["ltr", *map(str, options)])
        with pytest.raises(SystemExit) as caught:
            run_command(main)
        out, err = capfd.readouterr()
        assert caught.value.code == 2
        assert out == ""
        *notes, error = err.splitlines(keepends=True)
        # Files beside a corpus are named before anything is refused.
        assert all(note.startswith("warning: ") and ": left out: " in note for note in notes)
        assert error.startswith("error: ")
        return error

    return call


def quietly(place: Place, *more: object) -> list[object]:
    return [*place.options, "--quiet", "--jobs", "1", *more]


# ---- the corpus -----------------------------------------------------------------------------------


def cut_at(place: Place, text: bytes, more: int = 0) -> None:
    content = place.table.read_bytes()
    place.table.write_bytes(content[: content.index(text) + more])


def repeat_last_row(place: Place) -> None:
    content = place.table.read_bytes()
    place.table.write_bytes(content + content[content.index(b"S3-A2,") :])


CODE = b"__import__('os').system('touch /tmp/pwned')"
ROW = "args_processed.csv: row "
CORPUS: dict[str, tuple[Callable[[Place], object], list[str]]] = {
    "no directory": (lambda place: shutil.rmtree(place.corpus), ["/corpus: no such file or directory; name the"]),
    "missing column": (
        lambda place: place.change(b"premises,", b"reasons,"),
        ["args_processed.csv: the header has no column premises; the first line must name"],
    ),
    "cut inside a cell": (
        lambda place: cut_at(place, b"Zoos keep"),
        [f"{ROW}3", "ends inside a quoted cell", "copy or download it again"],
    ),
    "code for a literal": (
        lambda place: place.change(b"{'sourceTitle': 'T'}", CODE),
        [f"{ROW}1", "column context", "write the cell as"],
    ),
    "latin 1": (
        lambda place: place.change(b"Cities breathe", b"Citi\xe9s breathe"),
        [f"{ROW}1", "is not UTF-8", "convert the file to UTF-8"],
    ),
    "UTF-16": (
        lambda place: place.table.write_bytes(place.table.read_text("utf-8").encode("utf-16")),
        ["args_processed.csv: the header is not CSV in UTF-8; "],
    ),
    "same id twice": (repeat_last_row, [f"{ROW}6", "the id S3-A2 is already that of row 5", "keep one of the two"]),
    "no row": (lambda place: write_corpus(place.corpus, []), ["args_processed.csv: there are no arguments in it; "]),
    "empty file": (lambda place: place.table.write_bytes(b""), ["args_processed.csv: the file is empty; "]),
}
"""What is wrong -> how it is made so, and parts of the message: the file, the row, the fault and a hint."""


@pytest.mark.parametrize("case", CORPUS)
@pytest.mark.parametrize("indexed", [False, True], ids=["new", "indexed before"])
def test_bad_corpus(case: str, indexed: bool, place: Place, complain: Complain) -> None:
    if indexed:
        open_index(open_corpus(str(place.corpus)), place.index, Progress(quiet=True))
    harm, expected = CORPUS[case]
    harm(place)
    line = complain(predict.main, *quietly(place))
    assert all(part in line for part in expected), line
    place.assert_untouched()
    assert place.index.exists() == indexed


# ---- topics ---------------------------------------------------------------------------------------

BOMB = '<!DOCTYPE t [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]><topics><topic><number>1</number><title>&b;</title>'
ONE = "<topic><number>1</number><title>Ban cars?</title></topic>"
BAD_TOPICS: dict[str, tuple[str | bytes | None, str]] = {
    "none": (None, ": there are no topics; put topics.xml there, or name another file"),
    "empty": ("", ": is empty; "),
    "entity bomb": (BOMB + "</topic></topics>", ": declares a DTD, which is refused; take out <!DOCTYPE ...>"),
    "number twice": (f"<topics>{ONE}{ONE}</topics>", " topic 2: number 1 is taken by an earlier topic; renumber it"),
    "no topics": ("<topics/>", ": holds no topics; "),
    "no match": (TOPICS.replace("Ban cars?", "Zyzzyva?"), "no topic matches any argument; check that"),
}


@pytest.mark.parametrize("case", BAD_TOPICS)
def test_bad_topics(case: str, place: Place, complain: Complain) -> None:
    content, expected = BAD_TOPICS[case]
    if content is None:
        place.topics.unlink()
    else:
        place.topics.write_bytes(content.encode() if isinstance(content, str) else content)
    line = complain(predict.main, *quietly(place))
    assert expected in line
    assert "topics.xml" in line or case == "no match"
    place.assert_untouched()
    assert place.index.exists() == (case == "no match"), "topics are read before the corpus is indexed"


# ---- judgments ------------------------------------------------------------------------------------

BAD_QRELS = {
    "word as grade": ("1 0 S1-A1 2\n\n1 0 S2-A9 good\n", " line 3: grade 'good' is not a finite number; write one"),
    "two grades": ("1 0 S1-A1 2\n1 0 S1-A1 1\n", " line 2: topic 1, id S1-A1: grade 1 here, 2 earlier; keep one"),
    "empty": ("", ": is empty; "),
    "unknown topic": ("8 0 S1-A1 2\n9 0 S1-A1 2\n", ": judgments for 2 topics that are in no topics file"),
    "another corpus": ("1 0 S0-A0 2\n", ": no judged argument is in this corpus; use judgments that belong"),
}


def training(place: Place, *more: object, qrels: str = "1 0 S1-A1 2\n") -> list[object]:
    """Options of a training with these judgments, and topics that are not called as those of a test."""
    (place.corpus / "some.qrels").write_text(qrels)
    topics = shutil.copy(place.topics, place.corpus / "training.xml")
    place_and_topics = ["-i", place.corpus, "--topics", topics, "--index", place.index, "-m", place.out / "model"]
    return [*place_and_topics, "--qrels", place.corpus / "some.qrels", "--jobs", "1", "--quiet", *more]


@pytest.mark.parametrize("case", BAD_QRELS)
def test_bad_qrels_in_training(case: str, place: Place, complain: Complain) -> None:
    content, expected = BAD_QRELS[case]
    options = training(place, qrels=content)
    place.topics.unlink()  # or training on them is warned of
    assert f"some.qrels{expected}" in complain(train.main, *options)
    place.assert_untouched()


ONE_PAIR = "S1-A1__PREMISE__1,S1-A1__PREMISE__2"


def test_two_files_that_grade_a_pair_otherwise(place: Place, complain: Complain) -> None:
    files = [place.corpus / "a.qrels", place.corpus / "b.qrels"]
    for path, grade in zip(files, (1, 2), strict=True):
        path.write_text(f"1 0 {ONE_PAIR} {grade}\n")
    options = [option for path in files for option in ("--pair-qrels", f"quality={path}")]
    line = complain(train.main, *training(place), *options)
    assert f"b.qrels line 1: topic 1, id {ONE_PAIR}: grade 2 here, 1 earlier; keep one of the two" in line


def test_topics_that_contradict_each_other(place: Place, complain: Complain) -> None:
    (place.corpus / "more.xml").write_text(TOPICS.replace("cars", "zoos"))
    line = complain(train.main, *training(place, "--topics", place.corpus / "more.xml"))
    assert "more.xml: topic 1 has another title in an earlier file; renumber" in line


# ---- usage ----------------------------------------------------------------------------------------

IN_OUT = "-i x -o y"
JUDGED = "--topics: a corpus needs its topics; name a file of them"
TAG = "is not one word without spaces"
PAIR_FILES = "is not DIMENSION=FILE, with one of relevance, quality, coherence"
WEIGHTS = "is not three weights relevance,quality,cohe"
COMMANDS = {"predict": predict.main, "fuse": fuse.main, "train": train.main}
COMMANDS["evaluate"] = evaluate.main
USAGE: dict[str, str] = {
    "predict": "usage: the following arguments are required: -i/--input, -o/--output; see --help",
    "predict -i x": "usage: the following arguments are required: -o/--output",
    f"predict {IN_OUT} --nope": "usage: unrecognized arguments: --nope",
    f"predict {IN_OUT} --depth 0": "--depth: '0' is not a whole number from 1 to 1000",
    f"predict {IN_OUT} --tag 'two words'": TAG,
    f"predict {IN_OUT} --tag ''": TAG,
    "fuse --run a -o y": "--run: fusion needs at least two runs; name at least two",
    "fuse --run a --run ./a -o y": "a: is named twice among the runs; name it once",
    "fuse --run a --run b -o y": "a: cannot be read (no such file or directory)",
    "train -i x": f"{JUDGED}, and judgments or votes",
    "train --drop nonsense": "--drop: no feature group, feature or column 'nonsense'; groups are: ",
    "train --sources strong": "--sources: 'strong' is none of distant, weak, graded",
    "train --sources weak,,graded": "--sources: 'weak,,graded' is not a list of names",
    "train --labels nonsense": "--labels: no labelling function 'nonsense'; known: judged_relevance, ",
    "train --columns many": "--columns: 'many' is not a whole number from 0 to ",
    "train --objective luck": "--objective: 'luck' is not one of both, lambdarank, regression, linear",
    "train --pair-qrels beauty=x": f"'beauty=x' {PAIR_FILES}",
    "train --pair-qrels quality": f"'quality' {PAIR_FILES}",
    "train --pair-qrels quality=": f"'quality=' {PAIR_FILES}",
    "train --pair-qrels quality=none.qrels": "none.qrels: cannot be read (no such file or directory)",
    "train -i x --pair-qrels quality=q": JUDGED,
    "train --quality-qrels none.qrels": "none.qrels: cannot be read (no such file or directory)",
    "train -i x --topics t.xml": "x: no such file or directory; name the directory with the corpus",
    "train --votes quality=x": "'quality=x' is not NAME:DIMENSION=FILE",
    "train --votes gpt:quality=none.qrels": "none.qrels: cannot be read (no such file or directory)",
    "train -i x --quality-qrels q": JUDGED,
    "train --qrels none.qrels": "none.qrels: cannot be read (no such file or directory)",
    "evaluate --run x": "usage: no judgments are named; add --qrels FILE, --pair-qrels",
}
for start in (f"predict {IN_OUT}", "train"):
    USAGE |= {
        f"{start} --dimension beauty": "--dimension: 'beauty' is not one of relevance, quality, coherence, all",
        f"{start} --dimension": "usage: argument --dimension: expected one argument",
        f"{start} --dimension quality --blend 1,1,1": "--blend: does not go with dimension; leave one of them out",
        f"{start} --blend 1,0,0 --dimension relevance": "leave one of them out",
        f"{start} --blend=-1,2,3": "--blend: '-1,2,3' is not three weights",
        f"{start} --blend readible": "as in .5,.3,.2, nor one of relevant, balanced, readable",
    }
for wrong in "|1|1,2,3,4|a,b,c|0,0,0|1,nan,1|inf,1,1|1,,2|1;2;3|1,1e9,1|1e-7,0,0".split("|"):
    USAGE[f"predict {IN_OUT} --blend '{wrong}'"] = f"--blend: {wrong!r} {WEIGHTS}"


@pytest.mark.parametrize("words", USAGE)
def test_wrong_usage(words: str, complain: Complain, tmp_path: Path) -> None:
    command, *options = shlex.split(words)
    if command == "train" and "-i" not in options:
        options = [*options, "-m", str(tmp_path / "model"), "--index", str(tmp_path / "index"), "--quiet"]
    assert USAGE[words] in complain(COMMANDS[command], *options)
    assert not (tmp_path / "model").exists()


# ---- places that cannot be written ----------------------------------------------------------------


@pytest.mark.parametrize("inside", ["file", "file/below"])
def test_an_output_directory_that_cannot_be_written(inside: str, place: Place, complain: Complain) -> None:
    (place.corpus / "file").write_text("dear to me")
    line = complain(predict.main, *quietly(place), "-o", place.corpus / inside)
    assert f"{inside}: the output directory cannot be written (" in line
    assert line.endswith("; name another directory\n")
    assert (place.corpus / "file").read_text() == "dear to me"
    assert not place.index.exists(), "the output is tried before the work begins"


OUTPUTS: dict[str, tuple[Main, list[str], str]] = {
    "train": (train.main, ["-m"], "model"),
    "export": (export.main, ["-o"], "matrix.csv"),
    "search": (search.main, ["Ban cars?", "--json"], "found.json"),
    "explain": (explain.main, ["--json"], "explained.json"),
    "learning curve": (learning_curve.main, ["--json"], "curve.json"),
    "ablation": (ablation.main, ["-o"], "study"),
    "sources of supervision": (supervision.main, ["--run"], "runs"),
}


@pytest.mark.parametrize("name", OUTPUTS)
def test_no_command_writes_into_the_folder_of_the_index(name: str, place: Place, complain: Complain) -> None:
    main, option, file = OUTPUTS[name]
    (place.corpus / "some.run").write_text("1 PRO S1-A1__PREMISE__1,S1-A1__PREMISE__2 1 2.5 tag\n")
    given: dict[str, list[object]] = {
        "train": training(place),
        "search": ["-i", place.corpus],
        "explain": ["-i", place.corpus, "--run", place.corpus / "some.run", "--topic", "1", "--rank", "1"],
    }
    (place.corpus / "some.pairs").write_text("1 0 S1-A1__PREMISE__1,S1-A1__PREMISE__2 2\n")
    judged = ["-i", place.corpus, "--topics", place.topics, "--pair-qrels", f"relevance={place.corpus / 'some.pairs'}"]
    place.index.mkdir()
    line = complain(main, *given.get(name, judged), *option, place.index / file, "--index", place.index, "--quiet")
    assert f"{place.index / file}" in line
    assert f": this would lie in the folder of the index, {place.index}" in line
    assert list(place.index.iterdir()) == []


# ---- a full disk ----------------------------------------------------------------------------------


def process(*arguments: object, **options: Any) -> subprocess.Popen[str]:
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen([sys.executable, "-m", *map(str, arguments)], cwd=ROOT, **pipes, **options)


def limit_files(size: int) -> Callable[[], None]:
    """A limit on the size of files, which a process meets as it meets a full disk."""

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return limit


@pytest.mark.parametrize(("size", "victim"), [(1_000, "index"), (60_000, "index"), (4_000, "run")])
def test_files_that_may_not_grow(size: int, victim: str, place: Place) -> None:
    if victim == "index":
        shutil.copy(SAMPLE / "args_processed_sample.csv", place.table)
    else:  # there already, so that the run of some 6 kB is the first file that is too large
        open_index(open_corpus(str(place.corpus)), place.index, Progress(quiet=True))
    child = process("ltr.predict", *quietly(place), preexec_fn=limit_files(size))
    out, err = child.communicate(timeout=60)
    assert (child.returncode, out) == (2, "")
    place_of = {"index": place.index, "run": place.run}[victim]
    assert err.startswith(f"error: {place_of}: file too large; ")
    assert err.endswith("; earlier output is untouched\n")
    place.assert_untouched()


# ---- models ---------------------------------------------------------------------------------------


def change_weights(model: Path) -> None:
    """Change the manifest, but not its digest."""
    manifest = json.loads((model / "manifest.json").read_text("utf-8"))
    manifest["blend"]["weights"]["quality"] = 1.0
    (model / "manifest.json").write_text(json.dumps(manifest), "utf-8")


BAD_MODELS: dict[str, tuple[Callable[[Path], object], str]] = {
    "gone": (shutil.rmtree, "model: there is no such model; name a model folder or one of: argues, bm25"),
    "changed manifest": (
        change_weights,
        "manifest.json: the manifest was changed after training (its digest differs); train it again",
    ),
    "no trees": (
        lambda model: min(model.glob("*-trees-*")).unlink(),
        ".txt: this file of the model is missing; train it again",
    ),
}


@pytest.mark.parametrize("case", BAD_MODELS)
def test_bad_model(case: str, place: Place, complain: Complain, tmp_path: Path) -> None:
    model = Path(shutil.copytree(sample_model(), tmp_path / "model"))
    harm, expected = BAD_MODELS[case]
    harm(model)
    line = complain(predict.main, *quietly(place, "-m", model))
    assert str(model) in line
    assert expected in line
    place.assert_untouched()
    assert not place.index.exists(), "the model is read before the corpus is indexed"


# ---- Ctrl-C ---------------------------------------------------------------------------------------

UNTOUCHED = "interrupted; earlier output is untouched\n"


@pytest.fixture
def long_work(place: Place) -> Place:
    """Enough work to be interrupted in: the sample, its topics many times over."""
    shutil.copy(SAMPLE / "args_processed_sample.csv", place.table)
    topics = "".join(
        f"<topic><number>{n}</number><title>Should cities ban cars from their centres?</title></topic>"
        for n in range(200)
    )
    place.topics.write_text(f"<topics>{topics}</topics>")
    return place


def wait_for(child: subprocess.Popen[str], happened: Callable[[], bool]) -> None:
    end = time.monotonic() + 30
    while not happened():
        assert child.poll() is None, child.communicate()
        assert time.monotonic() < end
        time.sleep(0.005)


def interrupted(child: subprocess.Popen[str], *, group: bool) -> str:
    """End a process by Ctrl-C: sent to its group as a terminal does, or to it alone as `kill -INT` does."""
    (os.killpg if group else os.kill)(child.pid, signal.SIGINT)
    out, err = child.communicate(timeout=30)
    assert out == ""
    assert child.returncode == 130, err
    return err


MOMENTS: dict[str, Callable[[Place, subprocess.Popen[str]], bool]] = {
    "indexes": lambda place, child: any(place.index.glob("riposte-index-*/parts/.*/texts.bin")),
    "describes": lambda place, child: (place.index / "index.json").exists(),
}


@pytest.mark.parametrize("moment", MOMENTS)
def test_ctrl_c_while_a_command(moment: str, long_work: Place) -> None:
    child = process("ltr.predict", *quietly(long_work), start_new_session=True)
    wait_for(child, lambda: MOMENTS[moment](long_work, child))
    assert interrupted(child, group=moment != "describes") == UNTOUCHED
    assert long_work.index.exists() == (moment == "describes")
    long_work.assert_untouched()
