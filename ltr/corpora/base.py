"""Corpora and the registry of their readers.

A corpus yields one Argument at a time and keeps none of them; only their ids stay in memory, so that an id that comes
twice is noticed. Every fault ends in one InputError with the file, the row and a hint. A reader of another format is
one module of `ltr.corpora`, which registers a `Reader`.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import zlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import IO, Any, ClassVar, Final

from features.core.registry import Registry
from ltr.corpora.argument import Argument, RowError
from ltr.data.topics import Topic
from ltr.errors import InputError
from ltr.files import sha256

LONGEST_HEADER: Final = 1 << 16
BLOCK: Final = 1 << 20

SMALLEST_LIMIT: Final = 64 << 20
LARGEST_RATIO: Final = 100
"""Most unpacked bytes per packed byte, once more than `SMALLEST_LIMIT` bytes of a gzip file are unpacked."""

COPY_AGAIN: Final = "the file is cut off or damaged: copy or download it again"

MOST_BLANK: Final = 4_000_000
"""Most blank lines of a file."""
BLANK: Final = f"is after {MOST_BLANK:,} blank lines", "take them out"

MOST_UNREAD: Final = 20
"""Most names of unknown fields that are kept, about."""
INSIDE: Final = {"premises": {"text", "stance"}, "metadata": {"stance", "url"}}
"""Fields of objects -> the fields that are read of them."""

SMALLEST_PART: Final = 16 << 20
MOST_PARTS: Final = 16
LARGEST_PART: Final = 512 << 20
"""Bytes: parts are fewer than 16 in a small corpus, where starting a process takes longer than the work, and more in
one so large that a part would not fit in memory."""


class Corpus(ABC):
    """A source of arguments that can be iterated any number of times, each time from its beginning."""

    kind: ClassVar[str] = "row"
    """The name of the items that positions in messages count."""
    holds: str = "arguments"
    """"arguments" or "documents"."""
    format: ClassVar[str] = "arguments"
    """The name of the format, for people."""
    form: ClassVar[str] = ""
    """How to write a row, for the messages that have no other hint."""

    unread: frozenset[str] = frozenset()
    """Names of fields that are not read, as far as the corpus was read; some `MOST_UNREAD` at most."""
    left_out: tuple[str, ...] = ()
    """The other files of the folder, with the reasons why they are no part of the corpus."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __iter__(self) -> Iterator[Argument]:
        """Stream the arguments. Raises InputError at the first one that is not as it should be."""
        seen: dict[str, None] = {}  # keeps its order, so that the place of an id tells its row
        try:
            with closing(self._read()) as arguments:
                for argument in arguments:
                    if not isinstance(argument, Argument):
                        what = f"the reader returned {type(argument).__name__}, expected Argument"
                        raise RowError(what, "let it yield what ltr.corpora.argument.build_argument returns")
                    if argument.id in seen:
                        first = list(seen).index(argument.id) + 1
                        what = f"the id {argument.id} is already that of {self.kind} {first}"
                        raise RowError(what, f"keep one of the two {self.kind}s or give each its own id")
                    seen[argument.id] = None
                    yield argument
        except RowError as error:
            raise InputError(self.name, f"{self.kind} {len(seen) + 1}: {error.what}", error.hint or self.form) from None
        if not seen:
            raise InputError(self.name, f"there are no {self.holds} in it", "name a corpus with at least one")

    def _knows(self, fields: Iterable[str], known: Iterable[str]) -> None:
        """Remember the fields that are not ``known`` as not read."""
        if len(self.unread) < MOST_UNREAD and not (others := set(fields).difference(known)) <= self.unread:
            self.unread |= others

    def _knows_object(self, fields: Mapping[str, Any], known: Iterable[str]) -> None:
        """As `_knows`, of an object and of what is inside its premises and metadata."""
        self._knows(fields, known)
        for name in INSIDE.keys() & known:
            inside = fields.get(name)
            for one in inside if isinstance(inside, list) else [inside]:
                if isinstance(one, dict) and not one.keys() <= INSIDE[name]:
                    self._knows((f"{name}.{field}" for field in one.keys() - INSIDE[name]), ())

    @property
    @abstractmethod
    def position(self) -> int:
        """How much of :meth:`size_hint` the latest iteration has read."""

    @abstractmethod
    def size_hint(self) -> int:
        """How much there is to read: bytes on disk (documents for ir_datasets); 0 when unknown."""

    @abstractmethod
    def signature(self) -> dict[str, object]:
        """Return a cheap identity that JSON can hold: if it is the same, the corpus has not changed."""

    @abstractmethod
    def fingerprint(self) -> str:
        """Return the identity of the content as a hex SHA-256; for a file this reads all of it."""

    def topics(self) -> list[Topic]:
        """Topics that the corpus itself names. Raises InputError."""
        return []

    def notes(self) -> list[str]:
        """Notes on the corpus for the user, beside counts: what is not read, and what is left out."""
        unread = f"fields that are not read: {', '.join(sorted(self.unread))}"
        return [*([unread] if self.unread else []), *(f"left out: {name}" for name in self.left_out)]

    def parts(self) -> list[Corpus]:
        """Cut into corpora that can be read at the same time; here it is the one.

        The cut depends on the corpus alone. Where the cut turns out to be wrong, reading a part ends in an InputError.
        """
        return [self]

    @abstractmethod
    def _read(self) -> Generator[Argument, None, None]: ...


