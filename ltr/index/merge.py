"""Put the parts of an index together: columns end to end, counts added up, engines as segments of one.

One part at a time is in memory, except where copies are counted (`ltr.index.copies`).
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ltr.data.arrays import save_array, save_pieces
from ltr.data.files import link
from ltr.errors import InputError
from ltr.index.copies import has_copies, shared_columns
from ltr.index.counts import merge_counts
from ltr.index.engine import ENGINES

Column = np.ndarray[Any, Any]


def assemble(parts: Sequence[Path], folder: Path) -> dict[str, int]:
    """Fill the index ``folder`` from whole ``parts``; returns how many arguments and sentences. Raises InputError."""
    first_argument, first_sentence = _starts(parts, "stance"), _starts(parts, "number")
    if has_copies(parts):
        raise InputError(parts[0].parent, "an id comes twice")  # build_index says which, and where
    for name in ENGINES:
        _join_engines([part / name for part in parts], folder / name)
    for number, part in enumerate(parts):
        link(part / "text.bin", folder / f"text-{number:04}.bin")
        link(part / "blocks.npy", folder / f"blocks-{number:04}.npy")
    id_starts, title_starts = (_join_strings(parts, folder, name) for name in ("ids.bin", "titles.bin"))
    shifts = {"id_end": id_starts, "title_end": title_starts}
    shifts |= {"sentence_end": first_sentence, "conclusion_row": first_sentence}
    for name in ("text_end", "number", "stance", *shifts):
        _save(folder, name, partial(_columns, parts, name, shifts.get(name)))
    for name in ("near_key", "body_key", *(["source"] if (parts[0] / "source.npy").exists() else [])):
        first = np.load(parts[0] / f"{name}.npy", mmap_mode="r")
        size = first_sentence[-1] if name == "near_key" else first_argument[-1]
        save_pieces(folder / f"{name}.npy", _columns(parts, name), first.dtype, (size, *first.shape[1:]))
    save_array(folder / "starts.npy", np.array([first_argument, first_sentence]))
    for name, values in shared_columns(parts, first_sentence):
        kind = _smallest(-1 if name == "parent" else 0, int(values.max(initial=0)))
        save_array(folder / f"{name}.npy", values.astype(kind))
    merge_counts(parts, first_argument[:-1], folder)
    return {"arguments": first_argument[-1], "sentences": first_sentence[-1]}


def _join_strings(parts: Sequence[Path], folder: Path, name: str) -> list[int]:
    """Lay the strings of all parts end to end; (n_parts + 1,) where those of each part begin."""
    starts = [0]
    with (folder / name).open("wb") as out:
        for part in parts:
            with (part / name).open("rb") as strings:
                shutil.copyfileobj(strings, out, 1 << 20)
            starts.append(out.tell())
    return starts


def _starts(parts: Sequence[Path], name: str) -> list[int]:
    """(n_parts + 1,) where the rows of each part begin, and where the last one ends."""
    lengths = [len(column) for column in _columns(parts, name)]
    return [sum(lengths[:part]) for part in range(len(parts) + 1)]


def _columns(parts: Sequence[Path], name: str, starts: Sequence[int] | None = None) -> Iterator[Column]:
    """A column, part by part; values that count from a part's beginning are shifted by where it starts."""
    for number, part in enumerate(parts):
        values = np.load(part / f"{name}.npy", mmap_mode="r")
        yield values if starts is None else np.where(values >= 0, values + starts[number], -1)


def _save(folder: Path, name: str, pieces: Callable[[], Iterator[Column]]) -> None:
    """Write a column of whole numbers in the smallest sufficient type, which saves disk and page cache."""
    ranges = [(int(piece.min(initial=0)), int(piece.max(initial=0)), len(piece)) for piece in pieces()]
    low, high = min(low for low, _, _ in ranges), max(high for _, high, _ in ranges)
    save_pieces(folder / f"{name}.npy", pieces(), _smallest(low, high), (sum(size for _, _, size in ranges),))


def _smallest(low: int, high: int) -> np.dtype[Any]:
    """The smallest type for whole numbers from ``low`` to ``high``; where one value is negative, it has a sign."""
    return np.min_scalar_type(high if low >= 0 else min(low, -high - 1))


def _join_engines(folders: Sequence[Path], target: Path) -> None:
    """Make one tantivy index of the segments of many, which have the same schema: the files, and a list of them."""
    target.mkdir()
    metas = [json.loads((folder / "meta.json").read_text("utf-8")) for folder in folders]
    segments = [segment for meta in metas for segment in meta["segments"]]
    for folder in folders:
        for path in folder.iterdir():
            if not path.name.startswith((".", "meta.json")):
                link(path, target / path.name)
    names = sorted(path.name for path in target.iterdir())
    (target / "meta.json").write_text(json.dumps(metas[0] | {"segments": segments}), "utf-8")
    (target / ".managed.json").write_text(json.dumps([*names, "meta.json"]), "utf-8")
