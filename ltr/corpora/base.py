"""Arguments and their sentences, streamed from the task's CSV, from args.me JSON or from ir_datasets.

A corpus yields one Argument at a time and holds none of them; only their ids stay in memory, because an id
that comes twice must be found. Anything wrong ends in one InputError with the file, the row and the mend.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import IO, ClassVar, Final, NamedTuple

from ltr.corpora.literals import known_stance
from ltr.data.files import sha256
from ltr.data.ids import PREMISE, sentence_id, sentence_number
from ltr.errors import InputError

IRDS: Final = "irds:"

_STEM: Final = "args_processed"
_TABLES: Final = (".csv", ".csv.gz", ".tar.gz")
_JSON: Final = ".json"
_MARK: Final = b'"arguments"'  # what tells args.me JSON from any other, within the first 64 KiB
_ID: Final = re.compile(r"[^\s,\x00-\x1f\x7f\ud800-\udfff]+")
LONGEST_HEADER: Final = 1 << 16
BLOCK: Final = 1 << 20


class Sentence(NamedTuple):
    """A sentence under its published id: ``<argument>__PREMISE__<n>`` or ``<argument>__CONC__<n>``."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument. ``sentences`` has the premises first and the conclusion last."""

    id: str
    conclusion: str
    stance: str
    """"PRO", "CON", or "" when unknown."""
    sentences: tuple[Sentence, ...]
    title: str
    """Title of the debate, or else of the page."""
    url: str


