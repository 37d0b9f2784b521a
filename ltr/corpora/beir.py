"""BEIR's layout, which MTEB shares: ``corpus.jsonl``, ``queries.jsonl`` and ``qrels/test.tsv`` in a folder.

Thakur et al. 2021, "BEIR: A Heterogeneous Benchmark for Zero-shot Evaluation of Information Retrieval Models". A line
of the corpus is ``{"_id", "title", "text", "metadata": {"stance", "url"}}``; an argument's title is its conclusion.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ltr.corpora.argsme import SentenceSplitter, split_argument
from ltr.corpora.argument import Argument, build_argument
from ltr.corpora.base import READERS, Reader
from ltr.corpora.lines import SUFFIXES, object_of, text_of, word_of
from ltr.corpora.own_texts import ArgumentLines
from ltr.data.topics import Topic, read_topics


class BeirCorpus(ArgumentLines):
    """The arguments of a corpus in BEIR's layout."""

    format = "arguments, BEIR's layout"
    form = 'write {"_id", "title", "text", "metadata"}, an object a line'
    fields = ("_id", "title", "text", "metadata")

    def topics(self) -> list[Topic]:
        """The topics of queries.jsonl beside the corpus. Raises InputError."""
        path = self.path.with_name("queries.jsonl")
        return read_topics(path) if path.is_file() else []

    def _argument(self, fields: dict[str, Any], split: SentenceSplitter) -> Argument:
        name = word_of(fields, ("_id",))
        conclusion, text = (text_of(fields, field, name) for field in ("title", "text"))
        known = object_of(fields.get("metadata") or {}, f"the metadata of {name} is")
        sentences, url = split_argument(name, conclusion, [text], split), text_of(known, "url", name)
        return build_argument(name, conclusion, known.get("stance"), sentences, title="", url=url)


def _corpus_file(files: Sequence[Path]) -> list[Path]:
    named = [path for path in files if path.name in ("corpus.jsonl", "corpus.jsonl.gz")]
    return [path for path in named if _has_ids(path)]


def _has_ids(path: Path) -> bool:
    return path.is_file() and "_id" in BeirCorpus(path).first_object()


_reader = Reader(BeirCorpus, SUFFIXES, in_folder=_corpus_file, recognises=_has_ids, order=1)
READERS.add("BEIR", _reader)
