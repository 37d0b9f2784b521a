"""Files of columns, topics XML and keys: what a user names on a command line beside the corpus."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from random import Random
from xml.sax.saxutils import escape

from fuzz.cases import NUMBERS, ODD
from fuzz.reader import Read, of_file, reader
from fuzz.readers.corpora import SAMPLE
from fuzz.values import text, word
from ltr.data.qrels import read_pair_qrels, read_qrels
from ltr.data.runs import RunRow, read_run, validate_run
from ltr.data.topics import Topic, read_topics
from ltr.evaluation.evaluator import evaluate
from ltr.evaluation.irmeasures import parse_measure
from ltr.evaluation.stance import read_stances
from ltr.ranking.external_scores import read_given_scores, read_scores
from ltr.ranking.external_scores import read_key as read_rows
from ltr.remote.client import read_key

packed = partial(gzip.compress, compresslevel=1, mtime=0)


def first_lines(name: str, count: int = 6) -> bytes:
    """The beginning of a file of the sample."""
    return b"".join((SAMPLE / name).read_bytes().splitlines(keepends=True)[:count])


def columns(*kinds: Callable[[Random], bytes]) -> Callable[[Random], bytes]:
    """Lines of such words, now and then with one too many or too few."""

    def write(rng: Random) -> bytes:
        rows = []
        for _ in range(rng.randint(1, 5)):
            row = [kind(rng) for kind in kinds]
            if rng.random() < 0.1:
                row.append(rng.choice(row))
            if rng.random() < 0.1:
                row.pop()
            rows.append(rng.choice([b" ", b"\t", b"  "]).join(row))
        return rng.choice([b"\n", b"\r\n", b"\n\n"]).join(rows)

    return write


def number(rng: Random) -> bytes:
    """A number, or what only looks like one."""
    return str(rng.randint(-2, 5)).encode() if rng.random() < 0.7 else rng.choice(NUMBERS)


def pair(rng: Random) -> bytes:
    """Two ids of sentences, or nearly."""
    parts = [f"S{rng.randint(1, 3)}-A1__{rng.choice(['PREMISE', 'CONC'])}__{rng.randint(0, 3)}" for _ in range(2)]
    if rng.random() < 0.2:
        parts[rng.randrange(2)] = word(rng).decode("utf-8", "replace")
    return rng.choice([",", ",", ",", ",,", "", " , "]).join(parts).encode()


PAIR = b"S1-A1__PREMISE__1,S2-A2__CONC__1"
WORDS = [b" ", b"\t", b"\n", b"0", b"Q0", b"PRO", b"CON", b",", b'"a b"', b"'a'", b"__PREMISE__1", b"__CONC__1", PAIR]


def qrels_seeds() -> Sequence[bytes]:
    """Judgments of arguments, with what may be odd in them."""
    return [first_lines("qrels-test-relevance.qrels"), b"\xef\xbb\xbf1 0 a -2\r\n\r\n1\t0\tb 1.5e0\n2 Q0 c +.5"]


QRELS = columns(word, lambda rng: b"0", word, number)


@reader("qrels", qrels_seeds, tokens=WORDS, write=QRELS)
def _(folder: Path) -> Read:
    return of_file(folder / "qrels", lambda path: sorted(read_qrels(path)))


@reader("qrels-gz", qrels_seeds, tokens=WORDS, write=QRELS, pack=packed)
def _(folder: Path) -> Read:
    return of_file(folder / "qrels.gz", read_qrels)


@reader(
    "pairs",
    lambda: [first_lines("qrels-test-pairs-quality.qrels"), b"1 0 " + PAIR + b" 1\n"],
    tokens=WORDS,
    write=columns(word, lambda rng: b"0", pair, number),
)
def _(folder: Path) -> Read:
    return of_file(folder / "pairs", lambda path: read_pair_qrels([("quality", path)]))


RUN = columns(word, lambda rng: rng.choice([b"PRO", b"Q0", b"x"]), pair, number, number, word)


def runs_of_others() -> Sequence[bytes]:
    """A run of documents, and one of pairs."""
    return [b"1 Q0 d 0 -1e-9 'my own run'\r\n\r\n2 Q0 e 7 .5 me\n", *runs_of_pairs()]


def runs_of_pairs() -> Sequence[bytes]:
    """A run by the lab's rules."""
    return [b"1 PRO %s 1 2.5 me\n1 Q0 S1-A1__PREMISE__1,S1-A1__PREMISE__2 2 1 me\n2 CON %s 1 0 me\n" % (PAIR, PAIR)]


def read_pairs(path: Path) -> None:
    """A run that is asked for pairs, by the lab's rules."""
    validate_run(read_run(path, "pair"), where=path)


@reader("run", runs_of_others, tokens=WORDS, write=RUN)
def _(folder: Path) -> Read:
    return of_file(folder / "run.txt", read_run)


@reader("run-gz", runs_of_others, tokens=WORDS, write=RUN, pack=packed)
def _(folder: Path) -> Read:
    return of_file(folder / "run.txt.gz", read_run)


@reader("run-of-pairs", runs_of_pairs, tokens=WORDS, write=RUN)
def _(folder: Path) -> Read:
    return of_file(folder / "run.txt", read_pairs)


# ---- topics -------------------------------------------------------------------------------------