class RowError(Exception):
    """Something wrong inside one argument; :class:`Corpus` adds where it stands and raises InputError."""

    def __init__(self, what: str, mend: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.mend = mend


class Corpus(ABC):
    """A source of arguments that can be iterated any number of times, each time from its beginning."""

    unit: ClassVar[str] = "row"

    def __init__(self, name: str) -> None:
        self.name = name

    def __iter__(self) -> Iterator[Argument]:
        """Stream the arguments. Raises InputError at the first one that is not as it should be."""
        seen: dict[str, None] = {}  # keeps its order, so that the place of an id tells its row
        try:
            with closing(self._read()) as arguments:
                for argument in arguments:
                    if argument.id in seen:
                        first = list(seen).index(argument.id) + 1
                        what = f"the id {argument.id} is already that of {self.unit} {first}"
                        raise RowError(what, f"keep one of the two {self.unit}s or give each its own id")
                    seen[argument.id] = None
                    yield argument
        except RowError as error:
            raise InputError(self.name, f"{self.unit} {len(seen) + 1}: {error.what}", error.mend) from None
        if not seen:
            raise InputError(self.name, "there are no arguments in it", "name a corpus with at least one")

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

    def parts(self) -> list[Corpus]:
        """Cut into corpora that can be read at the same time; here it is the one.

        The cut depends on the corpus alone. Where the cut turns out to be wrong, reading a part ends in an InputError.
        """
        return [self]

    @abstractmethod
    def _read(self) -> Generator[Argument, None, None]: ...


class FileCorpus(Corpus):
    """What corpora in one file have in common."""

    def __init__(self, path: Path) -> None:
        super().__init__(str(path))
        self.path = path
        self._raw: IO[bytes] | None = None
        self._reached = 0

    @property
    def position(self) -> int:
        """Bytes read so far, of the file as it lies on the disk, compressed or not."""
        return self._reached if self._raw is None else self._raw.tell()

    def size_hint(self) -> int:
        """Size of the file in bytes."""
        return self.path.stat().st_size

    def signature(self) -> dict[str, object]:
        """Name, size, times and inode, as ``stat`` gives them."""
        stat = self.path.stat()
        return {
            "name": self.path.name,
            "size": stat.st_size,
            "mtime_ns": stat.st_mtime_ns,
            "ctime_ns": stat.st_ctime_ns,
            "inode": stat.st_ino,
        }

    def fingerprint(self) -> str:
        """Hex SHA-256 of the file's bytes."""
        return sha256(self.path)

    @contextmanager
    def _opened(self) -> Iterator[IO[bytes]]:
        with self.path.open("rb", buffering=BLOCK) as raw:
            self._raw = raw
            try:
                yield raw
            finally:
                self._raw, self._reached = None, raw.tell()


def open_corpus(where: str) -> Corpus:
    """Open the corpus that ``where`` names; nothing is read before the first iteration.

    ``where`` is a directory with exactly one ``args_processed*`` table (``.csv``, ``.csv.gz``, ``.tar.gz``)
    or else one args.me JSON file; or such a file itself; or ``irds:`` and an id of ir_datasets.

    Raises InputError.
    """
    if where.startswith(IRDS):
        from ltr.corpora.irds import IrdsCorpus

        return IrdsCorpus(where.removeprefix(IRDS))
    path = Path(where)
    try:
        path.stat()
    except (OSError, ValueError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
        raise InputError(path, reason.lower(), "name the directory with the corpus") from None
    if path.is_dir():
        path = _only_file(path)
    if not path.is_file():
        raise InputError(path, "is not a regular file", "name the corpus's directory or file")
    if path.name.endswith(_TABLES):
        from ltr.corpora.args_csv import CsvCorpus

        return CsvCorpus(path)
    if path.name.endswith(_JSON):
        from ltr.corpora.argsme import JsonCorpus

        return JsonCorpus(path)
    raise InputError(path, "is no kind of corpus file", f"name a {', '.join(_TABLES)} or {_JSON} file")


def build_argument(
    name: str, conclusion: str, stance: str, sentences: Sequence[tuple[str, str]], *, title: str, url: str
) -> Argument:
    """Check ids, put premises first, and restore the conclusion that the corpus leaves out when it is short.

    Texts become such as UTF-8 can encode. Raises RowError.
    """
    if not _ID.fullmatch(name):
        fault = f"the id {name[:80]!r} holds white space, a comma or a control character"
        mend = "give every argument an id of the form S<hex>-A<hex>"
        raise RowError(fault if name else "the id is empty", mend)
    premises, conclusions = _by_role(name, sentences)
    conclusion = _encodable(conclusion)
    if not conclusions and (text := conclusion.strip()):
        conclusions.append((sentence_id(name, -1), text))
    in_order = tuple(
        [Sentence(key, text if text.isascii() else _encodable(text)) for key, text in (*premises, *conclusions)]
    )
    return Argument(name, conclusion, known_stance(stance), in_order, _encodable(title), _encodable(url))


_Pairs = Sequence[tuple[str, str]]


def _by_role(name: str, sentences: _Pairs) -> tuple[_Pairs, list[tuple[str, str]]]:
    """Premises and conclusions of an argument."""
    # Nearly all have premises 1, 2, 3 and one conclusion or none: two comparisons in place of a search a sentence.
    keys = [key for key, _ in sentences]
    usual = len(keys) - 1 if keys and keys[-1] == sentence_id(name, -1) else len(keys)
    premise = f"{name}{PREMISE}"
    if keys[:usual] == [f"{premise}{number}" for number in range(1, usual + 1)]:
        return sentences[:usual], list(sentences[usual:])
    if len(set(keys)) < len(keys):
        raise RowError(f"a sentence id of {name} comes twice", "number the sentences 1, 2, 3")
    numbers = [sentence_number(key, name) for key in keys]
    for key, number in zip(keys, numbers, strict=True):
        if number == 0:
            fault = f"the sentence id {key[:80]!r} does not belong to the argument {name}"
            raise RowError(fault, f"name its sentences {premise}1, ..., {sentence_id(name, -1)}")
    premises = [sentence for sentence, number in zip(sentences, numbers, strict=True) if number > 0]
    return premises, [sentence for sentence, number in zip(sentences, numbers, strict=True) if number < 0]


def _encodable(text: str) -> str:
    """Join the halves of split surrogates, which repr and JSON can spell; a half left alone is U+FFFD."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _only_file(folder: Path) -> Path:
    """Find the one corpus file in a folder: tables first, JSON only where there is no table."""
    files = sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    found = [path for path in files if path.name.startswith(_STEM) and path.name.endswith(_TABLES)]
    found = found or [path for path in files if path.name.endswith(_JSON) and _holds_arguments(path)]
    if not found:
        what = f"there is no {_STEM}*.csv, .csv.gz, .tar.gz or args.me .json in it"
        raise InputError(folder, what, "name the directory with the corpus")
    if len(found) > 1:
        names = " and ".join(path.name for path in islice(found, 2))
        raise InputError(folder, f"holds {len(found)} corpus files, {names}", "name the file instead")
    return found[0]


def _holds_arguments(path: Path) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as handle:
        return _MARK in handle.read(LONGEST_HEADER)
