"""The task's CSV: one argument a row, three of its cells Python literals."""

from __future__ import annotations

import csv
import gzip
import io
import math
import re
import tarfile
import zlib
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack, suppress
from itertools import islice, pairwise
from pathlib import Path
from typing import IO, Final, TypeVar, cast

from ltr.corpora.archives import Archive
from ltr.corpora.argument import Argument, RowError, build_argument
from ltr.corpora.base import BLOCK, LONGEST_HEADER, READERS, Corpus, FileCorpus, Reader
from ltr.corpora.literals import parse_context, parse_sentences, parse_stance
from ltr.corpora.table_rows import csv_rows, lines, read_rows
from ltr.errors import InputError

COLUMNS: Final = ("id", "conclusion", "premises", "context", "sentences")

LONGEST_ROW: Final = 16 << 20
"""Bytes in which the beginning of a row is looked for."""

LINES: Final = 200
"""How far the beginning of a row is looked for, and how many lines a row may have there."""

_COPY_AGAIN: Final = "the file is cut off or damaged: copy or download it again"

_T = TypeVar("_T")


SUFFIXES: Final = (".csv", ".csv.gz", ".tar.gz")


class CsvCorpus(FileCorpus):
    """The task's CSV, plain, gzipped, or as the only CSV in a tar.gz."""

    format = "arguments, the lab's CSV"

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
            for cut in wanted:
                file.seek(cut)
                file.readline(LONGEST_ROW)
                left = 4 * LONGEST_ROW
                for _ in range(LINES):
                    start = file.tell()
                    with suppress(RowError):
                        if next(_arguments(csv_rows(_few_lines(file)), columns), None):
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
                    yield from self._table(raw)
                    return
                unzipped = stack.enter_context(gzip.GzipFile(fileobj=raw))
                if self.path.name.endswith(".tar.gz"):
                    yield from self._members(unzipped)
                else:
                    yield from self._table(_buffered(unzipped))
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
                yield from self._table(_buffered(content))
            second = next(tables, None)
            if second is not None:
                raise InputError(self.path, f"holds two CSV files, {first.name} and {second.name}", hint)
        while unzipped.read(BLOCK):  # the checksum comes last, after what tar has any use for
            pass

    def _table(self, file: IO[bytes]) -> Iterator[Argument]:
        columns = self._header(file.readline(LONGEST_HEADER))
        start, end = self._span or (0, math.inf)
        if start:
            file.seek(start)  # the span that begins the file is already being read
        plain = self.path.name.endswith(".csv")
        rows = read_rows(file, end - file.tell()) if plain else csv_rows(lines(file, math.inf))
        yield from _arguments(rows, columns)

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
    positions = [columns.index(column) for column in COLUMNS]
    while (row := _next_row(rows)) is not None:
        if len(row) == width:
            yield _argument(*[row[position] for position in positions])
        elif row:  # csv gives an empty list for an empty line
            hint = f"quote cells that hold commas; if this is the last row, {_COPY_AGAIN}"
            raise RowError(f"has {len(row)} cells where the header has {width}", hint)


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
