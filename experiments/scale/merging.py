"""The steps of indexing that machines share out, each in a process of its own: parts, copies of parts, their merge."""

from __future__ import annotations

import json
import re
import sys
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import TypeVar

import numpy as np

from experiments.scale.steps import Result, do_step
from features.core.text import Analyzer
from ltr.cli.process import run_command
from ltr.cluster import Cluster
from ltr.corpora import base
from ltr.corpora.base import FileCorpus
from ltr.corpora.source import open_corpus
from ltr.data.arrays import save_array
from ltr.data.files import link
from ltr.errors import InputError
from ltr.index.build import build_index
from ltr.index.copies import sort_keys
from ltr.index.engine import ENGINES
from ltr.index.folder import write_sums
from ltr.index.merge import assemble
from ltr.index.segment import index_part
from ltr.index.strings import Strings
from ltr.index.vocabulary import mixed
from ltr.parallel import Call, Workers
from ltr.progress import Progress

T = TypeVar("T")
REWRITTEN = ("near_key", "exact_key", "body_key", "page_key", "said_key", "claimed_key")
"""Keys that differ between copies of a part. 0 says that there is none."""


def index_on_cluster(corpus: str, folder: str, workers: str) -> Result:
    """Index a corpus on a Dask cluster of this machine."""
    start = time.perf_counter()
    with Cluster(workers=int(workers)) as cluster:
        begun = time.perf_counter()
        build_index(open_corpus(corpus), Path(folder), Analyzer(), Progress(quiet=True), cluster)
        return {"start": begun - start, "seconds": time.perf_counter() - begun}


def index_parts(corpus: str, folder: str) -> Result:
    """Index the parts of a corpus one after the other, cut as those of a corpus of any size: 512 MB at most."""
    base.MOST_PARTS = 1  # type: ignore[misc]
    whole = open_corpus(corpus)
    if not isinstance(whole, FileCorpus):
        raise InputError(corpus, "the corpus is not one file", "name another one")
    Path(folder).mkdir(parents=True)
    for number, part in enumerate(whole.parts()):
        index_part(part, number, Path(folder, f"part-{number:04}"), Analyzer(), lambda *_: None)
    parts = sorted(Path(folder).iterdir())
    sentences, arguments = (
        sum(len(np.load(part / f"{name}.npy", mmap_mode="r")) for part in parts) for name in ("number", "stance")
    )
    size = sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file())
    return {"parts": len(parts), "sentences": sentences, "arguments": arguments, "bytes": size}


def hash_corpus(corpus: str) -> Result:
    """The fingerprint of a corpus, which one process computes."""
    return {"bytes": open_corpus(corpus).size_hint(), "fingerprint": open_corpus(corpus).fingerprint()}


def merge_parts(folder: str, target: str) -> Result:
    """Merge parts into an index, in this process.

    ``ranges``, ``merge``, ``sums``: processor seconds for what workers would do, for the rest, and for check sums.
    """
    parts = sorted(Path(folder).glob("part-*"))
    Path(target).mkdir()
    workers = _Timed()
    start = time.process_time()
    counts = assemble(parts, Path(target), workers)
    merged = time.process_time()
    write_sums(Path(target))
    digest = sha256((Path(target) / "sums.json").read_bytes()).hexdigest()
    own = merged - start - workers.seconds
    seconds = {"merge": own, "ranges": workers.seconds, "sums": time.process_time() - merged}
    return counts | seconds | {"parts": len(parts), "n_ranges": workers.calls, "digest": digest}


class _Timed(Workers):
    """This process as the only worker; counts calls and processor seconds."""

    def __init__(self) -> None:
        super().__init__(1)
        self.seconds, self.calls = 0.0, 0

    def map(self, calls: Sequence[Call[T]]) -> Iterator[T]:
        """As `Workers.map`."""
        start = time.process_time()
        results = list(super().map(calls))
        self.calls += len(calls)
        self.seconds += time.process_time() - start
        return iter(results)


# ---- copies of parts ------------------------------------------------------------------------------


def copy_parts(folder: str, target: str, times: str) -> Result:
    """Write each part several times, as if a corpus had that many times the texts.

    Copies have ids and keys of their own, so that they are not duplicates of each other, and the same terms. Texts and
    postings are hard links: they take no disk, and a merge neither reads nor writes them.
    """
    parts = sorted(Path(folder).glob("part-*"))
    for copy in range(int(times)):
        for number, part in enumerate(parts):
            _copy_part(part, Path(target, f"part-{copy * len(parts) + number:04}"), copy)
    return {"parts": len(parts) * int(times)}


def _copy_part(part: Path, target: Path, copy: int) -> None:
    target.mkdir(parents=True)
    rewritten = {f"{name}.npy" for name in (*REWRITTEN, "sample_keys", "id_end")} | {"ids.bin"}
    for path in part.iterdir():
        if path.is_file() and path.name not in rewritten and not re.search(r"_(sorted|rows)\.npy$", path.name):
            link(path, target / path.name)
    mark = mixed(np.array([copy], np.uint64)) if copy else np.zeros(1, np.uint64)
    for name in REWRITTEN:
        keys = np.load(part / f"{name}.npy")
        save_array(target / f"{name}.npy", np.where(keys == 0, keys, keys ^ mark))
    # The upper bits choose the sample for the latent space.
    save_array(target / "sample_keys.npy", np.load(part / "sample_keys.npy") ^ (mark >> np.uint64(32)))
    ids = [f"{name}-{copy}".encode() for name in Strings(part / "ids.bin", np.load(part / "id_end.npy"))]
    (target / "ids.bin").write_bytes(b"".join(ids))
    save_array(target / "id_end.npy", np.cumsum(list(map(len, ids))))
    sort_keys(target)
    for name in ENGINES:
        _copy_engine(part / name, target / name, copy)


def _copy_engine(engine: Path, target: Path, copy: int) -> None:
    """Link the files of an engine; its segments get other names."""
    target.mkdir()
    meta = (engine / "meta.json").read_text("utf-8")
    names = {}
    for segment in json.loads(meta)["segments"]:
        old = uuid.UUID(segment["segment_id"])
        new = uuid.UUID(int=old.int ^ copy)
        names[old.hex] = new.hex
        meta = meta.replace(str(old), str(new))
    (target / "meta.json").write_text(meta, "utf-8")
    for path in engine.iterdir():
        if path.stem in names:
            link(path, target / f"{names[path.stem]}{path.suffix}")


STEPS: dict[str, Callable[..., Result]] = {
    "cluster": index_on_cluster,
    "parts": index_parts,
    "hash": hash_corpus,
    "copies": copy_parts,
    "merge": merge_parts,
}


def main(argv: Sequence[str] | None = None) -> int:
    """Do one of `STEPS`."""
    return do_step(STEPS, sys.argv[1:] if argv is None else argv)


if __name__ == "__main__":
    run_command(main)
