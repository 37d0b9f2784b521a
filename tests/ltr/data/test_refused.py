"""Malformed topics, judgments and runs are refused with their place and the fault."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from support.refusals import refuses
from support.topics import second_topic

from ltr.data.qrels import read_pair_qrels, read_qrels
from ltr.data.runs import read_run
from ltr.data.topics import read_topics

A, B, C = "S1-Aa__PREMISE__1", "S1-Aa__CONC__1", "S2-Ab__PREMISE__2"
BOMB = '<!DOCTYPE t [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><topics>&b;</topics>'


def read_pairs(path: Path) -> object:
    return read_pair_qrels([("quality", path)])


BAD: dict[Callable[[Path], object], list[tuple[str | bytes, str, str]]] = {
    read_topics: [
        (" \n", "input:", "is empty"),
        ("\ufeff", "input:", "is empty"),
        ("<topics>\n<topic>", "line 2", "is not XML (no element found)"),
        (second_topic("<title>a & b</title>"), "line 3", "written &amp;"),
        (second_topic("<title>&nbsp;</title>"), "line 3", "undefined entity"),
        (BOMB, "input:", "DTD"),
        ('<!DOCTYPE t SYSTEM "file:///etc/passwd"><topics/>', "input:", "DTD"),
        ("<html></html>", "input:", "root element is <html>"),
        ("<topics></topics>", "input:", "holds no topics"),
        ("<topics><tpoic/></topics>", "topic 1", "<tpoic>"),
        (second_topic("<title>t</title>"), "topic 2", "has no number"),
        (second_topic("<number>1</number><title>t</title>"), "topic 2", "number 1 is taken"),
        (second_topic("<number>2</number><title> </title>"), "topic 2", "topic 2 has no title"),
        (second_topic("<number>2 3</number><title>t</title>"), "topic 2", "holds white space"),
        (second_topic("<number>2</number><number>3</number><title>t</title>"), "topic 2", "2 <number> elements"),
        (second_topic("<number>2</number><title>é</title>").encode("latin-1"), "line 3", "is not UTF-8"),
        ('<?xml version="1.0" encoding="klingon"?><topics/>', "input:", "unknown encoding"),
        (
            '<?xml version="1.0" encoding="latin-1"?>\n<topics>é & è'.encode("latin-1"),
            "line 2",
            "is not XML (not well-fo",
        ),
    ],
    read_qrels: [
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
    read_pairs: [
        (f"1 0 {A},{B} 1\n1 0 {B} 1\n", "line 2", "is one id, not a pair"),
        (f"1 0 {A},{B},{C} 1\n", "line 1", "is not a pair"),
        (f"1 0 {A},{A} 1\n", "line 1", "is not a pair"),
        (f"1 0 {A}, 1\n", "line 1", "is not a pair"),
        (f"1 0 {A},{B} 1\n1 0 {B},{A} 1\n1 0 {B},{A} 0.5\n", "line 3", "grade 0.5 here, 1 earlier"),
    ],
    read_run: [
        ("1 Q0 d 1 2.5\n", "line 1", "has 5 columns, not 6"),
        ("1 Q0 d 1 2.5 my run\n", "line 1", "has 7 columns, not 6"),
        ('1 Q0 d 1 2.5 "my run\n', "line 1", "has 7 columns, not 6"),
        ('1 Q0 d 1 2.5 "my" run"\n', "line 1", "has 7 columns, not 6"),
        ('1 Q0 d 1 2.5 " "\n', "line 1", "has 7 columns, not 6"),
        ("1 Q0 d 1 2.5 t\n1 Q0 e two 2 t\n", "line 2", "rank 'two'"),
        ("1 Q0 d -1 2.5 t\n", "line 1", "rank '-1'"),
        (f"1 Q0 d {'9' * 5000} 2.5 t\n", "line 1", "rank '999"),
        ("1 Q0 d 1 high t\n", "line 1", "score 'high'"),
        ("1 Q0 d 1 nan t\n", "line 1", "score 'nan'"),
    ],
}


@pytest.mark.parametrize(
    ("read", "content", "place", "said"), [(read, *case) for read, cases in BAD.items() for case in cases]
)
def test_bad_files(
    read: Callable[[Path], object], content: str | bytes, place: str, said: str, saved: Callable[..., Path]
) -> None:
    refuses(lambda: read(saved(content)), place, said)