@dataclass(frozen=True)
class Reader:
    """A format of corpora, and how one is recognised."""

    open: Callable[..., Corpus]
    """Opens the path of a file, or an id behind ``scheme``."""
    suffixes: tuple[str, ...] = ()
    """Suffixes of files in this format."""
    scheme: str = ""
    """The beginning of names such as "irds:", where the corpora are not files."""
    in_folder: Callable[[Sequence[Path]], Sequence[Path]] = lambda files: ()
    """The corpus files among ``files``, all those in a folder in the order of their names."""
    several: bool = False
    """Whether ``open`` takes the paths of several files, as one corpus; else a folder may have only one."""
    recognises: Callable[[Path], bool] = lambda path: True
    """Whether a file with such a name is in this format; a reader with a higher order gets the others."""
    order: int = 0
    """Readers with lower numbers look into a folder first."""
    folder_hint: str = ""
    """The files in a folder that are recognised, for messages."""


READERS: Registry[Reader] = Registry("corpus reader", "ltr.corpora", lambda reader: reader.open)


class FileCorpus(Corpus):
    """A corpus in one file, or in several of a folder in the order of their names."""

    named: ClassVar[bool] = False
    """Whether the names of the files are ids of arguments."""

    def __init__(self, *paths: str | Path, span: tuple[int, int] | None = None) -> None:
        """Read what begins in the bytes ``span`` of a plain file, or all of the files."""
        self.paths = list(map(Path, paths))
        self.path = self.paths[0]
        super().__init__(str(self.path.parent if len(paths) > 1 else self.path))
        self._span = span
        self._raw: IO[bytes] | None = None
        self._reached = 0

    @property
    def position(self) -> int:
        """Bytes read so far, of the file as it lies on the disk, compressed or not."""
        reached = self._reached if self._raw is None else self._raw.tell()
        return max(reached - self._span[0], 0) if self._span else reached

    def size_hint(self) -> int:
        """Bytes to read, of all files."""
        return self._span[1] - self._span[0] if self._span else sum(path.stat().st_size for path in self.paths)

    def _cuts(self) -> list[int]:
        """Positions near which to cut a plain file into parts of about equal size."""
        size = self.size_hint()
        count = max(min(MOST_PARTS, size // SMALLEST_PART), -(-size // LARGEST_PART), 1)
        return [size * number // count for number in range(1, count)]

    def parts(self) -> list[Corpus]:
        """Parts of a plain file, from its beginning and from `_starts`; a part and an archive are not cut."""
        if self._span or self.path.suffix == ".gz" or not (starts := [*self._starts(self._cuts())]):
            return [self]
        borders = sorted({0, *starts, self.size_hint()})
        return [type(self)(self.path, span=span) for span in pairwise(borders)]

    def _starts(self, cuts: Sequence[int]) -> Iterator[int]:
        """After each of the ``cuts``, where a row begins; here nowhere."""
        return iter(())

    def signature(self) -> dict[str, object]:
        """Number of files, and a digest of their ``stat`` fields."""
        stats = [(path.name, path.stat()) for path in self.paths]
        each = [(name, one.st_size, one.st_mtime_ns, one.st_ctime_ns, one.st_ino) for name, one in stats]
        return {"files": len(each), "digest": hashlib.sha256(json.dumps(each).encode()).hexdigest()}

    def fingerprint(self) -> str:
        """Hex SHA-256 of the file's bytes; of the names and the contents of several, or of `named` ones."""
        if len(self.paths) == 1 and not self.named:
            return sha256(self.path)
        each = "\n".join(f"{path.name} {sha256(path)}" for path in self.paths)
        return hashlib.sha256(each.encode("utf-8", "surrogateescape")).hexdigest()

    @contextmanager
    def _opened(self) -> Iterator[IO[bytes]]:
        """The bytes of the file, unpacked where it is gzipped. Raises InputError where they cannot be unpacked."""
        with self.path.open("rb", buffering=BLOCK) as raw:
            self._raw = raw
            try:
                yield io.BufferedReader(_Unpacked(raw, self.size_hint()), BLOCK) if self.path.suffix == ".gz" else raw
            except (EOFError, zlib.error, gzip.BadGzipFile) as error:
                # Without a row: archives are unpacked far ahead of the row that is being read.
                raise InputError(self.path, f"cannot be unpacked ({error})", COPY_AGAIN) from None
            finally:
                self._raw, self._reached = None, raw.tell()


class _Unpacked(io.RawIOBase):
    """The unpacked bytes of a gzip file, as many as a corpus of its size may have."""

    def __init__(self, packed: IO[bytes], size: int) -> None:
        self._zip = gzip.GzipFile(fileobj=packed)
        self._left = self._most = max(SMALLEST_LIMIT, LARGEST_RATIO * size)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        count = self._zip.readinto(buffer)
        self._left -= count
        if self._left < 0:
            raise gzip.BadGzipFile(f"more than {self._most >> 20} MB from so small a file")
        return count
