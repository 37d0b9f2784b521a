"""Copies of a corpus, what processes are measured to take, and the whole study."""

from __future__ import annotations

import csv
import json
import os
import shutil
import sys
import zlib
from pathlib import Path

import pytest

from experiments.lab.scale import measure as scale_measure
from experiments.lab.scale.__main__ import main
from experiments.lab.scale.copies import copy_corpus, mark_words
from experiments.lab.scale.measure import measure
from experiments.lab.scale.study import Setting, lucene_steps, medians, queries, table
from ltr.corpora.source import open_corpus
from ltr.errors import InputError
from ltr.sample import SAMPLE

MB = 1_000_000
PYTHON = (sys.executable, "-c")
linux = pytest.mark.skipif(not Path("/proc/self/smaps_rollup").exists(), reason="needs Linux's smaps_rollup")


# ---- copies of a corpus ----


@pytest.mark.parametrize("source", [SAMPLE, SAMPLE / "comparative"], ids=["table", "lines"])
def test_copies_are_read_as_a_corpus_of_as_many_arguments(source: Path, tmp_path: Path):
    before, after = list(open_corpus(str(source))), list(open_corpus(str(copy_corpus(str(source), tmp_path, 11))))
    assert after[: len(before)] == before, "judgments of the first copy stay valid"
    assert len({argument.id for argument in after}) == len(after) == 11 * len(before)
    sentences = sum(len(argument.sentences) for argument in before)
    assert len({one.id for argument in after for one in argument.sentences}) == 11 * sentences
    last = after[-len(before) :]
    for one, other in zip(before, last, strict=True):
        assert (one.stance, len(one.sentences)) == (other.stance, len(other.sentences))
    same = sum(one.sentences[0].text == other.sentences[0].text for one, other in zip(before, last, strict=True))
    assert same < len(before) / 10, "copies are not duplicates"


def test_long_words_and_ids_are_marked_and_keys_stay():
    text = "{'stance': 'PRO', 'text': 'School is\\nold. Ours-1 stance', 'sent_id': 'Ours-1__PREMISE__1'}"
    marked = "{'stance': 'PRO', 'text': 'School is\\nold. Ours-1BA stanceba', 'sent_id': 'Ours-1BA__PREMISE__1'}"
    assert mark_words(text, "Ours-1", "ba") == marked
    assert mark_words(text, "Ours-1", "") == text


def test_a_packed_corpus_is_refused(tmp_path: Path):
    packed = tmp_path / "args_processed.csv.gz"
    packed.write_bytes(b"")
    with pytest.raises(InputError, match=r"is not a \.csv or \.jsonl file; unpack it"):
        copy_corpus(str(packed), tmp_path, 2)


# ---- a process is measured ----


@linux
def test_memory_of_a_child_and_of_its_child(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(scale_measure, "SHARE", 1)  # on a busy machine a look takes long, and is to come again soon
    one = "import time; held = bytearray(50_000_000); time.sleep(1)"
    inner = "held = bytearray(50_000_000); print(1, flush=True); input()"
    start = f"p = subprocess.Popen([sys.executable, '-c', {inner!r}], stdin=subprocess.PIPE, stdout=subprocess.PIPE)"
    two = f"import subprocess, sys; {start}; p.stdout.readline(); {one}; p.communicate(b'1')"
    alone, both = measure([*PYTHON, one], "one"), measure([*PYTHON, two], "two")
    assert 50 * MB < alone["memory"] < 75 * MB
    assert 100 * MB < both["memory"] < 150 * MB
    assert 1 < alone["wall"] < 15


def test_the_last_line_is_the_result_and_children_count():
    spin = "import time\nwhile time.process_time() < .4: pass"
    code = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {spin!r}])"
    record = measure([*PYTHON, f"{code}; print('words'); print('{{\"sentences\": 3}}')"], "spin")
    assert record["sentences"] == 3
    assert 0.4 <= record["cpu"] < 4


@pytest.mark.parametrize(
    ("code", "line"),
    [
        ("import sys; sys.exit('error: no corpus')", "thing: no corpus"),
        ("raise SystemExit(3)", "thing: exit 3"),
    ],
)
def test_a_command_that_fails(code: str, line: str):
    with pytest.raises(InputError, match=line):
        measure([*PYTHON, code], "thing")


# ---- the whole command ----


