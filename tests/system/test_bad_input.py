"""Everything that can be wrong with what a user gives: one line, exit 2, and nothing half-written."""

from __future__ import annotations

import errno
import json
import math
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from support.corpora import SMALL, write_corpus
from support.planted import FACTS, fitted, planted

from experiments import learning_curve, supervision
from experiments.ablation import command as ablation
from experiments.report import command as report
from features.core import feature as registry
from ltr.cli import process as command_process
from ltr.cli.process import run_command
from ltr.commands import evaluate, explain, export, fuse, predict, rerank, search, train
from ltr.corpora.source import open_corpus
from ltr.data.files import manifest_digest
from ltr.index.cache import open_index
from ltr.progress import Progress
from ltr.retrieval.base import CandidateConfig
from ltr.sample import SAMPLE
from ltr.tasks import find_task
from ltr.training import bundle
from models.blend import Blend

ROOT = Path(__file__).resolve().parents[2]
TOPICS = "<topics><topic><number>1</number><title>Ban cars?</title></topic></topics>"
TITLES = SAMPLE / "topics.xml"

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
        assert err.startswith("error: ")
        assert err.count("\n") == 1
        return err

    return call


def quietly(place: Place, *more: object) -> list[object]:
    return [*place.options, "--quiet", "--jobs", "1", *more]


# ---- the corpus -----------------------------------------------------------------------------------


def no_directory(place: Place) -> None:
    shutil.rmtree(place.corpus)


def no_corpus_file(place: Place) -> None:
    place.table.rename(place.corpus / "other.csv")


def two_corpus_files(place: Place) -> None:
    shutil.copy(place.table, place.corpus / "args_processed_2.csv")


def missing_column(place: Place) -> None:
    place.change(b"premises,", b"reasons,")


def cut_inside_a_cell(place: Place) -> None:
    content = place.table.read_bytes()
    place.table.write_bytes(content[: content.index(b"Zoos keep")])


def cut_between_cells(place: Place) -> None:
    content = place.table.read_bytes()
    place.table.write_bytes(content[: content.index(b"S3-A2,") + 8])


def no_literal(place: Place) -> None:
    place.change(b"[{'sent_id': 'S1-A2__PREMISE__1'", b"[{'sent_id': S1-A2__PREMISE__1")


def code_for_a_literal(place: Place) -> None:
    place.change(b"{'sourceTitle': 'T'}", b"__import__('os').system('touch /tmp/pwned')")


def latin_1(place: Place) -> None:
    place.change(b"Cities breathe", b"Citi\xe9s breathe")


def utf_16(place: Place) -> None:
    place.table.write_bytes(place.table.read_text("utf-8").encode("utf-16"))


def same_id_twice(place: Place) -> None:
    content = place.table.read_bytes()
    place.table.write_bytes(content + content[content.index(b"S3-A2,") :])


def no_row(place: Place) -> None:
    write_corpus(place.corpus, [])


def empty_file(place: Place) -> None:
    place.table.write_bytes(b"")


# What is wrong -> what the line says: the file, the row, the fault and a hint.
CORPUS: dict[Callable[[Place], None], list[str]] = {
    no_directory: ["/corpus: no such file or directory; name the directory"],
    no_corpus_file: ["/corpus: there is no args_processed*.csv", "name the directory with the corpus"],
    two_corpus_files: ["/corpus: has 2 corpus files, args_processed.csv and args_processed_2.csv; name the file"],
    missing_column: ["args_processed.csv: the header has no column premises; the first line must name"],
    cut_inside_a_cell: [
        "args_processed.csv: row 3",
        "ends inside a quoted cell",
        "copy or download it again",
    ],
    cut_between_cells: [
        "args_processed.csv: row 5",
        "has 2 cells where the header has 5",
        "copy or download it again",
    ],
    no_literal: ["args_processed.csv: row 3", "column sentences", "write the cell as Python's repr does"],
    code_for_a_literal: ["args_processed.csv: row 1", "column context", "write the cell as"],
    latin_1: ["args_processed.csv: row 1", "is not UTF-8", "convert the file to UTF-8"],
    utf_16: ["args_processed.csv: the header is not CSV in UTF-8; "],
    same_id_twice: [
        "args_processed.csv: row 6",
        "the id S3-A2 is already that of row 5",
        "keep one of the two",
    ],
    no_row: ["args_processed.csv: there are no arguments in it; "],
    empty_file: ["args_processed.csv: the file is empty; "],
}


@pytest.mark.parametrize("harm", CORPUS, ids=lambda harm: harm.__name__)
@pytest.mark.parametrize("indexed", [False, True], ids=["new", "indexed before"])
def test_bad_corpus(harm: Callable[[Place], None], indexed: bool, place: Place, complain: Complain) -> None:
    if indexed:
        open_index(open_corpus(str(place.corpus)), place.index, Progress(quiet=True))
    harm(place)
    line = complain(predict.main, *quietly(place))
    for part in CORPUS[harm]:
        assert part in line
    place.assert_untouched()
    assert place.index.exists() == indexed


