"""The readers that are fuzzed: a valid file for each, and the function that reads it."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

from experiments.pool.files import key_text, named
from experiments.pool.files import read_key as read_pool_key
from experiments.pool.grades import read_sheet
from experiments.pool.selection import PooledPair
from experiments.published import read_table
from fuzz.damage import archived, packed
from ltr.corpora import argsme, base, own_texts
from ltr.corpora.args_csv import COLUMNS
from ltr.corpora.argument import Argument
from ltr.corpora.source import open_corpus
from ltr.data.ids import argument_of, is_sentence
from ltr.data.qrels import read_pair_qrels, read_qrels, read_stances
from ltr.data.runs import read_run, validate_run
from ltr.data.topics import read_topics
from ltr.learning.votes import read_votes
from ltr.sample import SAMPLE

SPLITTER = cache(argsme.SentenceSplitter)
"""A new splitter takes a tenth of a second, for each input."""
PAIR = "S1-A1__PREMISE__1,S2-A2__CONC__1"


@dataclass(frozen=True)
class Reader:
    """A reader of files, with the name that its files have."""

    file: str
    read: Callable[[Path], object]
    seeds: Sequence[bytes]
    pack: Callable[[bytes], bytes] | None = None
    """Compresses an input, before or after it is damaged."""


def read_corpus(path: Path) -> None:
    """Read a corpus whole and in parts, and check what every index relies on. Raises InputError."""
    with patch.object(argsme, "SentenceSplitter", SPLITTER), patch.object(own_texts, "SentenceSplitter", SPLITTER):
        whole = list(open_corpus(path))
        with patch.multiple(base, SMALLEST_PART=200, MOST_PARTS=4):
            parts: list[Argument] = [argument for part in open_corpus(path).parts() for argument in part]
    assert parts == whole
    for argument in whole:
        assert argument.id.isprintable()
        assert argument.id.split() == [argument.id]
        assert argument.stance in ("", "PRO", "CON")
        for one in argument.sentences:
            assert is_sentence(one.id)
            assert argument_of(one.id) == argument.id
            one.text.encode()
        f"{argument.conclusion}{argument.title}{argument.url}".encode()


def read_pairs(path: Path) -> None:
    """Read a run of pairs by the lab's rules. Raises InputError."""
    validate_run(read_run(path, "pair"), where=path)


