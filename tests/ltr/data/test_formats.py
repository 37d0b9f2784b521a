from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from ltr.data.formats import (
    RunRow,
    Topic,
    argument_of,
    pair_key,
    read_all_qrels,
    read_pair_qrels,
    read_qrels,
    read_run,
    read_topics,
    validate_run,
    write_qrels,
    write_run,
    write_topics,
)
from ltr.errors import InputError

A, B, C = "S1-Aa__PREMISE__1", "S1-Aa__CONC__1", "S2-Ab__PREMISE__2"


@pytest.fixture
def saved(tmp_path: Path) -> Callable[[str | bytes], Path]:
    def save(content: str | bytes) -> Path:
        path = tmp_path / "input"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return save


def row(**changes: object) -> RunRow:
    return RunRow("1", "PRO", f"{A},{B}", 1, 9.0, "tag")._replace(**changes)


# ---- topics


def test_topics_fold_white_space_and_keep_order(saved):
    path = saved(
        """<?xml version="1.0" encoding="utf-8"?>
        <topics>
          <topic><number> 51 </number><title>Do we
             need <i>sex</i> education?</title><narrative>n &amp; m</narrative></topic>
          <topic><number>7</number><title>Ça va\u00a0?</title><description/></topic>
        </topics>"""
    )
    assert read_topics(path) == [
        Topic("51", "Do we need sex education?", narrative="n & m"),
        Topic("7", "Ça va ?"),
    ]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_topics_with_a_byte_order_mark(saved, encoding):
    path = saved("<topics><topic><number>1</number><title>é</title></topic></topics>".encode(encoding))
    assert read_topics(path) == [Topic("1", "é")]


def test_topics_round_trip(tmp_path):
    topics = [Topic("51", 'a < b & "c" ]]>', "why?", "é😀"), Topic("x-1", "t")]
    write_topics(tmp_path / "topics.xml", topics)
    assert read_topics(tmp_path / "topics.xml") == topics


def topic(inside: str) -> str:
    return f"<topics>\n<topic><number>1</number><title>t</title></topic>\n<topic>{inside}</topic></topics>"


BOMB = '<!DOCTYPE t [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><topics>&b;</topics>'


@pytest.mark.parametrize(
    ("content", "place", "said"),
    [
        ("", "input:", "is empty"),
        (" \n", "input:", "is empty"),
        ("\ufeff", "input:", "is empty"),
        ("<topics>\n<topic>", "line 2", "is not XML (no element found)"),
        (topic("<title>a & b</title>"), "line 3", "written &amp;"),
        (topic("<title>&nbsp;</title>"), "line 3", "undefined entity"),
        (BOMB, "input:", "DTD"),
        ('<!DOCTYPE t SYSTEM "file:///etc/passwd"><topics/>', "input:", "DTD"),
        ("<html></html>", "input:", "root element is <html>"),
        ("<topics></topics>", "input:", "holds no topics"),
        ("<topics><tpoic/></topics>", "topic 1", "<tpoic>"),
        (topic("<title>t</title>"), "topic 2", "has no number"),
        (topic("<number>1</number><title>t</title>"), "topic 2", "number 1 is taken"),
        (topic("<number>2</number><title> </title>"), "topic 2", "topic 2 has no title"),
        (topic("<number>2 3</number><title>t</title>"), "topic 2", "holds a space"),
        (topic("<number>2</number><number>3</number><title>t</title>"), "topic 2", "2 <number> elements"),
        (topic("<number>2</number><title>é</title>").encode("latin-1"), "line 3", "is not UTF-8"),
        ('<?xml version="1.0" encoding="klingon"?><topics/>', "input:", "unknown encoding"),
    ],
)
def test_bad_topics(saved, content, place, said):
    refuses(lambda: read_topics(saved(content)), place, said)


def test_topics_that_could_not_be_read_back_are_not_written(tmp_path):
    path = tmp_path / "topics.xml"
    for bad in ([], [Topic("1", "")], [Topic("1", "a"), Topic("1", "b")], [Topic("1", "\x00")]):
        refuses(lambda bad=bad: write_topics(path, bad), "topics.xml", "")
    assert list(tmp_path.iterdir()) == []


# ---- qrels


def test_qrels_of_many_makes(saved):
    path = saved("\ufeff51 0 b 2\r\n\r\n51\t0  a  -2\r\n7 Q0 a 0.5\r\n51 0 b 2.0\r\n")
    assert read_qrels(path) == {"51": {"b": 2.0, "a": -2.0}, "7": {"a": 0.5}}
    assert list(read_qrels(path)["51"]) == ["b", "a"]