# ---- topics ---------------------------------------------------------------------------------------

BOMB = '<!DOCTYPE t [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]><topics><topic><number>1</number><title>&b;</title>'
ONE = "<topic><number>1</number><title>Ban cars?</title></topic>"
BAD_TOPICS: dict[str, tuple[str | bytes | None, str]] = {
    "none": (None, ": there are no topics; put topics.xml there or name a file with --topics"),
    "empty": ("", ": is empty; "),
    "broken": ("<topics>\n<topic><number>1</title></topic>", " line 2: is not XML"),
    "bare ampersand": (f"<topics>\n{ONE.replace('cars', 'cars & vans')}</topics>", " line 2: is not XML"),
    "entity bomb": (
        BOMB + "</topic></topics>",
        ": declares a DTD, which is refused; take out <!DOCTYPE ...>",
    ),
    "number twice": (
        f"<topics>{ONE}{ONE}</topics>",
        " topic 2: number 1 is taken by an earlier topic; renumber it",
    ),
    "no title": (
        "<topics><topic><number>4</number></topic></topics>",
        "topic 4 has no title; give it a <title>",
    ),
    "blank title": (
        f"<topics>{ONE.replace('Ban cars?', ' ')}</topics>",
        "topic 1 has no title; give it a <title>",
    ),
    "no number": (
        f"<topics>{ONE.replace('>1<', '><')}</topics>",
        " topic 1: has no number; give it a <number>",
    ),
    "no topics": ("<topics/>", ": holds no topics; "),
    "latin 1": (
        f"<topics>\n{ONE.replace('cars', 'é')}</topics>".encode("latin-1"),
        " line 2: is not UTF-8; ",
    ),
    "no XML": ("1\tBan cars?", " line 1: is not XML"),
}


@pytest.mark.parametrize("case", BAD_TOPICS)
def test_bad_topics(case: str, place: Place, complain: Complain) -> None:
    content, expected = BAD_TOPICS[case]
    if content is None:
        place.topics.unlink()
    else:
        place.topics.write_bytes(content.encode() if isinstance(content, str) else content)
    line = complain(predict.main, *quietly(place))
    assert f"topics.xml{expected}" in line or (expected in line and "topics.xml" in line)
    place.assert_untouched()
    assert not place.index.exists(), "topics are read before the corpus is indexed"


def test_topics_that_are_not_there(place: Place, complain: Complain) -> None:
    assert "none.xml: cannot be read (no such file" in complain(predict.main, *quietly(place, "--topics", "none.xml"))
    place.assert_untouched()


def test_no_topic_matches(place: Place, complain: Complain) -> None:
    place.topics.write_text(TOPICS.replace("Ban cars?", "Zyzzyva?"))
    assert "no topic matches any argument; check that" in complain(predict.main, *quietly(place))
    place.assert_untouched()


def test_a_corpus_without_a_sentence(place: Place, complain: Complain) -> None:
    place.table.write_text("id,conclusion,premises,context,sentences\nA1,,[],{},[]\nA2,,[],{},[]\n", "utf-8")
    assert "no topic matches any argument; check that" in complain(predict.main, *quietly(place))


# ---- judgments ------------------------------------------------------------------------------------

BAD_QRELS = {
    "three columns": (
        "1 0 S1-A1 2\n1 S1-A1 2\n",
        " line 2: has 3 columns, not 4; write it as `topic 0 id grade`",
    ),
    "five columns": ("1 0 S1-A1 2 x\n", " line 1: has 5 columns, not 4; write it as `topic 0 id grade`"),
    "word as grade": (
        "1 0 S1-A1 2\n\n1 0 S2-A9 good\n",
        " line 3: grade 'good' is not a finite number; write one",
    ),
    "no number": ("1 0 S1-A1 nan\n", " line 1: grade 'nan' is not a finite number; write one"),
    "two grades": (
        "1 0 S1-A1 2\n1 0 S1-A1 1\n",
        " line 2: topic 1, id S1-A1: grade 1 here, 2 earlier; keep one",
    ),
    "empty": ("", ": is empty; "),
    "unknown topic": (
        "1 0 S1-A1 2\n8 0 S1-A1 2\n9 0 S1-A1 2\n",
        ": judgments for 2 topics that are in no topics file",
    ),
    "another corpus": ("1 0 S0-A0 2\n", ": no judged argument is in this corpus; use judgments that belong"),
}


def training(place: Place, *more: object) -> list[object]:
    qrels = place.corpus / "some.qrels"
    options = ["-i", place.corpus, "--topics", place.topics, "--qrels", qrels, "--index", place.index]
    return [*options, "-m", place.out / "model", "--jobs", "1", "--quiet", *more]


