from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.processes import python
from support.refusals import refuses

from ltr.commands.evaluate import main
from ltr.data.qrels import NEVER_ZERO
from ltr.errors import InputError

P, Q, R = "x__PREMISE__1", "x__CONC__1", "y__PREMISE__1"
RUN = f"1 PRO {P},{Q} 1 2.0 t\n1 PRO {P},{R} 2 1.0 t\n2 CON {Q},{R} 1 1.0 t\n9 CON {Q},{R} 1 1.0 t\n"


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("run.txt").write_text(RUN)
    Path("best.txt").write_text(f"1 PRO {R},{P} 1 2.0 t\n2 PRO {R},{Q} 1 1.0 t\n3 PRO {P},{Q} 1 1.0 t\n")
    Path("pairs.qrels").write_text(f"1 0 {P},{R} 2\n2 0 {R},{Q} 1\n3 0 {P},{Q} 1\n")
    Path("args.qrels").write_text("1 0 x 1\n1 0 y 2\n2 0 x 0.5\n")
    return tmp_path


def call(capsys, *argv: str) -> str:
    assert main(list(argv)) == 0
    return capsys.readouterr().out


def test_table_of_one_run(files, capsys):
    lines = call(capsys, "--run", "run.txt", "--qrels", "pairs.qrels").splitlines()
    # Topic 1: the only relevant pair at rank 2, 1 / log2(3) = 0.6309; topic 2: 1 in the other order; topic 3:
    # missing, 0. The mean is 1.6309 / 3 = 0.5436; judged (1/2 + 1 + 0) / 3; condensed (1 + 1 + 0) / 3.
    assert lines[0].split() == ["run", "nDCG@5", "lab_nDCG@5", "judged@5", "condensed_nDCG@5"]
    assert lines[1].startswith("run.txt  ")
    means = [cell for cell in lines[1].split()[1:] if not cell.startswith("[") and not cell.endswith("]")]
    # The lab's script leaves the missing topic out, and drops what is unjudged from the first five.
    assert means == ["0.5436", "1.0000", "0.5000", "0.6667"]
    assert lines[0].index("nDCG@5") == lines[1].index("0.5436")  # aligned
    # By luck: topic 1 has two orders of two pairs, each judged@5 1/2 and condensed 1; the others as above.
    luck = [cell for cell in lines[2].split() if not cell.startswith("[") and not cell.endswith("]")]
    assert (luck[:4], luck[-2:]) == (["random", "order", "of", "run.txt"], ["0.5000", "0.6667"])
    assert lines[5].startswith("first 5 of a topic  pairs across arguments  pairs across debates  conclusion + premise")
    # Topics 1 and 2 of the run: P,Q and P,R; Q,R. Across arguments 1/2 and 1; debates have no mark, so each argument
    # is its own; a conclusion with a premise 1/2 and 1; arguments 2 and 2; one of four sentences repeated, and none.
    assert lines[6].split() == ["run.txt", "0.75", "0.75", "0.75", "2.00", "0.12"]
    assert lines[8] == "Level: pair, in either order, guessed from the ids of the qrels."
    assert lines[10:] == [
        "random order of run.txt: mean over 20 shuffles of its results, seed 0.",
        f"qrels: {NEVER_ZERO}.",
        "3 judged topics.",
        "run.txt: 1 missing from the run (scored 0); 1 topic of the run without judgments (left out); "
        "1 with nothing judged in the first 5 (left out of lab_nDCG@5).",
    ]


def test_several_runs_and_every_topic(files, capsys):
    out = call(capsys, "--run", "run.txt", "--run", "best.txt", "--qrels", "pairs.qrels", "--per-topic")
    lines = out.splitlines()
    assert lines[2].split()[:4] == ["best.txt", "1.0000", "[1.0000,", "1.0000]"]
    assert lines[3].startswith("random ")
    start = lines.index("lab_nDCG@5 of every topic (difference from run.txt)")
    assert [line.split() for line in lines[start + 1 : start + 5]] == [
        ["topic", "run.txt", "best.txt"],
        ["1", "1.000", "1.000", "(+0.000)"],
        ["2", "1.000", "1.000", "(+0.000)"],
        ["3", "-", "1.000"],
    ]


def test_strict_order(files, capsys):
    out = call(capsys, "--run", "best.txt", "--qrels", "pairs.qrels", "--level", "pair", "--strict-order")
    assert "Level: pair, in the judged order only." in out
    # Topic 1 is ranked as R,P and judged as P,R.
    assert out.splitlines()[1].split()[:2] == ["best.txt", "0.6667"]