def test_qrels_round_trip_and_their_text(tmp_path):
    qrels = {"2": {"b": 2.0, "a": -2.0}, "1": {f"{A},{B}": 1 / 3}}
    path = tmp_path / "qrels"
    write_qrels(path, qrels)
    assert read_qrels(path) == qrels
    assert path.read_text() == f"2 0 b 2\n2 0 a -2\n1 0 {A},{B} 0.3333333333333333\n"


@pytest.mark.parametrize(
    ("content", "place", "said"),
    [
        ("", "input:", "is empty"),
        ("\n\u00a0\n", "input:", "is empty"),
        ("1 0 a 1\n1 0 a", "line 2", "has 3 columns, not 4"),
        ("1 0 a 1 x\n", "line 1", "has 5 columns, not 4"),
        ("1 0 a good\n", "line 1", "'good' is not a finite number"),
        ("1 0 a nan\n", "line 1", "'nan' is not"),
        ("1 0 a inf\n", "line 1", "'inf' is not"),
        ("1 0 a 1e999\n", "line 1", "is not a finite number"),
        ("1 0 a 1e300\n", "line 1", "off the scale"),
        ("1 0 a 1_0\n", "line 1", "'1_0' is not"),
        ("1 0 a ١\n", "line 1", "is not a finite number"),
        ("1 0 a 1\n\n1 0 a 2\n", "line 3", "grade 2 here, 1 earlier"),
        ("1 0 a 1\n1 0 é 1\n".encode("latin-1"), "line 2", "is not UTF-8"),
        ("1 0 a 1\n".encode("utf-16"), "line 1", "is not UTF-8"),
    ],
)
def test_bad_qrels(saved, content, place, said):
    refuses(lambda: read_qrels(saved(content)), place, said)


@pytest.mark.parametrize("read", [read_topics, read_qrels, read_run])
def test_files_that_cannot_be_read(tmp_path, read):
    refuses(lambda: read(tmp_path / "absent"), "absent", "no such file")
    refuses(lambda: read(tmp_path), str(tmp_path), "is a directory")


def test_several_qrels_files_merge_or_contradict(tmp_path):
    first, second, third = (tmp_path / name for name in ("first", "second", "third"))
    first.write_text("1 0 a 1\n")
    second.write_text("1 0 a 1\n1 0 b 2\n2 0 a 0\n")
    third.write_text("1 0 b 1\n")
    assert read_all_qrels([first, second]) == {"1": {"a": 1.0, "b": 2.0}, "2": {"a": 0.0}}
    refuses(lambda: read_all_qrels([first, second, third]), "third", "topic 1, id b: grade 1 here, 2 earlier")


@pytest.mark.parametrize(
    "qrels", [{"1 2": {"a": 1.0}}, {"1": {"": 1.0}}, {"1": {"a": float("nan")}}, {"1": {"\ud800": 1.0}}]
)
def test_qrels_that_could_not_be_read_back_are_not_written(tmp_path, qrels):
    (tmp_path / "qrels").write_text("earlier")
    refuses(lambda: write_qrels(tmp_path / "qrels", qrels), "qrels", "")
    assert (tmp_path / "qrels").read_text() == "earlier"
    assert len(list(tmp_path.iterdir())) == 1


def test_pair_qrels_by_dimension(tmp_path):
    first, second, third = (tmp_path / name for name in ("first", "second", "third"))
    first.write_text(f"1 0 {B},{A} 1.5\n1 0 {A},{B} 1.5\n")  # both orders are one pair, under its first order
    second.write_text(f"1 0 {A},{B} 1.5\n2 0 {A},{C} 0\n")
    third.write_text(f"1 0 {A},{B} 2\n")
    found = read_pair_qrels([("coherence", first), ("relevance", third), ("coherence", second)])
    assert found == {"relevance": {"1": {f"{A},{B}": 2.0}}, "coherence": {"1": {f"{B},{A}": 1.5}, "2": {f"{A},{C}": 0}}}
    assert list(found) == ["relevance", "coherence"]
    assert read_pair_qrels([]) == {}
    refuses(lambda: read_pair_qrels([("beauty", first)]), "first", "'beauty' is no dimension")
    again = [("coherence", first), ("coherence", third)]
    refuses(lambda: read_pair_qrels(again), "third line 1", f"id {B},{A}: grade 2 here, 1.5 earlier")


@pytest.mark.parametrize(
    ("content", "place", "said"),
    [
        (f"1 0 {A},{B} 1\n1 0 {B} 1\n", "line 2", "is one id, not a pair"),
        (f"1 0 {A},{B},{C} 1\n", "line 1", "is not a pair"),
        (f"1 0 {A},{A} 1\n", "line 1", "is not a pair"),
        (f"1 0 {A}, 1\n", "line 1", "is not a pair"),
        (f"1 0 {A},{B} 1\n1 0 {B},{A} 0.5\n", "line 2", "grade 0.5 here, 1 earlier"),
        (f"1 0 {A},{B} good\n", "line 1", "'good' is not a finite number"),
    ],
)
def test_bad_pair_qrels(saved, content, place, said):
    refuses(lambda: read_pair_qrels([("quality", saved(content))]), place, said)


