"""A table read line by line has the rows that the csv module reads from the whole file, whatever its bytes."""

import io
import math

from hypothesis import example, given
from hypothesis import strategies as st
from support.references import rows_and_error, rows_of_csv

from ltr.corpora.args_csv import _lines, _rows

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
    rows = _rows(_lines(io.BytesIO(content), math.inf))
    assert rows_and_error(rows) == rows_and_error(rows_of_csv(content))
