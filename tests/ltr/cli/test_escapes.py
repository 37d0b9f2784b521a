"""What others wrote, where people read it."""

from __future__ import annotations

from io import StringIO
from pathlib import Path
from types import SimpleNamespace

import pytest
from support.corpora import write_corpus
from support.refusals import refuses
from support.tables import plain_matrix

from experiments.compare.renderings import as_csv
from ltr.cli.options import blend, check_tag
from ltr.corpora.source import open_corpus
from ltr.data.topics import read_topics
from ltr.errors import InputError
from ltr.escapes import escaped, is_formula
from ltr.evaluate import main as evaluate
from ltr.integrations.matrix_files import write_matrix
from ltr.progress import Progress

UNSEEN = {"control": "\x1b[31m", "zero width": "\u200b", "direction": "\u202e", "no line": "\u2028", "half": "\udce9"}


@pytest.mark.parametrize("what", UNSEEN)
def test_what_cannot_be_seen_is_spelt(what: str):
    text = f"caf\u00e9 {UNSEEN[what]}x"
    assert escaped(text).isprintable()
    assert escaped(text).startswith("caf\u00e9 \\")
    stream = StringIO()
    progress = Progress(stream=stream)
    progress.say(text)
    progress.warn(text)
    assert stream.getvalue() == f"{escaped(text)}\nwarning: {escaped(text)}\n"


def test_a_refusal_is_one_line_that_ends():
    line = str(InputError("file row 2", f"the id {'x' * 99_999} comes\ntwice", "\x00" * 99_999))
    assert line.startswith("file row 2: the id xxx")
    assert len(line) < 2_100
    assert "...; " in line
    assert line.isprintable()


@pytest.mark.parametrize("what", UNSEEN)
def test_names_that_cannot_be_seen_are_refused_before_the_work(what: str, tmp_path: Path):
    mark = UNSEEN[what]
    refuses(lambda: check_tag(f"a{mark}b"), "--tag", "a tag is one word")
    if what != "half":  # no file of UTF-8 holds one
        corpus = write_corpus(tmp_path, [("S1-A1", "", "", []), (f"S1-A{mark}2", "", "", [])])
        refuses(lambda: list(open_corpus(str(corpus))), "row 2", "control character")
    if what not in ("half", "control"):  # no XML holds those
        path = tmp_path / "topics.xml"
        path.write_text(f"<topics><topic><number>1{mark}2</number><title>t</title></topic></topics>", "utf-8")
        refuses(lambda: read_topics(path), "topic 1", "what cannot be seen")


@pytest.mark.parametrize("weights", ["1e308,1e308,1e308", "1e9,1,1", "nan,1,1", "1,-1,1"])
def test_weights_without_measure_are_refused_before_the_work(weights: str):
    with pytest.raises(Exception, match="is not three weights"):
        blend(weights)


def test_topics_of_judgments_do_nothing_to_a_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    (tmp_path / "q").write_text("1\x1b[31m\u202e 0 x 1\n", "utf-8")
    (tmp_path / "run").write_text("1\x1b[31m\u202e Q0 x 1 1.0 t\n", "utf-8")
    assert evaluate(["--run", str(tmp_path / "run"), "--qrels", str(tmp_path / "q"), "--per-topic"]) == 0
    out = capsys.readouterr().out
    assert "\n1\\x1b[31m\\u202e " in out
    assert "\x1b" not in out


FORMULAS = ["=1+1", "@SUM(A1)", "+cmd|' /C calc'!A0", "-2+3", "\tx"]


@pytest.mark.parametrize("formula", FORMULAS)
def test_tables_hold_no_formulas(formula: str, tmp_path: Path):
    assert is_formula(formula)
    assert not any(map(is_formula, ["", "-1.5", "+2", "S1-A1__PREMISE__1", "51|clueweb12-00", "a=b"]))
    id_ = f"{formula.strip()}__PREMISE__1"
    matrix = plain_matrix({"1": [(id_, "b__PREMISE__1")]}, {"x": [1]})
    if is_formula(id_):
        refuses(lambda: write_matrix(tmp_path / "m.csv", matrix), "m.csv", "would be a formula in a spreadsheet")
        assert list(tmp_path.iterdir()) == []
    assert write_matrix(tmp_path / "m.parquet", matrix) == 1


def test_names_of_runs_are_no_formulas():
    figures = SimpleNamespace(values={"nDCG@5": {"1": 0.5}})
    found = SimpleNamespace(evaluations={"=run.txt": {"all": figures}})
    refuses(lambda: as_csv(found), "'=run.txt'", "would be a formula in a spreadsheet")  # type: ignore[arg-type]
