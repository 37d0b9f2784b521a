"""What others wrote, where people read it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.corpora import write_corpus
from support.refusals import refuses

import experiments
from experiments.pool.files import key_text, table_text
from experiments.pool.selection import PooledPair
from ltr.corpora.source import open_corpus
from ltr.data.topics import Topic, read_topics
from ltr.errors import InputError
from ltr.escapes import escaped, harmless, is_formula, say
from ltr.evaluation.runs import evaluate as evaluate_runs
from ltr.model_folder.card import model_card
from ltr.progress import Progress
from ltr.settings.kinds import Tag
from ltr.web.app import _json

UNSEEN = {"control": "\x1b[31m", "zero width": "\u200b", "direction": "\u202e", "no line": "\u2028", "half": "\udce9"}


@pytest.mark.parametrize("what", UNSEEN)
def test_what_is_printed_is_spelt(what: str, capsys: pytest.CaptureFixture[str]):
    text = f"caf\u00e9 {UNSEEN[what]}x"
    assert escaped(text).isprintable()
    assert escaped(text).startswith("caf\u00e9 \\")
    progress = Progress()
    progress.say(text)
    progress.warn(text)
    say(Path(f"out{UNSEEN[what]}\n/run.txt"), "b")
    out, err = capsys.readouterr()
    assert err == f"{escaped(text)}\nwarning: {escaped(text)}\n"
    assert out.replace("\n", "").isprintable()
    assert out.count("\n") == 2


def test_a_refusal_is_one_line_that_ends():
    line = str(InputError("file row 2", f"the id {'x' * 99_999} comes\ntwice", "\x00" * 99_999))
    assert line.startswith("file row 2: the id xxx")
    assert len(line) < 2_100
    assert "...; " in line
    assert line.isprintable()


@pytest.mark.parametrize("what", UNSEEN)
def test_names_that_cannot_be_seen_are_refused_before_the_work(what: str, tmp_path: Path):
    mark = UNSEEN[what]
    with pytest.raises(ValueError, match="is not one word without spaces or control characters"):
        Tag().check(f"a{mark}b")
    if what != "half":  # no file of UTF-8 holds one
        corpus = write_corpus(tmp_path, [("S1-A1", "", "", []), (f"S1-A{mark}2", "", "", [])])
        said = "holds white space" if what == "no line" else "holds an invisible character"
        refuses(lambda: list(open_corpus(str(corpus))), "row 2", said)
    if what not in ("half", "control"):  # no XML holds those
        path = tmp_path / "topics.xml"
        path.write_text(f"<topics><topic><number>1{mark}2</number><title>t</title></topic></topics>", "utf-8")
        refuses(lambda: read_topics(path), "topic 1", said)


def test_pages_turn_no_text():
    for what in ("direction", "zero width"):
        assert json.loads(_json({"text": f"a{UNSEEN[what]}b </script> &"})) == {"text": "ab </script> &"}
    for path in Path(experiments.__path__[0]).parent.glob("*/**/*.[jc]s*"):
        if path.suffix in (".js", ".css"):
            assert harmless(path.read_text("utf-8")) == path.read_text("utf-8")


def test_a_model_card_shows_names_of_files_as_they_are():
    data = {"topics": ["<img src=x>\n# All is well\u202e.xml"], "qrels": {"pairs": ["<b>.qrels"]}}
    manifest = {"task": "pairs", "blend": {"weights": {"relevance": 1.0}}, "data": data, "rankers": {}}
    lines = model_card(manifest).splitlines()
    assert "* topics: \\<img src=x>\\n# All is well\\u202e.xml" in lines
    assert "* judgments of pairs: \\<b>.qrels" in lines


def test_what_a_spreadsheet_reads_as_a_formula():
    assert all(map(is_formula, ["=1+1", "@SUM(A1)", "+cmd|' /C calc'!A0", "-2+3", "\tx"]))
    assert not any(map(is_formula, ["", "-1.5", "+2", "S1-A1__PREMISE__1", "51|clueweb12-00", "a=b"]))


def test_what_graders_get_is_no_formula():
    texts = {"a": "@SUM(A1)", "b": "-2+3 is 1", "c": "-1.5"}
    passages = {("1", name): (text,) for name, text in texts.items()}
    pool = {"x-1": PooledPair("1", "a,b"), "x-2": PooledPair("1", "c,c")}
    lines = table_text("pair", pool, {"1": Topic("1", "=1+1")}, passages, []).splitlines()[1:]
    assert lines == ["x-1\t =1+1\t @SUM(A1)\t -2+3 is 1", "x-2\t =1+1\t-1.5\t-1.5"]
    refuses(lambda: key_text({"x-1": PooledPair("=1", "a,b")}), "'=1'", "would be a formula in a spreadsheet")


def test_names_of_runs_are_no_formulas():
    report = evaluate_runs({"=run.txt": [("1", "a", 1.0)]}, {"1": {"a": 1.0}})
    refuses(report.csv, "'=run.txt'", "would be a formula in a spreadsheet")
