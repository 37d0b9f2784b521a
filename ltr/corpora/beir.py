"""BEIR's layout, which MTEB shares: ``corpus.jsonl``, ``queries.jsonl`` and ``qrels/test.tsv`` in a folder.

Thakur et al. 2021, "BEIR: A Heterogeneous Benchmark for Zero-shot Evaluation of Information Retrieval Models". A line
of the corpus is ``{"_id", "title", "text", "metadata": {"stance", "url"}}``; an argument's title is its conclusion.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Final

from ltr.corpora.argsme import LONGEST_ARGUMENT, SentenceSplitter, split_argument
from ltr.corpora.argument import Argument, RowError, build_argument
from ltr.corpora.base import READERS, Reader
from ltr.corpora.lines import SUFFIXES, LinesCorpus, parsed, text_of, word_of
from ltr.data.topics import Topic, read_topics

_FORM: Final = 'write {"_id", "title", "text", "metadata"}, an object a line'
_QUERIES: Final = "queries.jsonl"


class BeirCorpus(LinesCorpus):
    """The arguments of a corpus in BEIR's layout."""

    format = "arguments, BEIR's layout"
    form = _FORM

    def topics(self) -> list[Topic]:
        """The topics of queries.jsonl beside the corpus. Raises InputError."""
        path = self.path.with_name(_QUERIES)
        return read_topics(path) if path.is_file() else []

    def _read(self) -> Generator[Argument, None, None]:
        split = SentenceSplitter()
        for line in self._lines():
            if len(line) > LONGEST_ARGUMENT:
                raise RowError(f"has more than {LONGEST_ARGUMENT:,} bytes", "cut its text into several arguments")
            fields = parsed(line, _FORM)
            self._knows(fields, ("_id", "title", "text", "metadata"))
            name = word_of(fields, ("_id",), _FORM)
            conclusion, text = (text_of(fields, field, name, _FORM) for field in ("title", "text"))
            known = fields.get("metadata") or {}
            if not isinstance(known, dict):
                raise RowError(f"the metadata of {name} is not a JSON object", _FORM)
            sentences = split_argument(name, conclusion, [text], split)
            url = text_of(known, "url", name, _FORM)
            yield build_argument(name, conclusion, known.get("stance"), sentences, title="", url=url)


def _corpus_file(files: Sequence[Path]) -> list[Path]:
    named = [path for path in files if path.name in ("corpus.jsonl", "corpus.jsonl.gz")]
    return [path for path in named if _has_ids(path)]


def _has_ids(path: Path) -> bool:
    return path.is_file() and "_id" in BeirCorpus(path).first_object()


_reader = Reader(BeirCorpus, SUFFIXES, in_folder=_corpus_file, recognises=_has_ids, order=1)
READERS.add("BEIR", _reader)