def test_json_has_everything(files, capsys):
    argv = ["--run", "run.txt", "--qrels", "args.qrels", "-k", "3"]
    printed = call(capsys, *argv, "--json", "-")
    found = json.loads(printed)
    assert (found["level"], found["level_guessed"], found["k"], found["seed"]) == ("argument", True, 3, 0)
    assert (found["strict_order"], found["qrels"]) == (False, ["args.qrels"])
    (only,) = found["runs"]
    ndcg = only["measures"]["nDCG@3"]
    lab = only["measures"]["lab_nDCG@3"]
    assert ndcg == {name: pytest.approx(value) for name, value in lab.items()}  # of half grades, too
    # Topic 1 ranks x, y: (1 + 2 / 1.58496) / (2 + 1 / 1.58496) = 0.859719; topic 2 ranks x first: 1.
    assert lab["per_topic"] == {"1": pytest.approx(0.859719, abs=1e-6), "2": 1.0}
    assert lab["mean"] == pytest.approx(0.929860, abs=1e-6)
    # Two topics, so Student's t of 97.5% is 12.7062 and the interval .9299 +- 12.7062 * .0992 / sqrt(2), cut at 1.
    assert (lab["low"], lab["high"]) == (pytest.approx(0.038638, abs=1e-5), 1)
    assert found["random"]["measures"].keys() == only["measures"].keys()
    assert only["composition"]["arguments"] == 2
    assert only["counts"]["unjudged"] == 1
    assert only["topics"]["unjudged"] == ["9"]

    assert "dimensions" not in only  # there is only one set of judgments

    table = call(capsys, *argv, "--json", "out.json")
    assert table.startswith("run  ")
    assert Path("out.json").read_text() == printed


def test_dimensions_of_pairs(files, capsys):
    Path("quality.qrels").write_text(f"1 0 {P},{Q} 1.5\n2 0 {R},{Q} 0\n")
    Path("more.qrels").write_text(f"1 0 {R},{P} 0.5\n")
    argv = ["--run", "run.txt", "--pair-qrels", "quality=quality.qrels", "--pair-qrels", "relevance=pairs.qrels"]
    argv += ["--pair-qrels", "quality=more.qrels", "--measure", "AP"]
    found = json.loads(call(capsys, *argv, "--json", "-"))
    assert found["pair_qrels"] == {"quality": ["quality.qrels", "more.qrels"], "relevance": ["pairs.qrels"]}
    assert (found["level"], found["level_guessed"], found["qrels"]) == ("pair", False, [])
    (only,) = found["runs"]
    assert list(only["dimensions"]) == list(found["random"]["dimensions"]) == ["relevance", "quality", "mean"]
    of = {name: one["measures"]["nDCG@5"]["per_topic"] for name, one in only["dimensions"].items()}
    # Topic 1 of quality: gains 1.5 and .5 in the best order.
    assert of["relevance"] == {"1": pytest.approx(0.63093, abs=1e-5), "2": 1, "3": 0}
    assert of["quality"] == {"1": 1, "2": 0}
    assert of["mean"] == {"1": pytest.approx(0.815465, abs=1e-5), "2": 0.5}  # topics that both judge
    assert only["dimensions"]["quality"]["measures"]["AP"]["per_topic"] == {"1": 1, "2": 0}
    out = call(capsys, *argv, "--per-topic")
    lines = out.splitlines()
    captions = [f"{name}: means over topics" for name in ("relevance", "quality", "mean of the dimensions")]
    starts = [place for place, line in enumerate(lines) if line.startswith(tuple(captions))]
    assert [lines[start].rpartition(" [")[0] for start in starts] == captions
    assert all(lines[start + 3].startswith("random ") for start in starts)
    assert "Level: pair, in either order." in lines
    said = out[out.index("relevance: 3 judged topics.") :].split("\n")
    assert said[1] == "quality: 2 judged topics, 1 without a relevant id (scored 0 in nDCG)."
    assert said[2].startswith("run.txt, relevance: 1 missing from the run (scored 0); 1 topic of the run without")
    assert said[3] == "run.txt, quality: 1 topic of the run without judgments (left out)."
    both = json.loads(call(capsys, *argv, "--qrels", "args.qrels", "--json", "-"))
    assert (both["level"], both["level_guessed"]) == ("argument", True)
    assert both["runs"][0]["dimensions"] == only["dimensions"]
    assert list(both["runs"][0]["measures"])[-1] == "AP"


