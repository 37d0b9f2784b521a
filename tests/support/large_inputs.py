"""Input that grows with a number, and the command that reads it: the cases of `support.large`."""

from __future__ import annotations

import csv
import gzip
import io
import tarfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

TOPICS = "<topics><topic><number>1</number><title>Ban cars in cities?</title></topic></topics>"
HEADER = "id,conclusion,premises,context,sentences\n"
TWO = ["Ban cars.", "They smell."]


class Case(NamedTuple):
    """What is measured, and at which sizes."""

    sizes: tuple[int, ...]
    make: Callable[[Path, int], list[str]]
    """Writes so much input into a folder, and returns the arguments of the command that reads it."""


# ---- corpora --------------------------------------------------------------------------------------


def predict(folder: Path, corpus: Path, *more: str, model: str = "bm25") -> list[str]:
    """Index a corpus and answer one topic, with the features of a model."""
    topics = folder / "topics.xml"
    if not topics.exists():
        topics.write_text(TOPICS)
    options = ["-i", str(corpus), "-o", str(folder / "out"), "--topics", str(topics), "--index", str(folder / "index")]
    return ["-m", "ltr.predict", *options, *(["-m", model] if model else []), "--jobs", "1", "--quiet", *more]


def row(
    name: str, sentences: Iterable[str], *, conclusion: str = "Ban cars", title: str = "Cars", text: str = ""
) -> str:
    """A row of the task's CSV."""
    cells = ({"sent_id": f"{name}__PREMISE__{n}", "sent_text": one} for n, one in enumerate(sentences, 1))
    held = "[" + ", ".join(map(repr, cells)) + "]"
    context = repr({"sourceTitle": title, "sourceText": text})
    out = io.StringIO()
    csv.writer(out).writerow([name, conclusion, "[{'text': '', 'stance': 'PRO', 'annotations': []}]", context, held])
    return out.getvalue()


def table(folder: Path, rows: Iterable[str]) -> list[str]:
    """Read these rows with a baseline."""
    return predict(folder, _table(folder, rows))


def ranked(folder: Path, rows: Iterable[str], *more: str) -> list[str]:
    """Read these rows, and rank by the shipped model."""
    return predict(folder, _table(folder, rows), "--timings", *more, model="")


def _table(folder: Path, rows: Iterable[str]) -> Path:
    path = folder / "args_processed.csv"
    with path.open("w", encoding="utf-8", newline="") as out:
        out.write(HEADER)
        out.writelines(rows)
    return path


