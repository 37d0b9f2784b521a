"""Our quick ways against the plain ones, and our measures against trec_eval's: any difference is a finding."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from math import log2
from pathlib import Path
from random import Random
from unittest.mock import patch

import ir_measures
import numpy as np
from support.references import CELLS, assert_cell, assert_terms, blocks, rows_and_error, rows_of_csv

from features.core.text import Analyzer
from fuzz.cases import ODD_TEXTS
from fuzz.reader import Read, reader
from fuzz.readers.columns import WORDS
from fuzz.readers.corpora import (
    ARGSME_TOKENS,
    CELL_TOKENS,
    CSV_TOKENS,
    DOCUMENT_TOKENS,
    argsme_json,
    argsme_seeds,
    cells,
    csv_of_cells,
    csv_seeds,
    document_seeds,
    documents,
)
from fuzz.values import text
from ltr.corpora import args_csv, argsme, base
from ltr.corpora.args_csv import COLUMNS, CsvCorpus, _rows_of
from ltr.corpora.argsme import JsonCorpus, SentenceSplitter
from ltr.corpora.argument import Argument
from ltr.corpora.base import Corpus
from ltr.corpora.documents import DocumentCorpus
from ltr.data.qrels import Qrels, read_qrels
from ltr.data.runs import RunRow, read_run
from ltr.errors import InputError
from ltr.evaluation.evaluator import Settings, evaluate_orders
from ltr.evaluation.irmeasures import whole_factor
from ltr.evaluation.measures import standard_measures
from ltr.evaluation.rankings import run_order
from ltr.index.vocabulary import Vocabulary


def characters(content: bytes) -> str:
    """Any bytes as a text, halves of surrogates among its characters."""
    return content.decode("utf-8", "surrogatepass") if _is_text(content) else content.decode("latin-1")


def _is_text(content: bytes) -> bool:
    try:
        content.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return False
    return True


# ---- cells and rows -----------------------------------------------------------------------------


def cell_seeds() -> Sequence[bytes]:
    """A cell of every column, those of the sample."""
    found = []
    for content in csv_seeds()[:2]:
        header, *rows = rows_of_csv(content)
        found += [row[header.index(column)] for row in rows for column in CELLS]
    return [cell.encode() for cell in found]


def cell(rng: Random) -> bytes:
    """The literal of a value that might be in a cell."""
    return repr(cells(rng)[rng.choice([*CELLS])]).encode("utf-8", "surrogatepass")


@reader("cells-and-ast", cell_seeds, tokens=CELL_TOKENS, write=cell, refusals=(ValueError,))
def _(_: Path) -> Read:
    def read(content: bytes) -> None:
        read = [assert_cell(column, characters(content)) for column in CELLS]
        if not any(read):
            raise ValueError("no column may have this cell")

    return read


@reader("rows-and-csv", csv_seeds, tokens=CSV_TOKENS, write=csv_of_cells, refusals=(ValueError,))
def _(_: Path) -> Read:
    def read(content: bytes) -> None:
        expected = rows_and_error(rows_of_csv(content))
        for size in (1 + len(content) % 61, 1 << 16):  # rows that are cut anywhere, and whole ones
            assert rows_and_error(_rows_of(blocks(content, size), len(COLUMNS))) == expected
        if expected[1]:
            raise ValueError(expected[1])

    return read


# ---- words --------------------------------------------------------------------------------------

TEXTS = ["Don't ban cars’ rights, it's 1st-class!", "İstanbul ﬁn Straße ẞ e\u0301a ٣ ² x\u200by 漢字 _a_b 'c' d''e"]


@reader(
    "tokens-and-words",
    lambda: [one.encode() for one in TEXTS],
    tokens=[b"'", "’".encode(), b"_", b"-", b"\n", b"x" * 129, "é".encode() * 70],
    write=lambda rng: "\n".join(text(rng) + rng.choice(ODD_TEXTS) for _ in range(4)).encode("utf-8", "surrogatepass"),
    refusals=(UnicodeEncodeError,),  # no text of a corpus has half a surrogate
)
def _(_: Path) -> Read:
    analyzers = [Analyzer(), Analyzer(stem=False, stop=False)]
    kept = [Vocabulary(analyzer) for analyzer in analyzers]

    def read(content: bytes) -> None:
        texts = re.split("\n", characters(content))
        for place, analyzer in enumerate(analyzers):
            if len(kept[place]) > 20_000:
                kept[place] = Vocabulary(analyzer)
            assert_terms(kept[place], analyzer, texts)

    return read


# ---- measures -----------------------------------------------------------------------------------

BORDER = b"--\n"
"""Between judgments and the run that they judge."""


def judged_runs() -> Sequence[bytes]:
    """Ties, topics and documents that only one of the two has, negative and broken grades."""
    qrels = b"1 0 a 2\n1 0 b 1\n1 0 c -2\n2 0 a 0\n3 0 x 1\n"
    run = b"1 Q0 b 1 3 t\n1 Q0 d 2 2 t\n1 Q0 a 3 2 t\n1 Q0 c 4 1 t\n2 Q0 a 1 1 t\n4 Q0 a 1 1 t\n"
    return [qrels + BORDER + run, qrels.replace(b" 1\n", b" .5\n") + BORDER + run.replace(b"a", b"e")]


def judged_run(rng: Random) -> bytes:
    """A few documents, so that many are judged, with a few scores, so that many tie."""

    def some(*words: str) -> str:
        return rng.choice(words)

    grades = [f"{topic} 0 {name} {some('0', '1', '2', '3', '-2', '.5')}" for topic in "123" for name in "abcdefg"]
    rows = [
        f"{topic} Q0 {name} {rng.randrange(12)} {some('0', '1', '1.5', '-1', '1e9', '1e-9', '3.0000001', '3')} t"
        for topic in "124"
        for name in "abcdefghijklm"
    ]
    parts = [rng.sample(lines, rng.randint(1, len(lines))) for lines in (grades, rows)]
    return BORDER.join("".join(f"{line}\n" for line in part).encode() for part in parts)


def by_the_lab(rows: Sequence[RunRow], grades: dict[str, float], k: int) -> float | None:
    """The rule of the lab's script, word by word: order by rank, cut, drop what is unjudged, nDCG of what is left."""
    seen = [grades[row.pair] for row in sorted(rows, key=lambda row: row.rank)[:k] if row.pair in grades]
    if not seen:
        return None

    def dcg(gains: Sequence[float]) -> float:
        return sum(max(gain, 0) / log2(place + 2) for place, gain in enumerate(gains))

    ideal = dcg(sorted(grades.values(), reverse=True)[:k])
    return dcg(seen) / ideal if ideal else 0.0


