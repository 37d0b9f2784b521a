"""Corpora: the task's CSV and its cells, archives of it, args.me JSON, documents as JSON lines."""

from __future__ import annotations

import csv
import gzip
import io
import json
import tarfile
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

import ltr
from fuzz.reader import Read, of_file, reader
from fuzz.values import deep, text
from ltr.corpora import argsme
from ltr.corpora.args_csv import COLUMNS, CsvCorpus
from ltr.corpora.argsme import JsonCorpus, SentenceSplitter
from ltr.corpora.argument import Argument
from ltr.corpora.base import Corpus
from ltr.corpora.documents import DocumentCorpus
from ltr.data.ids import argument_of, is_sentence

SAMPLE = Path(ltr.__file__).parent / "sample"
NAMES = ["S1-A1", "S1-A2", "c6-2019-04-18T13:32:05Z-00000-000", "passage-01___1", "51|x", "a,b", "", " ", "\0", "é"]


def check(arguments: Iterable[Argument]) -> None:
    """What every index relies on."""
    for argument in arguments:
        assert argument.id.isprintable()
        assert argument.id.split() == [argument.id]
        assert argument.stance in ("", "PRO", "CON")
        for one in argument.sentences:
            assert is_sentence(one.id)
            assert argument_of(one.id) == argument.id
            one.text.encode()
        f"{argument.conclusion}{argument.title}{argument.url}".encode()


def read_all(kind: Callable[[Path], Corpus], path: Path) -> None:
    """Read a corpus as commands do: its parts, then the whole."""
    corpus = kind(path)
    corpus.parts()
    check(corpus)


# ---- the task's CSV -----------------------------------------------------------------------------

CELL_TOKENS = [
    *(f"'{key}': ".encode() for key in ("sent_id", "sent_text", "text", "stance", "annotations", "topic", "sourceUrl")),
    *rb"[] {} () , ', ' '[{' '}]' ' \ \' \n \x41 \u2019 \U0001f600 \N{DASH} None True b'' u'' r'' f'' #".split(),
    *(b"'PRO'", b"'CON'", b"__PREMISE__1", b"__CONC__1", b": ", b"'a' 'b'", b"1e5", b"-1", b"1_0", b"1j", b"{1: 2}"),
]
CSV_TOKENS = [*CELL_TOKENS, b",", b'"', b'""', b'","', b"\n", b"\r\n", b"\r", b'"\n"', ",".join(COLUMNS).encode()]