@pytest.mark.parametrize("case", BAD_QRELS)
def test_bad_qrels_in_training(case: str, place: Place, complain: Complain) -> None:
    content, expected = BAD_QRELS[case]
    (place.corpus / "some.qrels").write_text(content)
    place.topics = place.topics.rename(place.corpus / "training.xml")  # or training on it is warned of
    assert f"some.qrels{expected}" in complain(train.main, *training(place))
    place.assert_untouched()


ONE_PAIR = "S1-A1__PREMISE__1,S1-A1__PREMISE__2"
BAD_PAIRS = {
    "single ids": (
        f"1 0 {ONE_PAIR} 2\n1 0 S1-A1__PREMISE__1 2\n",
        " line 2: 'S1-A1__PREMISE__1' is one id, not a pair; name judgments of pairs idA,idB",
    ),
    "three ids": (f"1 0 {ONE_PAIR},S1-A1__PREMISE__3 2\n", "is not a pair; join two different sentence ids by one"),
    "one sentence twice": ("1 0 S1-A1__CONC__1,S1-A1__CONC__1 2\n", " line 1: 'S1-A1__CONC__1,S1-A1__CONC__1' is not"),
    "half a pair": ("1 0 S1-A1__CONC__1, 2\n", " line 1: 'S1-A1__CONC__1,' is not a pair"),
    "both orders, two grades": (
        f"1 0 {ONE_PAIR} 2\n1 0 S1-A1__PREMISE__2,S1-A1__PREMISE__1 1\n",
        f" line 2: topic 1, id {ONE_PAIR}: grade 1 here, 2 earlier; keep one of the two",
    ),
    "word as grade": (f"1 0 {ONE_PAIR} good\n", " line 1: grade 'good' is not a finite number; write one, such as 2"),
    "no number": (f"1 0 {ONE_PAIR} nan\n", " line 1: grade 'nan' is not a finite number"),
    "three columns": (f"1 {ONE_PAIR} 2\n", " line 1: has 3 columns, not 4; write it as `topic 0 id grade`"),
    "unknown topic": (f"8 0 {ONE_PAIR} 2\n", ": judgments for 1 topics that are in no topics file (8); add --topics"),
    "another corpus": ("1 0 S0-A0__PREMISE__1,S0-A0__CONC__1 2\n", ": no judged pair is in this corpus; use judgments"),
    "empty": ("", ": is empty; "),
}


@pytest.mark.parametrize("case", BAD_PAIRS)
def test_bad_graded_pairs(case: str, place: Place, complain: Complain) -> None:
    content, expected = BAD_PAIRS[case]
    (place.corpus / "some.qrels").write_text("1 0 S1-A1 2\n")
    pairs = place.corpus / "pairs.qrels"
    pairs.write_text(content)
    place.topics = place.topics.rename(place.corpus / "training.xml")
    assert expected in complain(train.main, *training(place, "--pair-qrels", f"quality={pairs}"))
    place.assert_untouched()


def test_two_files_that_grade_a_pair_otherwise(place: Place, complain: Complain) -> None:
    files = [place.corpus / "a.qrels", place.corpus / "b.qrels"]
    for path, grade in zip(files, (1, 2), strict=True):
        path.write_text(f"1 0 {ONE_PAIR} {grade}\n")
    options = [option for path in files for option in ("--pair-qrels", f"quality={path}")]
    given = ["-i", place.corpus, "--topics", place.topics, "--index", place.index, "-m", place.out / "model"]
    line = complain(train.main, *given, *options, "--quiet")
    assert f"b.qrels line 1: topic 1, id {ONE_PAIR}: grade 2 here, 1 earlier; keep one of the two" in line


@pytest.mark.parametrize("case", [case for case in BAD_QRELS if case != "another corpus"])
def test_bad_qrels_in_evaluation(case: str, place: Place, complain: Complain) -> None:
    content, expected = BAD_QRELS[case]
    if case == "unknown topic":
        content, expected = (
            "8 0 S1-A1 2\n",
            ": has no topic in common with the qrels; name the qrels of its topics",
        )
    (place.corpus / "some.qrels").write_text(content)
    run = place.corpus / "some.run"
    run.write_text("1 PRO S1-A1__PREMISE__1,S1-A1__PREMISE__2 1 2.5 tag\n")
    line = complain(evaluate.main, "--run", run, "--qrels", place.corpus / "some.qrels", "--level", "argument")
    assert f"{'some.run' if case == 'unknown topic' else 'some.qrels'}{expected}" in line


def test_topics_that_contradict_each_other(place: Place, complain: Complain) -> None:
    (place.corpus / "some.qrels").write_text("1 0 S1-A1 2\n")
    (place.corpus / "more.xml").write_text(TOPICS.replace("cars", "zoos"))
    line = complain(train.main, *training(place, "--topics", place.corpus / "more.xml"))
    assert "more.xml: topic 1 has another title in an earlier file; renumber" in line


