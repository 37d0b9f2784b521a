"""What processes are measured to take, what is measured again, and what the figures come to."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from argparse import Namespace
from pathlib import Path
from typing import Any

import pytest

from experiments.scale import corpus as scale_corpus
from experiments.scale import measure as scale_measure
from experiments.scale import peers as scale_peers
from experiments.scale import tasks
from experiments.scale.command import MEASURES, OURS, main, parser
from experiments.scale.corpus import MeasuredCorpus, open_log, queries_of
from experiments.scale.measure import Failed, Memory, measure
from experiments.scale.output import exponent, results, table
from experiments.scale.peers import PEERS, Setting
from experiments.scale.synthetic import WHOLE
from ltr.corpora.source import open_corpus
from ltr.errors import InputError
from ltr.index.values import VALUES

MB = 1_000_000
PYTHON = (sys.executable, "-c")
SETTING = ("--arguments", "200", "--shares", "1", "--topics", "2", "--jobs", "1", "--quiet")
linux = pytest.mark.skipif(not Path("/proc/self/smaps_rollup").exists(), reason="needs Linux's smaps_rollup")


# ---- a process is measured ----


@linux
def test_memory_of_a_child_and_of_its_child(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(scale_measure, "REST", 1)  # on a busy machine a look takes long, and is to come again soon
    one = "import time; held = bytearray(50_000_000); time.sleep(1)"
    inner = "held = bytearray(50_000_000); print(1, flush=True); input()"
    start = f"p = subprocess.Popen([sys.executable, '-c', {inner!r}], stdin=subprocess.PIPE, stdout=subprocess.PIPE)"
    two = f"import subprocess, sys; {start}; p.stdout.readline(); {one}; p.communicate(b'1')"
    alone, both = measure([*PYTHON, one], "one"), measure([*PYTHON, two], "two")
    assert alone["memory_kind"] == "PSS"
    assert 50 * MB < alone["memory"] < 75 * MB
    assert 100 * MB < both["memory"] < 150 * MB
    assert 1 < alone["wall"] < 15


@linux
def test_a_shared_page_counts_once():
    code = "import os, sys; held = b'x' * 60_000_000; p = os.fork(); p or print(1, flush=True); sys.stdin.read()"
    with subprocess.Popen([*PYTHON, code], stdin=-1, stdout=-1, start_new_session=True) as child:
        assert child.stdin
        assert child.stdout
        child.stdout.readline()  # now there are two
        with Memory(child.pid) as memory:
            while not memory.peak:
                time.sleep(0.01)
        child.stdin.close()
    assert 60 * MB < memory.peak < 90 * MB


def test_processor_time_includes_children():
    spin = "import time\nwhile time.process_time() < .4: pass"
    values = measure([*PYTHON, f"import subprocess, sys; subprocess.run([sys.executable, '-c', {spin!r}])"], "spin")
    assert 0.4 <= values["cpu"] < 4


def test_last_line_is_the_result():
    code = "print('words'); print('{\"sentences\": 3}')"
    assert measure([*PYTHON, code], "x")["sentences"] == 3


def test_without_a_system_that_tells(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(scale_measure, "session_memory", lambda *_: 0)
    values = measure([*PYTHON, "held = bytearray(50_000_000)"], "x")
    assert values["memory_kind"] == "RSS of the largest process"
    assert values["memory"] > 50 * MB


@pytest.mark.parametrize(
    ("code", "line"),
    [
        ("import sys; sys.exit('error: no corpus')", "thing: no corpus"),
        ("raise SystemExit(3)", "thing: exit 3"),
        ("import os; os.kill(os.getpid(), 9)", "thing: killed by signal 9, perhaps for want of memory"),
    ],
)
def test_a_command_that_fails(code: str, line: str):
    with pytest.raises(Failed, match=line):
        measure([*PYTHON, code], "thing")


def test_what_a_command_leaves_running_is_ended(tmp_path: Path):
    mark = tmp_path / "mark"
    late = f"import time, pathlib; time.sleep(1); pathlib.Path({str(mark)!r}).touch()"
    measure([*PYTHON, f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {late!r}])"], "x")
    time.sleep(1.5)
    assert not mark.exists()


# ---- the whole command ----


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("scale")


@pytest.fixture(scope="module")
def found(whole_study: None, folder: Path) -> dict[str, Any]:
    assert main(["-o", str(folder), *SETTING, "--peers", "csv", "decoding", "fts5", "lucene"]) == 0
    return json.loads((folder / "scale.json").read_text("utf-8"))


def test_everything_is_measured(folder: Path, found: dict[str, Any]):
    sentences = sum(len(argument.sentences) for argument in open_corpus(str(folder / "corpora" / "p100")))
    assert [record["key"]["measure"] for record in found["measures"]] == list(OURS)
    index, query, predict, train = found["measures"]
    assert (index["arguments"], index["sentences"]) == (200, sentences)
    files = [p for p in (folder / "indexes/p100/index").rglob("*") if p.is_file() and p.name != VALUES]
    assert index["disk"] == sum(p.stat().st_size for p in files)  # before a run kept its values there
    assert query["query_ms"] > 0
    assert query["hits"] > 0
    assert 200 <= predict["pairs"] <= 2_000
    assert all(record["wall"] > 0 and record["cpu"] > 0 and record["memory"] > MB for record in found["measures"])
    assert train["key"]["topics"] == 2
    by_name = {peer["name"]: peer for peer in found["peers"]}
    assert by_name["reading and decoding"]["sentences"] == by_name["SQLite FTS5"]["texts"] == sentences
    assert by_name["SQLite FTS5"]["hits"] > 0
    assert by_name["SQLite FTS5"]["ratios"]["wall"] == by_name["SQLite FTS5"]["wall"] / index["wall"]
    assert by_name["reading the CSV"]["ratios"].keys() == {"wall", "cpu", "memory"}
    assert by_name["Lucene"]["missing"].startswith("not installed: ")
    assert found["growth"] == []
    assert not (folder / "work").exists()


def test_passages_are_measured_as_they_are(
    whole_study: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    line = ["-o", str(tmp_path), *SETTING, "--task", "comparative", "--measures", "index", "query", "predict"]
    assert main([*line, "--peers", "csv", "decoding", "fts5"]) == 0
    assert "reading the CSV: the corpus is none" in capsys.readouterr().out
    found = json.loads((tmp_path / "scale.json").read_text("utf-8"))
    index, query, predict = found["measures"]
    _, decoding, fts5 = found["peers"]
    assert index["arguments"] == decoding["arguments"] == fts5["texts"] == 200
    assert index["sentences"] == decoding["sentences"] > 400
    assert query["hits"] == fts5["hits"] > 0
    assert predict["pairs"] > 0


def test_nothing_is_measured_twice(folder: Path, found: dict[str, Any], monkeypatch: pytest.MonkeyPatch):
    ran: list[str] = []
    faked = {"wall": 1.0, "cpu": 1.0, "memory": 1, "memory_kind": "PSS", "disk": 1, "arguments": 200}
    monkeypatch.setattr(scale_corpus, "measure", lambda command, name: ran.append(name) or faked)
    before = (folder / MEASURES).read_bytes()
    assert main(["-o", str(folder), *SETTING, "--peers", "csv", "decoding", "fts5", "lucene"]) == 0
    assert ran == []
    assert json.loads((folder / "scale.json").read_text("utf-8")) == found
    assert (folder / MEASURES).read_bytes() == before
    # Another number of processes is another setting.
    copy = folder.with_name("copy")
    shutil.copytree(folder, copy)
    index_only = ["--measures", "index", "--peers"]
    assert main(["-o", str(copy), *SETTING, "--jobs", "2", *index_only]) == 0
    assert ran == ["index"]


def test_a_corpus_of_another_size_is_refused(folder: Path, found: dict[str, Any], tmp_path: Path):
    arguments = ["-o", str(tmp_path), "--corpora", str(folder / "corpora"), *SETTING, "--arguments", "300"]
    with pytest.raises(InputError, match=r"holds 200 arguments, not 300; name another directory with --corpora"):
        main([*arguments, "--measures", "index", "--peers"])


def test_peers_need_our_index(folder: Path, found: dict[str, Any], tmp_path: Path):
    with pytest.raises(InputError, match="they are compared with our index"):
        main(["-o", str(tmp_path), "--corpora", str(folder / "corpora"), *SETTING, "--measures"])


def test_a_peer_that_counts_otherwise_has_failed(folder: Path, found: dict[str, Any], monkeypatch: pytest.MonkeyPatch):
    wrong = {"wall": 1.0, "cpu": 1.0, "memory": 1, "memory_kind": "PSS", "arguments": 199}
    monkeypatch.setattr(scale_corpus, "measure", lambda command, name: wrong)
    log, silent = open_log(folder / MEASURES), Namespace(say=lambda line: None)
    place = MeasuredCorpus(1.0, folder, parser().parse_args(["-o", "x", *SETTING]), log, silent)  # type: ignore[arg-type]
    del log.records[next(name for name in log.records if "reading the CSV" in name)]
    assert place.measure_peer("csv")["missing"] == "failed, reading the CSV: 199 arguments, not our 200"
    assert place.known("reading the CSV") is None


@pytest.mark.parametrize(
    ("options", "line"),
    [
        (["--shares", "0", "1"], "0 is a corpus without arguments"),
        (["--shares", "x"], "'x' is not a number from 0 to 1"),
        (["--peers", "solr"], "invalid choice: 'solr'"),
        (["--measures", "index", "search"], "invalid choice: 'search'"),
        (["--lucene", "nowhere.jar"], "nowhere.jar: there is no such file"),
    ],
)
def test_options_that_are_refused(options: list[str], line: str, tmp_path: Path):
    with pytest.raises(InputError, match=line):
        main(["-o", str(tmp_path / "out"), *options])
    assert not (tmp_path / "out").exists()


def test_measures_go_on_after_a_cut_line_and_refuse_a_foreign_one(tmp_path: Path):
    path = tmp_path / MEASURES
    log = open_log(path)
    log.add({"key": {"share": 1, "measure": "a"}, "wall": 1})
    log.add({"key": {"measure": "a", "share": 1}, "wall": 2})
    with path.open("a") as out:
        out.write('{"key": {"sha')
    again = open_log(path)
    assert [record["wall"] for record in again.records.values()] == [2]
    again.add({"key": {"measure": "b"}, "wall": 3})
    assert [record["wall"] for record in open_log(path).records.values()] == [2, 3]
    path.write_text("[]\n")
    with pytest.raises(InputError, match="line 1: this is no record of a study; remove the line"):
        open_log(path)


# ---- peers ----


def setting(**more: Any) -> Setting:
    here = Path()
    return Setting(here, here, here, here, here, **{"jobs": 2, **more})


def test_peers_that_cannot_run(monkeypatch: pytest.MonkeyPatch):
    def missing(peer: str) -> str:
        return PEERS[peer].missing(setting())

    monkeypatch.setattr(scale_peers, "find_spec", lambda name: None)
    assert missing("bm25s") == "not installed: pip install 'riposte-ltr[peers]'"
    monkeypatch.setattr(scale_peers, "find_spec", lambda name: object())
    assert missing("bm25s") == ""
    monkeypatch.setattr(scale_peers.shutil, "which", lambda name: None)
    assert "default-jdk" in missing("lucene")


def test_bm25s_indexes_and_finds(
    folder: Path, found: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    pytest.importorskip("bm25s")
    assert tasks.main(["bm25s", str(folder / "texts-p100.tsv"), str(tmp_path / "index")]) == 0
    assert json.loads(capsys.readouterr().out)["texts"] == found["measures"][0]["sentences"]
    assert tasks.main(["query-bm25s", str(tmp_path / "index"), str(folder / "queries-p100.txt")]) == 0
    # The same words are looked for, in nearly the same terms.
    ours = found["measures"][1]["hits"]
    assert json.loads(capsys.readouterr().out)["hits"] == pytest.approx(ours, rel=0.1)


def test_a_task_that_is_none():
    with pytest.raises(InputError, match="'sing' is no task; name one of index, query, csv"):
        tasks.main(["sing"])


def test_queries_are_words_that_are_no_stop_words():
    titles = ["Should teachers' unions strike?", "Is it?", "Vote, vote!"]
    assert queries_of(titles) == ["teachers unions strike", "vote"]


LUCENE = os.environ.get("RIPOSTE_LUCENE")


@pytest.mark.skipif(
    not LUCENE or shutil.which("java") is None, reason="needs java, and RIPOSTE_LUCENE to name a jar with Lucene"
)
def test_lucene_indexes_and_finds(tmp_path: Path):
    def java(*arguments: object) -> Any:
        line = scale_peers.java(setting(lucene=Path(LUCENE or "")), *arguments)
        done = subprocess.run(line, capture_output=True, text=True, check=True)
        return json.loads(done.stdout.splitlines()[-1])

    (tmp_path / "sentences").write_text("a\tthe cat strikes back\nb\tslashes, \t cats \u2013 \U0001f600\nc\tmice\n")
    assert java("index", tmp_path / "sentences", tmp_path / "index", 2) == {"texts": 3}
    (tmp_path / "queries").write_text("cats\nslash back\nnowhere\n")
    found = java("search", tmp_path / "index", tmp_path / "queries", 1)
    assert found["hits"] == 2 + 2  # "cat" is a term of two sentences; "slash" and "back" are of one each
    assert found["query_ms"] > 0


# ---- what the figures come to ----


def record(measure: str, arguments: float, **values: float) -> dict[str, Any]:
    key = {"share": arguments / WHOLE, "arguments": arguments, "measure": measure}
    return {"key": key, "wall": 1.0, "cpu": 1.0, "memory": 1e9, "memory_kind": "PSS", **values}


SIZES = (3_654.08, 36_540.8, WHOLE)


def full(**index: float) -> dict[str, Any]:
    """Index time grows as size to the power of 1.5, other times and all memory not at all."""
    records = [record("index", size, wall=100 * (size / WHOLE) ** 1.5, disk=size * 3_000) for size in SIZES]
    records += [record("query", size, query_ms=20) for size in SIZES]
    records += [record("predict", size, wall=25) for size in SIZES]
    records[2] |= index
    peers = [record("Lucene", WHOLE, wall=200, disk=WHOLE * 1_500, query_ms=10)]
    peers += [record("reading the CSV", WHOLE, wall=10)]
    gone = {"key": {"share": 1.0, "arguments": WHOLE, "measure": "bm25s"}, "missing": "not installed: do"}
    return results(records, [*peers, gone])


def test_exponent_is_that_of_the_power_law():
    assert exponent([(x, 7 * x**1.3) for x in (1, 10, 100)]) == pytest.approx(1.3)
    # log-log points (0, 0), (1, 0), (2, 1): the least-squares slope is sum((x - 1) * y) / 2 = 1/2.
    assert exponent([(1, 1), (10, 1), (100, 10)]) == pytest.approx(0.5)


def test_growth():
    found = {(row["measure"], row["quantity"]): row for row in full()["growth"]}
    time = found["index", "wall"]
    assert (time["exponent"], time["ratio"], time["sizes"]) == pytest.approx((1.5, 10**1.5, 10))
    assert found["index", "disk"]["exponent"] == pytest.approx(1)
    assert found["predict", "memory"]["exponent"] == pytest.approx(0)
    assert ("train", "wall") not in found


def test_table():
    found = full()
    found["machine"] |= {"processor": "Abacus", "cores": 1, "memory": 8e9, "system": "Linux", "python": "3.11.0"}
    lines = table(found).splitlines()
    assert lines[0] == "Abacus, 1 core, 8 GB of memory, Linux, Python 3.11.0"
    assert lines[2].endswith("together")
    assert lines[3].split() == "wall s cpu s peak GB disk GB query ms".split()
    assert lines[4] == "index, 3,654.08 arguments      0.1   1.0    1.00   0.011"
    assert "index wall s 1.50 31.62".split() in [line.replace(",", "").split() for line in lines]
    at = next(number for number, line in enumerate(lines) if line.startswith("Lucene"))
    # Our index takes 100 s, a query 20 ms, a GB of memory.
    head = "wall s cpu s peak GB disk GB query ms"
    assert (
        lines[at - 1].split() == f"{head} wall s /ours cpu s /ours peak GB /ours disk GB /ours query ms /ours".split()
    )
    assert [line.split() for line in lines[at:]] == [
        ["Lucene", *"200.0 1.0 1.00 0.548 10.00 2.00 1.00 1.00 0.50 0.50".split()],
        ["reading", "the", "CSV", *"10.0 1.0 1.00 0.10 1.00 1.00".split()],
        ["bm25s:", "not", "installed:", "do"],
    ]
