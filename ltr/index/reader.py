"""Open and query a first-stage index; build it first when there is none that fits the corpus."""

from __future__ import annotations

import fcntl
import json
import mmap
import os
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache, partial
from importlib.metadata import version
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import tantivy

from features.core.statistics import UNITS, CollectionStatistics, UnitStatistics
from features.core.text import Analyzer
from ltr.corpora.base import Corpus, FileCorpus
from ltr.data.files import atomic_text, sweep
from ltr.data.ids import argument_of, sentence_id
from ltr.errors import InputError
from ltr.index.build import FORMAT, build_index, building_place, sweep_parts
from ltr.index.clusters import conclusion_centres
from ltr.index.folder import MANIFEST, read_manifest, refuse_foreign, refuse_outputs
from ltr.index.segment import ENGINES, PART_BITS, STANCES
from ltr.parallel.processes import Processes, Workers, usable_cores
from ltr.progress import Progress

FOLDER = ".riposte-index"


class Index:
    """A finished index folder, memory-mapped. Rows number sentences and arguments in corpus order."""

    def __init__(self, folder: Path, identity: str | None = None) -> None:
        """Open ``folder``. Raises InputError when it is no index, or not the one of that `identity`."""
        self.folder = folder
        manifest = read_manifest(folder)
        if manifest is None:
            raise InputError(folder, "this is no index of ours", "let predict or train build it")
        self.manifest: dict[str, Any] = manifest
        analysis = manifest["analysis"]
        self.analyzer = Analyzer(stem=analysis["stem"], stop=analysis["stop"])
        self.arguments = int(self.manifest["arguments"])
        self.sentences = int(self.manifest["sentences"])
        self._engines = {name: tantivy.Index.open(str(folder / name)) for name in ENGINES}
        self._searchers = {name: engine.searcher() for name, engine in self._engines.items()}
        # All at once: another process may put another index in this place while this one is being read.
        # As plain arrays over the mapped memory: single items of a memmap are slow.
        self._columns = {p.stem: np.asarray(np.load(p, mmap_mode="r")) for p in sorted(folder.glob("*.npy"))}
        self._ids = _Strings(folder / "ids.bin", self.column("id_end"))
        self._titles = _Strings(folder / "titles.bin", self.column("title_end"))
        starts = self.column("starts")[1].tolist()
        self._first = starts[:-1]
        """The first sentence of each part of the corpus; texts of a part lie in one file."""
        self._texts = [
            _Texts(folder / f"text-{part:04}.bin", self.column("text_end")[start:end])
            for part, (start, end) in enumerate(pairwise(starts))
        ]
        self.statistics = self._read_statistics()
        now = read_manifest(folder)
        if now is None or _identity(now) != _identity(manifest) or identity not in (None, self.identity):
            mend = "run the two one after the other, or give each an --index DIR of its own"
            raise InputError(folder, "another process replaced this index meanwhile", mend)

    @property
    def identity(self) -> str:
        """Tells this index from that of another corpus or another analysis."""
        return _identity(self.manifest)

    def column(self, name: str) -> np.ndarray[Any, Any]:
        """A memory-mapped column of the sentence or argument table."""
        return self._columns[name]

    def _read_statistics(self) -> CollectionStatistics:
        sizes = json.loads((self.folder / "units.json").read_text("utf-8"))
        units = {
            unit: UnitStatistics(
                size=sizes[unit]["size"],
                tokens=sizes[unit]["tokens"],
                df=self.column(f"df_{unit}"),
                cf=self.column(f"cf_{unit}"),
            )
            for unit in UNITS
        }
        latent = self.column("lsa_terms"), self.column("lsa_vectors")
        return CollectionStatistics(self.column("terms"), units, *latent, cache(partial(conclusion_centres, self)))

    @property
    def corpus_fingerprint(self) -> str:
        """Hex SHA-256 of the corpus that was indexed."""
        return str(self.manifest["corpus"]["fingerprint"])

    def search(self, field: str, terms: Sequence[str], limit: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        """BM25 (k1=1.2, b=.75) over ``field``: "sentence", "argument", "conclusion" or "title".

        Returns (rows, scores), at most ``limit``, by score descending, then id ascending. A tie at the
        cut is read to its end before it is cut, so that the result does not depend on the engine.
        """
        engine, column = {
            "sentence": ("sentence", "text"),
            "argument": ("argument", "text"),
            "conclusion": ("argument", "conclusion"),
            "title": ("argument", "title"),
        }[field]
        terms = list(dict.fromkeys(terms))
        searcher = self._searchers[engine]
        if not terms or limit < 1 or not searcher.num_docs:
            return np.zeros(0, np.int64), np.zeros(0)
        schema = self._engines[engine].schema
        query = tantivy.Query.boolean_query(
            [
                (tantivy.Occur.Should, tantivy.Query.term_query(schema, column, term, index_option="freq"))
                for term in terms
            ]
        )
        fetch = limit + 64
        while True:
            hits = searcher.search(query, limit=fetch, count=False).hits
            if len(hits) < fetch or hits[-1][0] < hits[limit - 1][0]:
                break
            fetch *= 4
        scores = np.array([score for score, _ in hits])
        found = np.array(searcher.fast_field_values("row", [address for _, address in hits]), np.int64)
        starts = self.column("starts")[int(engine == "sentence")]
        rows = starts[found >> PART_BITS] + (found & ((1 << PART_BITS) - 1))
        key = self._order(engine, rows)
        best = np.argsort(-scores, kind="stable").tolist()
        order: list[int] = []
        for _, equal in groupby(best, key=scores.tolist().__getitem__):
            if len(order) >= limit:
                break
            tied = list(equal)  # ids are read only where they decide
            order += sorted(tied, key=key) if len(tied) > 1 else tied
        return rows[order[:limit]], scores[order[:limit]]

    def argument_id(self, row: int) -> str:
        """The id of an argument by its row."""
        return self._ids[row]

    def title(self, row: int) -> str:
        """The title of an argument's debate, or of its page; empty where the corpus has none."""
        return self._titles[row]

    def argument_rows(self, wanted: Sequence[str]) -> dict[str, int]:
        """Rows of the arguments with these ids; ids the corpus does not hold are absent."""
        want = set(wanted)
        return {name: row for row, name in enumerate(self._ids) if name in want} if want else {}

    def _order(self, engine: str, rows: np.ndarray[Any, Any]) -> Callable[[int], Any]:
        """What orders rows by id, by their place in ``rows``: argument id, role, number."""
        if engine == "argument":
            return lambda place: self.argument_id(int(rows[place]))
        owners, numbers = self.argument_of(rows).tolist(), self.column("number")[rows].tolist()
        return lambda place: (self.argument_id(owners[place]), numbers[place] > 0, abs(numbers[place]))

    def argument_of(self, rows: Any) -> Any:
        """The rows of the arguments that sentences belong to; for one row, or an array of them."""
        ends = self.column("sentence_end")
        return np.searchsorted(ends, np.asarray(rows, ends.dtype), side="right")  # of another type, ends are copied

    def sentence_id(self, row: int) -> str:
        """The id of a sentence by its row."""
        return sentence_id(self.argument_id(int(self.argument_of(row))), int(self.column("number")[row]))

    def find_sentences(self, wanted: Sequence[str]) -> dict[str, int]:
        """Rows of those of the ``wanted`` sentence ids that are here."""
        owners = self.argument_rows(sorted({argument_of(id_) for id_ in wanted}))
        held = {self.sentence_id(row): row for owner in owners.values() for row in self.sentence_rows(owner)}
        return {id_: held[id_] for id_ in wanted if id_ in held}

    def text(self, row: int) -> str:
        """The text of a sentence by its row."""
        part = bisect_right(self._first, row) - 1
        return self._texts[part][row - self._first[part]]

    def texts(self, rows: range) -> list[str]:
        """The texts of the sentences of one argument, read at once."""
        if not rows:
            return []
        part = bisect_right(self._first, rows.start) - 1
        return self._texts[part].between(rows.start - self._first[part], rows.stop - self._first[part])

    def sentence_rows(self, argument: int) -> range:
        """The rows of an argument's sentences: premises first, then the conclusion."""
        ends = self.column("sentence_end")
        return range(int(ends[argument - 1]) if argument else 0, int(ends[argument]))

    def stance(self, argument: int) -> str:
        """PRO, CON or nothing when unknown."""
        return STANCES[int(self.column("stance")[argument])]


class _Strings:
    """Strings laid end to end in a memory-mapped file."""

    def __init__(self, file: Path, ends: np.ndarray[Any, Any]) -> None:
        self._ends = ends
        with file.open("rb") as handle:
            size = os.fstat(handle.fileno()).st_size
            self._bytes: Any = mmap.mmap(handle.fileno(), 0, access=mmap.ACCESS_READ) if size else b""

    def __len__(self) -> int:
        return len(self._ends)

    def __getitem__(self, row: int) -> str:
        return self.between(row, row + 1)[0]

    def _read(self, start: int, end: int) -> bytes:
        found: bytes = self._bytes[start:end]
        return found

    def between(self, first: int, end: int) -> list[str]:
        """The strings of the rows from ``first`` to before ``end``."""
        ends = self._ends[first:end].tolist()
        start = int(self._ends[first - 1]) if first else 0
        found = self._read(start, ends[-1])
        return [
            found[begin - start : stop - start].decode("utf-8")
            for begin, stop in zip([start, *ends], ends, strict=False)
        ]

    def __iter__(self) -> Iterator[str]:
        start = 0
        for end in self._ends.tolist():
            yield bytes(self._bytes[start:end]).decode("utf-8")
            start = end


class _Texts(_Strings):
    """Strings that are read, not mapped: a mapped page brings fifteen others, which add up to the whole file."""

    def __init__(self, file: Path, ends: np.ndarray[Any, Any]) -> None:
        self._ends = ends
        self._file = file.open("rb", buffering=0)

    def _read(self, start: int, end: int) -> bytes:
        return os.pread(self._file.fileno(), end - start, start)


def open_index(
    corpus: Corpus,
    place: Path | None,
    progress: Progress,
    workers: Workers | None = None,
    /,
    *,
    stem: bool = True,
    stop: bool = True,
) -> Index:
    """The index of ``corpus`` in ``place`` (default: as `index_place`), built when it is absent or stale.

    It is built by ``workers``, by default as many processes as there are cores. Raises InputError.
    """
    analyzer = Analyzer(stem=stem, stop=stop)
    place = place or index_place(corpus, None, progress)
    found = _fitting(place, corpus, analyzer)
    if found is None:
        refuse_foreign(place)
        with _lock(place, progress):
            found = _fitting(place, corpus, analyzer)  # another process may have built it while we waited
            if found is None:
                progress.say(f"indexing {corpus.name} in {place}")
                sweep(place)
                build_index(corpus, place, analyzer, progress, workers or Processes(usable_cores()))
                found = Index(place)
    elif building_place(place).exists():
        with _lock(place, progress):
            sweep_parts(place)
    return found


def index_place(corpus: Corpus, place: Path | None, progress: Progress, outputs: Iterable[Path | None] = ()) -> Path:
    """Where the index is kept: in ``place``, else beside the corpus, else in the user's cache.

    Raises InputError when one of the ``outputs`` of the command would lie in that folder.
    """
    place = place or _default_place(corpus, progress)
    refuse_outputs(place, outputs)
    return place


def _fitting(place: Path, corpus: Corpus, analyzer: Analyzer) -> Index | None:
    manifest = read_manifest(place)
    if manifest is None or manifest["format"] != FORMAT or manifest["analysis"] != analyzer.settings():
        return None
    if manifest["tantivy"] != version("tantivy"):
        return None
    if manifest["corpus"]["signature"] != json.loads(json.dumps(corpus.signature())):
        if manifest["corpus"]["fingerprint"] != corpus.fingerprint():
            return None
        _remember_signature(place, manifest, corpus)
    try:
        whole = all((place / name).stat().st_size == size for name, size in manifest["files"].items())
        return Index(place) if whole else None
    except (OSError, ValueError, KeyError):
        # Damaged, or swapped by another process between two reads: build it anew.
        return None


def _remember_signature(place: Path, manifest: dict[str, Any], corpus: Corpus) -> None:
    """The same bytes under a new name or date: note it, so that they are not hashed again."""
    manifest["corpus"]["signature"] = corpus.signature()
    try:
        with atomic_text(place / MANIFEST) as out:
            out.write(json.dumps(manifest, indent=1, sort_keys=True) + "\n")
    except OSError:
        return  # a read-only index is as good


def _identity(manifest: dict[str, Any]) -> str:
    return f"{manifest['corpus']['fingerprint']} {json.dumps(manifest['analysis'], sort_keys=True)}"


def _default_place(corpus: Corpus, progress: Progress) -> Path:
    beside = corpus.path.parent if isinstance(corpus, FileCorpus) else None
    if beside is not None and (os.access(beside, os.W_OK) or (beside / FOLDER / MANIFEST).exists()):
        return beside / FOLDER
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    place = cache / "riposte" / corpus.fingerprint()[:16]
    progress.say(f"the index is kept in {place} (--index DIR puts it elsewhere)")
    return place


@contextmanager
def _lock(place: Path, progress: Progress) -> Iterator[None]:
    """One builder at a time for one place; the lock ends with the process, however it ends."""
    place.parent.mkdir(parents=True, exist_ok=True)
    with (place.parent / f".{place.name.lstrip('.')}.lock").open("w") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            progress.say(f"another process is indexing in {place}; waiting for it")
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