TAGS = [f"<{slash}{tag}>" for tag in ("topics", "topic", "number", "title", "objects") for slash in ("", "/")]
XML = [
    *(tag.encode() for tag in TAGS),
    *b"<title/> <![CDATA[ ]]> <!-- --> <?a?> &amp; &lt; &#1; &#x1F600; &a; <x:a>".split(),
    *(b'<?xml version="1.0"?>', b"<?xml version='1.0' encoding='latin-1'?>", b"<?xml version='1.0' encoding='idna'?>"),
    *(b'<?xml version="1.1" encoding="UTF-16"?>', b'<!DOCTYPE a [<!ENTITY b "c">]>', b' xmlns="u:v"', b" a='b'"),
]


def topics_seeds() -> Sequence[bytes]:
    """Topics with and without what may be left out."""
    whole = b"<topics><topic><number>1</number><title>Tea &amp; milk?</title><description>a</description>"
    return [
        whole + b"<narrative>b</narrative><objects>tea, milk</objects></topic></topics>",
        b"<?xml version='1.0' encoding='UTF-8'?>\n<topics>\n <topic><title>A</title><number> 2\n</number></topic>\n"
        b" <topic><number>3</number><title><b>B</b> c</title></topic>\n</topics>\n",
        "<topics><topic><number>1</number><title>é</title></topic></topics>".encode("utf-16"),
    ]


def topics_xml(rng: Random) -> bytes:
    """Elements in any number and order."""
    topics = []
    for _ in range(rng.randint(1, 3)):
        title = text(rng) if rng.random() < 0.2 else escape(text(rng))
        fields = [(b"number", word(rng)), (b"title", title.encode("utf-8", "surrogatepass"))]
        while rng.random() < 0.4:
            fields.append(
                (rng.choice([b"objects", b"title", b"number", b"narrative", b"a"]), rng.choice([*ODD, *NUMBERS]))
            )
        topics.append(b"<topic>%s</topic>" % b"".join(b"<%s>%s</%s>" % (tag, inner, tag) for tag, inner in fields))
    return b"<topics>%s</topics>" % b"".join(topics)


@reader("topics", topics_seeds, tokens=XML, write=topics_xml)
def _(folder: Path) -> Read:
    def check(topics: Sequence[Topic]) -> None:
        for topic in topics:
            "".join([topic.number, topic.title, topic.description, topic.narrative, *topic.objects]).encode()

    return of_file(folder / "topics.xml", lambda path: check(read_topics(path)))


# ---- further ------------------------------------------------------------------------------------


@reader("scores", lambda: [b"1.5\n-2\n3e-5\n"], tokens=NUMBERS, write=columns(number))
def _(folder: Path) -> Read:
    return of_file(folder / "scores.txt", read_scores)


@reader("given-scores", lambda: [b"1 S1-A1 1.5\n1 S1-A2 -2\n"], tokens=WORDS, write=columns(number, word, number))
def _(folder: Path) -> Read:
    return of_file(folder / "given.txt", lambda path: read_given_scores([("name", path)]))


@reader(
    "row-key",
    lambda: [b"row qid topic unit\n1 1 2 S1-A1\n2 1 2 S1-A2\n"],
    tokens=[*WORDS, b"row qid topic unit\n"],
    write=lambda rng: b"row qid topic unit\n" + columns(number, number, word, word)(rng),
)
def _(folder: Path) -> Read:
    return of_file(folder / "key.tsv", read_rows)


@reader(
    "stances",
    lambda: [first_lines("comparative/qrels-test-stance.qrels")],
    tokens=[*WORDS, b"FIRST", b"SECOND", b"NEUTRAL", b"NO"],
    write=columns(word, number, word, lambda rng: rng.choice([b"FIRST", b"NO", b"x"])),
)
def _(folder: Path) -> Read:
    return of_file(folder / "stances", read_stances)


MEASURES = b"nDCG P AP RR R Rprec Judged Compat ERR RBP Bpref NumRet NumQ SetP SetF infAP IPrec Success INST".split()
PARAMETERS = b"@ @5 @0 @-1 ( ) (rel=2) rel= =2 , judged_only=True dcg='exp-log2' gains={0:1} p=0.9 T=1 cutoff=5".split()


@reader(
    "measure",
    b"nDCG@5 AP(rel=2) P(rel=2,judged_only=True)@10 nDCG(dcg='exp-log2')@5 nDCG(gains={0:1,2:3})@5".split,
    tokens=[*MEASURES, *PARAMETERS, *NUMBERS],
    write=lambda rng: rng.choice(MEASURES) + b"".join(rng.choices([*PARAMETERS, *NUMBERS], k=rng.randrange(3))),
)
def _(_: Path) -> Read:
    """A measure of ir_measures, as a user names it, and its value for a small run."""
    rows = [RunRow("1", "Q0", name, rank, -rank, "t") for rank, name in enumerate("abcdef")]

    def read(content: bytes) -> None:
        measure = parse_measure(content.decode("utf-8", "replace"))
        evaluate(rows, {"1": {"a": 2.0, "c": 1.0, "e": -2.0, "z": 1.0}}, measures=[measure])

    return read


@reader("key", lambda: [b"abc.DEF-123_~+/=\n"], tokens=[b" ", b"\n", b"=", b"Bearer "])
def _(folder: Path) -> Read:
    return of_file(folder / "key", lambda path: read_key(path, "NO_KEY").encode("ascii"))
