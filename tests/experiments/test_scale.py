"""Copies of a corpus, what processes are measured to take, and the whole study."""

from __future__ import annotations

import csv
import json
import os
import shutil
import subprocess
import sys
import time
import zlib
from pathlib import Path
from typing import Any

import pytest

from experiments.scale import measure as scale_measure
from experiments.scale import study
from experiments.scale.command import main
from experiments.scale.copies import copy_corpus, mark_words
from experiments.scale.measure import Failed, Memory, measure
from experiments.scale.study import Setting, bm25s_steps, lucene_steps, medians, processor, queries, ratios, table
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


@linux
def test_a_shared_page_counts_once():
    code = "import os, sys; held = b'x' * 60_000_000; p = os.fork(); p or print(1, flush=True); sys.stdin.read()"
    with subprocess.Popen([*PYTHON, code], stdin=-1, stdout=-1) as child:
        assert child.stdin
        assert child.stdout
        child.stdout.readline()  # now there are two
        with Memory(child.pid) as memory:
            while not memory.peak:
                time.sleep(0.01)
        child.stdin.close()
    assert 60 * MB < memory.peak < 90 * MB


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
        ("import os; os.kill(os.getpid(), 9)", "thing: killed by signal 9, perhaps out of memory"),
    ],
)
def test_a_command_that_fails(code: str, line: str):
    with pytest.raises(Failed, match=line):
        measure([*PYTHON, code], "thing")


def test_processes_that_a_command_leaves_are_ended(tmp_path: Path):
    mark = tmp_path / "mark"
    late = f"import time, pathlib; time.sleep(1); pathlib.Path({str(mark)!r}).touch()"
    measure([*PYTHON, f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {late!r}])"], "x")
    time.sleep(1.5)
    assert not mark.exists()


# ---- the whole command ----


def test_everything_is_measured(
    whole_study: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    pytest.importorskip("bm25s")
    monkeypatch.setattr(study.shutil, "which", lambda name: None)
    assert main(["-o", str(tmp_path), "--times", "2", "--jobs", "1", "--quiet"]) == 0
    records = json.loads((tmp_path / "scale.json").read_text())["measures"]
    index, query, predict, train, bm25s, bm25s_query, *lucene = records
    arguments = list(open_corpus(str(SAMPLE)))
    assert index["arguments"] == 2 * len(arguments)
    assert index["sentences"] == bm25s["texts"] == 2 * sum(len(one.sentences) for one in arguments)
    for record in (index, query, predict, train, bm25s, bm25s_query):
        assert all(record[name] > 0 for name in ("wall", "cpu", "memory"))
    assert min(index["disk"], bm25s["disk"], query["query_ms"]) > 0
    # The same words are looked for, in nearly the same terms.
    assert bm25s_query["hits"] == pytest.approx(query["hits"], rel=0.1)
    assert [record["missing"].split(":")[0] for record in lucene] == 2 * ["java is not installed"]
    assert bm25s["ratios"]["cpu"] == pytest.approx(index["cpu"] / bm25s["cpu"])
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].startswith("index, 2 x ")
    assert lines[-1].startswith(processor())


def test_rounds_of_chosen_steps(tmp_path: Path):
    chosen = ["--steps", "index", "--rounds", "2", "--times", "1", "--peers", "--jobs", "1", "--quiet"]
    assert main(["-o", str(tmp_path), *chosen]) == 0
    (record,) = json.loads((tmp_path / "scale.json").read_text())["measures"]
    first, second = record["rounds"]
    assert record["wall"] == pytest.approx((first["wall"] + second["wall"]) / 2)
    same = pytest.approx(record["disk"], abs=99)  # notes on files have times
    assert first["disk"] == same, "not twice as much"
    assert second["disk"] == same


@pytest.mark.parametrize(
    ("options", "line"),
    [
        (["--times", "0"], "a corpus has at least one copy"),
        (["--peers", "solr"], "invalid choice: 'solr'"),
        (["--lucene", "nowhere.jar"], "nowhere.jar: there is no such file"),
        (["--topics", "nowhere.xml"], "nowhere.xml: there is no such file"),
    ],
)
def test_options_that_are_refused(options: list[str], line: str, tmp_path: Path):
    with pytest.raises(InputError, match=line):
        main(["-o", str(tmp_path / "out"), *options])
    assert not (tmp_path / "out").exists()


# ---- other engines ----


def setting(**more: Any) -> Setting:
    here = Path()
    return Setting(**{"folder": here, "task": "pairs", "topics": here, "training": (here, here)} | more)