@cache
def table_seeds() -> list[bytes]:
    """The shortest row of the sample, and rows with everything that the format allows."""
    with (SAMPLE / "args_processed_sample.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    odd = ["S1-A2", 'It\'s "so", or not', "[{'stance': 'PRO'}]", "{'topic': 'a'}"]
    odd.append("[{'sent_id': 'S1-A2__PREMISE__1', 'sent_text': \"It's\\n\\x85\"}]")
    small = min(rows[1:], key=lambda row: len(",".join(row)))
    plain = ["S1-A1", "Ban cars", "[]", "{}", "[]"]
    return [table([rows[0], small, plain]), table([rows[0], plain, odd]), table([COLUMNS[::-1], odd[::-1]], "\r\n")]


def table(rows: Iterable[Sequence[str]], end: str = "\n") -> bytes:
    """The rows as CSV."""
    out = io.StringIO()
    csv.writer(out, lineterminator=end).writerows(rows)
    return out.getvalue().encode()


def json_lines(*rows: dict[str, Any]) -> bytes:
    """The rows as JSON lines."""
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def first_lines(name: str, count: int = 6) -> bytes:
    """The first lines of a file of the sample."""
    return b"".join((SAMPLE / name).read_bytes().splitlines(keepends=True)[:count])


ARGUMENT = {
    "id": "S1-A1",
    "conclusion": "Ban all cars",
    "premises": [{"text": "Cars smell. They\nare loud!  ", "stance": "CON", "annotations": []}, {"text": " \n"}],
    "context": {"sourceTitle": "Page", "discussionTitle": "Cars", "sourceUrl": "https://example.org/1", "x": 1.5},
}
ARGUMENTS = [
    json.dumps({"arguments": [ARGUMENT, {"id": "S1-A2", "premises": []}]}).encode(),
    json.dumps({"meta": {"n": [1, None]}, "arguments": [{"id": "a", "premises": []}], "more": 2}, indent=1).encode(),
]
LISTED = {
    "topic": 51,
    "id": "clueweb12-1",
    "rank": 1,
    "score": 2.5,
    "text": "Tea is hot. E.g. at 8 p.m.!",
    "title": "T",
}
DOCUMENTS = [
    json_lines({"id": "p___1", "contents": "Drums are loud.\n\nOr not?", "chatNoirUrl": "https://a.b/c"}),
    json_lines(LISTED, LISTED | {"id": "x2", "rank": 2}, {"topic": "52", "text": "No."}),
    json_lines({"qid": "1", "query": "tea or coffee?", "docno": "d1", "text": "Tea.", "rank": 0, "score": 17}),
]
TOPICS = [
    b"<topics><topic><number>1</number><title>Tea &amp; milk?</title><description>a</description>"
    b"<narrative>b</narrative><objects>tea, milk</objects></topic></topics>",
    b"<?xml version='1.0' encoding='UTF-8'?>\n<topics>\n <topic><title>A</title><number> 2\n</number></topic>\n"
    b" <topic><number>3</number><title><b>B</b> c</title></topic>\n</topics>\n",
    "<topics><topic><number>1</number><title>é</title></topic></topics>".encode("utf-16"),
]
RUN = f"1 PRO {PAIR} 1 2.5 me\n1 Q0 S1-A1__PREMISE__1,S1-A1__PREMISE__2 2 1 me\n2 CON {PAIR} 1 0 me\n".encode()
DOCUMENT_RUN = b"1 Q0 d 0 -1e-9 'my own run'\r\n\r\n2 Q0 e 7 .5 me\n"
QRELS = [first_lines("qrels-test-relevance.qrels"), b"\xef\xbb\xbf1 0 a -2\r\n\r\n1\t0\tb 1.5e0\n2 Q0 c +.5"]
PAIR_QRELS = [first_lines("qrels-test-pairs-quality.qrels"), f"1 0 {PAIR} 1\n".encode()]
VOTE = {"topic": "1", "id": "S1-A1", "grade": 1, "scale": [0, 3]}
POOL = named([PooledPair("1", PAIR, anchor) for anchor in (True, False)])
GRADES = ("item\trelevance\tquality\n" + "".join(f"{item}\t0\t2\n" for item in POOL)).encode()

CORPORA = {
    "table": Reader("args_processed.csv", read_corpus, table_seeds()),
    "packed table": Reader("args_processed.csv.gz", read_corpus, table_seeds(), packed),
    "archived table": Reader(
        "args_processed.tar.gz", read_corpus, table_seeds(), lambda content: packed(archived(content))
    ),
    "archive": Reader("args_processed.tar.gz", read_corpus, [archived(seed) for seed in table_seeds()], packed),
    "arguments": Reader("args.json", read_corpus, ARGUMENTS),
    "documents": Reader("passages.jsonl", read_corpus, DOCUMENTS),
    "packed documents": Reader("passages.jsonl.gz", read_corpus, DOCUMENTS, packed),
    "plain text": Reader(
        "one.txt", read_corpus, [b"Ban cars\n\nThey smell. They are loud!\n", b"\xef\xbb\xbfA b.\r\n"]
    ),
}
READERS = CORPORA | {
    "topics": Reader("topics.xml", read_topics, TOPICS),
    "qrels": Reader("some.qrels", read_qrels, QRELS),
    "packed qrels": Reader("some.qrels.gz", read_qrels, QRELS, packed),
    "qrels of pairs": Reader("pairs.qrels", lambda path: read_pair_qrels([("quality", path)]), PAIR_QRELS),
    "stances": Reader("stances", read_stances, [b"61 0 wood-a FIRST\n61 0 wood-b NO\n62 0 wood-a NEUTRAL\n"]),
    "run": Reader("run.txt", read_run, [RUN, DOCUMENT_RUN]),
    "run of pairs": Reader("run.txt", read_pairs, [RUN]),
    "votes": Reader("votes.jsonl", lambda path: read_votes([("a", "relevance", path)], pairs=True), [json_lines(VOTE)]),
    "key of a pool": Reader("key.tsv", read_pool_key, [key_text(POOL).encode()]),
    "grades": Reader("grades.tsv", lambda path: read_sheet("ann", path, POOL), [GRADES]),
    "published table": Reader(
        "table.csv",
        lambda path: read_table(path, "argument topic", lambda *cells: cells),
        [b'id,argument ,topic\r\n1,"Cars, they ""smell"".",Ban cars\r\n2,No,"a\nb"\r\n'],
    ),
}
