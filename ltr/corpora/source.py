"""What an input names: a corpus in one of its formats, and the topics that come with it."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Final

from ltr.corpora.args_csv import CsvCorpus
from ltr.corpora.argsme import JsonCorpus, JsonFolder
from ltr.corpora.base import LONGEST_HEADER, Corpus, FileCorpus
from ltr.corpora.documents import SUFFIXES, DocumentCorpus
from ltr.corpora.irds import IRDS, IrdsCorpus, read_irds_topics
from ltr.data.topics import Topic, read_topics
from ltr.errors import InputError

TOPICS: Final = "topics.xml"

_STEM: Final = "args_processed"
_TABLES: Final = (".csv", ".csv.gz", ".tar.gz")
_JSON: Final = ".json"
_LISTS: Final = ("results", "rerank", "passages", "documents")
"""What files of documents are called, the first of them that is there counts; a lone one may have any name."""
_MARK: Final = b'"arguments"'  # what tells args.me JSON from any other, within the first 64 KiB


def open_corpus(where: str) -> Corpus:
    """Open the corpus that ``where`` names; nothing is read before the first iteration.

    ``where`` is a directory with exactly one ``args_processed*`` table (``.csv``, ``.csv.gz``, ``.tar.gz``)
    or else args.me JSON files, all of which are read, or else a file of documents (``passages.jsonl.gz`` and its
    like, see `ltr.corpora.documents`); or such a file itself; or ``irds:`` and an id of ir_datasets.

    Raises InputError.
    """
    if where.startswith(IRDS):
        return IrdsCorpus(where.removeprefix(IRDS))
    path = Path(where)
    try:
        path.stat()
    except (OSError, ValueError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
        raise InputError(path, reason.lower(), "name the directory with the corpus") from None
    if path.is_dir():
        tables, documents = _corpus_files(path)
        if not tables and len(documents) > 1:
            return JsonFolder(documents)
        path = (tables or documents)[0]
    if not path.is_file():
        raise InputError(path, "is not a regular file", "name the corpus's directory or file")
    if path.name.endswith(_TABLES):
        return CsvCorpus(path)
    if path.name.endswith(SUFFIXES):
        return DocumentCorpus(path)
    if path.name.endswith(_JSON):
        return JsonCorpus(path)
    raise InputError(path, "is no kind of corpus file", f"name a {', '.join((*_TABLES, *SUFFIXES))} or {_JSON} file")


def find_topics(corpus: Corpus, path: Path | None = None) -> list[Topic]:
    """The topics of ``path``, else of topics.xml beside the corpus, else of its dataset. Raises InputError."""
    if path is not None:
        return read_topics(path)
    if isinstance(corpus, IrdsCorpus):
        return read_irds_topics(corpus.dataset)
    if not isinstance(corpus, FileCorpus):
        raise InputError(corpus.name, "there are no topics", "name a file with --topics")
    beside = corpus.path.parent / TOPICS
    if not beside.exists() and isinstance(corpus, DocumentCorpus) and (topics := corpus.topics()):
        return topics
    if not beside.exists():
        raise InputError(beside, "there are no topics", "put topics.xml there or name a file with --topics")
    return read_topics(beside)


def files_of(corpus: Corpus) -> list[Path]:
    """The files of a corpus with its topics, that no output may replace."""
    return [*corpus.paths, corpus.path.parent / TOPICS] if isinstance(corpus, FileCorpus) else []


def _corpus_files(folder: Path) -> tuple[list[Path], list[Path]]:
    """The one table in a folder, and the JSON files, which count only where there is no table."""
    files = sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    tables = [path for path in files if path.name.startswith(_STEM) and path.name.endswith(_TABLES)]
    documents = [path for path in files if path.name.endswith(_JSON) and _holds_arguments(path)]
    if not tables and not documents:
        documents = _document_file(files)
    if not tables and not documents:
        what = f"there is no {_STEM}*.csv, .csv.gz, .tar.gz, args.me .json or .jsonl in it"
        raise InputError(folder, what, "name the directory with the corpus")
    if len(tables) > 1:
        names = " and ".join(path.name for path in islice(tables, 2))
        raise InputError(folder, f"holds {len(tables)} corpus files, {names}", "name the file instead")
    return tables, documents


def _document_file(files: list[Path]) -> list[Path]:
    """The one file of documents in a folder, if there is one that its name or its being alone makes it."""
    lines = [path for path in files if path.name.endswith(SUFFIXES)]
    named = [path for stem in _LISTS for path in lines if path.name in (f"{stem}.jsonl", f"{stem}.jsonl.gz")]
    return named[:1] or (lines if len(lines) == 1 else [])


def _holds_arguments(path: Path) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as handle:
        return _MARK in handle.read(LONGEST_HEADER)
