"""What processes are measured to take, what is measured again, and what the figures come to."""

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

from experiments.scale import command as scale
from experiments.scale import measure as scale_measure
from experiments.scale import output as scale_output
from experiments.scale import peers as scale_peers
from experiments.scale.command import Book, main
from experiments.scale.measure import Failed, Memory, measure
from experiments.scale.synthetic import TABLE, WHOLE
from ltr.corpora.base import open_corpus
from ltr.errors import InputError

MB = 1_000_000
PYTHON = (sys.executable, "-c")
SETTING = ("--arguments", "200", "--shares", "1", "--topics", "2", "--jobs", "1", "--quiet")
linux = pytest.mark.skipif(not Path("/proc/self/smaps_rollup").exists(), reason="needs Linux's smaps_rollup")


# ---- a process is measured ----


@linux
def test_memory_of_a_child_and_of_its_child():
    one = "import time; held = bytearray(50_000_000); time.sleep(1)"
    two = f"import subprocess, sys; p = subprocess.Popen([sys.executable, '-c', {one!r}]); {one}; p.wait()"
    alone, both = measure([*PYTHON, one], "one"), measure([*PYTHON, two], "two")
    assert alone["memory_kind"] == "PSS"
    assert 50 * MB < alone["memory"] < 75 * MB
    assert 100 * MB < both["memory"] < 150 * MB
    assert 1 < alone["wall"] < 15


@linux
def test_a_shared_page_counts_once():
    code = "import os, time; held = b'x' * 60_000_000; p = os.fork(); time.sleep(1); p and os.wait()"
    child = subprocess.Popen([*PYTHON, code], start_new_session=True)
    with Memory(child.pid) as memory:
        time.sleep(0.6)
        twice = scale_measure.session_memory(child.pid, "RSS")
    child.wait()
    assert 60 * MB < memory.peak < 90 * MB
    assert twice > 120 * MB


def test_processor_time_includes_children():
    spin = "import time\nwhile time.process_time() < .4: pass"
    values = measure([*PYTHON, f"import subprocess, sys; subprocess.run([sys.executable, '-c', {spin!r}])"], "spin")
    assert 0.4 <= values["cpu"] < 4


def test_last_line_is_the_result():
    code = "print('words'); print('{\"sentences\": 3}')"
    assert measure([*PYTHON, code], "x")["sentences"] == 3