@reader("measures-and-trec-eval", judged_runs, tokens=[*WORDS, BORDER], write=judged_run)
def _(folder: Path) -> Read:
    def parts(content: bytes) -> tuple[Qrels, list[RunRow]]:
        judgments, _, run = content.partition(BORDER)
        (folder / "qrels").write_bytes(judgments)
        (folder / "run").write_bytes(run)
        rows = {(row.topic, row.pair): row for row in read_run(folder / "run")}  # trec_eval wants an id once
        # and keeps 32 bits of a score
        return read_qrels(folder / "qrels"), [row._replace(score=float(np.float32(row.score))) for row in rows.values()]

    def read(content: bytes) -> None:
        with np.errstate(over="ignore"):
            qrels, rows = parts(content)
        as_written = Qrels(qrels, "pair"), Settings(standard_measures(3), strict_order=True)  # ids stay as they are
        ours = evaluate_orders([run_order(rows)], *as_written).values
        topics: dict[str, list[RunRow]] = {topic: [] for topic in qrels}
        for row in rows:
            topics.setdefault(row.topic, []).append(row)
        lab = {topic: by_the_lab(topics[topic], grades, 3) for topic, grades in qrels.items()}
        assert_close(ours["lab_nDCG@3"], {topic: value for topic, value in lab.items() if value is not None})
        if factor := whole_factor(qrels):
            # No negative grades: pytrec_eval writes outside its memory where a topic has both signs.
            whole = {t: {i: max(round(g * factor), 0) for i, g in judged.items()} for t, judged in qrels.items()}
            run = {topic: {row.pair: row.score for row in some} for topic, some in topics.items() if some}
            theirs = dict.fromkeys(qrels, 0.0)
            theirs |= {m.query_id: m.value for m in ir_measures.iter_calc([ir_measures.nDCG @ 3], whole, run)}
            assert_close(ours["nDCG@3"], theirs)

    return read


def assert_close(ours: dict[str, float], theirs: dict[str, float]) -> None:
    """The same topics, and the same values but for their last digits."""
    assert ours.keys() == theirs.keys()
    assert all(abs(ours[topic] - theirs[topic]) < 1e-6 for topic in ours), (ours, theirs)


# ---- parts of a file ----------------------------------------------------------------------------


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