def test_everything_is_measured(whole_study: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["-o", str(tmp_path), "--times", "2", "--jobs", "1", "--quiet"]) == 0
    index, query, predict = json.loads((tmp_path / "scale.json").read_text())["measures"]
    arguments = list(open_corpus(str(SAMPLE)))
    assert index["arguments"] == 2 * len(arguments)
    assert index["sentences"] == 2 * sum(len(one.sentences) for one in arguments)
    for record in (index, query, predict):
        assert all(record[name] > 0 for name in ("wall", "cpu", "memory"))
    assert min(query["query_ms"], query["hits"]) > 0
    assert capsys.readouterr().out.splitlines()[1].startswith("index, 2 x ")


@pytest.mark.parametrize(
    ("options", "line"),
    [
        (["--times", "0"], "a corpus has at least one copy"),
        (["--lucene", "nowhere.jar"], "nowhere.jar: there is no such file"),
        (["--topics", "nowhere.xml"], "nowhere.xml: there is no such file"),
    ],
)
def test_options_that_are_refused(options: list[str], line: str, tmp_path: Path):
    with pytest.raises(InputError, match=line):
        main(["-o", str(tmp_path / "out"), *options])
    assert not (tmp_path / "out").exists()


# ---- other engines ----


def test_queries_are_words_without_stop_words():
    assert queries(["Should teachers' unions strike?", "Is it?", "Vote, vote!"]) == ["teachers unions strike", "vote"]


def test_passages_are_indexed_in_rounds(tmp_path: Path):
    chosen = ["--task", "comparative", "-i", str(SAMPLE / "comparative"), "--steps", "index", "--rounds", "2"]
    assert main(["-o", str(tmp_path), "--times", "1", "--jobs", "1", "--quiet", *chosen]) == 0
    (record,) = json.loads((tmp_path / "scale.json").read_text())["measures"]
    assert record["arguments"] == len(list(open_corpus(str(SAMPLE / "comparative"))))
    first, second = record["rounds"]
    assert record["wall"] == pytest.approx((first["wall"] + second["wall"]) / 2)
    assert first["disk"] == pytest.approx(second["disk"], abs=99), "not twice as much; notes on files have times"


def test_medians():
    rounds = [{"wall": wall, "cpu": 2 * wall, "sentences": 7} for wall in (3.0, 1.0, 8.0)]
    assert medians(rounds) == {"wall": 3, "cpu": 6, "sentences": 7, "rounds": rounds}


def test_table():
    full = {"step": "index", "times": 10, "wall": 12.34, "cpu": 20.0, "memory": 1.5e9, "disk": 2e9}
    head, row = table([full]).splitlines()
    assert head.split() == "wall s cpu s peak GB disk GB".split()
    assert row.split() == ["index,", "10", "x", "12.3", "20.0", "1.50", "2.000"]


LUCENE = os.environ.get("RIPOSTE_LUCENE")


lucene = pytest.mark.skipif(
    not LUCENE or shutil.which("java") is None, reason="needs java, and RIPOSTE_LUCENE to name a jar with Lucene"
)

ODD = 'it\'s "quoted", \\ \n\t\x07 \u2013 \U0001f600 \ud800 slashes'
"""Quotes of both kinds, escapes, characters of two to four bytes, and half of one."""


@lucene
def test_lucene_reads_the_table_as_we_do(tmp_path: Path):
    (tmp_path / "corpus").mkdir()
    path = tmp_path / "corpus" / "args_processed.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        out = csv.writer(file)
        out.writerow(["sentences", "context", "premises", "conclusion", "id"])
        sentences = [{"sent_id": f"S1-A1__PREMISE__{n}", "sent_text": text} for n, text in enumerate((ODD, "cats"), 1)]
        out.writerow([repr(sentences), "{}", "[{'stance': 'PRO'}]", ' Short, "one"\n ', "S1-A1"])
        out.writerow(
            ['[{"sent_id": "S1-A2__CONC__1", "sent_text": \'\\101 \\N{DEGREE SIGN}\'}]', "{}", "[]", "x", "S1-A2"]
        )
    jar = Path(LUCENE or "")
    index, query = lucene_steps(Setting(tmp_path, "pairs", tmp_path, 2, jar), jar)
    digest = measure([*index.command[: index.command.index("index")], "digest", str(path)], "digest")
    texts = [f"{one.id}\t{one.text}" for argument in open_corpus(str(path)) for one in argument.sentences]
    assert (digest["arguments"], digest["sentences"]) == (2, 4)
    assert digest["digest"] == sum(zlib.crc32(text.encode()) for text in texts)
    made = measure(index.command, "index")
    assert (made["arguments"], made["sentences"]) == (2, 4)
    (tmp_path / "queries.txt").write_text("cats\nslash short\n")
    assert measure(query.command, "query")["hits"] == 1 + 2
