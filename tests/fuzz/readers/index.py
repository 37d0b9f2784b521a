"""The files of an index, with checksums that fit; and the values that are kept beside it."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

import numpy as np
from support.corpora import QUIET, SMALL, write_corpus

from features.core.text import Analyzer
from fuzz.cases import NUMBERS
from fuzz.reader import Read, reader
from ltr.corpora.source import open_corpus
from ltr.data.topics import Topic
from ltr.errors import InputError
from ltr.index.cache import _fitting, open_index
from ltr.index.folder import MANIFEST, SUMS
from ltr.index.reader import Index
from ltr.index.values import VALUES, known_values
from ltr.retrieval.terms import TermCache
from ltr.tasks import find_task

QUESTION = Topic("1", "Should cities ban cars that pollute, and zoos of animals?")


@cache
def whole() -> Path:
    """The files of an index of a small corpus, which is ``corpus`` beside its place; made once a process."""
    place = Path(tempfile.mkdtemp(prefix="riposte-fuzz-"))
    write_corpus(place / "corpus", SMALL)
    return open_index(open_corpus(str(place / "corpus")), place / "index", QUIET).folder


def use(index: Index) -> None:
    """What commands ask of an index."""
    list(index._ids)
    for row in range(index.arguments):
        index.argument_id(row), index.title(row), index.stance(row)
        assert len(index.texts(index.sentence_rows(row))) == len(index.sentence_rows(row))
    for row in range(index.sentences):
        assert index.sentence_id(row).split() == [index.sentence_id(row)]
    for field in ("sentence", "argument", "conclusion", "title"):
        rows, scores = index.search(field, index.analyzer.terms(QUESTION.title), 5)
        assert len(rows) == len(scores) <= 5
    task = find_task("pairs")
    task.propose(index, QUESTION, TermCache(index), task.config)


def start(folder: Path, names: Callable[[str], bool]) -> Read:
    """A reader of a name, a line's end and what stands in the file of that name."""
    place = Path(shutil.copytree(whole().parent, folder / "index")) / whole().name
    corpus = open_corpus(str(whole().parents[1] / "corpus"))
    known = {name: (place / name).read_bytes() for name in files(names)}
    sums = {place / SUMS: (place / SUMS).read_bytes()}

    def take(case: bytes) -> None:
        first, _, content = case.partition(b"\n")
        name = first.decode("utf-8", "replace")
        if name not in known:
            return
        put(place / name, content)
        try:
            index = _fitting(place.parent, corpus, Analyzer())
            if index is None:
                raise InputError("the index", "is made anew", "none")
            use(index)
        finally:
            for one, old in {place / name: known[name], **sums}.items():
                put(one, old)

    return take


def put(path: Path, content: bytes) -> None:
    """Another file in the place of this one: who has that mapped must not see it end."""
    path.with_name("new").write_bytes(content)
    path.with_name("new").replace(path)


def files(names: Callable[[str], bool]) -> list[str]:
    """Those of the index."""
    found = [path.relative_to(whole()).as_posix() for path in sorted(whole().rglob("*")) if path.is_file()]
    return [name for name in found if names(name) and not name.endswith(".lock")]


def seeds(names: Callable[[str], bool]) -> Callable[[], Sequence[bytes]]:
    """The files of the index, each after its name."""
    return lambda: [name.encode() + b"\n" + (whole() / name).read_bytes() for name in files(names)]


def table(name: str) -> bool:
    """Not those of the engines, which believe whoever puts checksums in order: see what is not promised."""
    return "/" not in name and name not in (MANIFEST, SUMS)


def manifest(name: str) -> bool:
    """The manifest alone."""
    return name == MANIFEST


NPY = [
    *(b"\x93NUMPY\x01\0", b"'descr': '", b"<i8", b"<u8", b"|u1", b"<f4", b"|O", b"|S9", b"'fortran_order': True"),
    *(b"'shape': (", b"(5,)", b"(2, 2)", b"(99999999999,)", b"(-1,)", b"(0,)"),
]
_NAMES = "format terms corpus signature fingerprint arguments sentences analysis stem digest size tokens"
JSON = [
    *NUMBERS,
    *(f'"{key}": '.encode() for key in _NAMES.split()),
    *b'{} [] "" null true false {"a":1} [1] "../x" "/etc" NaN'.split(),
]


@reader("index-manifest", seeds(manifest), tokens=JSON)
def _manifest(folder: Path) -> Read:
    return start(folder, manifest)


@reader("index-tables", seeds(table), tokens=[*NPY, *JSON])
def _tables(folder: Path) -> Read:
    return start(folder, table)


@cache
def kept_values() -> bytes:
    """What is kept beside the index after a few values."""
    index = Index(whole())
    with known_values(index, np.arange(index.sentences)) as known:
        known["n_words"][:] = 1
    content = (whole() / VALUES).read_bytes()
    (whole() / VALUES).unlink()
    return content


@reader("index-values", lambda: [kept_values()])
def _values(folder: Path) -> Read:
    place = Path(shutil.copytree(whole(), folder / "index"))
    index = Index(place)

    def take(content: bytes) -> None:
        (place / VALUES).unlink(missing_ok=True)  # who has it mapped must not see it end
        (place / VALUES).write_bytes(content)
        for _ in range(2):  # what is found, and after it was put in order
            with known_values(index, np.arange(index.sentences)) as known:
                assert all(((own == 1) | np.isnan(own)).all() for own in known.values())
                known["n_words"][:] = 1

    return take
