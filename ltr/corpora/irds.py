"""Corpora and topics by their ir_datasets id, an optional extra of the package.

MacAvaney et al. 2021, "Simplified Data Wrangling with ir_datasets", https://ir-datasets.com/argsme.html
"""

from __future__ import annotations

import hashlib
from collections.abc import Generator
from pathlib import Path
from typing import ClassVar, Final

from ltr.corpora.argsme import SentenceSplitter, split_argument
from ltr.corpora.argument import Argument, build_argument
from ltr.corpora.base import READERS, Corpus, Reader
from ltr.data.irds import EXAMPLE, IRDS, guarded, load_dataset
from ltr.data.topics import Topic, read_topics
from ltr.errors import InputError

_SHAPE: Final = frozenset({"doc_id", "conclusion", "premises"})


class IrdsCorpus(Corpus):
    """The documents of a dataset of ir_datasets that holds args.me arguments, processed or not."""

    format = "arguments of ir_datasets"
    kind: ClassVar[str] = "document"

    def __init__(self, dataset: str) -> None:
        super().__init__(f"{IRDS}{dataset}")
        self.dataset = dataset
        self._handler = load_dataset(self.name)
        documents = self._handler.docs_cls() if self._handler.has_docs() else None
        if documents is None or not _SHAPE.issubset(getattr(documents, "_fields", ())):
            raise InputError(self.name, "has no arguments among its documents", EXAMPLE)
        self._count = 0

    @property
    def position(self) -> int:
        """Documents read so far."""
        return self._count

    def size_hint(self) -> int:
        """Count the documents as far as ir_datasets knows without a download, 0 if it does not."""
        return self._handler.docs_count() or 0

    def signature(self) -> dict[str, object]:
        """Dataset id and version of ir_datasets: the data behind an id is fixed by its checksums there."""
        import ir_datasets  # noqa: PLC0415 an extra

        return {"irds": self.dataset, "version": ir_datasets.__version__}

    def fingerprint(self) -> str:
        """Hex SHA-256 of the dataset's id and its number of documents."""
        return hashlib.sha256(f"{self.dataset}\n{self.size_hint()}".encode()).hexdigest()

    def topics(self) -> list[Topic]:
        """Topics of the dataset in its order. Raises InputError."""
        return read_topics(Path(self.name))

    def _read(self) -> Generator[Argument, None, None]:
        split = SentenceSplitter()
        self._count = 0
        for document in guarded(self.name, "documents", self._handler.docs_iter()):
            self._count += 1
            name, conclusion, premises = document.doc_id, document.conclusion, document.premises
            if hasattr(document, "sentences"):
                sentences = [(sentence.id, sentence.text) for sentence in document.sentences]
            else:
                sentences = split_argument(name, conclusion, [premise.text for premise in premises], split)
            stance = [getattr(premise.stance, "name", premise.stance) for premise in premises]
            title, url = document.topic or document.source_title, document.source_url or ""
            yield build_argument(name, conclusion, stance, sentences, title=title, url=url)


READERS.add("ir_datasets", Reader(IrdsCorpus, scheme=IRDS))
