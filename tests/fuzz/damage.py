"""Strategies for damaged input: valid seeds with a few changes, at places where a reader looks."""

from __future__ import annotations

import gzip
import io
import re
import tarfile
from collections.abc import Sequence

from hypothesis import strategies as st

ODD_TEXTS: Sequence[str] = [
    *"\0 \x01 \x1b[2J \x7f \x85 \xa0 \xad \u0301 \u0345 \u061c \u200b \u200d \u202e \u2028 \u2029 \u2066".split(" "),
    *"\u3000 \ue000 \ufdd0 \ufeff \ufffd \uffff \ud800 \udfff \ud83d\ude00 \U0010ffff \U0001f600 é ẞ İ ﬁ ² Ⅷ".split(
        " "
    ),
    *r"\ud800 \udfff \u0000 \U00110000 \x00 \N{DASH} ’ ع ไทย 漢 \ &#0; &#xD800; %00".split(" "),
    *("\x1c", "\x0b", "\x0c", "\r", "\n", "\r\n", "\t", " ", "'", '"'),
]
"""Characters and escapes that often break parsers, halves of surrogates among them."""
NUMBERS: Sequence[bytes] = [
    *b"0 -0 -1 1 2 65536 2147483648 9223372036854775808 1e308 1e309 1e-400 .5 5. 1_000 0x10 +1 --1 nan inf 1e".split(),
    *(b"9" * 400, b"9" * 5000, "١٢".encode(), "２".encode()),
]
BROKEN: Sequence[bytes] = [b"\xff", b"\x80", b"\xc0\x80", b"\xf4\x90\x80\x80", b"\xff\xfe", b"\x1f\x8b", b"a\0\0\0"]
MARKS: Sequence[bytes] = [
    *b'[ ] { } ( ) , : ; " \' \\ \\" [[ ]] {} [] "" null true NaN -Infinity <a> </a> <!-- ]]> & # = |'.split(),
    *(b",,", b'""', b'"\n', b"\n\n", b'{"a": ', b"'a' 'b'", b"S1-A1", b"__PREMISE__1", b"Q0", b"-"),
]
TOKENS = [*(text.encode("utf-8", "surrogatepass") for text in ODD_TEXTS), *NUMBERS, *BROKEN, *MARKS]
LONGEST = 1 << 16
_PIECE = re.compile(rb"<[^<>]{0,80}>|[\w.-]+|[ \t]+|\r?\n|.", re.DOTALL)


@st.composite
def damaged(draw: st.DrawFn, seeds: Sequence[bytes], tokens: Sequence[bytes] = ()) -> bytes:
    """A seed with up to six changes of its words and marks."""
    content = draw(st.sampled_from(seeds))
    known = st.sampled_from([*tokens, *TOKENS])
    for _ in range(draw(st.integers(1, 6))):
        pieces = [match.span() for match in _PIECE.finditer(content)] or [(0, 0)]
        first = draw(st.integers(0, len(pieces) - 1))
        start, end = pieces[first][0], pieces[min(first + draw(st.integers(0, 3)), len(pieces) - 1)][1]
        part, token = content[start:end], draw(known)
        new = {
            "replace": token,
            "insert": part + token,
            "remove": b"",
            "cut": b"",
            "repeat": part * draw(st.integers(2, 4)),
            "repeat often": (draw(st.sampled_from([part, token])) or b"x") * draw(st.integers(100, 20_000)),
            "nest": b"[" * draw(st.integers(1, 5_000)) + part + b"]",
            "flip": bytes([part[0] ^ 1 << draw(st.integers(0, 7))]) + part[1:] if part else b"",
        }
        kind = draw(st.sampled_from([*new, "replace", "insert", "remove"]))
        content = content[:start] + new[kind][:LONGEST] + (b"" if kind == "cut" else content[end:])
    return content


def packed(content: bytes) -> bytes:
    """The content as gzip."""
    return gzip.compress(content, 1, mtime=0)


def archived(content: bytes) -> bytes:
    """A tar with one CSV file and the file that a Mac puts beside it."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, data in (("._args.csv", b"x"), ("args_processed.csv", content)):
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return out.getvalue()
