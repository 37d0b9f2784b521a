"""Put the parts of an index together: columns end to end, counts added up, engines as segments of one."""

from __future__ import annotations

import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from ltr.data.arrays import save_array
from ltr.data.files import link
from ltr.errors import InputError
from ltr.index.counts import merge_counts
from ltr.index.debates import find_debates, find_parents
from ltr.index.engine import ENGINES
from ltr.index.strings import Strings, block_sums

Column = np.ndarray[Any, Any]


def assemble(parts: Sequence[Path], folder: Path) -> dict[str, int]:
    """Fill the index ``folder`` from whole ``parts``; returns how many arguments and sentences. Raises InputError."""
    first_argument = _starts(parts, "stance")
    first_sentence = _starts(parts, "number")
    _refuse_copies(parts)
    for name in ENGINES:
        _join_engines([part / name for part in parts], folder / name)
    for number, part in enumerate(parts):
        link(part / "text.bin", folder / f"text-{number:04}.bin")
        save_array(folder / f"blocks-{number:04}.npy", block_sums(part / "text.bin"))
    id_starts, title_starts = (_join_strings(parts, folder, name) for name in ("ids.bin", "titles.bin"))
    shifts = {"id_end": id_starts, "title_end": title_starts, "sentence_end": first_sentence}
    for name in ("text_end", "number", "stance", *shifts):
        _save(folder, name, _column(parts, name, shifts.get(name)))
    if (parts[0] / "source.npy").exists():
        save_array(folder / "source.npy", _column(parts, "source"))
    save_array(folder / "starts.npy", np.stack([first_argument, first_sentence]))
    near, exact, bodies = (_column(parts, f"{kind}_key") for kind in ("near", "exact", "body"))
    conclusions = _column(parts, "conclusion_row", first_sentence)
    pages, said, claimed = (_column(parts, f"{kind}_key") for kind in ("page", "said", "claimed"))
    parents = find_parents(pages, said, claimed, _column(parts, "stance"))
    _save(folder, "parent", parents)
    _save(folder, "debate", find_debates(pages, claimed, parents))
    save_array(folder / "near_key.npy", near)
    save_array(folder / "body_key.npy", bodies)
    with ThreadPoolExecutor() as threads:
        # Most of both is sorting and algebra, which share the cores. Only one of them reads arrays: numpy parses their
        # headers as Python, and two threads that parse at once are an error of the interpreter before 3.11.8. The
        # larger task stays in the main thread: of what other threads freed, glibc returns less to the system.
        duplicates = threads.submit(_save_duplicates, near, exact, conclusions, folder)
        merge_counts(parts, first_argument[:-1].tolist(), folder)
        duplicates.result()
    return {"arguments": int(first_argument[-1]), "sentences": int(first_sentence[-1])}


def _join_strings(parts: Sequence[Path], folder: Path, name: str) -> Column:
    """Lay the strings of all parts end to end; (n_parts + 1,) where those of each part begin."""
    (folder / name).write_bytes(b"".join((part / name).read_bytes() for part in parts))
    return np.cumsum([0, *((part / name).stat().st_size for part in parts)])


def _starts(parts: Sequence[Path], name: str) -> Column:
    """(n_parts + 1,) where the rows of each part begin, and where the last one ends."""
    return np.cumsum([0, *(len(np.load(part / f"{name}.npy", mmap_mode="r")) for part in parts)])


def _column(parts: Sequence[Path], name: str, starts: Column | None = None) -> Column:
    """A column of all parts; values that count from a part's beginning are shifted by where it starts."""
    columns = [np.load(part / f"{name}.npy", mmap_mode="r") for part in parts]
    if starts is not None:
        columns = [np.where(values >= 0, values + start, -1) for values, start in zip(columns, starts, strict=False)]
    return np.concatenate(columns)


def _save(folder: Path, name: str, values: Column) -> None:
    """Write a column of whole numbers in the smallest sufficient type, which saves disk and page cache."""
    low, high = int(values.min(initial=0)), int(values.max(initial=0))
    widest = high if low >= 0 else min(low, -high - 1)  # where one value is negative, the type has a sign
    save_array(folder / f"{name}.npy", values.astype(np.min_scalar_type(widest)))


def _refuse_copies(parts: Sequence[Path]) -> None:
    """Raise InputError for an id in two parts; copies within a part were refused while it was read."""
    seen: set[str] = set()
    for part in parts:
        ids = list(Strings(part / "ids.bin", np.load(part / "id_end.npy")))
        if not seen.isdisjoint(ids):
            raise InputError(part, "an id comes twice")  # build_index says which, and where
        seen.update(ids)


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


def _save_duplicates(near: Column, exact: Column, conclusions: Column, folder: Path) -> None:
    """Copies of each sentence in the corpus, and which copy is the canonical one (the first)."""
    _save(folder, "near_count", _copies(near)[0])
    _save(folder, "canonical", _copies(exact)[1])
    _save(folder, "conclusion_row", conclusions)
    debates, known = np.zeros(len(conclusions), np.int64), conclusions >= 0
    debates[known] = _copies(exact[conclusions[known]])[0]
    _save(folder, "debate_size", debates)


def _copies(keys: Column) -> tuple[Column, Column]:
    """How often each key comes, and the first row that has it."""
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    begins = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]])[: len(keys)])
    sizes = np.diff(np.append(begins, len(keys)))
    count, first = np.empty(len(keys), np.int64), np.empty(len(keys), np.int64)
    count[order] = np.repeat(sizes, sizes)
    first[order] = np.repeat(order[begins], sizes)  # stable: the first of equal keys is the first row
    return count, first
