"""Read and query a finished index."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any
from weakref import proxy

import numpy as np
import tantivy

from features.core.statistics import UNITS, CollectionStatistics, FloatArray, UnitStatistics
from features.core.tables import SOURCE
from features.core.text import Analyzer
from ltr.data.ids import argument_of, document_of, sentence_id, topic_of
from ltr.errors import InputError
from ltr.escapes import web_address
from ltr.index.debates import STANCES
from ltr.index.engine import ENGINES, PART_BITS, open_engine
from ltr.index.folder import is_index, read_manifest, read_pointer
from ltr.index.strings import Strings
from ltr.index.vocabulary import Array


class Index:
    """A finished index folder, memory-mapped. Rows number sentences and arguments in corpus order."""

    def __init__(self, folder: Path, fingerprint: str | None = None) -> None:
        """Open the folder of an index, or the folder with its files. Raises InputError where there is no index, or one
        of another corpus than the ``fingerprint`` names.
        """
        pointer = read_pointer(folder)
        folder = pointer.folder if pointer else folder
        hint = "run the two one after the other, or give each an index folder of its own"
        replaced = InputError(folder, "another process replaced this index meanwhile", hint)
        try:
            self._open(folder)
        except FileNotFoundError:
            if fingerprint is None and not is_index(folder.parent):
                raise InputError(folder, "not a Riposte index", "run predict or train to build one") from None
            raise replaced from None
        if fingerprint not in (None, self.corpus_fingerprint):
            raise replaced

    def _open(self, folder: Path) -> None:
        self.folder = folder
        manifest = read_manifest(folder)
        if manifest is None:
            raise FileNotFoundError(folder)
        self.manifest: dict[str, Any] = manifest
        self.analyzer = Analyzer()
        self.arguments, self.sentences = int(manifest["arguments"]), int(manifest["sentences"])
        self._engines = {name: open_engine(folder / name) for name in ENGINES}
        # All at once: another process may replace and remove this index.
        # As plain arrays over the mapped memory: single items of a memmap are slow.
        self._columns = {path.stem: np.asarray(np.load(path, mmap_mode="r")) for path in folder.glob("*.npy")}
        self._ids = Strings(folder / "ids.bin", self.column("id_end"))
        self._id = lru_cache(1 << 17)(self._ids.__getitem__)  # ties are broken by id, at every cut of a first stage
        self.row_of = ArgumentRows(proxy(self))
        self._titles, self._urls, self._texts = (
            Strings(folder / f"{name}s.bin", self.column(f"{name}_end")) for name in ("title", "url", "text")
        )
        sizes = json.loads((folder / "units.json").read_text("utf-8"))
        units = {
            unit: UnitStatistics(**sizes[unit], df=self.column(f"df_{unit}"), cf=self.column(f"cf_{unit}"))
            for unit in UNITS
        }
        latent = self.column("lsa_terms"), self.column("lsa_vectors")
        self.statistics = CollectionStatistics(self.column("terms"), units, *latent)

    def column(self, name: str) -> Array:
        """A memory-mapped column of the sentence or argument table."""
        return self._columns[name]

    def sources(self, arguments: Array) -> FloatArray:
        """(n_arguments, len(`SOURCE`)) the source's figures for each argument, NaN where the source has none."""
        known = self._columns["source"][arguments] if "source" in self._columns else np.zeros((len(arguments), 0))
        return np.pad(known, ((0, 0), (0, len(SOURCE))), constant_values=np.nan)[:, : len(SOURCE)]

    @cached_property
    def lists(self) -> dict[str, list[int]]:
        """Topic -> the rows of its result list, best first; empty unless the corpus consists of result lists."""
        lists: dict[str, list[int]] = {}
        if "source" in self._columns:
            for row, name in enumerate(self._ids):
                lists.setdefault(topic_of(name), []).append(row)
            rank = self._columns["source"][:, 0]
            for rows in lists.values():
                rows.sort(key=lambda row: (rank[row], row))
        return lists

    @property
    def corpus_fingerprint(self) -> str:
        """Hex SHA-256 of the corpus that was indexed."""
        return str(self.manifest["corpus"]["fingerprint"])

    def search(self, field: str, terms: Sequence[str], limit: int) -> tuple[Array, Array]:
        """BM25 (k1=1.2, b=.75) over ``field``: "sentence", "argument", "conclusion" or "title".

        Returns (rows, scores), at most ``limit``, by score descending, then id ascending. A tie at the
        cut is read to its end before it is cut, so that the result does not depend on the engine.
        """
        engine, column = (field, "text") if field in ENGINES else ("argument", field)
        terms = list(dict.fromkeys(terms))
        if not terms or limit < 1:
            return np.zeros(0, np.int64), np.zeros(0)
        rows, scores = self._hits(engine, column, terms, limit)
        best = np.argsort(-scores, kind="stable")
        rows, scores = rows[best], scores[best]
        # Ids are read only where they decide: of hits that tie, and that come before the cut or tie with one that does.
        last = np.searchsorted(-scores, -scores[limit - 1], side="right") if len(scores) > limit else len(scores)
        same = scores[1:last] == scores[: last - 1]
        tied = np.flatnonzero(np.append(same, False) | np.append(False, same))
        rows[tied] = rows[tied][np.lexsort((*self._order(engine, rows[tied]), -scores[tied]))]
        return rows[:limit], scores[:limit]

    def _hits(self, engine: str, column: str, terms: list[str], limit: int) -> tuple[Array, Array]:
        """(rows, scores) of at least the best ``limit`` and of what ties with the last of them, in any order."""
        opened, searcher = self._engines[engine]
        if not searcher.num_docs:
            return np.zeros(0, np.int64), np.zeros(0)
        queries = [tantivy.Query.term_query(opened.schema, column, term, index_option="freq") for term in terms]
        query = tantivy.Query.boolean_query([(tantivy.Occur.Should, query) for query in queries])
        fetch = limit + 64
        while True:
            hits = searcher.search(query, limit=fetch, count=False).hits
            if len(hits) < fetch or hits[-1][0] < hits[limit - 1][0]:
                break
            fetch *= 4
        stored = np.array(searcher.fast_field_values("row", [address for _, address in hits]), np.int64)
        starts = self.column("starts")[int(engine == "sentence")]
        return starts[stored >> PART_BITS] + (stored & ((1 << PART_BITS) - 1)), np.array([score for score, _ in hits])

    def argument_id(self, row: int) -> str:
        """The id of an argument by its row."""
        id_ = self._id(row)
        self.row_of.read[id_] = row
        return id_

    def title(self, row: int) -> str:
        """The title of an argument's debate, or of its page; empty where the corpus has none."""
        return self._titles[row]

    def url(self, row: int) -> str:
        """The address that an argument is from; empty where the corpus has none that a browser may open."""
        return web_address(self._urls[row])

    def argument_rows(self, wanted: Sequence[str]) -> dict[str, int]:
        """Rows of the arguments with these ids; unknown ids are absent. In result lists: of any topic."""
        want = set(wanted)
        return {name: row for name, row in self.named_rows() if name in want} if want else {}

    def named_rows(self) -> Iterator[tuple[str, int]]:
        """The id and the row of each argument; of result lists, also the id that its source gives it."""
        rows = zip(self._ids, range(self.arguments), strict=True)
        return ((key, row) for name, row in rows for key in (name, document_of(name))) if self.lists else rows

    def _order(self, engine: str, rows: Array) -> tuple[Array, ...]:
        """(n_rows,) keys that order rows by id, the last one first: argument id, role, number."""
        owners, place = np.unique(rows if engine == "argument" else self.argument_of(rows), return_inverse=True)
        ids = [self.argument_id(owner) for owner in owners.tolist()]
        order = np.empty(len(ids), np.int64)
        order[sorted(range(len(ids)), key=ids.__getitem__)] = np.arange(len(ids))
        if engine == "argument":
            return (order[place],)
        numbers = self.column("number")[rows].astype(np.int64)
        return abs(numbers), numbers > 0, order[place]

    def argument_of(self, rows: Any) -> Any:
        """The rows of the arguments that sentences belong to; for one row, or an array of them."""
        ends = self.column("sentence_end")
        return np.searchsorted(ends, np.asarray(rows, ends.dtype), side="right")  # of another type, ends are copied

    def sentence_id(self, row: int) -> str:
        """The id of a sentence by its row."""
        return sentence_id(self.argument_id(int(self.argument_of(row))), int(self.column("number")[row]))

    def sentence_ids(self, rows: Array) -> list[str]:
        """The ids of sentences by their rows, (n_rows,)."""
        owners = map(self.argument_id, self.argument_of(rows).tolist())
        return list(map(sentence_id, owners, self.column("number")[rows].tolist()))

    def find_sentences(self, wanted: Sequence[str]) -> dict[str, int]:
        """Rows of the ``wanted`` sentence ids that the index has."""
        owners = self.argument_rows(sorted({argument_of(id_) for id_ in wanted}))
        found = [row for owner in owners.values() for row in self.sentence_rows(owner)]
        rows = dict(zip(self.sentence_ids(np.array(found, np.int64)), found, strict=True))
        return {id_: rows[id_] for id_ in wanted if id_ in rows}

    def text(self, row: int) -> str:
        """The text of a sentence by its row."""
        return self.texts(range(row, row + 1))[0]

    def texts(self, rows: range) -> list[str]:
        """The texts of the sentences of one argument, read at once."""
        return self._texts.between(rows.start, rows.stop) if rows else []

    def sentence_rows(self, argument: int) -> range:
        """The rows of an argument's sentences: premises first, then the conclusion."""
        ends = self.column("sentence_end")
        return range(int(ends[argument - 1]) if argument else 0, int(ends[argument]))

    def debate(self, argument: int) -> Array:
        """The rows of all arguments of the same debate, in order: one page under one resolution, `ltr.index.debates`.

        Columns, (n_arguments,), say the same for many arguments at once. "debate" is the row of the debate's first
        argument, equal for all of its arguments. "root" is the row of the argument whose conclusion is the resolution,
        "parent" the next row on the way there, -1 for a root; "side" is `side_toward_resolution`. "page" is the row of
        the page's first argument.
        """
        debates = self.column("debate")
        return np.flatnonzero(debates == debates[argument])

    def in_debate(self, argument: int) -> int:
        """How many arguments are in the same debate, this one included."""
        return int(self._debate_sizes[self.column("debate")[argument]])

    @cached_property
    def _debate_sizes(self) -> Array:
        return np.bincount(self.column("debate"))

    def resolution(self, argument: int) -> str:
        """What an argument's debate is about: the conclusion of its root; empty without one."""
        return self.conclusion(int(self.column("root")[argument]))

    def side_toward_resolution(self, argument: int) -> int:
        """1 for the resolution, -1 against it; 0 where that is unknown, or there is none."""
        return int(self.column("side")[argument])

    def conclusion(self, argument: int) -> str:
        """The conclusion of an argument; empty without one."""
        row = int(self.column("conclusion_row")[argument])
        return self.text(row) if row >= 0 else ""

    def stance(self, argument: int) -> str:
        """PRO, CON or nothing when unknown."""
        return STANCES[int(self.column("stance")[argument])]


@lru_cache(maxsize=1)
def worker_index(folder: str, fingerprint: str) -> Index:
    """An index in a worker process, opened once."""
    return Index(Path(folder), fingerprint)


class ArgumentRows(Mapping[str, int]):
    """Rows of all arguments by id, while the index is in use.

    The ids of all are read only for one that was not ``read`` before.
    """

    def __init__(self, index: Index) -> None:
        self._index = index
        self.read: dict[str, int] = {}

    @cached_property
    def _all(self) -> dict[str, int]:
        return dict(self._index.named_rows())

    def __getitem__(self, id_: str) -> int:
        row = self.read.get(id_)
        return self._all[id_] if row is None else row

    def __iter__(self) -> Iterator[str]:
        return iter(self._all)

    def __len__(self) -> int:
        return len(self._all)
