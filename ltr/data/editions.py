"""Published editions of topics, judgments and corpora, by the MD5 sums that ir_datasets lists for them."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import NamedTuple

from ltr.data.ids import argument_of, parts_of

_IDS = {
    "args.me 1.0": re.compile(r"\A[0-9a-f]+-[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}Z-[0-9]{5}-[0-9]{3}"),
    "args.me 2020-04-01": re.compile(r"\AS[0-9a-f]+-A[0-9a-f]+"),
    "ClueWeb12": re.compile(r"\A(?:.*[|])?clueweb12-.+"),
}
"""The form of the ids of a corpus."""


class Edition(NamedTuple):
    """A published file, and the corpus that it belongs to."""

    name: str
    corpus: str


@cache
def _editions() -> dict[str, Edition]:
    rows = json.loads((Path(__file__).parent / "editions.json").read_text("utf-8"))
    return {digest: Edition(*row) for digest, row in rows.items()}


def edition_of(path: Path) -> Edition | None:
    """The edition that a file is, byte for byte; None for any other."""
    if not path.is_file():
        return None
    with path.open("rb") as file:
        return _editions().get(hashlib.file_digest(file, lambda: hashlib.md5(usedforsecurity=False)).hexdigest())


def corpus_of(id_: str) -> str:
    """The corpus whose ids have the form of this item's; empty for any other."""
    first = argument_of(parts_of(id_)[0])
    return next((corpus for corpus, form in _IDS.items() if form.fullmatch(first)), "")


def edition_notes(files: Iterable[Path], ids: dict[str, str]) -> list[str]:
    """What published editions ``files`` are, and which of them is of another corpus than the ids of a name."""
    notes = []
    for path in files:
        if edition := edition_of(path):
            other = {
                name: corpus for name, id_ in ids.items() if (corpus := corpus_of(id_)) not in ("", edition.corpus)
            }
            odd = "".join(f"; but {name} has ids of {corpus}" for name, corpus in other.items())
            notes.append(f"{path}: {edition.name}, for {edition.corpus}{odd}")
    return notes