# ---- usage ----------------------------------------------------------------------------------------

USAGE: list[tuple[Main, list[str], str]] = [
    (predict.main, [], "usage: the following arguments are required: -i/--input, -o/--output; see --help"),
    (predict.main, ["-i", "x"], "usage: the following arguments are required: -o/--output"),
    (predict.main, ["-i", "x", "-o", "y", "--nope"], "usage: unrecognized arguments: --nope"),
    (
        predict.main,
        ["-i", "x", "-o", "y", "--depth", "0"],
        "--depth: '0' is not a whole number from 1 to 1000",
    ),
    (predict.main, ["-i", "x", "-o", "y", "--depth", "1001"], "--depth: '1001' is not a whole number"),
    (predict.main, ["-i", "x", "-o", "y", "--jobs", "0"], "--jobs: '0' is not a whole number"),
    (
        predict.main,
        ["-i", "x", "-o", "y", "--diversify", "2"],
        "--diversify: '2' is not a number from 0 to 1",
    ),
    (predict.main, ["-i", "x", "-o", "y", "--tag", "two words"], "--tag: a tag is one word without"),
    (predict.main, ["-i", "x", "-o", "y", "--tag", ""], "--tag: a tag is one word without"),
    (rerank.main, ["-i", "x", "-o", "y", "--scores", "s", "--tag", ""], "--tag: a tag is one word without"),
    (fuse.main, ["--run", "a", "-o", "y"], "--run: fusion needs at least two runs; name at least two"),
    (fuse.main, ["--run", "a", "--run", "./a", "-o", "y"], "a: is named twice among the runs; name it once"),
    (fuse.main, ["--run", "a", "--run", "b", "-o", "y"], "a: cannot be read (no such file or directory)"),
    (train.main, ["-i", "x"], "usage: a corpus needs its judgments; add --topics FILE and --qrels or"),
    (train.main, ["--folds", "1"], "--folds: '1' is not a whole number"),
    (
        train.main,
        ["--drop", "nonsense"],
        "--drop: no feature group, feature or column 'nonsense'; groups are: ",
    ),
    (train.main, ["--sources", "strong"], "--sources: 'strong' is none of distant, weak, graded"),
    (train.main, ["--sources", ""], "--sources: '' is none of distant, weak, graded"),
    (train.main, ["--sources", "weak,,graded"], "--sources: '' is none of distant, weak, graded"),
    (train.main, ["--labels", "nonsense"], "--labels: no labelling function 'nonsense'; known: judged_relevance, "),
    (train.main, ["--labels", "noisy,"], "--labels: no labelling function ''; known: "),
    (train.main, ["--columns", "-1"], "--columns: '-1' is not a whole number from 0 to "),
    (train.main, ["--columns", "many"], "--columns: 'many' is not a whole number from 0 to "),
    (train.main, ["--trees", "0"], "--trees: '0' is not a whole number from 1 to 5000"),
    (train.main, ["--objective", "luck"], "usage: argument --objective: invalid choice: 'luck'"),
    (train.main, ["--pair-qrels", "beauty=x"], "'beauty=x' is not one of relevance=FILE, quality=FILE, coherence=FILE"),
    (train.main, ["--pair-qrels", "quality"], "'quality' is not one of relevance=FILE, quality=FILE, coherence=FILE"),
    (train.main, ["--pair-qrels", "quality="], "'quality=' is not one of relevance=FILE"),
    (train.main, ["--pair-qrels", "quality=none.qrels"], "none.qrels: cannot be read (no such file or directory)"),
    (train.main, ["-i", "x", "--pair-qrels", "quality=q"], "usage: a corpus needs its judgments; add --topics FILE"),
    (train.main, ["--quality-qrels", "none.qrels"], "none.qrels: cannot be read (no such file or directory)"),
    (train.main, ["-i", "x", "--topics", "t.xml"], "usage: a corpus needs its judgments; add --topics FILE"),
    (train.main, ["-i", "x", "--quality-qrels", "q"], "usage: a corpus needs its judgments; add --topics FILE"),
    *(
        (main, [*given, *options], expected)
        for main, given in ((predict.main, ["-i", "x", "-o", "y"]), (train.main, []))
        for options, expected in (
            (["--dimension", "beauty"], "usage: argument --dimension: invalid choice: 'beauty' (choose from "),
            (["--dimension"], "usage: argument --dimension: expected one argument"),
            (
                ["--dimension", "quality", "--blend", "1,1,1"],
                "usage: --dimension quality is one, --blend is of three",
            ),
            (["--blend", "1,0,0", "--dimension", "relevance"], "leave one of them out"),
            *(
                (["--blend", wrong], f"usage: argument --blend: {wrong!r} is not three weights relevance,quality,cohe")
                for wrong in (
                    "",
                    "1",
                    "1,2",
                    "1,2,3,4",
                    "a,b,c",
                    "0,0,0",
                    "1,nan,1",
                    "inf,1,1",
                    "1,,2",
                    "1;2;3",
                    "1,1e9,1",
                    "1e-7,0,0",
                )
            ),
            (["--blend=-1,2,3"], "usage: argument --blend: '-1,2,3' is not three weights"),
        )
    ),
    (train.main, ["--qrels", "none.qrels"], "none.qrels: cannot be read (no such file or directory)"),
    (evaluate.main, ["--run", "x"], "usage: no judgments are named; add --qrels FILE, --pair-qrels"),
]


