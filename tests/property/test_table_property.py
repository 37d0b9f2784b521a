"""A table read line by line has the rows that the csv module reads from the whole file, whatever its bytes."""

import io
import math
from unittest.mock import patch

from hypothesis import example, given
from hypothesis import strategies as st
from support.references import rows_and_error, rows_of_csv

from ltr.corpora import table_rows
from ltr.corpora.table_rows import csv_rows, lines, read_rows

CELLS = st.one_of(
    st.sampled_from(
        [b"", b"a", b"it's", b'""', b'"a"', b'"a, b"', b'"a\nb"', b'"a\r\nb"', b'"say ""a"""', b"\xc3\xa9"]
    ),
    st.lists(st.sampled_from([b'"', b",", b"\n", b"\r", b"a", b" ", b"\xff", b"\0", b"\xe2\x80\x99"]), max_size=6).map(
        b"".join
    ),
)
ENDS = st.sampled_from([b"\n", b"\r\n", b"\n\n", b"\r", b""])
ROWS = st.lists(st.tuples(st.lists(CELLS, min_size=3, max_size=3).map(b",".join), ENDS).map(b"".join), max_size=6)


@given(ROWS.map(b"".join))
@example(b"a,b,c\n\nd,e,f\n")
@example(b'a,b,"c\xff"\nd,e,f\n')
def test_rows_are_those_of_csv(content: bytes) -> None:
    expected = rows_and_error(rows_of_csv(content))
    assert rows_and_error(csv_rows(lines(io.BytesIO(content), math.inf))) == expected
    for block in (1, 7, 1 << 20):
        with patch.object(table_rows, "BLOCK", block):
            assert rows_and_error(read_rows(io.BytesIO(content), math.inf)) == expected


def test_what_tables_hold_is_not_left_to_csv():
    content = b'a,"b ""c""",\r\n"say ""d""\ne",f,"g"\n\n,,\n"","""h""",i\n'
    with patch.object(table_rows, "csv_rows", side_effect=AssertionError("not the fast way")):
        rows = list(read_rows(io.BytesIO(content), math.inf))
    assert rows == [["a", 'b "c"', ""], ['say "d"\ne', "f", "g"], [], ["", "", ""], ["", '"h"', "i"]]