def csv_seeds() -> Sequence[bytes]:
    """Two rows of the sample, and short ones that are odd in all that is allowed."""
    with (SAMPLE / "args_processed_sample.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    short = ["S1-A1", "Ban cars", "[]", "{}", "[]"]
    odd = ["S1-A2", 'It\'s "so", or not', "[{'stance': 'PRO'}]", "{'topic': 'a'}"]
    odd.append("[{'sent_id': 'S1-A2__PREMISE__1', 'sent_text': \"It's\\n\\x85\"}]")
    small = min(rows[1:], key=lambda row: len(",".join(row)))
    return [table([rows[0], small, short]), table([rows[0], short, odd]), table([COLUMNS[::-1], odd[::-1]], "\r\n")]


def table(rows: Iterable[Sequence[str]], end: str = "\n") -> bytes:
    """Rows as CSV."""
    out = io.StringIO()
    csv.writer(out, lineterminator=end).writerows(rows)
    return out.getvalue().encode("utf-8", "surrogatepass")


def cells(rng: Random) -> dict[str, Any]:
    """The three literals of a row, mostly as they should be."""
    name = rng.choice(NAMES)
    kinds = ["__PREMISE__1", "__PREMISE__2", "__PREMISE__", "__CONC__1", "__CONC__0", text(rng)]
    sentences: Any = [{"sent_id": name + rng.choice(kinds), "sent_text": text(rng)} for _ in range(rng.randrange(4))]
    premises: Any = [{"text": text(rng), "stance": rng.choice(["PRO", "CON", "", None])}]
    context: Any = {rng.choice(["topic", "sourceTitle", "sourceUrl", "x"]): text(rng), "sourceText": text(rng)}
    found = {"id": name, "conclusion": text(rng), "premises": premises, "context": context, "sentences": sentences}
    while rng.random() < 0.2:
        found[rng.choice(["premises", "context", "sentences"])] = deep(rng)
    return found


def csv_of_cells(rng: Random) -> bytes:
    """A table of such rows."""
    rows = []
    for _ in range(rng.randint(1, 3)):
        found = cells(rng)
        rows.append([value if isinstance(value := found[column], str) else repr(value) for column in COLUMNS])
    return table([COLUMNS, *rows], rng.choice(["\n", "\r\n", "\n\n"]))


def tarred(content: bytes) -> bytes:
    """A tar.gz with this one CSV file in it."""
    return gzip.compress(tar(content), 1, mtime=0)


def tar(content: bytes) -> bytes:
    """A tar with one CSV file and what a Mac puts beside it."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, data in (("._args.csv", b"x"), ("args_processed.csv", content)):
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return out.getvalue()


packed = partial(gzip.compress, compresslevel=1, mtime=0)


@reader("csv", csv_seeds, tokens=CSV_TOKENS, write=csv_of_cells)
def _(folder: Path) -> Read:
    return of_file(folder / "args_processed.csv", partial(read_all, CsvCorpus))


@reader("csv-gz", csv_seeds, tokens=CSV_TOKENS, write=csv_of_cells, pack=packed)
def _(folder: Path) -> Read:
    return of_file(folder / "args_processed.csv.gz", partial(read_all, CsvCorpus))


TAR_TOKENS = [*(b"0", b"1", b"2", b"3", b"5", b"7", b"L", b"K", b"x", b"g", b"S", b"D"), b"ustar\x0000", b"ustar  \0"]
TAR_TOKENS += [b"00000000000\0", b"77777777777\0", b"\x80\0\0\0\0\0\0\0", b"30 mtime=1e400\n", b"20 GNU.sparse.map=1\n"]
TAR_TOKENS += [b"../a.csv", b"/etc/a.csv", b"a.csv\0", b"._a.csv", b"a/", bytes(512), b"12 path=a.csv\n", b"9 size=9\n"]


@reader("tar-gz", csv_seeds, tokens=CSV_TOKENS, write=csv_of_cells, pack=tarred)
def _(folder: Path) -> Read:
    return of_file(folder / "args_processed.tar.gz", partial(read_all, CsvCorpus))


@reader("tar", lambda: [tar(seed) for seed in csv_seeds()], tokens=TAR_TOKENS, pack=packed)
def _(folder: Path) -> Read:
    return of_file(folder / "args_processed.tar.gz", partial(read_all, CsvCorpus))


# ---- args.me JSON -------------------------------------------------------------------------------

JSON_TOKENS = rb'[ ] { } , : " \ \" \u0000 \ud800 \udc00 \u202e null true NaN -Infinity {} [] "" [[ ]] 1E400'.split()
ARGUMENT: dict[str, Any] = {
    "id": "S1-A1",
    "conclusion": "Ban all cars",
    "premises": [{"text": "Cars smell. They\nare loud!  ", "stance": "CON", "annotations": []}, {"text": " \n"}],
    "context": {"sourceTitle": "Page", "discussionTitle": "Cars", "sourceUrl": "https://example.org/1", "x": 1.5},
}
ARGSME_TOKENS = [*JSON_TOKENS, *(f'"{key}": '.encode() for key in [*ARGUMENT, "text", "stance", "topic", "arguments"])]


def argsme_seeds() -> Sequence[bytes]:
    """Two arguments; one without what may be left out, and other things beside the list."""
    bare = {"id": "S1-A2", "premises": []}
    return [
        json.dumps({"arguments": [ARGUMENT, bare]}).encode(),
        json.dumps({"meta": {"n": [1, None]}, "arguments": [bare | {"context": None}], "more": 2}, indent=1).encode(),
    ]


def argsme_json(rng: Random) -> bytes:
    """A document of arguments in which any value may be another."""
    listed = []
    for _ in range(rng.randint(1, 3)):
        found = cells(rng)
        argument: Any = {"id": found["id"], "conclusion": text(rng), "premises": found["premises"]}
        argument["context"] = found["context"]
        if rng.random() < 0.4:
            argument[rng.choice([*argument, "other"])] = deep(rng)
        listed.append(argument)
    document: Any = {"arguments": listed} if rng.random() < 0.9 else {"arguments": deep(rng), "a": listed}
    return json.dumps(document, ensure_ascii=rng.random() < 0.5).encode("utf-8", "surrogatepass")


@reader("argsme", argsme_seeds, tokens=ARGSME_TOKENS, write=argsme_json)
def _(folder: Path) -> Read:
    split = SentenceSplitter()  # one for all cases: a new one takes a tenth of a second
    take = of_file(folder / "args.json", partial(read_all, JsonCorpus))

    def read(content: bytes) -> object:
        with patch.object(argsme, "SentenceSplitter", lambda: split):
            return take(content)

    return read


# ---- documents ----------------------------------------------------------------------------------

PASSAGE = {
    "id": "passage-01___1",
    "contents": "Drums are loud. E.g. at 8 p.m.!\n\nOr not?",
    "chatNoirUrl": "https://a.b/c",
}
LISTED: dict[str, Any] = {"topic": 51, "id": "clueweb12-1", "rank": 1, "score": 2.5, "page_rank": 1e-9, "spam_rank": 80}
LISTED |= {"text": "Tea is hot. Coffee too.", "title": "Tea", "host": "a.b", "query": "tea or coffee?"}
RERANK = {"qid": "1", "query": "tea or coffee?", "docno": "d1", "text": "Tea.", "rank": 0, "score": 17}
DOCUMENT_TOKENS = [
    *JSON_TOKENS,
    *(f'"{key}": '.encode() for key in {**PASSAGE, **LISTED, **RERANK}),
    *(b"\n", b"}\n{", b'"contents": "a. b! c?"'),
]


def lines(*rows: dict[str, Any]) -> bytes:
    """JSON lines."""
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def document_seeds() -> Sequence[bytes]:
    """Passages, a result list, and one to be ranked anew."""
    return [
        lines(PASSAGE, {"id": "p2", "contents": "Yes."}),
        lines(LISTED, LISTED | {"id": "x2", "rank": 2}, {"topic": "52", "text": "No."}),
        lines(RERANK, RERANK | {"docno": "d2", "rank": 1}),
    ]


def documents(rng: Random) -> bytes:
    """Lines in which any value may be another."""
    kind = rng.choice([PASSAGE, LISTED, RERANK])
    rows = []
    for number in range(rng.randint(1, 3)):
        row: dict[str, Any] = {key: value for key, value in kind.items() if rng.random() < 0.95}
        row |= {key: f"{row[key]}{number}" for key in ("id", "docno") if key in row}
        while rng.random() < 0.5:
            row[rng.choice([*kind, "contents", "text", "topic"])] = rng.choice([text, deep])(rng)
        rows.append(json.dumps(row, ensure_ascii=rng.random() < 0.5))
    return rng.choice(["\n", "\r\n", "\n\n"]).join(rows).encode("utf-8", "surrogatepass")


def read_documents(path: Path) -> None:
    """Topics of a list, and its documents."""
    corpus = DocumentCorpus(path)
    for topic in corpus.topics():
        f"{topic.number}{topic.title}".encode()
    read_all(DocumentCorpus, path)


@reader("documents", document_seeds, tokens=DOCUMENT_TOKENS, write=documents)
def _(folder: Path) -> Read:
    return of_file(folder / "passages.jsonl", read_documents)


@reader("documents-gz", document_seeds, tokens=DOCUMENT_TOKENS, write=documents, pack=packed)
def _(folder: Path) -> Read:
    return of_file(folder / "passages.jsonl.gz", read_documents)