def test_without_a_system_that_tells(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(scale_measure, "session_memory", lambda *_: 0)
    monkeypatch.setattr(scale_measure, "processor_seconds", lambda: 0.0)
    values = measure([*PYTHON, "held = bytearray(50_000_000)"], "x")
    assert values["memory_kind"] == "RSS of the largest process"
    assert values["memory"] > 50 * MB
    assert values["elsewhere"] is None


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
def told(folder: Path) -> dict[str, Any]:
    assert main(["-o", str(folder), *SETTING, "--peers", "reading,fts5,lucene"]) == 0
    return json.loads((folder / scale_output.RESULTS).read_text("utf-8"))


def test_everything_is_measured(folder: Path, told: dict[str, Any]):
    sentences = sum(len(argument.sentences) for argument in open_corpus(str(folder / "corpora" / "p100")))
    assert [record["key"]["measure"] for record in told["measures"]] == list(scale.OURS)
    index, query, predict, train = told["measures"]
    assert (index["arguments"], index["sentences"]) == (200, sentences)
    assert index["disk"] == sum(p.stat().st_size for p in (folder / "indexes/p100/index").rglob("*") if p.is_file())
    assert query["query_ms"] > 0
    assert query["hits"] > 0
    assert 200 <= predict["pairs"] <= 2_000
    assert all(record["wall"] > 0 and record["cpu"] > 0 and record["memory"] > MB for record in told["measures"])
    assert train["key"]["topics"] == 2
    found = {peer["name"]: peer for peer in told["peers"]}
    assert found["reading and decoding"]["sentences"] == found["SQLite FTS5"]["sentences"] == sentences
    assert found["SQLite FTS5"]["hits"] > 0
    assert found["SQLite FTS5"]["ratios"]["wall"] == found["SQLite FTS5"]["wall"] / index["wall"]
    assert found["reading the CSV"]["ratios"].keys() == {"wall", "cpu", "memory"}
    assert found["Lucene"]["missing"].startswith("not installed: ")
    assert told["targets"] == told["growth"] == []
    assert "<svg" in (folder / scale_output.PLOT).read_text("utf-8")
    assert not (folder / "work").exists()


def test_nothing_is_measured_twice(
    folder: Path, told: dict[str, Any], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    ran: list[str] = []
    faked = {"wall": 1.0, "cpu": 1.0, "memory": 1, "memory_kind": "PSS", "disk": 1, "arguments": 200}
    monkeypatch.setattr(scale, "measure", lambda command, name: ran.append(name) or faked)
    book = (folder / scale.MEASURES).read_bytes()
    assert main(["-o", str(folder), *SETTING, "--peers", "reading,fts5", "--json"]) == 0
    assert ran == []
    printed = json.loads(capsys.readouterr().out)
    assert printed["measures"] == told["measures"]
    assert (folder / scale.MEASURES).read_bytes() == book
    # Another number of processes is another setting; --again is the same one once more.
    copy = folder.with_name("copy")
    shutil.copytree(folder, copy)
    index_only = ["--measures", "index", "--peers", "none"]
    assert main(["-o", str(copy), *SETTING[:-2], "2", "--quiet", *index_only]) == 0
    assert main(["-o", str(copy), *SETTING, *index_only, "--again"]) == 0
    assert ran == ["index", "index"]


def test_a_corpus_of_another_size_is_refused(folder: Path, told: dict[str, Any], tmp_path: Path):
    arguments = ["-o", str(tmp_path), "--corpora", str(folder / "corpora"), *SETTING, "--measures", "index"]
    arguments[arguments.index("200")] = "300"
    with pytest.raises(InputError, match=r"holds 200 arguments, not 300; name another directory with --corpora"):
        main([*arguments, "--peers", "none"])


def test_peers_need_our_index(folder: Path, told: dict[str, Any], tmp_path: Path):
    with pytest.raises(InputError, match="they are compared with our index"):
        main(["-o", str(tmp_path), "--corpora", str(folder / "corpora"), *SETTING, "--measures", "none"])


def test_a_peer_that_counts_otherwise_has_failed(folder: Path, told: dict[str, Any], monkeypatch: pytest.MonkeyPatch):
    lying = {"wall": 1.0, "cpu": 1.0, "memory": 1, "memory_kind": "PSS", "arguments": 199}
    monkeypatch.setattr(scale, "measure", lambda command, name: lying)
    place = scale.Place(
        1.0, folder, scale.parser().parse_args(["-o", "x", *SETTING]), Book(folder / "measures.jsonl"), _Mute()
    )
    found = place.measure_peer(scale.PEERS[0], None, True)
    assert found["missing"] == "failed: 199 arguments, not our 200"
    assert Book(folder / "measures.jsonl").get(found["key"]) != found


class _Mute:
    def say(self, line: str) -> None:
        pass


# ---- options ----


@pytest.mark.parametrize(
    ("options", "line"),
    [
        (["--shares", "0,1"], "shares above 0"),
        (["--shares", "x"], "shares above 0"),
        (["--peers", "solr"], "'solr' is none of reading, lucene, bm25s, fts5"),
        (["--measures", "index,search"], "'search' is none of index, query, predict, train"),
        (["--shares", "1", "--peers-share", ".1"], "--peers-share: 0.1 is none of --shares"),
        (["--lucene", "nowhere.jar"], "nowhere.jar: there is no such file"),
    ],
)
def test_options_that_are_refused(options: list[str], line: str, tmp_path: Path):
    with pytest.raises(InputError, match=line):
        main(["-o", str(tmp_path / "out"), *options])
    assert not (tmp_path / "out").exists()


def test_book_forgets_a_torn_line_and_refuses_a_foreign_one(tmp_path: Path):
    book = Book(tmp_path / "book")
    book.add({"share": 1, "measure": "a"}, {"wall": 1})
    book.add({"measure": "a", "share": 1}, {"wall": 2})
    with (tmp_path / "book").open("a") as out:
        out.write('{"key": {"sha')
    again = Book(tmp_path / "book")
    assert again.get({"share": 1, "measure": "a"})["wall"] == 2
    again.add({"measure": "b"}, {"wall": 3})
    assert Book(tmp_path / "book").get({"measure": "b"})["wall"] == 3
    (tmp_path / "book").write_text("[]\n")
    with pytest.raises(InputError, match="line 1 is no measure"):
        Book(tmp_path / "book")


def test_peers_that_cannot_run(monkeypatch: pytest.MonkeyPatch):
    here = Path("x")
    setting = scale_peers.Setting(here, here, here, here, sentences=6_000_000, jobs=2)
    found = {peer.family: peer for peer in scale_peers.PEERS}
    monkeypatch.setattr(scale_peers, "find_spec", lambda name: None)
    assert found["bm25s"].missing(setting) == "not installed: pip install 'riposte[peers]'"
    monkeypatch.setattr(scale_peers, "find_spec", lambda name: object())
    monkeypatch.setattr(scale_peers, "free_memory", lambda: 5_000 * MB)
    assert found["bm25s"].missing(setting) == "skipped: it needs about 6.0 GB of memory, 5.0 GB are free"
    monkeypatch.setattr(scale_peers, "free_memory", lambda: 7_000 * MB)
    assert found["bm25s"].missing(setting) == ""
    monkeypatch.setattr(scale_peers.shutil, "which", lambda name: None)
    assert "default-jdk" in found["lucene"].missing(setting)


def test_bm25s_indexes_and_finds(
    folder: Path, told: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    pytest.importorskip("bm25s")
    queries = folder / "queries-p100.txt"
    assert scale_peers.main(["bm25s", str(folder / "corpora" / "p100"), str(tmp_path / "index")]) == 0
    assert json.loads(capsys.readouterr().out)["sentences"] == told["measures"][0]["sentences"]
    assert scale_peers.main(["query-bm25s", str(tmp_path / "index"), str(queries)]) == 0
    # The same words are looked for, in nearly the same terms.
    ours = told["measures"][1]["hits"]
    assert json.loads(capsys.readouterr().out)["hits"] == pytest.approx(ours, rel=0.1)


def test_a_task_that_is_none():
    with pytest.raises(InputError, match="'sing' is no task; name one of index, query, reading"):
        scale_peers.main(["sing"])


def test_queries_are_words_that_are_no_stop_words():
    titles = ["Should teachers' unions strike?", "Is it?", "Vote, vote!"]
    assert scale_peers.queries_of(titles, 5) == ["teachers unions strike", "vote"]
    assert scale_peers.queries_of(titles, 1) == ["teachers unions strike"]


# ---- what the figures come to ----


def record(measure: str, arguments: int, **values: float) -> dict[str, Any]:
    key = {"share": arguments / WHOLE, "arguments": arguments, "measure": measure}
    return {"key": key, "wall": 1.0, "cpu": 1.0, "memory": 1e9, "memory_kind": "PSS", **values}


def peer(name: str, **values: float) -> dict[str, Any]:
    return record(name, WHOLE, **values)


SIZES = (3_654.08, 36_540.8, WHOLE)


def full(**index: float) -> dict[str, Any]:
    """Index time grows as size to the power of 1.5, other times and all memory not at all."""
    records = [record("index", size, wall=100 * (size / WHOLE) ** 1.5, disk=size * 3_000) for size in SIZES]
    records += [record("query", size, query_ms=20) for size in SIZES]
    records += [record("predict", size, wall=25) for size in SIZES]
    records[2] |= index
    peers = [peer("Lucene", wall=200, disk=WHOLE * 1_500, query_ms=10), peer("reading the CSV", wall=10)]
    gone = {"key": {"share": 1.0, "arguments": WHOLE, "measure": "bm25s"}, "missing": "not installed: do"}
    return scale_output.results(records, [*peers, gone], 1.0)


def test_exponent_is_that_of_the_power_law():
    assert scale_output.exponent([(x, 7 * x**1.3) for x in (1, 10, 100)]) == pytest.approx(1.3)
    # log-log points (0, 0), (1, 0), (2, 1): the least-squares slope is sum((x - 1) * y) / 2 = 1/2.
    assert scale_output.exponent([(1, 1), (10, 1), (100, 10)]) == pytest.approx(0.5)


def test_growth():
    found = {(row["measure"], row["quantity"]): row for row in full()["growth"]}
    time = found["index", "wall"]
    assert (time["exponent"], time["ratio"], time["sizes"]) == pytest.approx((1.5, 10**1.5, 10))
    assert found["index", "disk"]["exponent"] == pytest.approx(1)
    assert found["predict", "memory"]["exponent"] == pytest.approx(0)
    assert ("train", "wall") not in found


def test_targets():
    found = {row["target"]: row for row in full()["targets"]}
    met = {name for name, row in found.items() if row["met"]}
    assert found["index, time against Lucene"]["value"] == 0.5
    assert found["index, time against reading the CSV"]["value"] == 10
    assert found["index, disk"]["value"] == pytest.approx(1.096224)  # 365,408 times 3,000 bytes
    assert found["10% to 100%: index, time"]["value"] == pytest.approx(31.6228)
    assert found["train, time"]["value"] is None
    missed = {"index, time against reading the CSV", "10% to 100%: index, time", "first-stage query, mean"}
    unknown = {"train, time", "train, peak memory", "10% to 100%: train, memory"}
    assert met == found.keys() - missed - unknown
    late = {row["target"]: row["met"] for row in full(wall=180.1)["targets"]}
    assert not late["index, time"]


def test_table():
    told = full(elsewhere=0.3)
    told["machine"] |= {"processor": "Abacus", "cores": 1, "memory": 8e9, "system": "Linux", "python": "3.11.0"}
    text = scale_output.table(told)
    lines = text.splitlines()
    assert lines[0] == "Abacus, 1 core, 8 GB of memory, Linux, Python 3.11.0"
    assert lines[2].endswith("together (other work took up to 30% of the machine meanwhile: times are too long)")
    assert lines[3:5] == [
        "         arguments  wall s  cpu s  peak GB  disk GB  query ms",
        "index     3,654.08     0.1    1.0     1.00    0.011         -",
    ]
    assert "index, time      1.50  31.62 for 10 times the arguments" in lines
    at = next(number for number, line in enumerate(lines) if line.startswith("Lucene"))
    assert lines[at - 1 : at + 3] == [
        "                 wall s  cpu s  peak GB  disk GB  query ms  time /ours  memory /ours  disk /ours  query /ours",
        "Lucene            200.0    1.0     1.00    0.548     10.00        2.00          1.00        0.50         0.50",
        "reading the CSV    10.0    1.0     1.00        -         -        0.10          1.00           -            -",
        "bm25s            not installed: do",
    ]
    assert "index, time                            180 s  100.00 s           met" in lines
    assert "first-stage query, mean                10 ms  20.00 ms       NOT met" in lines
    assert "train, time                            150 s         -  not measured" in lines


def test_markdown():
    lines = scale_output.markdown(full()).splitlines()
    assert "| Lucene | 200.0 | 1.0 | 1.00 | 0.548 | 10.00 | 2.00 | 1.00 | 0.50 | 0.50 |" in lines
    assert "| bm25s | not installed: do |  |  |  |  |  |  |  |  |" in lines
    assert "| index, time | 180 s | 100.00 s | met |" in lines
    rows = [line for line in lines if line.startswith("|")]
    assert {line.count("|") for line in rows} == {11, 8, 5, 4}


def test_plot_is_the_same_for_the_same_figures():
    pytest.importorskip("matplotlib")
    told = full()
    picture = scale_output.draw(told)
    assert picture == scale_output.draw(told)
    assert all(word in picture for word in ("predict", "365,408", "Lucene", "times ours"))


# ---- the Java program reads as we do ----

JAR = os.environ.get("RIPOSTE_LUCENE_JAR")
lucene = pytest.mark.skipif(
    not JAR or shutil.which("java") is None, reason="needs java, and RIPOSTE_LUCENE_JAR to name a jar with Lucene 9"
)

NASTY = [
    "plain",
    "",
    "it's",
    'said "so", twice ""',
    "both ' and \"",
    "back\\slash \\n and \\'",
    "a\nb\r\nc\td\x00\x07\x7f\x85\xa0\u2028",
    "Éducation – 学校 😀 \U0010ffff",
    "half \ud800 and \ude00\ud83d turned, whole \ud83d\ude00",
    "], [{'sent_id': 'x'}",
    ",\n,",
]
ODD = r"""[ {"sent_text": 'o\x41\101\N{BULLET}\u2022\
\q', 'n': -1.5e3, 'z': None, 'sent_id': 'S9-A9__PREMISE__1' } , ]"""


@pytest.fixture
def nasty(tmp_path: Path) -> Path:
    with (tmp_path / TABLE).open("w", encoding="utf-8-sig", newline="") as out:
        rows = csv.writer(out)  # \r\n between rows
        rows.writerow(["conclusion", "id", "premises", "more", "context", "sentences"])
        conclusions = ["", " \x85\xa0short\u2009 ", 'ends, "quoted"\n', "Two words"]
        for number, conclusion in enumerate(conclusions):
            name = f"S1-A{number}"
            found = [{"sent_id": f"{name}__PREMISE__{i}", "sent_text": text} for i, text in enumerate(NASTY, 1)]
            if number == 3:
                found.append({"sent_id": f"{name}__CONC__1", "sent_text": "another conclusion"})
            rows.writerow([conclusion, name, "[]", 'x,\n"', "{}", repr(found)])
        rows.writerow(["", "S2-A2", "[]", "", "{}", "[]"])
        out.write("\r\n")
        rows.writerow(["odd", "S9-A9", "[]", "", "{}", ODD])
    return tmp_path


@lucene
def test_java_reads_what_python_reads(nasty: Path):
    expected = {"arguments": 0, "sentences": 0, "digest": 0}
    for argument in open_corpus(str(nasty)):
        expected["arguments"] += 1
        for sentence in argument.sentences:
            expected["sentences"] += 1
            expected["digest"] += zlib.crc32(f"{sentence.id}\t{sentence.text}".encode())
    # Four arguments with the nasty texts; three with a conclusion; the odd one and its conclusion.
    assert (expected["arguments"], expected["sentences"]) == (6, 4 * len(NASTY) + 3 + 2)
    assert java("digest", nasty / TABLE) == expected


@lucene
def test_java_indexes_and_finds(nasty: Path, tmp_path: Path):
    assert java("index", nasty / TABLE, tmp_path / "out", 2) == {"arguments": 6, "sentences": 4 * len(NASTY) + 5}
    (tmp_path / "queries").write_text("plain\nslashes backs\nnowhere\n")
    found = java("search", tmp_path / "out", tmp_path / "queries", 1)
    assert found["hits"] == 4 + 4  # "back", "slash" are words of one text in each of four arguments
    assert found["query_ms"] > 0


def java(*arguments: object) -> Any:
    here = Path()
    setting = scale_peers.Setting(here, here, here, here, sentences=0, jobs=2, jar=Path(JAR or ""))
    done = subprocess.run(scale_peers.java(setting, *arguments), capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])
