"""Open the corpus that an input names, with the topics that come with it."""

from __future__ import annotations

import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path
from typing import Final

from ltr.corpora.base import READERS, Corpus, FileCorpus, Reader
from ltr.data.topics import Topic, read_topics
from ltr.errors import InputError

TOPICS: Final = "topics.xml"
_BESIDE: Final = re.compile(r"\A(?:topics.*\.xml|.*\.qrels|run\.txt\.gz|queries\.jsonl|[._].*)")
"""Names of files that lie beside a corpus, and are not left out."""
_PACKED: Final = (".gz", ".zip", ".bz2", ".xz", ".zst", ".7z", ".rar", ".tar", ".tgz")


def open_corpus(where: str | Path) -> Corpus:
    """Open the corpus that ``where`` names; nothing is read before the first iteration.

    ``where`` is a corpus file, a directory with one, or an id such as ``irds:argsme/2020-04-01``. In a directory the
    registered readers look for their files one after the other: a table ``args_processed*`` comes before args.me JSON
    files, which are read together, and these come before JSON lines and plain texts. Raises InputError.
    """
    corpus = _open(str(where))
    if not isinstance(corpus, Corpus):
        what = f"the reader returned {type(corpus).__name__}, expected Corpus"
        raise InputError(where, what, "let it return an object of ltr.corpora.base.Corpus")
    return corpus


def _open(where: str) -> Corpus:
    if not where:  # perhaps a variable that is not set; Path("") would be the working directory
        raise InputError("corpus", "its name is empty", "name the directory with the corpus")
    readers = sorted(READERS.search().values(), key=lambda reader: reader.order)
    for reader in readers:
        if reader.scheme and where.startswith(reader.scheme):
            return reader.open(where.removeprefix(reader.scheme))
    path = Path(where)
    try:
        path.stat()
    except (OSError, ValueError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
        raise InputError(path, reason.lower(), "name the directory with the corpus") from None
    if path.is_dir():
        corpus = _read_folder(path, readers)
        if isinstance(corpus, FileCorpus):
            corpus.left_out = tuple(_left_out(path, corpus.paths, readers))
        return corpus
    if not path.is_file():
        raise InputError(path, "is not a regular file", "name the corpus's directory or file")
    for reader in readers:
        if reader.suffixes and path.name.endswith(reader.suffixes) and reader.recognises(path):
            return reader.open(str(path))
    *suffixes, last = dict.fromkeys(chain.from_iterable(reader.suffixes for reader in readers))
    raise InputError(path, "is not a supported corpus file", f"name a {', '.join(suffixes)} or {last} file")


def find_topics(corpus: Corpus, path: Path | None = None) -> list[Topic]:
    """The topics of ``path``, else of topics.xml beside the corpus, else of the corpus itself. Raises InputError."""
    beside = topics_beside(corpus)
    if path is None and beside and beside.exists():
        path = beside
    if path is not None:
        return read_topics(path)
    if topics := corpus.topics():
        return topics
    if beside is None:
        raise InputError(corpus.name, "there are no topics", "name a file of topics")
    raise InputError(beside, "there are no topics", "put topics.xml there, or name another file")


def topics_beside(corpus: Corpus) -> Path | None:
    """The topics file beside a corpus of files; None without one."""
    return corpus.path.parent / TOPICS if isinstance(corpus, FileCorpus) else None


def files_of(corpus: Corpus) -> list[Path]:
    """The files of a corpus and its topics, which no output may replace."""
    return [*corpus.paths, corpus.path.parent / TOPICS] if isinstance(corpus, FileCorpus) else []


def _left_out(folder: Path, read: list[Path], readers: list[Reader]) -> Iterator[str]:
    """The names in a folder that are no part of the corpus, with the reasons."""
    texts = any(path.suffix == ".txt" for path in read)
    for path in sorted(folder.iterdir()):
        results = path.name == "run.txt" or "qrels" in path.name
        if path in read or _BESIDE.fullmatch(path.name) or (results and not texts):
            continue
        try:
            if not path.is_dir():
                suffixes = tuple(chain.from_iterable(reader.suffixes for reader in readers))
                yield f"{path.name} ({_reason(path, suffixes)})"
            elif any(reader.in_folder(sorted(path.iterdir())) for reader in readers):
                yield f"{path.name} (a folder: name it for another corpus)"
        except OSError as error:
            yield f"{path.name} ({(error.strerror or str(error)).lower()})"


def _reason(path: Path, suffixes: tuple[str, ...]) -> str:
    if not path.is_file():
        return "not a regular file"
    if not path.name.endswith(suffixes):
        if path.name.lower().endswith(suffixes):
            return "write the end of its name in small letters"
        return "packed: unpack it" if path.suffix.lower() in _PACKED else "not in a format of corpora"
    with path.open("rb") as file:
        if file.read(2) in (BOM_UTF16_LE, BOM_UTF16_BE):
            return "in UTF-16: save it as UTF-8"
    if path.suffix == ".json":
        return 'no "arguments" in its first 64 KiB'
    return "called like a run or judgments" if path.suffix == ".txt" else "another file is the corpus"


def _read_folder(folder: Path, readers: list[Reader]) -> Corpus:
    files = sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    for reader in readers:
        paths = reader.in_folder(files)
        if len(paths) > 1 and reader.several:
            return reader.open(*paths)
        if len(paths) > 1:
            names = f"{paths[0].name} and {paths[1].name}"
            raise InputError(folder, f"has {len(paths)} corpus files, {names}", "name the file instead")
        if paths and not paths[0].is_file():
            raise InputError(paths[0], "is not a regular file", "name the corpus's directory or file")
        if paths and reader.recognises(paths[0]):
            return reader.open(str(paths[0]))
    *hints, last = filter(None, (reader.folder_hint for reader in readers))
    there = ", ".join(islice(_left_out(folder, [], readers), 3))
    what = f"there is no {', '.join(hints)} or {last} in it{f', but {there}' if there else ''}"
    raise InputError(folder, what, "name the directory with the corpus")
