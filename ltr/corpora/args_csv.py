"""The task's CSV: one argument a row, three of its cells Python literals."""

from __future__ import annotations

import csv
import math
import re
import tarfile
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import IO, Final, TypeVar

from ltr.corpora.argument import Argument, RowError, build_argument
from ltr.corpora.base import BLANK, BLOCK, COPY_AGAIN, LONGEST_HEADER, MOST_BLANK, READERS, FileCorpus, Reader
from ltr.corpora.literals import parse_context, parse_sentences, parse_stances
from ltr.errors import InputError

SUFFIXES: Final = (".csv", ".csv.gz", ".tar.gz")
COLUMNS: Final = ("id", "conclusion", "premises", "context", "sentences")

LONGEST_ROW: Final = 16 << 20
"""Bytes that are searched for the beginning of a row."""

LINES: Final = 200
"""Lines that are searched for the beginning of a row; most lines of a row there."""

LONGEST_CELL: Final = 1 << 27
"""Characters of a cell, and bytes of a line."""

_T = TypeVar("_T")


class CsvCorpus(FileCorpus):
    """The task's CSV, plain, gzipped, or as the only CSV in a tar.gz."""

    format = "arguments, the lab's CSV"

    def _starts(self, cuts: Sequence[int]) -> Iterator[int]:
        """After each of the ``cuts``, the first line from which a whole argument can be read.

        A line inside a cell might look like one. Then its row is not finished where the part ends, and reading the part
        raises InputError.
        """
        with self.path.open("rb") as file:
            columns = self._header(file.readline(LONGEST_HEADER))
            for cut in cuts:
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
        with self._opened() as file:
            yield from self._members(file) if self.path.name.endswith(".tar.gz") else self._table(file)

    def _members(self, unzipped: IO[bytes]) -> Iterator[Argument]:
        hint = "pack exactly one CSV file into it"
        try:
            with tarfile.open(fileobj=unzipped, mode="r|", bufsize=BLOCK) as tar:
                tables = _tables_in(tar)
                first = next(tables, None)
                if first is None:
                    raise InputError(self.path, "there is no CSV file in this archive", hint)
                content = tar.extractfile(first)
                if content is not None:  # it is a regular file
                    yield from self._table(content)
                second = next(tables, None)
                if second is not None:
                    raise InputError(self.path, f"holds two CSV files, {first.name} and {second.name}", hint)
        except InputError:
            raise
        except (tarfile.TarError, RecursionError, ValueError) as error:  # tarfile's, for invalid headers
            raise InputError(self.path, f"cannot be unpacked ({error})", COPY_AGAIN) from None
        while unzipped.read(BLOCK):  # the checksum comes last, after all that tar reads
            pass

    def _table(self, file: IO[bytes]) -> Iterator[Argument]:
        columns = self._header(file.readline(LONGEST_HEADER))
        start, end = self._span or (0, math.inf)
        if start:
            file.seek(start)  # the span that begins the file is already being read
        left = end - file.tell() if self._span else math.inf
        yield from _arguments(csv_rows(lines(file, left)), columns)

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
        self._knows(columns, COLUMNS)
        return columns


def _arguments(rows: Iterator[list[str]], columns: list[str]) -> Iterator[Argument]:
    width = len(columns)
    positions = [columns.index(column) for column in COLUMNS]
    blank = 0
    while (row := _next_row(rows)) is not None:
        if len(row) == width:
            yield _argument(*[row[position] for position in positions])
        elif not row:  # csv gives an empty list for an empty line
            blank += 1
            if blank > MOST_BLANK:
                raise RowError(*BLANK)
        else:
            hint = f"quote cells that hold commas; if this is the last row, {COPY_AGAIN}"
            raise RowError(f"has {len(row)} cells where the header has {width}", hint)


def _argument(name: str, conclusion: str, premises: str, context: str, sentences: str) -> Argument:
    for column, cell in (("id", name), ("conclusion", conclusion)):
        if "\0" in cell:
            raise RowError(f"column {column} holds a NUL byte", COPY_AGAIN)
    stances = _parse("premises", parse_stances, premises)
    title, url = _parse("context", parse_context, context)
    pairs = _parse("sentences", parse_sentences, sentences)
    return build_argument(name, conclusion, stances, pairs, title=title, url=url)


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
            raise RowError("the file ends inside a quoted cell", COPY_AGAIN) from None
        raise RowError(f"is not well-formed CSV ({error})", "write the file with a CSV library") from None


def csv_rows(lines: Iterable[bytes]) -> Iterator[list[str]]:
    """The rows in these lines. Raises csv.Error and UnicodeDecodeError."""
    csv.field_size_limit(LONGEST_CELL)  # stays raised: another corpus may be half read
    # Lines are cut as bytes and decoded one by one: half the time of a text file's, and the row is known.
    return csv.reader(map(bytes.decode, lines), strict=True)


def lines(file: IO[bytes], left: float) -> Iterator[bytes]:
    """The lines that begin in the next ``left`` bytes of a file. Raises csv.Error."""
    while left > 0 and (line := file.readline(LONGEST_CELL + 1)):
        if len(line) > LONGEST_CELL:
            raise csv.Error(f"a line longer than {LONGEST_CELL:,} bytes")
        left -= len(line)
        yield line


def _few_lines(file: IO[bytes]) -> Iterator[bytes]:
    """The next lines, as many as a row may have where its beginning is searched for."""
    end = file.tell() + LONGEST_ROW
    return islice(iter(lambda: file.readline(end - file.tell()), b""), LINES)


def _tables_in(tar: tarfile.TarFile) -> Iterator[tarfile.TarInfo]:
    """The CSV files in an archive. Raises what tarfile raises."""
    while (member := tar.next()) is not None:
        tar.members = []  # type: ignore[attr-defined]  # tarfile remembers them all
        # A Mac's tar puts "._name.csv" with attributes beside each file.
        if member.isfile() and re.search(r"(?:^|/)(?!\._)[^/]*\.csv$", member.name):
            yield member


def _tables(files: Sequence[Path]) -> list[Path]:
    return [path for path in files if path.name.startswith("args_processed") and path.name.endswith(SUFFIXES)]


READERS.add(
    "args.me table",
    Reader(CsvCorpus, SUFFIXES, in_folder=_tables, folder_hint="args_processed*.csv, .csv.gz, .tar.gz", order=0),
)