# ---- runs


def test_run_round_trip_keeps_scores_apart(tmp_path):
    scores = [1e17, 1.0000000000000002, 1.0, 0.1, 5e-324, 0.0, -1e-300, -2.5e300]
    rows = [row(rank=rank, score=score, pair=f"d{rank}") for rank, score in enumerate(scores, 1)]
    write_run(tmp_path / "run.txt", rows)
    assert read_run(tmp_path / "run.txt") == rows


def test_run_text(tmp_path):
    write_run(tmp_path / "run.txt", [row()])
    assert (tmp_path / "run.txt").read_bytes() == f"1 PRO {A},{B} 1 9.0 tag\n".encode()


@pytest.mark.parametrize(
    ("content", "place", "said"),
    [
        ("", "input:", "is empty"),
        ("1 Q0 d 1 2.5\n", "line 1", "has 5 columns, not 6"),
        ("1 Q0 d 1 2.5 my run\n", "line 1", "has 7 columns, not 6"),
        ("1 Q0 d 1 2.5 t\n1 Q0 e two 2 t\n", "line 2", "rank 'two'"),
        ("1 Q0 d -1 2.5 t\n", "line 1", "rank '-1'"),
        (f"1 Q0 d {'9' * 5000} 2.5 t\n", "line 1", "rank '999"),
        ("1 Q0 d 1 high t\n", "line 1", "score 'high'"),
        ("1 Q0 d 1 nan t\n", "line 1", "score 'nan'"),
    ],
)
def test_bad_runs(saved, content, place, said):
    refuses(lambda: read_run(saved(content)), place, said)


def test_a_run_that_could_not_be_read_back_is_not_written(tmp_path):
    for bad in (row(tag="my tag"), row(tag=""), row(score=float("inf")), row(pair="a, b")):
        refuses(lambda bad=bad: write_run(tmp_path / "run.txt", [row(), bad]), "run.txt", "")
    assert list(tmp_path.iterdir()) == []


def test_valid_runs():
    synthetic = row(pair="synthetic_7__PREMISE__1,arg__CONC__12", rank=2, score=8.5, stance="CON")
    validate_run([row(), synthetic, row(topic="x", stance="Q0", score=99.0)])
    validate_run([row(), synthetic], depth=2, minimum=2)
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
    ],
)
def test_rows_that_a_run_may_not_hold(fault, said):
    good = row(pair=f"{A},{C}", rank=2, score=8.0)
    validate_run([row(), good])
    refuses(lambda: validate_run([row(), good._replace(**fault)]), "run row 2", said)


def test_a_topic_number_is_one_word():
    refuses(lambda: validate_run([row(topic="1 2")]), "run row 1", "topic '1 2'")


def test_a_topic_may_not_come_back():
    rows = [row(), row(topic="2"), row(rank=2, pair=f"{A},{C}", score=8.0)]
    refuses(lambda: validate_run(rows), "run row 3", "topic 1 comes back")


def test_the_number_of_pairs_is_bounded():
    rows = [row(rank=n, pair=f"a__CONC__1,b__PREMISE__{n}", score=-float(n)) for n in range(1, 1002)]
    validate_run(rows[:1000], minimum=1000)
    refuses(lambda: validate_run(rows), "run row 1001", "more than 1000 pairs")
    refuses(lambda: validate_run(rows[:3], depth=2, where="run.txt"), "run.txt row 3", "more than 2 pairs")
    refuses(lambda: validate_run(rows[:99], minimum=100, where="run.txt"), "run.txt:", "99 pairs, fewer")


# ---- ids


@pytest.mark.parametrize(
    ("sentence", "argument"),
    [
        ("S1a-A2b__PREMISE__3", "S1a-A2b"),
        ("S1a-A2b__CONC__1", "S1a-A2b"),
        ("odd__CONC__1__PREMISE__2", "odd__CONC__1"),
        ("odd__PREMISE__2__CONC__1", "odd__PREMISE__2"),
        ("S1a-A2b", "S1a-A2b"),
    ],
)
def test_argument_of(sentence, argument):
    assert argument_of(sentence) == argument


def test_pair_key_is_the_same_for_both_orders():
    assert pair_key("b,a") == pair_key("a,b") == "a,b"
    assert pair_key("plain") == "plain"


def refuses(act: Callable[[], object], place: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        act()
    message = str(caught.value)
    assert place in message
    assert said in message
    assert "\n" not in message
    assert "; " in message  # the mend