def test_brief_is_one_table(files, capsys):
    options = ["--pair-qrels", "relevance=pairs.qrels", "--pair-qrels", "quality=pairs.qrels", "--brief"]
    head, run, random, _, *below = call(capsys, "--run", "run.txt", *options).splitlines()
    assert head.split() == "nDCG@5 relevance quality mean of the dimensions judged@5".split()
    # As above: .5436 by either qrels, so on the mean too; judged .5. Of the values .6309, 1 and 0 the deviation is
    # .5057; t(2) is 4.303: .5436 -+ 1.256, cut at 0 and 1.
    assert run.split() == ["run.txt", "0.54", "0.54", "0.54", "[0.00,", "1.00]", "0.50"]
    assert random.startswith("random order of run.txt  ")
    assert [line.partition(":")[0] for line in below] == [
        *("Level", "[low, high]", "random order of run.txt", "relevance, quality", "3 judged topics.", "run.txt")
    ]
    assert below[-1].startswith("run.txt: 1 missing from the run (scored 0)")
    call(capsys, "--run", "run.txt", *options, "--write", "x.md", "--write", "x.tex", "--write", "x.html")
    text, tex, page = (Path(f"x.{suffix}").read_text() for suffix in ("md", "tex", "html"))
    assert text.startswith("| nDCG@5 | relevance | quality | mean of the dimensions | judged@5 |\n| --- |")
    assert (text.count("\n| --- |"), tex.count("begin{table}")) == (1, 1)
    assert "condensed" not in text + page.partition("<details")[0]
    alone = call(capsys, "--run", "run.txt", "--qrels", "pairs.qrels", "--brief", "--measure", "P@1").splitlines()
    assert alone[0].split() == ["nDCG@5", "qrels", "P@1", "judged@5"]
    # First is the judged pair in topic 2 alone: P@1 is 1/3.
    assert alone[1].split() == ["run.txt", "0.54", "[0.00,", "1.00]", "0.33", "0.50"]


def test_qrels_merge(files, capsys):
    Path("more.qrels").write_text(f"9 0 {R},{Q} 1\n")
    out = call(capsys, "--run", "run.txt", "--qrels", "pairs.qrels", "--qrels", "more.qrels")
    assert "4 judged topics" in out
    Path("more.qrels").write_text(f"1 0 {P},{R} 0\n")
    with pytest.raises(InputError, match=r"more\.qrels line 1: .* grade 0 here, 2 earlier"):
        main(["--run", "run.txt", "--qrels", "pairs.qrels", "--qrels", "more.qrels"])


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["--run", "run.txt"], "usage: no judgments are named; add --qrels FILE, --pair-qrels DIMENSION=FILE or "),
        (
            ["--run", "run.txt", "--pair-qrels", "beauty=pairs.qrels"],
            "'beauty=pairs.qrels' is not DIMENSION=FILE",
        ),
        (["--run", "run.txt", "--pair-qrels", "quality="], "'quality=' is not DIMENSION=FILE, with one of"),
        (["--run", "run.txt", "--pair-qrels", "quality=args.qrels"], "args.qrels line 1: 'x' is one id, not a pair"),
        (["--run", "run.txt", "--pair-qrels", "quality=pairs.qrels", "--level", "argument"], "argument does not fit"),
        (["--run", "run.txt", "--argument-qrels", "quality=pairs.qrels"], "pairs.qrels: judges pairs, not arguments"),
        (["--run", "run.txt", "--argument-qrels", "quality=args.qrels", "--level", "pair"], "try argument"),
        (["--run", "other.txt", "--pair-qrels", "quality=pairs.qrels"], "no topic in common with the qrels of quality"),
        (["--run", "run.txt", "--qrels", "args.qrels", "--measure", "ERR@5"], "ERR@5 is not defined for these grades"),
        (["--run", "run.txt", "--qrels", "args.qrels", "--measure", "P@0"], "--measure: 'P@0' is unknown"),
        (["--run", "run.txt", "--qrels", "pairs.qrels", "-k", "0"], "'0' is not a whole number from 1"),
        (["--run", "absent", "--qrels", "pairs.qrels"], "absent: cannot be read"),
        (["--run", "run.txt", "--qrels", "run.txt"], "run.txt line 1: has 6 columns, not 4"),
        (["--run", "run.txt", "--qrels", "pairs.qrels", "--level", "argument"], "try pair"),
        (["--run", "run.txt", "--qrels", "args.qrels", "--level", "pair"], "try argument"),
        (
            ["--run", "run.txt", "--qrels", "args.qrels", "--strict-order"],
            "--strict-order: only judgments of pairs have",
        ),
        (["--run", "docs.txt", "--qrels", "pairs.qrels"], "docs.txt: ranks no pairs"),
        (["--run", "other.txt", "--qrels", "pairs.qrels"], "other.txt: has no topic in common"),
    ],
)
def test_mistakes_are_one_line(files, capsys, argv, said):
    Path("docs.txt").write_text("1 Q0 x 1 1 t\n")
    Path("other.txt").write_text(f"77 Q0 {P},{R} 1 1 t\n")
    refuses(lambda: main(argv), said)
    assert capsys.readouterr().out == ""


def test_as_a_process(files):
    run, qrels = str(files / "run.txt"), str(files / "pairs.qrels")
    good = python("-m", "ltr.evaluate", "--run", run, "--qrels", qrels)
    assert (good.returncode, good.stderr) == (0, "")
    assert good.stdout == python("-m", "ltr.evaluate", "--run", run, "--qrels", qrels).stdout
    bad = python("-m", "ltr.evaluate", "--run", run, "--qrels", qrels, "--json", str(files / "absent" / "out.json"))
    assert (bad.returncode, bad.stdout) == (2, "")
    assert len(bad.stderr.splitlines()) == 1
