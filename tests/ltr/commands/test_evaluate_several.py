from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from support.refusals import refuses

from ltr.commands.evaluate import FORMATS, main
from ltr.errors import InputError
from ltr.evaluation.significance import NO_EVIDENCE

BAD = ["good.txt", "bad.txt", "--qrels", "args.qrels"]
TESTED = ["--test", "nDCG@5", "--test", "condensed_nDCG@5"]
FURTHER = [word for name in ("nDCG@10", "P@10", "AP", "RR") for word in ("--measure", name)]


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Eight topics where ``good`` has the relevant argument first, ``bad`` second and ``half`` by turns."""
    monkeypatch.chdir(tmp_path)
    ranked = {name: [] for name in ("good", "bad", "half")}
    for topic in range(8):
        orders = {"good": ("x", "y"), "bad": ("y", "x"), "half": ("x", "y") if topic % 2 else ("y", "x")}
        for name, order in orders.items():
            ranked[name] += [f"{topic} Q0 {id_} {rank} {9 - rank} t\n" for rank, id_ in enumerate(order, 1)]
    for name, lines in ranked.items():
        Path(f"{name}.txt").write_text("".join(lines))
    Path("args.qrels").write_text("".join(f"{topic} 0 x 1\n{topic} 0 y -2\n" for topic in range(8)))
    return tmp_path


def call(capsys, *argv: str) -> str:
    assert main(list(argv)) == 0
    return capsys.readouterr().out


def line_of(out: str, start: str) -> str:
    (found,) = [line for line in out.splitlines() if line.startswith(start)]
    return found


def under(out: str, caption: str) -> list[list[str]]:
    """Words of the lines of the table that has ``caption``, its head first."""
    lines = out.splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith(caption)) + 1
    return [line.split() for line in lines[start : lines.index("", start)]]


# ---- what it finds --------------------------------------------------------------------------------


def test_tables(files, capsys):
    out = call(capsys, "bad.txt", "good.txt", "--run", "half.txt", "--qrels", "args.qrels", *FURTHER, *TESTED)
    head, bad, good, half, random_row = [line.split() for line in out.split("\n\n")[0].splitlines()]
    assert head == ["run", "nDCG@5", "lab_nDCG@5", "judged@5", "condensed_nDCG@5", "nDCG@10", "P@10", "AP", "RR"]
    # The relevant argument second: 1 / log2(3) = .631; by turns: (.631 + 1) / 2 = .815.
    ndcg = "0.6309"
    # Reciprocal ranks 1/2 and 1; P@10 counts 1 of 10 places.
    assert bad[1::3] == [ndcg, ndcg, "1.0000", ndcg, ndcg, "0.1000", "0.5000", "0.5000"]
    assert bad[2:4] == [f"[{ndcg},", f"{ndcg}]"]
    assert good[1] == "1.0000"
    assert half[1] == "0.8155"
    assert random_row[:4] == ["random", "order", "of", "bad.txt"]
    assert 0.631 < float(random_row[4]) < 1

    head, *tests = under(out, "paired differences from bad.txt")
    assert " ".join(head).endswith("wins/ties/losses p Holm p verdict")
    assert [test[:2] for test in tests] == [
        [run, measure] for run in ("good.txt", "half.txt") for measure in ("nDCG@5", "condensed_nDCG@5")
    ]
    full, condensed, half, *_ = tests
    # 8 wins of .369: 2 of 256 patterns are as far out, .0078. There are two tests, for full and condensed differences
    # are the same. No spread: d_z at its limit, +- 1.96 * 100 / sqrt(2 * 7).
    assert " ".join(full[2:]) == "+0.369 [+0.369, +0.369] +100.00 [+47.61, +100.00] 8/0/0 0.0078 0.0156 better"
    assert full[2:] == condensed[2:]
    # 4 wins and 4 ties: 2 of 16 patterns.
    assert half[-8:] == ["4/4/0", "0.1250", "0.1250", *NO_EVIDENCE.split()]
    assert out.splitlines()[-1] == "8 judged topics."  # and nothing of zeros


def test_baseline_and_all_pairs(files, capsys):
    runs = ["bad.txt", "good.txt", "half.txt", "--qrels", "args.qrels"]
    out = call(capsys, *runs, "--baseline", str(files / "good.txt"), "--test", "RR")
    _, bad, half = under(out, "paired differences from good.txt")
    assert (bad[:3], bad[-1]) == (["bad.txt", "RR", "-0.500"], "worse")
    assert half[2] == "-0.250"
    out = call(capsys, *runs, "--all-pairs", "--test", "AP", "--test", "AP")
    _, *tests = under(out, "paired differences")
    assert [test[:2] for test in tests] == [["good.txt", "bad.txt"], ["half.txt", "bad.txt"], ["half.txt", "good.txt"]]
    # .0078 x 3, then .125 x 2 for the two of 4 wins or losses.
    assert [test[11] for test in tests] == ["0.0234", "0.2500", "0.2500"]


def test_measures_of_missing_topics_and_negative_grades(files, capsys):
    Path("a.txt").write_text("1 Q0 d1 1 3 t\n1 Q0 d3 2 2 t\n1 Q0 d2 3 1 t\n7 Q0 d1 1 1 t\n")
    Path("b.txt").write_text("1 Q0 d2 1 3 t\n1 Q0 d1 2 2 t\n1 Q0 d3 3 1 t\n2 Q0 d5 1 1 t\n")
    Path("q").write_text("1 0 d1 1\n1 0 d2 0\n1 0 d3 2\n2 0 d4 -2\n2 0 d5 1\n")
    argv = ["a.txt", "b.txt", "--qrels", "q", "--measure", "AP", "--measure", "MAP", "--measure", "AP(rel=2)"]
    found = json.loads(call(capsys, *argv, "--measure", "Judged@2", "--test", "AP", "--json", "-"))
    by_run = {run["run"]: run["measures"] for run in found["runs"]}
    assert list(by_run["a.txt"])[4:] == ["AP", "AP(rel=2)", "Judged@2"]
    # b has them second and third: (1/2 + 2/3) / 2; a lacks topic 2, and its topic 7 is not judged.
    assert by_run["a.txt"]["AP"]["per_topic"] == {"1": 1.0, "2": 0.0}
    assert by_run["b.txt"]["AP"]["per_topic"] == {"1": pytest.approx(7 / 12), "2": 1.0}
    assert by_run["b.txt"]["AP(rel=2)"]["per_topic"] == {"1": pytest.approx(1 / 3), "2": 0.0}
    assert by_run["b.txt"]["Judged@2"]["per_topic"] == {"1": 1.0, "2": 1.0}
    assert by_run["a.txt"]["Judged@2"]["per_topic"]["2"] == 0.0
    (only,) = [test for test in found["comparisons"] if test["measure"] == "AP"]
    assert only["mean"] == pytest.approx((7 / 12 - 1 + 1) / 2)
    # Differences of -5/12 and 1: whatever the signs, no pattern is nearer to 0.
    assert (only["p"], only["better"], only["worse"], only["verdict"]) == (1.0, 1, 1, NO_EVIDENCE)
    out = call(capsys, *argv, "--test", "AP")
    assert line_of(out, "With") == "With 2 topics no Holm p of this table is below 0.5, however large the differences."
    assert "\n2 judged topics.\na.txt: 1 missing from the run (scored 0); 1 topic of the run without" in out


def test_dimensions_of_pairs(files, capsys):
    p, q, r = "x__PREMISE__1", "x__CONC__1", "y__PREMISE__1"
    topics = range(6)
    Path("r.qrels").write_text("".join(f"{t} 0 {p},{q} 1.5\n{t} 0 {p},{r} 0.5\n" for t in topics))
    Path("c.qrels").write_text("".join(f"{t} 0 {p},{q} 0\n{t} 0 {p},{r} 1\n" for t in topics))
    Path("a.txt").write_text("".join(f"{t} PRO {q},{p} 1 2 t\n{t} PRO {p},{r} 2 1 t\n" for t in topics))
    Path("b.txt").write_text("".join(f"{t} PRO {p},{r} 1 2 t\n{t} PRO {q},{p} 2 1 t\n" for t in topics))
    argv = ["a.txt", "b.txt", "--pair-qrels", "relevance=r.qrels", "--pair-qrels", "coherence=c.qrels", *TESTED]
    out = call(capsys, *argv, "--measure", "AP")
    # Gains .5 and 1.5 in the wrong order: (.5 + 1.5 / 1.58496) / (1.5 + .5 / 1.58496) = .797; 0 and 1: 1.
    assert under(out, "relevance: means over topics")[2][:2] == ["b.txt", "0.7967"]
    assert under(out, "coherence: means over topics")[2][:2] == ["b.txt", "1.0000"]
    assert under(out, "mean of the dimensions: means over topics")[2][:2] == ["b.txt", "0.8984"]
    assert under(out, "coherence: means over topics")[3][0] == "random"
    _, *tests = under(out, "paired differences from a.txt")
    assert [test[:3] for test in tests] == [
        ["b.txt", one, measure]
        for one in ("relevance", "coherence", "mean")
        for measure in ("nDCG@5", "condensed_nDCG@5")
    ]
    # Six wins or losses: 2 of 64 patterns; three different tests, as full and condensed agree.
    assert [test[-1] for test in tests] == ["difference"] * 6
    assert tests[0][-6:-4] == ["0.0938", "no"]
    found = json.loads(call(capsys, *argv, "--json", "-"))
    assert [list(run["dimensions"]) for run in found["runs"]] == [["relevance", "coherence", "mean"]] * 2
    assert {test["judgments"] for test in found["comparisons"]} == {"relevance", "coherence", "mean"}
    call(capsys, *argv, "--write", "all.csv")
    rows = list(csv.DictReader(Path("all.csv").read_text().splitlines()))
    assert {row["judgments"] for row in rows} == {"relevance", "coherence", "mean"}


def test_the_lab_measure_is_tested_on_the_topics_of_both(files, capsys):
    Path("less.txt").write_text("".join(f"{t} Q0 {'y' if t < 6 else 'u'} 0 1 t\n" for t in range(8)))
    argv = ["good.txt", "less.txt", "--qrels", "args.qrels", "--test", "lab_nDCG@5"]
    out = call(capsys, *argv, "--per-topic")
    # Six of eight topics, all lost: 2 of 64 patterns.
    assert under(out, "paired")[1][-4:] == ["0/0/6", "0.0312", "0.0312", "worse"]
    assert "2 with nothing judged in the first 5 (left out of lab_nDCG@5)" in out
    assert under(out, "lab_nDCG@5 of every topic")[-1] == ["7", "1.000", "-"]
    Path("none.txt").write_text("".join(f"{t} Q0 u 0 1 t\n" for t in range(8)))
    with pytest.raises(InputError, match=r"lab_nDCG@5 by qrels: none.txt and good.txt have a value for no topic"):
        main(["good.txt", "none.txt", "--qrels", "args.qrels", "--test", "lab_nDCG@5"])


# ---- outputs --------------------------------------------------------------------------------------


def test_ids_of_topics_that_move_a_terminal_are_refused(files):
    Path("args.qrels").write_text(Path("args.qrels").read_text().replace("0 0 ", "\x1b[31m0\x9b2J 0 "))
    refuses(lambda: main(BAD), "args.qrels line 1", "holds an invisible character (U+001B)")


def test_json_and_csv_hold_every_measure(files, capsys):
    more = [*BAD, *FURTHER, *TESTED]
    shown = call(capsys, *more, "--json", "out.json", "--write", "out.csv")
    assert shown.startswith("run  ")
    found = json.loads(Path("out.json").read_text())
    measures = ["nDCG@5", "lab_nDCG@5", "judged@5", "condensed_nDCG@5", "nDCG@10", "P@10", "AP", "RR"]
    assert list(found["runs"][0]["measures"]) == list(found["random"]["measures"]) == measures
    assert [test["measure"] for test in found["comparisons"]] == ["nDCG@5", "condensed_nDCG@5"]
    assert (found["level"], found["level_guessed"], found["baseline"]) == ("argument", True, "good.txt")
    assert found["test"]["measures"] == ["nDCG@5", "condensed_nDCG@5"]
    with Path("out.csv").open(newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert len(rows) == 2 * 8 * 8  # runs x measures x topics
    assert list(rows[0]) == ["run", "measure", "topic", "value", "judgments"]
    by_key = {(row["run"], row["measure"], row["topic"]): float(row["value"]) for row in rows}
    for run in found["runs"]:
        for measure, details in run["measures"].items():
            assert {t: by_key[run["run"], measure, t] for t in details["per_topic"]} == details["per_topic"]
    assert call(capsys, *more, "--json", "-") == Path("out.json").read_text()
    for suffix in FORMATS:  # the same input, the same bytes
        call(capsys, *more, "--write", f"a{suffix}", "--write", f"b{suffix}")
        assert Path(f"a{suffix}").read_text() == Path(f"b{suffix}").read_text()
    assert Path("a.json").read_text() == Path("out.json").read_text()


def test_special_characters_are_escaped(files, capsys):
    odd = 'a_b&50%|{$#^~\\<,".txt'
    Path(odd).write_text(Path("bad.txt").read_text())
    Path("[odd].txt").write_text(Path("half.txt").read_text())
    argv = ["good.txt", odd, "[odd].txt", "--qrels", "args.qrels", *FURTHER, *TESTED]
    call(capsys, *argv, "--write", "o.tex", "--write", "o.md", "--write", "o.csv")
    escaped = r"a\_b\&50\%\textbar{}\{\$\#\textasciicircum{}\textasciitilde{}\textbackslash{}\textless{},"
    latex = Path("o.tex").read_text()
    assert latex.count(f'\n{escaped}".txt & ') == 5
    assert latex.count("\n{}[odd].txt & ") == 5  # not an option of the \\ before
    assert r"$-$0.369" in latex
    assert latex.count(r"\begin{tabular}") == latex.count(r"\bottomrule") == latex.count(r"\end{table}") == 3
    body = [line for line in latex.splitlines() if line.endswith(r"\\")]
    assert {line.replace(r"\&", "").count("&") for line in body} == {6, 7, 8}
    tables = [line for line in Path("o.md").read_text().splitlines() if line.startswith("|")]
    assert sum(line.startswith(r'| a\_b&50%\|{$#^~\\\<,".txt | ') for line in tables) == 5
    for row in tables:
        cells = row.replace(r"\|", "").split("|")
        assert len(cells) in {9, 10, 11}  # 7, 8 or 9 columns and the empty ends
    with Path("o.csv").open(newline="") as lines:
        assert {row[0] for row in csv.reader(lines)} == {"run", "good.txt", odd, "[odd].txt"}


# ---- what can be wrong ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["--qrels", "qrels.txt"], "usage: no run is named; add --run FILE"),
        (["good.txt", "--qrels", "args.qrels", *TESTED], "good.txt: is one run only, so there is nothing to compare"),
        ([*BAD, "--all-pairs"], "usage: --all-pairs needs a measure to test; add --test nDCG@5"),
        (["good.txt", "./good.txt", "--qrels", "args.qrels"], "good.txt: is named twice"),
        (["good.txt", "other.txt", "--qrels", "args.qrels"], "other.txt: has no topic in common"),
        ([*BAD, "--baseline", "half.txt"], "--baseline: half.txt is not among the runs"),
        ([*BAD, "--baseline", "bad.txt", "--all-pairs"], "--all-pairs: does not go with baseline"),
        ([*BAD, "--alpha", "2"], "--alpha: risk is measured against a baseline; name one, or leave it out"),
        ([*BAD, "--alpha", "2", "--test", "AP", "--all-pairs"], "--alpha: risk is measured against a baseline"),
        ([*BAD, "--measure", "bogus"], "--measure: 'bogus' is unknown"),
        ([*BAD, "--argument-qrels", "quality=a.qrels", "--json", "a.qrels"], "a.qrels is the file of another option"),
        ([*BAD, "--write", "o.txt"], "--write: 'o.txt' is not a file that ends in .csv, .html, .json, .md, .tex"),
        ([*BAD, "--json", "new.json", "--write", "absent/out.csv"], "--write: absent is not a directory"),
        ([*BAD, "--json", "new.json", "--write", "./new.json"], "--write: new.json is the file of another option"),
        ([*BAD, "--json", "."], "--json: . is not a file"),
        ([*BAD, "--json", "good.txt"], "--json: good.txt is the file of another option"),
        ([*BAD, "--json", "args.qrels"], "--json: args.qrels is the file of another option"),
    ],
)
def test_mistakes_are_one_line(files, capsys, argv, said):
    Path("other.txt").write_text("77 Q0 x 1 1 t\n")
    Path("p.qrels").write_text("1 0 x,y 1\n")
    Path("a.qrels").write_text("1 0 x 1\n")
    before = {path: path.read_bytes() for path in files.iterdir()}
    refuses(lambda: main(argv), said)
    assert capsys.readouterr().out == ""
    assert {path: path.read_bytes() for path in files.iterdir()} == before
