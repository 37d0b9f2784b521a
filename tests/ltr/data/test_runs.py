from __future__ import annotations

import gzip

import pytest
from support.refusals import refuses

from ltr.data.runs import RunRow, read_run, run_place, validate_run, write_run

A, B, C = "S1-Aa__PREMISE__1", "S1-Aa__CONC__1", "S2-Ab__PREMISE__2"


def row(**changes: object) -> RunRow:
    return RunRow("1", "PRO", f"{A},{B}", 1, 9.0, "tag")._replace(**changes)


def test_a_run_of_arguments_holds_ids_of_arguments():
    first = row(pair="S1-A1", stance="Q0")
    validate_run([first, row(pair="c67482ba-2019-04-18T13:32:05Z-00000-000", rank=2, score=8.0)], kind="argument")
    for id_, said in (
        ("S1-A1", "argument S1-A1 is there already; keep the higher one"),
        ("S1-A2__PREMISE__1", "'S1-A2__PREMISE__1' is not an argument; write the id of one"),
        (f"{A},{B}", "is not an argument"),
    ):
        other = row(pair=id_, rank=2, score=8.0)
        refuses(lambda other=other: validate_run([first, other], kind="argument"), "run row 2", said)
    refuses(lambda: validate_run([first]), "run row 1", "'S1-A1' is not a pair")


def test_a_folder_holds_one_run_packed_or_not(tmp_path):
    assert run_place(tmp_path).name == "run.txt"
    packed = run_place(tmp_path, compressed=True)
    assert packed.name == "run.txt.gz"
    write_run(packed, [row()])
    assert read_run(packed) == [row()]
    assert run_place(tmp_path, compressed=True) == packed
    refuses(lambda: run_place(tmp_path), "run.txt.gz", "a reader would find it beside run.txt")


def test_runs_of_other_people(saved):
    """Tabs, ranks from 0, and a tag of several words between quotes."""
    path = saved('51\tQ0\tS1-Aa\t0\t7.5\t"our best run"\n51\tQ0\tS2-Ab\t1\t7.5\t\'our best  run\'\n51 Q0 x 2 1 "t"\n')
    assert read_run(path) == [
        RunRow("51", "Q0", "S1-Aa", 0, 7.5, "our best run"),
        RunRow("51", "Q0", "S2-Ab", 1, 7.5, "our best  run"),
        RunRow("51", "Q0", "x", 2, 1.0, '"t"'),
    ]


def test_valid_runs():
    synthetic = row(pair="synthetic_7__PREMISE__1,arg__CONC__12", rank=2, score=8.5, stance="CON")
    validate_run([row(), synthetic, row(topic="x", stance="Q0", score=99.0)])
    validate_run([row(), synthetic], depth=2)
    validate_run([])


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ({"stance": "NEUTRAL"}, "stance 'NEUTRAL'"),
        ({"stance": "pro"}, "stance 'pro'"),
        ({"pair": A}, "not a pair"),
        ({"pair": f"{A},{A}"}, "not a pair"),
        ({"pair": f"{A},{B},{C}"}, "not a pair"),
        ({"pair": f"{A},"}, "not a pair"),
        ({"pair": f"{A}, {B}"}, "not a pair"),
        ({"pair": f"{A};{B}"}, "not a pair"),
        ({"pair": "S1-Aa,S2-Ab"}, "not a pair"),
        ({"pair": f"{A},S2-Ab__CONC__"}, "not a pair"),
        ({"pair": f"{A},__CONC__1"}, "not a pair"),
        ({"pair": f"{A},{B}"}, "is there already"),
        ({"pair": f"{B},{A}"}, "is there already"),
        ({"rank": 1}, "rank 1 stands where 2 belongs"),
        ({"rank": 3}, "rank 3 stands where 2 belongs"),
        ({"score": 9.0}, "score 9.0 is not below 9.0"),
        ({"score": 9.5}, "score 9.5 is not below 9.0"),
        ({"score": float("nan")}, "not finite"),
        ({"score": float("-inf")}, "not finite"),
        ({"tag": "my tag"}, "tag 'my tag'"),
        ({"tag": ""}, "tag ''"),
        ({"topic": "1 2"}, "topic '1 2'"),
    ],
)
def test_rows_that_a_run_may_not_hold(fault, said):
    good = row(pair=f"{A},{C}", rank=2, score=8.0)
    validate_run([row(), good])
    refuses(lambda: validate_run([row(), good._replace(**fault)]), "run row 2", said)


def test_a_topic_may_not_come_back():
    rows = [row(), row(topic="2"), row(rank=2, pair=f"{A},{C}", score=8.0)]
    refuses(lambda: validate_run(rows), "run row 3", "topic 1 comes back")


def test_the_number_of_pairs_is_bounded():
    rows = [row(rank=n, pair=f"a__CONC__1,b__PREMISE__{n}", score=-float(n)) for n in range(1, 1002)]
    validate_run(rows[:1000])
    refuses(lambda: validate_run(rows), "run row 1001", "more than 1000 pairs")
    refuses(lambda: validate_run(rows[:3], depth=2, where="run.txt"), "run.txt row 3", "more than 2 pairs")


def test_units_are_checked_while_a_run_is_read(tmp_path):
    (path := tmp_path / "run.txt").write_text(f"1 Q0 {A},{B} 1 2.0 t\n1 Q0 S1-Aa 2 1.0 t\n")
    assert [one.pair for one in read_run(path)] == [f"{A},{B}", "S1-Aa"]
    refuses(lambda: read_run(path, "pair"), "run.txt line 2", "'S1-Aa' is not a pair; join two different sentence ids")
    refuses(lambda: read_run(path, "argument"), "run.txt line 1", f"'{A},{B}' is not an argument; write the id of one")


def test_a_packed_run_has_no_date(tmp_path):
    write_run(tmp_path / "run.txt.gz", [row()])
    packed = (tmp_path / "run.txt.gz").read_bytes()
    assert gzip.decompress(packed) == f"1 PRO {A},{B} 1 9.0 tag\n".encode()
    assert packed[4:8] == bytes(4)
    assert read_run(tmp_path / "run.txt.gz") == [row()]
    refuses(lambda: write_run(tmp_path / "r", [row(score=float("nan"))]), "r", "score 'nan' is not a finite number")