def name_of(value: object) -> str:
    """The same in every process: a function's own text has its address in memory."""
    return str(getattr(value, "__module__", value))[:40]


@pytest.mark.parametrize(("main", "options", "expected"), USAGE, ids=name_of)
def test_wrong_usage(main: Main, options: list[str], expected: str, complain: Complain, tmp_path: Path) -> None:
    if main is train.main and "-i" not in options:
        options = [*options, "-m", str(tmp_path / "model"), "--index", str(tmp_path / "index"), "--quiet"]
    assert expected in complain(main, *options)
    assert not (tmp_path / "model").exists()


@pytest.mark.parametrize("options", [("--dimension", "quality"), ("--blend", ".5,.3,.2")])
def test_baselines_know_no_dimensions(options: tuple[str, str], place: Place, complain: Complain) -> None:
    line = complain(predict.main, *quietly(place, "-m", "bm25", *options))
    assert "usage: bm25 has no dimensions; leave out --dimension and --blend" in line
    place.assert_untouched()


@pytest.mark.parametrize("options", [("--dimension", "coherence"), ("--blend", "1,1,.5")])
def test_a_dimension_that_the_model_was_not_trained_in(
    options: tuple[str, str], model: Path, place: Place, complain: Complain
) -> None:
    line = complain(predict.main, *quietly(place, "-m", model, *options))
    assert f"{model}: the model has no ranker of coherence; weigh other dimensions" in line
    place.assert_untouched()


def test_every_column_dropped(complain: Complain, tmp_path: Path) -> None:
    groups = {feature.group for feature in registry.column_features().values()}
    drops = [option for group in sorted(groups) for option in ("--drop", group)]
    assert "--drop: no feature is left; drop fewer" in complain(train.main, "-m", tmp_path / "model", *drops)


# ---- places that cannot be written ----------------------------------------------------------------


@pytest.mark.parametrize("inside", ["file", "file/below"])
def test_an_output_directory_that_cannot_be_written(inside: str, place: Place, complain: Complain) -> None:
    (place.corpus / "file").write_text("dear to me")
    line = complain(predict.main, *quietly(place), "-o", place.corpus / inside)
    assert f"{inside}: the output directory cannot be written (" in line
    assert line.endswith("; name another directory\n")
    assert (place.corpus / "file").read_text() == "dear to me"
    assert not place.index.exists(), "the output is tried before the work begins"


def test_the_run_is_a_directory(place: Place, complain: Complain) -> None:
    (place.corpus / "o" / "run.txt").mkdir(parents=True)
    assert "run.txt: is a directory" in complain(predict.main, *quietly(place), "-o", place.corpus / "o")
    assert [path.name for path in (place.corpus / "o").iterdir()] == ["run.txt"]


def test_a_model_place_that_holds_something_else(place: Place, complain: Complain) -> None:
    (place.corpus / "some.qrels").write_text("1 0 S1-A1 2\n")
    line = complain(train.main, *training(place), "-m", place.corpus)
    assert "corpus: this is neither empty nor a model of ours; name an empty or new directory" in line
    assert place.table.exists()


def test_an_index_place_that_holds_something_else(place: Place, complain: Complain) -> None:
    other = place.corpus / "other"
    other.mkdir()
    (other / "thesis.txt").write_text("dear to me")
    line = complain(predict.main, *quietly(place), "--index", other)
    assert "other: this is not empty and no Riposte index; name an empty or new directory" in line
    assert [path.name for path in other.iterdir()] == ["thesis.txt"]
    place.assert_untouched()


def test_an_index_in_the_place_of_the_run(place: Place, complain: Complain) -> None:
    """An index is replaced when the corpus changes, and a run in its folder would be gone with it."""
    both = place.corpus / "both"
    what = f"{both / 'run.txt'}: this would lie in the folder of the index, {both}; name another place"
    assert what in complain(predict.main, *quietly(place), "--index", both, "-o", both)
    assert not both.exists(), "places are looked at before anything is made"
    assert predict.main([str(option) for option in quietly(place, "-o", both)]) == 0
    assert predict.main([str(option) for option in quietly(place, "--index", both / "index", "-o", both)]) == 0