def test_engines_that_cannot_run(monkeypatch: pytest.MonkeyPatch):
    at = setting(jobs=2, lucene=None)
    monkeypatch.setattr(study, "find_spec", lambda name: None)
    assert {step.missing for step in bm25s_steps(at)} == {"pip install 'riposte-ltr[peers]'"}
    monkeypatch.setattr(study.shutil, "which", lambda name: "/usr/bin/java")
    assert {step.missing for step in lucene_steps(at)} == {"name a jar with Lucene 8 or 9 with --lucene"}


def test_queries_are_words_without_stop_words():
    assert queries(["Should teachers' unions strike?", "Is it?", "Vote, vote!"]) == ["teachers unions strike", "vote"]


def test_passages_are_indexed_by_their_task(tmp_path: Path):
    chosen = ["--task", "comparative", "-i", str(SAMPLE / "comparative"), "--steps", "index", "--peers", "--quiet"]
    assert main(["-o", str(tmp_path), "--times", "1", "--jobs", "1", *chosen]) == 0
    (record,) = json.loads((tmp_path / "scale.json").read_text())["measures"]
    assert record["arguments"] == len(list(open_corpus(str(SAMPLE / "comparative"))))


def test_medians_and_ratios():
    rounds = [{"wall": wall, "cpu": 2 * wall, "sentences": 7} for wall in (3.0, 1.0, 8.0)]
    assert medians(rounds) == {"wall": 3, "cpu": 6, "sentences": 7, "rounds": rounds}
    assert medians(rounds[:1]) == rounds[0]
    assert medians([*rounds, {"missing": "failed"}]) == {"missing": "failed"}
    theirs = {"wall": 6.0, "cpu": 4.0, "disk": 5}
    assert ratios(medians(rounds), theirs) == {"wall": 0.5, "cpu": 1.5}, "we have no disk to divide"


def test_processor(tmp_path: Path):
    (tmp_path / "cpuinfo").write_text("processor\t: 0\nmodel name\t: AMD EPYC\nmodel name\t: another\n")
    assert processor(tmp_path / "cpuinfo") == "AMD EPYC"
    assert processor(tmp_path / "nowhere")


def test_table():
    full = {"step": "index", "times": 10, "wall": 12.34, "cpu": 20.0, "memory": 1.5e9, "disk": 2e9}
    gone = {"step": "Lucene, index", "times": 10, "missing": "java is not installed"}
    peer = full | {"step": "bm25s, index", "ratios": {"wall": 0.5, "disk": 2.0}}
    head, row, _, ratio, missing = table([full, peer, gone]).splitlines()
    assert head.split() == "wall s cpu s peak GB disk GB".split()
    assert row.split() == ["index,", "10", "x", "12.3", "20.0", "1.50", "2.000"]
    assert ratio.split() == ["ours", "/", "it", "0.50", "2.00"]
    assert missing == "Lucene, index, 10 x: java is not installed"


LUCENE = os.environ.get("RIPOSTE_LUCENE")


lucene = pytest.mark.skipif(
    not LUCENE or shutil.which("java") is None, reason="needs java, and RIPOSTE_LUCENE to name a jar with Lucene"
)

ODD = 'it\'s "quoted", \\ \n\t\x07 \u2013 \U0001f600 \ud800 slashes'
"""Quotes of both kinds, escapes, characters of two to four bytes, and half of one."""


@lucene
def test_lucene_indexes_and_finds_lines(tmp_path: Path):
    (tmp_path / "texts.tsv").write_text("a\tthe cat strikes back\nb\tslashes, \t cats \u2013 \U0001f600\nc\tmice\n")
    (tmp_path / "queries.txt").write_text("cats\nslash back\nnowhere\n")
    index, query = lucene_steps(setting(folder=tmp_path, jobs=2, lucene=Path(LUCENE or "")))
    assert measure(index.command, "index")["texts"] == 3
    # "cat" is a term of two sentences; "slash" and "back" are of one each
    assert measure(query.command, "query")["hits"] == 2 + 2


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
    java = lucene_steps(setting(folder=tmp_path, jobs=2, lucene=Path(LUCENE or "")))
    index, query = java
    digest = measure([*index.command[: index.command.index("index")], "digest", str(path)], "digest")
    texts = [f"{one.id}\t{one.text}" for argument in open_corpus(str(path)) for one in argument.sentences]
    assert (digest["arguments"], digest["sentences"]) == (2, 4)
    assert digest["digest"] == sum(zlib.crc32(text.encode()) for text in texts)
    made = measure(index.command, "index")
    assert (made["arguments"], made["sentences"]) == (2, 4)
    (tmp_path / "queries.txt").write_text("cats\nslash short\n")
    assert measure(query.command, "query")["hits"] == 1 + 2
