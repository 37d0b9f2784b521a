"""Parts of a corpus against the whole, and blocks of a file against others: any difference is a finding.

Cells, rows, words and measures are compared with plain ways to compute them in `tests/property` and `tests/golden`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from random import Random
from unittest.mock import patch

from fuzz.reader import Read, reader
from fuzz.readers.corpora import (
    ARGSME_TOKENS,
    CSV_TOKENS,
    DOCUMENT_TOKENS,
    argsme_json,
    argsme_seeds,
    csv_of_cells,
    csv_seeds,
    document_seeds,
    documents,
)
from ltr.corpora import args_csv, argsme, base
from ltr.corpora.args_csv import CsvCorpus
from ltr.corpora.argsme import JsonCorpus, SentenceSplitter
from ltr.corpora.argument import Argument
from ltr.corpora.base import Corpus
from ltr.corpora.documents import DocumentCorpus
from ltr.errors import InputError

Outcome = list[Argument] | InputError


def outcome(corpora: Callable[[], Iterable[Corpus]]) -> Outcome:
    """The arguments, or why there are none."""
    try:
        return [argument for corpus in corpora() for argument in corpus]
    except InputError as error:
        return error


def of_parts(folder: Path, name: str, kind: Callable[[Path], Corpus]) -> Read:
    """What is read in parts is what is read as a whole, where neither is refused."""
    path = folder / name

    def read(content: bytes) -> None:
        path.write_bytes(content)
        whole = outcome(lambda: [kind(path)])
        with patch.multiple(base, SMALLEST_PART=200, MOST_PARTS=4), patch.object(args_csv, "LINES", 20):
            parts = outcome(lambda: kind(path).parts())
        if isinstance(whole, InputError):
            # Whether two have the same id in different parts is seen when these are merged.
            assert isinstance(parts, InputError) or "the id " in str(whole)
            raise whole
        if isinstance(parts, InputError):
            raise parts
        assert parts == whole

    return read


@reader("argsme-blocks", argsme_seeds, tokens=[*ARGSME_TOKENS, *[b"\\" * n for n in (2, 3)]], write=argsme_json)
def _(folder: Path) -> Read:
    """A file is the same wherever its blocks end, in an escape or in a character."""
    split, path = SentenceSplitter(), folder / "args.json"

    def read(content: bytes) -> None:
        path.write_bytes(content)
        found = []
        for size in (1 << 16, max(1 + len(content) % 13, len(content) // 2000)):  # of a long one, 2,000 blocks will do
            with patch.multiple(argsme, SentenceSplitter=lambda: split, _BUFFER=size):
                found.append(outcome(lambda: [JsonCorpus(path)]))
        whole, blocks = found
        if isinstance(whole, InputError):
            assert isinstance(blocks, InputError)
            raise whole
        assert blocks == whole

    return read


def many(seeds: Callable[[], Sequence[bytes]], rows: Callable[[Random], bytes]) -> Callable[[Random], bytes]:
    """Several inputs of a kind as one, long enough for parts."""

    def write(rng: Random) -> bytes:
        first, *others = [rows(rng) if rng.random() < 0.5 else rng.choice(seeds()) for _ in range(4)]
        return first.rstrip() + b"".join(b"\n" + one.split(b"\n", 1)[-1].rstrip() for one in others)

    return write


@reader("csv-parts", csv_seeds, tokens=CSV_TOKENS, write=many(csv_seeds, csv_of_cells))
def _(folder: Path) -> Read:
    return of_parts(folder, "args_processed.csv", CsvCorpus)


@reader("document-parts", document_seeds, tokens=DOCUMENT_TOKENS, write=many(document_seeds, documents))
def _(folder: Path) -> Read:
    return of_parts(folder, "passages.jsonl", DocumentCorpus)