def test_a_run_in_an_older_index_survives(place: Place, complain: Complain, capfd: pytest.CaptureFixture[str]) -> None:
    assert predict.main([str(option) for option in quietly(place)]) == 0
    capfd.readouterr()
    shutil.copy(place.run, place.index / "run.txt")
    before = place.run.read_bytes()
    place.topics.write_text(TOPICS.replace("Ban cars", "Xyzzy"))
    write_corpus(place.corpus, SMALL[:3])
    assert "no topic matches any argument" in complain(predict.main, *quietly(place))
    assert (place.index / "run.txt").read_bytes() == before
    assert place.run.read_bytes() == before


OUTPUTS: dict[str, tuple[Main, list[str], str]] = {
    "train": (train.main, ["-m"], "model"),
    "export": (export.main, ["-o"], "matrix.csv"),
    "rerank": (rerank.main, ["-o"], "reranked"),
    "search": (search.main, ["Ban cars?", "--json"], "found.json"),
    "explain": (explain.main, ["--json"], "explained.json"),
    "learning curve": (learning_curve.main, ["--json"], "curve.json"),
    "ablation": (ablation.main, ["-o"], "study"),
    "sources of supervision": (supervision.main, ["--run"], "runs"),
    "report": (report.main, ["-o"], "report.html"),
}


@pytest.mark.parametrize("name", OUTPUTS)
def test_no_command_writes_into_the_folder_of_the_index(name: str, place: Place, complain: Complain) -> None:
    main, option, file = OUTPUTS[name]
    (place.corpus / "some.qrels").write_text("1 0 S1-A1 2\n1 0 S2-A9 0\n")
    (place.corpus / "some.scores").write_text("1\n")
    (place.corpus / "some.run").write_text("1 PRO S1-A1__PREMISE__1,S1-A1__PREMISE__2 1 2.5 tag\n")
    given: dict[str, list[object]] = {
        "train": training(place),
        "rerank": ["-i", place.corpus, "--scores", place.corpus / "some.scores"],
        "search": ["-i", place.corpus],
        "explain": ["-i", place.corpus, "--run", place.corpus / "some.run", "--topic", "1", "--rank", "1"],
        "report": ["-i", place.corpus, "-m", "bm25"],
    }
    (place.corpus / "some.pairs").write_text("1 0 S1-A1__PREMISE__1,S1-A1__PREMISE__2 2\n")
    judged = ["-i", place.corpus, "--topics", place.topics, "--pair-qrels", f"relevance={place.corpus / 'some.pairs'}"]
    place.index.mkdir()
    line = complain(main, *given.get(name, judged), *option, place.index / file, "--index", place.index, "--quiet")
    assert f"{place.index / file}" in line
    assert f": this would lie in the folder of the index, {place.index}" in line
    assert list(place.index.iterdir()) == []


def test_an_index_in_the_folder_of_the_model(place: Place, complain: Complain) -> None:
    (place.corpus / "some.qrels").write_text("1 0 S1-A1 2\n")
    model = place.corpus / "model"
    line = complain(train.main, *training(place), "-m", model, "--index", model / "index")
    assert f"{model / 'index'}: this would lie in the folder of the model, {model}; name another place" in line
    assert not model.exists()


# ---- a full disk ----------------------------------------------------------------------------------


def fill_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", fail)


