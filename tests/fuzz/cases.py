"""Inputs: seeds with a few changes, and inputs by a grammar. The same seed and number give the same case."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from random import Random

from fuzz.reader import Reader

ODD_TEXTS: Sequence[str] = [
    *"\0 \x01 \x1b[2J \x7f \x85 \xa0 \xad \u0301 \u0308 \u0345 \u061c \u200b \u200d \u202e \u2028 \u2029".split(" "),
    *"\u2066 \u3000 \ue000 \ufdd0 \ufeff \ufffd \uffff \ud800 \udfff \ud83d\ude00 \U000e0001 \U0010ffff".split(" "),
    *"\U0001f600 \U0001f468\u200d\U0001f469 é ß ẞ İ ı ǅ ﬁ ٣ ² Ⅷ ’ “ ع ไทย 漢 \\ \" ' %00 &#0; &#xD800;".split(" "),
    *r"\ud800 \udfff \u0000 \U00110000 \x00 \N{DASH}".split(" "),
    *("\x1c", "\x1d", "\x0b", "\x0c", "\r", "\n", "\r\n", "\t", " ", ""),
]
"""Characters and escapes that are somewhere not what they seem; halves of surrogates among them."""

ODD: Sequence[bytes] = [
    *(text.encode("utf-8", "surrogatepass") for text in ODD_TEXTS),
    *(b"\xff", b"\x80", b"\xc3", b"\xc0\x80", b"\xf4\x90\x80\x80", b"\xe2\x82", b"\x1f\x8b", b"a\0\0\0"),
    *(b"\xff\xfe", b"\xfe\xff", b"\xff\xfe\0\0"),
]
"""The same as bytes, and bytes that are no characters."""

NUMBERS: Sequence[bytes] = [
    *b"0 -0 -1 1 2 255 256 65536 2147483647 -2147483648 4294967296 9223372036854775807 9223372036854775808".split(),
    *b"1e5 1e308 1e309 -1e309 1e-400 1.5 .5 5. 1_000 0x10 0b1 007 +1 --1 nan inf -inf Infinity NaN 1e 1j".split(),
    *(b"9" * 400, b"9" * 5000, b"0." + b"3" * 400, "١٢".encode(), "２".encode()),
]

_PIECE = re.compile(rb"""<[^<>]{0,80}>|[\w.-]+|[ \t]+|\r?\n|.""", re.DOTALL)
_NUMBER = re.compile(rb"[-+]?[0-9][0-9.]*")
_PAIRS = [(b"[", b"]"), (b"{", b"}"), (b"(", b")"), (b'"', b'"'), (b"'", b"'"), (b"<a>", b"</a>"), (b'{"a":', b"}")]
_ONCE_IN = 500
"""Cases of which one is long."""


class Cases:
    """The cases of a reader for a seed: endless, and each can be had by its number."""

    def __init__(self, reader: Reader, seed: int) -> None:
        self.reader, self.seed = reader, seed
        self.seeds = list(reader.seeds())
        self.tokens = [*reader.tokens, *ODD]

    def __getitem__(self, number: int) -> bytes:
        rng = Random(self.seed << 64 | number)
        pack, write = self.reader.pack, self.reader.write
        content = write(rng) if write and rng.random() < 0.3 else rng.choice(self.seeds)
        packed_first = bool(pack) and rng.random() < 0.5
        if pack and packed_first:
            content = pack(content)
        content = self.changed(content, rng)
        return pack(content) if pack and not packed_first else content

    def changed(self, content: bytes, rng: Random) -> bytes:
        """Some changes, more often few than many."""
        for _ in range(min(int(rng.expovariate(0.7)) + 1, 12)):
            content = rng.choice(_CHANGES)(self, content, rng)
        return _long(self, content, rng) if rng.randrange(_ONCE_IN) == 0 else content


Change = Callable[[Cases, bytes, Random], bytes]
_CHANGES: list[Change] = []


def _change(function: Change) -> Change:
    _CHANGES.append(function)
    return function


def _span(content: bytes, rng: Random, longest: int = 16) -> tuple[int, int]:
    start = rng.randint(0, len(content))
    return start, min(start + rng.randint(0, longest), len(content))


@_change
def _flip(cases: Cases, content: bytes, rng: Random) -> bytes:
    if not content:
        return content
    place = rng.randrange(len(content))
    return content[:place] + bytes([content[place] ^ 1 << rng.randrange(8)]) + content[place + 1 :]


@_change
def _overwrite(cases: Cases, content: bytes, rng: Random) -> bytes:
    start, end = _span(content, rng, 4)
    return content[:start] + rng.randbytes(end - start) + content[end:]


@_change
def _remove(cases: Cases, content: bytes, rng: Random) -> bytes:
    start, end = _span(content, rng, rng.choice((1, 4, 64, 4096)))
    return content[:start] + content[end:]


@_change
def _repeat(cases: Cases, content: bytes, rng: Random) -> bytes:
    start, end = _span(content, rng, rng.choice((1, 16, 256)))
    return content[:end] + content[start:end] * rng.choice((1, 1, 2, 30)) + content[end:]


@_change
def _cut_off(cases: Cases, content: bytes, rng: Random) -> bytes:
    place = rng.randint(0, len(content))
    return content[:place] if rng.random() < 0.8 else content[place:]


@_change
def _insert(cases: Cases, content: bytes, rng: Random) -> bytes:
    start, end = _span(content, rng, rng.choice((0, 0, 1, 8)))
    return content[:start] + rng.choice(cases.tokens) + content[end:]


_CHANGES.extend([_insert] * 3)


@_change
def _splice(cases: Cases, content: bytes, rng: Random) -> bytes:
    """A piece of another seed, or of this one from elsewhere."""
    other = rng.choice([content, *cases.seeds])
    first, last = sorted((rng.randint(0, len(other)), rng.randint(0, len(other))))
    start, end = _span(content, rng, 64)
    return content[:start] + other[first : min(last, first + 2000)] + content[end:]


@_change
def _number(cases: Cases, content: bytes, rng: Random) -> bytes:
    found = list(_NUMBER.finditer(content))
    if not found:
        return content
    start, end = rng.choice(found).span()
    return content[:start] + rng.choice(NUMBERS) + content[end:]


@_change
def _pieces(cases: Cases, content: bytes, rng: Random) -> bytes:
    """Words, tags and signs: one is taken away, doubled, moved or replaced."""
    pieces = _PIECE.findall(content[: 1 << 14])
    if not pieces:
        return rng.choice(cases.tokens)
    place, other = rng.randrange(len(pieces)), rng.randrange(len(pieces))
    kind = rng.randrange(5)
    if kind == 0:
        del pieces[place]
    elif kind == 1:
        pieces.insert(other, pieces[place])
    elif kind == 2:
        pieces[place], pieces[other] = pieces[other], pieces[place]
    elif kind == 3:
        pieces[place] = rng.choice(cases.tokens)
    else:
        pieces[place : place + rng.randint(1, 40)] = []
    return b"".join(pieces) + content[1 << 14 :]


@_change
def _lines(cases: Cases, content: bytes, rng: Random) -> bytes:
    """Rows: one is taken away, doubled, moved, or joined with the next one."""
    lines = content.splitlines(keepends=True)
    if not lines:
        return content
    place = rng.randrange(len(lines))
    kind = rng.randrange(4)
    if kind == 0:
        del lines[place]
    elif kind == 1:
        lines.insert(rng.randrange(len(lines)), lines[place])
    elif kind == 2:
        lines[place] = lines[place].rstrip(b"\r\n")
    else:
        rng.shuffle(lines)
    return b"".join(lines)


@_change
def _nest(cases: Cases, content: bytes, rng: Random) -> bytes:
    start, end = _span(content, rng, rng.choice((0, 8, 64)))
    opened, closed = rng.choice(_PAIRS)
    depth = rng.choice((1, 1, 2, 3, 50, 101, 250))
    return (
        content[:start]
        + opened * depth
        + content[start:end]
        + closed * rng.choice((depth, depth, 0, 1))
        + content[end:]
    )


def _long(cases: Cases, content: bytes, rng: Random) -> bytes:
    """Something short a great many times."""
    start, end = _span(content, rng, rng.choice((1, 4, 64)))
    part = content[start:end] if rng.random() < 0.5 else rng.choice(cases.tokens)
    if not part:
        return content
    return content[:end] + part * (rng.randint(1, cases.reader.largest) // len(part)) + content[end:]
