"""The task's CSV: one argument a row, three of its cells Python literals."""

from __future__ import annotations

import csv
import gzip
import io
import re
import tarfile
import zlib
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import ExitStack, suppress
from itertools import chain, islice, pairwise
from pathlib import Path
from typing import IO, Final, TypeVar, cast

from ltr.corpora.archives import Archive
from ltr.corpora.argument import Argument, RowError, build_argument
from ltr.corpora.base import BLOCK, LONGEST_HEADER, READERS, Corpus, FileCorpus, Reader
from ltr.corpora.literals import parse_context, parse_sentences, parse_stance
from ltr.errors import InputError

COLUMNS: Final = ("id", "conclusion", "premises", "context", "sentences")

LINES: Final = 200
"""How far the beginning of a row is looked for, and how many lines a row may have there."""

LONGEST_ROW: Final = 16 << 20
"""Bytes: a longer one is csv's business."""

LONGEST_CELL: Final = 1 << 27
"""Characters of a cell, and bytes of a line."""

WIDEST: Final = 100
"""Columns of a table that is read by a regular expression, which takes .1 ms a column to make."""

_CELL: Final = rb'("[^"]*+(?:""[^"]*+)*+"|[^",\r\n]*+)'
_COPY_AGAIN: Final = "the file is cut off or damaged: copy or download it again"

_T = TypeVar("_T")


SUFFIXES: Final = (".csv", ".csv.gz", ".tar.gz")


class CsvCorpus(FileCorpus):
    """The task's CSV, plain, gzipped, or as the only CSV in a tar.gz."""

    def parts(self) -> list[Corpus]:
        """Spans of about equal size; an archive cannot be cut."""
        if self._span or not self.path.name.endswith(".csv"):
            return [self]
        borders = {0, *self._row_starts(self._cuts()), self.size_hint()}
        return [CsvCorpus(self.path, span) for span in pairwise(sorted(borders))]

    def _row_starts(self, wanted: Sequence[int]) -> Iterator[int]:
        """After each of the ``wanted`` places, the first line from which a whole argument can be read.

        A line inside a cell might, by a freak, look like one. Then the row that it belongs to is not finished where
        its part ends, and reading the part says so.
        """
        with self.path.open("rb") as file:
            columns = self._header(file.readline(LONGEST_HEADER))
            for place in wanted:
                file.seek(place)
                file.readline(LONGEST_ROW)
                left = 4 * LONGEST_ROW
                for _ in range(LINES):
                    start = file.tell()
                    with suppress(RowError):
                        if next(_arguments(_parsed(_few_lines(file)), columns), None):
                            yield start
                            break
                    left -= file.tell() - start
                    if left < 0:
                        break
                    file.seek(start)
                    file.readline(LONGEST_ROW)

    def _read(self) -> Generator[Argument, None, None]:
        try:
            with self._opened() as raw, ExitStack() as stack:
                if self.path.name.endswith(".csv"):
                    yield from self._rows(raw)
                    return
                unzipped = stack.enter_context(gzip.GzipFile(fileobj=raw))
                if self.path.name.endswith(".tar.gz"):
                    yield from self._members(unzipped)
                else:
                    yield from self._rows(_buffered(unzipped))
        except (EOFError, zlib.error, gzip.BadGzipFile, tarfile.TarError) as error:
            # Without a row: archives are unpacked far ahead of the row that is being read.
            raise InputError(self.path, f"cannot be unpacked ({error})", _COPY_AGAIN) from None

    def _members(self, unzipped: gzip.GzipFile) -> Iterator[Argument]:
        hint = "pack exactly one CSV file into it"
        with Archive.of(unzipped) as tar:
            # A Mac's tar puts "._name.csv" with attributes beside each file.
            tables = (m for m in tar if m.isfile() and re.search(r"(?:^|/)(?!\._)[^/]*\.csv$", m.name))
            first = next(tables, None)
            if first is None:
                raise InputError(self.path, "there is no CSV file in this archive", hint)
            content = tar.extractfile(first)
            if content is not None:  # it is a regular file
                yield from self._rows(_buffered(content))
            second = next(tables, None)
            if second is not None:
                raise InputError(self.path, f"holds two CSV files, {first.name} and {second.name}", hint)
        while unzipped.read(BLOCK):  # the checksum comes last, after what tar has any use for
            pass

    def _rows(self, file: IO[bytes]) -> Iterator[Argument]:
        columns = self._header(file.readline(LONGEST_HEADER))
        start, end = self._span or (0, None)
        if start:
            file.seek(start)  # the span that begins the file is already being read
        blocks = _blocks(file, None if end is None else end - file.tell())
        yield from _arguments(_rows_of(blocks, len(columns)), columns)

    def _header(self, line: bytes) -> list[str]:
        if not line:
            raise InputError(self.path, "the file is empty", "name a corpus with arguments")
        try:
            columns = next(csv.reader([line.decode("utf-8-sig")], strict=True))
        except (UnicodeDecodeError, csv.Error):
            columns = []
        wanted = f"the first line must name the columns {', '.join(COLUMNS)}, in UTF-8"
        if not columns or "\0" in columns[0]:
            raise InputError(self.path, "the header is not CSV in UTF-8", wanted)
        for column in COLUMNS:
            if (count := columns.count(column)) != 1:
                what = f"has the column {column} {count} times" if count else f"has no column {column}"
                raise InputError(self.path, f"the header {what}", wanted)
        return columns