def test_full_disk_while_the_run_is_written(
    place: Place, complain: Complain, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    predict.main([str(option) for option in quietly(place)])  # makes the index
    capfd.readouterr()
    place.run.write_text("old run\n")
    fill_the_disk(monkeypatch)
    line = complain(predict.main, *quietly(place))
    assert f"{place.run}: no space left on device; free some space or write elsewhere" in line
    place.assert_untouched()


def test_full_disk_while_figures_are_written(place: Place, complain: Complain, monkeypatch: pytest.MonkeyPatch) -> None:
    fill_the_disk(monkeypatch)
    run, qrels = place.corpus / "some.run", place.corpus / "some.qrels"
    run.write_text("1 PRO S1-A1__PREMISE__1,S1-A1__PREMISE__2 1 2.5 tag\n")
    qrels.write_text("1 0 S1-A1 2\n")
    line = complain(evaluate.main, "--run", run, "--qrels", qrels, "--json", place.run)
    assert f"{place.run}: no space left on device" in line
    place.assert_untouched()


def process(*arguments: object, **options: Any) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", *map(str, arguments)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


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
    assert err == f"error: {place_of}: file too large; raise the file size limit or write elsewhere;" + (
        " earlier output is untouched\n"
    )
    place.assert_untouched()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Callable[[str], Path]]:
    """A file system of a given size, where the machine lets us have one."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = []

    def mount(size: str) -> Path:
        command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
        try:
            subprocess.run(command, check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError):
            pytest.skip("mounting a tmpfs is not allowed here")
        mounted.append(folder)
        return folder

    yield mount
    for path in mounted:
        subprocess.run(["umount", "-l", str(path)], check=False)


@pytest.mark.parametrize("size", ["64k", "140k", "260k", "500k"])
def test_full_disk_while_indexing(
    size: str, small_disk: Callable[[str], Path], place: Place, complain: Complain
) -> None:
    shutil.copy(SAMPLE / "args_processed_sample.csv", place.table)
    index = small_disk(size) / "index"
    line = complain(predict.main, *quietly(place, "--index", index))
    assert f"{index}: no space left on device; free some space" in line
    assert [path.name for path in index.parent.iterdir()] == [".index.lock"]
    place.assert_untouched()


def test_full_disk_while_a_run_and_a_model_are_written(
    small_disk: Callable[[str], Path], place: Place, complain: Complain
) -> None:
    shutil.copy(SAMPLE / "args_processed_sample.csv", place.table)
    shutil.copy(TITLES, place.topics)
    disk = small_disk("8k")
    (disk / "run.txt").write_text("old run\n")
    line = complain(predict.main, *quietly(place, "-o", disk))
    assert f"{disk / 'run.txt'}: no space left on device" in line
    few = ["--trees", "5", "--seeds", "1", "--folds", "2", "--jobs", "1", "--quiet", "--index", place.index]
    assert f"{disk / 'model'}: no space left on device" in complain(train.main, "-m", disk / "model", *few)
    assert [path.name for path in disk.iterdir()] == ["run.txt"]
    assert (disk / "run.txt").read_text() == "old run\n"


# ---- models ---------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("trained") / "model"
    matrix, _ = planted(3)
    columns = registry.columns()[::3]
    rankers = {name: fitted(matrix, columns, seed) for seed, name in enumerate(("quality", "relevance"))}
    bundle.save_bundle(folder, find_task("pairs"), Blend(rankers), FACTS | {"candidates": asdict(CandidateConfig())})
    return folder


@pytest.fixture
def model(trained: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(trained, tmp_path / "model"))


def rewrite(model: Path, change: Callable[[dict[str, Any]], object], *, sign: bool = True) -> None:
    """Change the manifest, and its digest with it, as somebody would who knows how."""
    path = model / "manifest.json"
    manifest = json.loads(path.read_text("utf-8"))
    change(manifest)
    if sign:
        manifest["digest"] = manifest_digest(manifest)
    path.write_text(json.dumps(manifest), "utf-8")


def a_tree_file(model: Path) -> Path:
    return next(iter(sorted(model.glob("*-trees-*"))))


def gone(model: Path) -> None:
    shutil.rmtree(model)


def no_manifest(model: Path) -> None:
    (model / "manifest.json").unlink()


def no_json(model: Path) -> None:
    (model / "manifest.json").write_text("{'format': 1}")


def cut_manifest(model: Path) -> None:
    path = model / "manifest.json"
    path.write_text(path.read_text("utf-8")[:-20], "utf-8")


def other_format(model: Path) -> None:
    rewrite(model, lambda manifest: manifest.update(format=99))


def changed_manifest(model: Path) -> None:
    rewrite(model, lambda manifest: manifest["blend"]["weights"].update(quality=1.0), sign=False)


def changed_trees(model: Path) -> None:
    path = a_tree_file(model)
    path.write_text(path.read_text("utf-8").replace("learning_rate", "learning-rate"), "utf-8")


def no_trees(model: Path) -> None:
    a_tree_file(model).unlink()


def unknown_feature(model: Path) -> None:
    rewrite(model, lambda manifest: manifest["features"].update(gut_feeling=1))


def other_definition(model: Path) -> None:
    rewrite(model, lambda manifest: manifest["features"].update(dict.fromkeys([*manifest["features"]][:1], 2)))


def fewer_features(model: Path) -> None:
    rewrite(model, lambda manifest: manifest["features"].popitem())


def other_order(model: Path) -> None:
    rewrite(model, lambda manifest: manifest["rankers"]["quality"]["inputs"].reverse())


def older_format(model: Path) -> None:
    rewrite(model, lambda manifest: manifest.update(format=bundle.FORMAT - 1))


def foreign_ranker(model: Path) -> None:
    rewrite(model, lambda manifest: manifest["rankers"]["quality"].update(ranker="oracle"))


def file_elsewhere(model: Path) -> None:
    rewrite(model, lambda manifest: manifest["files"].update({"../../secret": "0" * 64}))


MODELS: dict[Callable[[Path], None], str] = {
    gone: "model: there is no such model; name a model folder or one of: bm25",
    no_manifest: "manifest.json: the model has no readable manifest (no such file or directory); train it again",
    no_json: "manifest.json: the manifest is not JSON (",
    cut_manifest: "manifest.json: the manifest is not JSON (",
    other_format: "manifest.json: this is not a model of format ",
    changed_manifest: "manifest.json: the manifest was changed after training (its digest differs); train it again",
    changed_trees: ".txt: this file was changed after training (its SHA-256 differs); train it again",
    no_trees: ".txt: this file of the model is missing; train it again",
    unknown_feature: "the model needs the feature column 'gut_feeling', which is not registered here; train it again",
    other_definition: "has version 1 here, and 2 in the model; train it again",
    older_format: "manifest.json: this is not a model of format ",
    foreign_ranker: "model: the model cannot be read (no learned ranker 'oracle'); train it again",
    fewer_features: "model: the model cannot be read (it uses features that its manifest does not define); train",
    other_order: "model: the model cannot be read (the trees know other features than the manifest); train",
    file_elsewhere: "'../../secret' is not a plain file name; train it again",
}


@pytest.mark.parametrize("harm", MODELS, ids=lambda harm: harm.__name__)
def test_bad_model(harm: Callable[[Path], None], model: Path, place: Place, complain: Complain) -> None:
    harm(model)
    line = complain(predict.main, *quietly(place, "-m", model))
    assert str(model) in line
    assert MODELS[harm] in line
    place.assert_untouched()
    assert not place.index.exists(), "the model is read before the corpus is indexed"


def test_an_unharmed_model_is_read(model: Path, place: Place) -> None:
    rewrite(model, lambda manifest: None)
    assert predict.main([*map(str, quietly(place, "-m", model))]) == 0
    assert place.run.read_text().startswith("1 ")


def test_a_model_is_no_name(place: Place, complain: Complain) -> None:
    line = complain(predict.main, *quietly(place, "-m", "bm52"))
    assert "bm52: there is no such model; name a model folder or one of: bm25, bm25-tuned, dirichlet" in line


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


def children(child: subprocess.Popen[str]) -> list[str]:
    try:
        return Path(f"/proc/{child.pid}/task/{child.pid}/children").read_text().split()
    except OSError:
        return []


def processor_time(child: subprocess.Popen[str]) -> float:
    """Seconds. Where the system does not tell, all that are needed have gone by."""
    try:
        user, system = Path(f"/proc/{child.pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    except OSError:
        return math.inf
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


@pytest.mark.parametrize("delay", [0.1, 0.4])
def test_ctrl_c_during_the_start(delay: float, long_work: Place) -> None:
    child = process("ltr.predict", *quietly(long_work), start_new_session=True)
    time.sleep(delay)
    wait_for(child, lambda: processor_time(child) >= delay)  # on a busy machine Python itself may not have begun
    assert interrupted(child, group=True) == UNTOUCHED
    long_work.assert_untouched()


def test_ctrl_c_while_indexing(long_work: Place) -> None:
    child = process("ltr.predict", *quietly(long_work), start_new_session=True)
    wait_for(child, lambda: any(long_work.index.parent.glob(".index.parts/.part-*/text.bin")))
    assert interrupted(child, group=True) == UNTOUCHED
    assert not long_work.index.exists()
    long_work.assert_untouched()


@pytest.mark.parametrize("delay", [0.0, 0.4])
def test_ctrl_c_while_describing(delay: float, long_work: Place) -> None:
    child = process("ltr.predict", *quietly(long_work), start_new_session=True)
    wait_for(child, (long_work.index / "manifest.json").exists)
    time.sleep(delay)
    assert interrupted(child, group=False) == UNTOUCHED
    long_work.assert_untouched()


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="children are found in /proc")
@pytest.mark.parametrize(("delay", "group"), [(0.0, True), (1.5, True), (0.8, False)])
def test_ctrl_c_while_workers_run(delay: float, group: bool, long_work: Place) -> None:
    child = process("ltr.predict", *quietly(long_work), "--jobs", "2", start_new_session=True)
    wait_for(child, lambda: len(children(child)) >= 3)  # two workers beside what watches over them
    time.sleep(delay)
    family = children(child)
    assert interrupted(child, group=group) == UNTOUCHED
    long_work.assert_untouched()
    end = time.monotonic() + 10
    while any(_runs(pid) for pid in family):
        assert time.monotonic() < end, "workers outlive the command"
        time.sleep(0.05)


def _runs(pid: str) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def test_ctrl_c_while_training(tmp_path: Path) -> None:
    model = tmp_path / "model"
    index = tmp_path / "index"
    command = ["ltr.train", "-m", model, "--index", index, "--jobs", "1", "--trees", "5000", "--quiet"]
    child = process(*command, start_new_session=True)
    wait_for(child, (index / "manifest.json").exists)
    time.sleep(2)
    assert interrupted(child, group=True) == UNTOUCHED
    assert sorted(path.name for path in tmp_path.iterdir()) == [".index.lock", "index"]
