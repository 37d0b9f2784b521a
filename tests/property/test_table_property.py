"""The quick reading of CSV finds what the csv module finds, whatever the bytes and wherever the blocks are cut."""

from hypothesis import example, given
from hypothesis import strategies as st
from support.references import blocks, rows_and_error, rows_of_csv

from ltr.corpora.args_csv import _rows_of

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


@given(ROWS.map(b"".join), st.integers(1, 40))
@example(b'a,b,"c"', 7)
@example(b'a,b,"c""', 7)
@example(b'a,b,"c"\r', 7)
@example(b'a,b,"c"\r\nd,e,f', 8)
@example(b"a,b,c\n\nd,e,f\n", 3)
@example(b'a,b,"c\xff"\nd,e,f\n', 20)
def test_rows_are_those_of_csv(content: bytes, size: int) -> None:
    assert rows_and_error(_rows_of(blocks(content, size), 3)) == rows_and_error(rows_of_csv(content))


def test_a_row_longer_than_is_held_is_read_by_csv(monkeypatch) -> None:
    monkeypatch.setattr("ltr.corpora.args_csv.LONGEST_ROW", 50)
    content = b"a,b,c\n" + b'd,"' + b"e\n" * 100 + b'",f\ng,h,i\n'
    assert list(_rows_of(blocks(content, 7), 3)) == [["a", "b", "c"], ["d", "e\n" * 100, "f"], ["g", "h", "i"]]