def _arguments(rows: Iterator[list[str]], columns: list[str]) -> Iterator[Argument]:
    width = len(columns)
    places = [columns.index(column) for column in COLUMNS]
    while (row := _next_row(rows)) is not None:
        if len(row) == width:
            yield _argument(*[row[place] for place in places])
        elif row:  # csv gives an empty list for an empty line
            hint = f"quote cells that hold commas; if this is the last row, {_COPY_AGAIN}"
            raise RowError(f"has {len(row)} cells where the header has {width}", hint)


def _rows_of(blocks: Iterator[bytes], width: int) -> Iterator[list[str]]:
    """Rows of a table of so many columns, as the csv module reads them.

    A regular expression reads plainly written rows in .6 of csv's time, where they hold pages; short ones no faster.
    At the first row that is not plain csv takes over: all that is odd is its business, a table of thousands of columns
    too.
    """
    if width > WIDEST:
        yield from _parsed(_lines(blocks))
        return
    plain = re.compile(b",".join([_CELL] * width) + rb"(?:\r?\n|\Z)")
    held, at, more = b"", 0, True
    while more or at < len(held):
        row = plain.match(held, at)
        # At a block's end a row may only seem to be whole: the next block may go on with it.
        if row and (row.end() < len(held) or not more):
            at = row.end()
            yield [_unquoted(cell) for cell in map(bytes.decode, row.groups())]
        elif more and len(held) - at < LONGEST_ROW:
            block = next(blocks, b"")
            held, at, more = held[at:] + block, 0, bool(block)
        else:
            yield from _parsed(_lines(chain([held[at:]], blocks)))
            return


def _parsed(lines: Iterable[bytes]) -> Iterator[list[str]]:
    csv.field_size_limit(LONGEST_CELL)  # stays raised: another corpus may be half read
    # Lines are cut as bytes and decoded one by one: half the time of a text file's, and the row is known.
    return csv.reader(map(bytes.decode, lines), strict=True)


def _unquoted(cell: str) -> str:
    return cell[1:-1].replace('""', '"') if cell[:1] == '"' else cell


def _argument(name: str, conclusion: str, premises: str, context: str, sentences: str) -> Argument:
    for column, cell in (("id", name), ("conclusion", conclusion)):
        if "\0" in cell:
            raise RowError(f"column {column} holds a NUL byte", _COPY_AGAIN)
    stance = _parse("premises", parse_stance, premises)
    title, url = _parse("context", parse_context, context)
    pairs = _parse("sentences", parse_sentences, sentences)
    return build_argument(name, conclusion, stance, pairs, title=title, url=url)


def _parse(column: str, parse: Callable[[str], _T], cell: str) -> _T:
    try:
        return parse(cell)
    except ValueError as error:
        raise RowError(f"column {column} {error}", "write the cell as Python's repr does") from None


def _next_row(rows: Iterator[list[str]]) -> list[str] | None:
    try:
        return next(rows, None)
    except UnicodeDecodeError as error:
        byte = error.object[error.start]
        raise RowError(f"is not UTF-8 (byte 0x{byte:02x})", "convert the file to UTF-8") from None
    except csv.Error as error:
        if "unexpected end" in str(error):
            raise RowError("the file ends inside a quoted cell", _COPY_AGAIN) from None
        raise RowError(f"is not well-formed CSV ({error})", "write the file with a CSV library") from None


def _blocks(file: IO[bytes], size: int | None) -> Iterator[bytes]:
    """The next ``size`` bytes of a file, or all that are left, in blocks."""
    while block := file.read(BLOCK if size is None else min(size, BLOCK)):
        size = None if size is None else size - len(block)
        yield block


def _lines(blocks: Iterable[bytes]) -> Iterator[bytes]:
    open_line: list[bytes] = []
    for block in blocks:
        *lines, last = block.split(b"\n")
        for line in lines:
            yield b"".join([*open_line, line, b"\n"])
            open_line.clear()
        open_line.append(last)
        if len(open_line) * BLOCK > LONGEST_CELL + BLOCK:
            raise csv.Error(f"a line longer than {LONGEST_CELL:,} bytes")
    if any(open_line):
        yield b"".join(open_line)


def _few_lines(file: IO[bytes]) -> Iterator[bytes]:
    """The next lines, of which a row may be where one is looked for."""
    end = file.tell() + LONGEST_ROW
    return islice(iter(lambda: file.readline(end - file.tell()), b""), LINES)


def _buffered(stream: IO[bytes] | gzip.GzipFile) -> IO[bytes]:
    return io.BufferedReader(cast(io.RawIOBase, stream), BLOCK)


def _tables(files: Sequence[Path]) -> list[Path]:
    return [path for path in files if path.name.startswith("args_processed") and path.name.endswith(SUFFIXES)]


READERS.add(
    "args.me table",
    Reader(
        lambda path: CsvCorpus(Path(path)),
        suffixes=SUFFIXES,
        in_folder=_tables,
        folder_hint="args_processed*.csv, .csv.gz, .tar.gz",
        order=0,
    ),
)