def packed_zeros(folder: Path, number: int) -> list[str]:
    path = folder / "args_processed.csv.gz"
    with gzip.open(path, "wb", 1) as out:
        out.write(HEADER.encode())
        for _ in range(number // 1_000_000):
            out.write(bytes(1_000_000))
    return predict(folder, path)


def archive(folder: Path, blocks: Iterable[bytes]) -> list[str]:
    path = folder / "args_processed.tar.gz"
    with gzip.open(path, "wb", 1) as out:
        for block in blocks:
            out.write(block)
        out.write(member("a.csv", (HEADER + row("S1-A1", TWO)).encode()))
        out.write(bytes(1024))
    return predict(folder, path)


def head(name: str, size: int = 0, kind: bytes = tarfile.REGTYPE) -> bytes:
    info = tarfile.TarInfo(name)
    info.size, info.type = size, kind
    return info.tobuf(tarfile.GNU_FORMAT)


def member(name: str, content: bytes, kind: bytes = tarfile.REGTYPE) -> bytes:
    return head(name, len(content), kind) + content + bytes(-len(content) % 512)


def long_name(text: bytes) -> bytes:
    return member("././@LongLink", text, tarfile.GNUTYPE_LONGNAME)


def pax_header(number: int) -> bytes:
    text = b"comment=" + b"x" * number
    return member("pax", b"%d %s\n" % (len(text) + len(str(len(text))) + 2, text), tarfile.XHDTYPE)


def extents(number: int) -> Iterator[bytes]:
    first = bytearray(head("sparse.csv", 0, tarfile.GNUTYPE_SPARSE))
    first[482] = 1
    first[148:156] = b"%06o\0 " % (sum(first[:148]) + 8 * 32 + sum(first[156:]))
    yield bytes(first)
    for n in range(number):
        yield (b"%011o %011o " % (1, 1)) * 21 + bytes([n < number - 1]) + bytes(7)


def argsme(folder: Path, premises: Iterable[str], *, before: str = "") -> list[str]:
    path = folder / "args-me.json"
    with path.open("w", encoding="utf-8") as out:
        out.write(f'{{{before}"arguments": [{{"id": "S1-A1", "conclusion": "Ban cars", "premises": [{{"text": "')
        out.writelines(premises)
        out.write('", "stance": "PRO"}], "context": {}}]}')
    return predict(folder, path)


def passages(folder: Path, *texts: str) -> list[str]:
    path = folder / "passages.jsonl"
    with path.open("w", encoding="utf-8") as out:
        for n, text in enumerate(texts):
            out.write(f'{{"id": "d{n}", "contents": "{text}"}}\n')
    (folder / "topics.xml").write_text(TOPICS.replace("Ban cars in cities?", "Which is better, a car or a train?"))
    return predict(folder, path, "--task", "comparative", "--timings", model="")


def objects_of_a_line(folder: Path, number: int) -> list[str]:
    path = folder / "passages.jsonl"
    path.write_text(f'{{"id": "1", "contents": "Cars.", "x": [{"{}," * number}1]}}\n')
    return predict(folder, path, "--task", "comparative")


def sentences(number: int) -> list[str]:
    return [row("S1-A1", (f"Cars in cities smell of oil number {n}." for n in range(number)))]


def short_words(number: int) -> list[str]:
    texts = ["ban cars " + " ".join(f"w{n:x}" for n in range(number // 6)), "ban " + "cars cities " * (number // 12)]
    return [row(f"S1-A{n}", [text]) for n, text in enumerate(texts)]


def titles(n: int) -> list[str]:
    return [row("S1-A1", TWO, title="Cars " * (n // 5), conclusion="Ban " * (n // 4))]


# ---- topics, judgments and runs -------------------------------------------------------------------


def ask(folder: Path, *parts: str) -> list[str]:
    with (folder / "topics.xml").open("w") as out:
        out.writelines(parts)
    return predict(folder, _table(folder, [row("S1-A1", TWO)]), "--dry-run")


def measure(folder: Path, run: Iterable[str], qrels: Iterable[str] = ("1 0 a 1\n",)) -> list[str]:
    for name, lines in (("run.txt", run), ("a.qrels", qrels)):
        with (folder / name).open("w") as out:
            out.writelines(lines)
    return ["-m", "ltr.evaluate", "--run", str(folder / "run.txt"), "--qrels", str(folder / "a.qrels")]


MANY, MORE, MOST = (10_000, 100_000, 1_000_000), (100_000, 1_000_000, 10_000_000), (10**7, 10**8, 10**9)
LINES = (100_000, 1_000_000, 60_000_000)
MB = 1_000_000
CASES: dict[str, Case] = {
    # the task's CSV
    "short_rows": Case(MORE, lambda f, n: table(f, (row(f"S{i:x}-A{i:x}", ["Cars smell."]) for i in range(n)))),
    "a_field": Case((10**7, 3 * 10**7, 10**8), lambda f, n: table(f, [row("S1-A1", TWO, text="x" * n)])),
    "a_line_without_end": Case(MOST, lambda f, n: table(f, ["x" * MB] * (n // MB))),
    "a_cell_of_many_lines": Case(MOST, lambda f, n: table(f, ['"', *["\n" * MB] * (n // MB)])),
    # where a file is cut, the next row is looked for
    "lines_between_which_no_row_begins": Case(
        (3 * 10**7, 10**8, 3 * 10**8), lambda f, n: table(f, ['"', *["x" * 499_999 + "\n"] * (2 * n // MB)])
    ),
    "arguments_of_one_debate": Case(
        MANY,
        lambda f, n: ranked(
            f, (row(f"S1-A{i:x}", [f"Cars smell of oil {i}.", "Ban cars in cities now."]) for i in range(n))
        ),
    ),
    "copies_of_an_argument": Case(
        MANY, lambda f, n: ranked(f, (row(f"S1-A{i:x}", ["Cars smell.", "Ban cars in cities."]) for i in range(n)))
    ),
    "sentences_of_one_argument": Case(MANY, lambda f, n: ranked(f, sentences(n))),
    "sentences_of_one_argument_as_a_whole": Case(MANY, lambda f, n: ranked(f, sentences(n), "--task", "arguments")),
    "a_word": Case(MORE, lambda f, n: ranked(f, [row("S1-A1", ["Ban cars " + "x" * n, "Ban cities " + "y" * n])])),
    "two_sentences": Case(
        MORE,
        lambda f, n: ranked(f, [row("S1-A1", ["Ban cars in cities " * (n // 19), "Ban all cars cities " * (n // 20)])]),
    ),
    "two_arguments_of_short_words": Case(MORE, lambda f, n: ranked(f, short_words(n), "--task", "arguments")),
    "a_deep_literal": Case((100, 10_000, MB), lambda f, n: table(f, [f"S1-A1,Ban cars,[],{{}},{'[' * n}{']' * n}\n"])),
    "a_literal_of_empty_dicts": Case(MORE, lambda f, n: table(f, [f'S1-A1,Ban cars,[],{{}},"[{"{}," * n}]"\n'])),
    "titles": Case(MORE, lambda f, n: ranked(f, titles(n))),
    # archives
    "a_packed_table_of_nothing": Case((10**8, 10**9, 10**10), packed_zeros),
    "empty_members": Case(MANY, lambda f, n: archive(f, (head(f"{i}.txt") for i in range(n)))),
    "a_pax_header": Case((10**6, 10**7, 10**8), lambda f, n: archive(f, [pax_header(n)])),
    "a_long_name": Case((10**6, 10**7, 10**8), lambda f, n: archive(f, [long_name(b"x" * n)])),
    "names_of_names": Case((100, 10_000, MB), lambda f, n: archive(f, (long_name(b"x") for _ in range(n)))),
    "extents_of_a_sparse_member": Case((1_000, 100_000, MB), lambda f, n: archive(f, extents(n))),
    # JSON
    "premises_of_one_word": Case(MORE, lambda f, n: argsme(f, ["x" * n])),
    "premises_of_brackets": Case(MANY, lambda f, n: argsme(f, ["(" * n])),
    "premises_of_addresses": Case(MANY, lambda f, n: argsme(f, ["http://a." * (n // 9)])),
    "premises_of_sentences": Case(MANY, lambda f, n: argsme(f, ("Cars smell. " for _ in range(n)))),
    "premises_of_white_space": Case(MORE, lambda f, n: argsme(f, ["Ban cars. ", " " * n, "x"])),
    "a_string_of_json": Case(MOST, lambda f, n: argsme(f, ("x" * MB for _ in range(n // MB)))),
    "objects_of_json": Case(MORE, lambda f, n: argsme(f, [], before=f'"arguments": [{{"id": [{"{}," * n}1]}}], ')),
    "passages_of_white_space": Case(MORE, lambda f, n: passages(f, "A car." + " " * n + "x")),
    "passages_of_empty_lines": Case(MORE, lambda f, n: passages(f, "A car." + "x\\n" * n + "\\n \\t" * n)),
    "passages_of_one_word": Case(MORE, lambda f, n: passages(f, "A car is better " + "x" * n)),
    "passages_of_sentences": Case(MANY, lambda f, n: passages(f, "A car is better than a train. " * n)),
    "passages_of_ends": Case(MORE, lambda f, n: passages(f, "A car" + ".') " * n + ".”" * n)),
    "many_passages": Case(MANY, lambda f, n: passages(f, *(f"A car is better than train {i}." for i in range(n)))),
    "objects_of_a_line": Case(MORE, objects_of_a_line),
    # topics
    "topics": Case(
        MANY,
        lambda f, n: ask(
            f,
            "<topics>",
            *(f"<topic><number>{i}</number><title>Ban cars in city {i}?</title></topic>" for i in range(n)),
            "</topics>",
        ),
    ),
    "attributes": Case(
        MANY, lambda f, n: ask(f, TOPICS.replace("<topic>", "<topic " + " ".join(f'a{i}="1"' for i in range(n)) + ">"))
    ),
    "deep_elements": Case(
        (10_000, MB, 15_000_000), lambda f, n: ask(f, "<topics>", "<a>" * n, "</a>" * n, "</topics>")
    ),
    "elements": Case((100_000, MB, 30_000_000), lambda f, n: ask(f, TOPICS.replace("<title>", "<title>" + "<a/>" * n))),
    "objects_compared": Case(
        LINES, lambda f, n: ask(f, TOPICS.replace("</title>", f"</title><objects>{'a,' * n}</objects>"))
    ),
    # judgments and runs
    "judgments_of_one_topic": Case(
        MANY, lambda f, n: measure(f, ["1 Q0 d1 1 1 t\n"], (f"1 0 d{i} {i % 3}\n" for i in range(n)))
    ),
    "judged_topics": Case(
        MANY, lambda f, n: measure(f, (f"{i} Q0 d1 1 1 t\n" for i in range(n)), (f"{i} 0 d1 1\n" for i in range(n)))
    ),
    "ranks_of_one_topic": Case(
        MANY, lambda f, n: measure(f, (f"1 Q0 d{i} {i} {-i} t\n" for i in range(n)), ["1 0 d1 1\n"])
    ),
    "short_lines_of_a_run": Case(MORE, lambda f, n: measure(f, ["1 Q0 a 1 1 t\n"] * n)),
    "empty_lines_of_a_run": Case(LINES, lambda f, n: measure(f, ["1 Q0 a 1 1 t\n", *["\n"] * n])),
    "columns_of_a_line": Case(LINES, lambda f, n: measure(f, ["1 Q0 a 1 1 t ", "x " * n])),
}
