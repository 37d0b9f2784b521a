"""``python tests/support/large.py [CASE ...]``: what a command needs for input that is far too large, against its size.

Each case is a file that grows with a number, and the command that reads it. Prints, a line a size, the number, the
file's MB, seconds of a processor, the most MB that a process held, the exit code and the last line that was said.
Without a case all are measured, which takes hours; ``--times 0.01`` makes all of them smaller.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import io
import os
import resource
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

Make = Callable[[Path, int], list[str]]
"""Writes what is read into a folder, so many of it, and gives the arguments of the command that reads it."""

TOPICS = "<topics><topic><number>1</number><title>Ban cars in cities?</title></topic></topics>"
HEADER = "id,conclusion,premises,context,sentences\n"
MINUTES, MEMORY = 20, 16 << 30


class Case(NamedTuple):
    """What is measured, and at which sizes."""

    make: Make
    sizes: tuple[int, ...]


CASES: dict[str, Case] = {}


def case(*sizes: int) -> Callable[[Make], Make]:
    def register(make: Make) -> Make:
        CASES[make.__name__] = Case(make, sizes)
        return make

    return register


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


def table(folder: Path, rows: Iterable[str]) -> Path:
    path = folder / "args_processed.csv"
    with path.open("w", encoding="utf-8", newline="") as out:
        out.write(HEADER)
        out.writelines(rows)
    return path


# ---- the task's CSV -------------------------------------------------------------------------------


@case(100_000, 1_000_000, 10_000_000)
def short_rows(folder: Path, number: int) -> list[str]:
    rows = (row(f"S{n:x}-A{n:x}", ["Cars smell."]) for n in range(number))
    return predict(folder, table(folder, rows))


@case(10_000_000, 30_000_000, 100_000_000)
def a_field(folder: Path, number: int) -> list[str]:
    return predict(folder, table(folder, [row("S1-A1", ["Ban cars.", "They smell."], text="x" * number)]))


@case(10_000_000, 100_000_000, 1_000_000_000)
def a_line_without_end(folder: Path, number: int) -> list[str]:
    return predict(folder, table(folder, ["x" * 1_000_000] * (number // 1_000_000)))


@case(10_000_000, 100_000_000, 1_000_000_000)
def a_cell_of_many_lines(folder: Path, number: int) -> list[str]:
    return predict(folder, table(folder, ['"', *["\n" * 1_000_000] * (number // 1_000_000)]))


@case(30_000_000, 100_000_000, 300_000_000)
def lines_between_which_no_row_begins(folder: Path, number: int) -> list[str]:
    """Where a file is cut, the next row is looked for."""
    return predict(folder, table(folder, ['"', *["x" * 499_999 + "\n"] * (number // 500_000)]))


@case(10_000, 100_000, 1_000_000)
def arguments_of_one_debate(folder: Path, number: int) -> list[str]:
    rows = (row(f"S1-A{n:x}", [f"Cars smell of oil {n}.", "Ban cars in cities now."]) for n in range(number))
    return predict(folder, table(folder, rows), "--timings", model="")


@case(10_000, 100_000, 1_000_000)
def copies_of_an_argument(folder: Path, number: int) -> list[str]:
    rows = (row(f"S1-A{n:x}", ["Cars smell.", "Ban cars in cities."]) for n in range(number))
    return predict(folder, table(folder, rows), "--timings", model="")


@case(10_000, 100_000, 1_000_000)
def sentences_of_one_argument(folder: Path, number: int) -> list[str]:
    rows = [row("S1-A1", (f"Cars in cities smell of oil number {n}." for n in range(number)))]
    return predict(folder, table(folder, rows), "--timings", model="")


@case(10_000, 100_000, 1_000_000)
def sentences_of_one_argument_as_a_whole(folder: Path, number: int) -> list[str]:
    return [*sentences_of_one_argument(folder, number), "--task", "arguments"]


@case(100_000, 1_000_000, 10_000_000)
def a_word(folder: Path, number: int) -> list[str]:
    rows = [row("S1-A1", ["Ban cars " + "x" * number, "Ban cities " + "y" * number])]
    return predict(folder, table(folder, rows), "--timings", model="")


@case(100_000, 1_000_000, 10_000_000)
def two_sentences(folder: Path, number: int) -> list[str]:
    rows = [row("S1-A1", ["Ban cars in cities " * (number // 19), "Ban all cars cities " * (number // 20)])]
    return predict(folder, table(folder, rows), "--timings", model="")


@case(100_000, 1_000_000, 10_000_000)
def two_arguments_of_short_words(folder: Path, number: int) -> list[str]:
    texts = ["ban cars " + " ".join(f"w{n:x}" for n in range(number // 6)), "ban " + "cars cities " * (number // 12)]
    rows = [row(f"S1-A{n}", [text]) for n, text in enumerate(texts)]
    return [*predict(folder, table(folder, rows), "--timings", model=""), "--task", "arguments"]


@case(100, 10_000, 1_000_000)
def a_deep_literal(folder: Path, number: int) -> list[str]:
    return predict(folder, table(folder, [f"S1-A1,Ban cars,[],{{}},{'[' * number}{']' * number}\n"]))


@case(100_000, 1_000_000, 10_000_000)
def a_literal_of_empty_dicts(folder: Path, number: int) -> list[str]:
    return predict(folder, table(folder, [f'S1-A1,Ban cars,[],{{}},"[{"{}," * number}]"\n']))


@case(100_000, 1_000_000, 10_000_000)
def titles(folder: Path, number: int) -> list[str]:
    rows = [
        row("S1-A1", ["Ban cars.", "They smell."], title="Cars " * (number // 5), conclusion="Ban " * (number // 4))
    ]
    return predict(folder, table(folder, rows), "--timings", model="")


# ---- archives -------------------------------------------------------------------------------------


@case(100_000_000, 1_000_000_000, 10_000_000_000)
def a_packed_table_of_nothing(folder: Path, number: int) -> list[str]:
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
        out.write(member("a.csv", (HEADER + row("S1-A1", ["Ban cars.", "They smell."])).encode()))
        out.write(bytes(1024))
    return predict(folder, path)


def head(name: str, size: int = 0, kind: bytes = tarfile.REGTYPE) -> bytes:
    info = tarfile.TarInfo(name)
    info.size, info.type = size, kind
    return info.tobuf(tarfile.GNU_FORMAT)


def member(name: str, content: bytes, kind: bytes = tarfile.REGTYPE) -> bytes:
    return head(name, len(content), kind) + content + bytes(-len(content) % 512)


@case(10_000, 100_000, 1_000_000)
def empty_members(folder: Path, number: int) -> list[str]:
    return archive(folder, (head(f"{n}.txt") for n in range(number)))


@case(1_000_000, 10_000_000, 100_000_000)
def a_pax_header(folder: Path, number: int) -> list[str]:
    text = b"comment=" + b"x" * number
    record = b"%d %s\n" % (len(text) + len(str(len(text))) + 2, text)
    return archive(folder, [member("pax", record, tarfile.XHDTYPE)])


@case(1_000_000, 10_000_000, 100_000_000)
def a_long_name(folder: Path, number: int) -> list[str]:
    return archive(folder, [member("././@LongLink", b"x" * number, tarfile.GNUTYPE_LONGNAME)])


@case(100, 10_000, 1_000_000)
def names_of_names(folder: Path, number: int) -> list[str]:
    return archive(folder, (member("././@LongLink", b"x", tarfile.GNUTYPE_LONGNAME) for _ in range(number)))


def extents(number: int) -> Iterator[bytes]:
    first = bytearray(head("sparse.csv", 0, tarfile.GNUTYPE_SPARSE))
    first[482] = 1
    first[148:156] = b"%06o\0 " % (sum(first[:148]) + 8 * 32 + sum(first[156:]))
    yield bytes(first)
    for n in range(number):
        yield (b"%011o %011o " % (1, 1)) * 21 + bytes([n < number - 1]) + bytes(7)


@case(1_000, 100_000, 1_000_000)
def extents_of_a_sparse_member(folder: Path, number: int) -> list[str]:
    return archive(folder, extents(number))


# ---- JSON -----------------------------------------------------------------------------------------


def argsme(folder: Path, premises: Iterable[str], *, before: str = "") -> list[str]:
    path = folder / "args-me.json"
    with path.open("w", encoding="utf-8") as out:
        out.write(f'{{{before}"arguments": [{{"id": "S1-A1", "conclusion": "Ban cars", "premises": [{{"text": "')
        out.writelines(premises)
        out.write('", "stance": "PRO"}], "context": {}}]}')
    return predict(folder, path)


@case(100_000, 1_000_000, 10_000_000)
def premises_of_one_word(folder: Path, number: int) -> list[str]:
    return argsme(folder, ["x" * number])


@case(10_000, 100_000, 1_000_000)
def premises_of_brackets(folder: Path, number: int) -> list[str]:
    return argsme(folder, ["(" * number])


@case(10_000, 100_000, 1_000_000)
def premises_of_addresses(folder: Path, number: int) -> list[str]:
    return argsme(folder, ["http://a." * (number // 9)])


@case(10_000, 100_000, 1_000_000)
def premises_of_sentences(folder: Path, number: int) -> list[str]:
    return argsme(folder, ("Cars smell. " for _ in range(number)))


@case(100_000, 1_000_000, 10_000_000)
def premises_of_white_space(folder: Path, number: int) -> list[str]:
    return argsme(folder, ["Ban cars. ", " " * number, "x"])


@case(10_000_000, 100_000_000, 1_000_000_000)
def a_string_of_json(folder: Path, number: int) -> list[str]:
    return argsme(folder, ("x" * 1_000_000 for _ in range(number // 1_000_000)))


@case(100_000, 1_000_000, 10_000_000)
def objects_of_json(folder: Path, number: int) -> list[str]:
    return argsme(folder, [], before=f'"arguments": [{{"id": [{"{}," * number}1]}}], ')


def lines(folder: Path, number: int, *texts: str) -> list[str]:
    path = folder / "passages.jsonl"
    with path.open("w", encoding="utf-8") as out:
        for n, text in enumerate(texts):
            out.write(f'{{"id": "d{n}", "contents": "{text}"}}\n')
    (folder / "topics.xml").write_text(TOPICS.replace("Ban cars in cities?", "Which is better, a car or a train?"))
    return predict(folder, path, "--task", "comparative", "--timings", model="")


@case(100_000, 1_000_000, 10_000_000)
def passages_of_white_space(folder: Path, number: int) -> list[str]:
    return lines(folder, number, "A car." + " " * number + "x")


@case(100_000, 1_000_000, 10_000_000)
def passages_of_empty_lines(folder: Path, number: int) -> list[str]:
    return lines(folder, number, "A car." + "x\\n" * number + "\\n \\t" * number)


@case(100_000, 1_000_000, 10_000_000)
def passages_of_one_word(folder: Path, number: int) -> list[str]:
    return lines(folder, number, "A car is better " + "x" * number)


@case(10_000, 100_000, 1_000_000)
def passages_of_sentences(folder: Path, number: int) -> list[str]:
    return lines(folder, number, "A car is better than a train. " * number)


@case(100_000, 1_000_000, 10_000_000)
def passages_of_ends(folder: Path, number: int) -> list[str]:
    return lines(folder, number, "A car" + ".') " * number + ".”" * number)


@case(10_000, 100_000, 1_000_000)
def many_passages(folder: Path, number: int) -> list[str]:
    return lines(folder, number, *(f"A car is better than train {n}." for n in range(number)))


@case(100_000, 1_000_000, 10_000_000)
def objects_of_a_line(folder: Path, number: int) -> list[str]:
    path = folder / "passages.jsonl"
    path.write_text(f'{{"id": "1", "contents": "Cars.", "x": [{"{}," * number}1]}}\n')
    return predict(folder, path, "--task", "comparative")


# ---- topics ---------------------------------------------------------------------------------------


def ask(folder: Path, parts: Iterable[str]) -> list[str]:
    with (folder / "topics.xml").open("w") as out:
        out.writelines(parts)
    return predict(folder, table(folder, [row("S1-A1", ["Ban cars.", "They smell."])]), "--dry-run")


@case(10_000, 100_000, 1_000_000)
def topics(folder: Path, number: int) -> list[str]:
    found = (f"<topic><number>{n}</number><title>Ban cars in city {n}?</title></topic>" for n in range(number))
    return ask(folder, ("<topics>", *found, "</topics>"))


@case(10_000, 100_000, 1_000_000)
def attributes(folder: Path, number: int) -> list[str]:
    return ask(folder, [TOPICS.replace("<topic>", "<topic " + " ".join(f'a{n}="1"' for n in range(number)) + ">")])


@case(10_000, 1_000_000, 15_000_000)
def deep_elements(folder: Path, number: int) -> list[str]:
    return ask(folder, ["<topics>", "<a>" * number, "</a>" * number, "</topics>"])


@case(100_000, 1_000_000, 30_000_000)
def elements(folder: Path, number: int) -> list[str]:
    return ask(folder, [TOPICS.replace("<title>", "<title>" + "<a/>" * number)])


@case(100_000, 1_000_000, 60_000_000)
def objects_compared(folder: Path, number: int) -> list[str]:
    return ask(folder, [TOPICS.replace("</title>", f"</title><objects>{'a,' * number}</objects>")])


# ---- judgments and runs ---------------------------------------------------------------------------


def measure(folder: Path, run: Iterable[str], qrels: Iterable[str]) -> list[str]:
    for name, found in (("run.txt", run), ("a.qrels", qrels)):
        with (folder / name).open("w") as out:
            out.writelines(found)
    return ["-m", "ltr.evaluate", "--run", str(folder / "run.txt"), "--qrels", str(folder / "a.qrels")]


@case(10_000, 100_000, 1_000_000)
def judgments_of_one_topic(folder: Path, number: int) -> list[str]:
    return measure(folder, ["1 Q0 d1 1 1 t\n"], (f"1 0 d{n} {n % 3}\n" for n in range(number)))


@case(10_000, 100_000, 1_000_000)
def judged_topics(folder: Path, number: int) -> list[str]:
    return measure(folder, (f"{n} Q0 d1 1 1 t\n" for n in range(number)), (f"{n} 0 d1 1\n" for n in range(number)))


@case(10_000, 100_000, 1_000_000)
def ranks_of_one_topic(folder: Path, number: int) -> list[str]:
    return measure(folder, (f"1 Q0 d{n} {n} {-n} t\n" for n in range(number)), ["1 0 d1 1\n"])


@case(100_000, 1_000_000, 10_000_000)
def short_lines_of_a_run(folder: Path, number: int) -> list[str]:
    return measure(folder, ["1 Q0 a 1 1 t\n"] * number, ["1 0 a 1\n"])


@case(100_000, 1_000_000, 60_000_000)
def empty_lines_of_a_run(folder: Path, number: int) -> list[str]:
    return measure(folder, ["1 Q0 a 1 1 t\n", *["\n"] * number], ["1 0 a 1\n"])


@case(100_000, 1_000_000, 60_000_000)
def columns_of_a_line(folder: Path, number: int) -> list[str]:
    return measure(folder, ["1 Q0 a 1 1 t ", "x " * number], ["1 0 a 1\n"])


# ---- measuring ------------------------------------------------------------------------------------


class Measured(NamedTuple):
    """Of one command."""

    megabytes: float
    seconds: float
    most: float
    """MB that a process of it held."""
    code: int
    said: str


def measured(make: Make, number: int) -> Measured:
    """Make the input in a folder that goes afterwards, and run the command."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        arguments = make(folder, number)
        size = sum(path.stat().st_size for path in folder.iterdir())
        with (folder / "said").open("w+b") as said:
            process = subprocess.Popen(
                ["timeout", str(60 * MINUTES), sys.executable, *arguments],
                stdout=said,
                stderr=said,
            )
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            said.seek(0)
            text = said.read().decode("utf-8", "replace")
    print(text, file=sys.stderr)
    last = text.strip().splitlines()[-1:] or [""]
    return Measured(
        size / 1e6, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, process.returncode, last[0].replace(place, "")
    )


def main() -> None:
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("cases", nargs="*", metavar="CASE")
    p.add_argument("--times", type=float, default=1.0)
    p.add_argument("--sizes", type=int, default=3)
    options = p.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))  # what is measured inherits it
    for name in options.cases or CASES:
        for number in CASES[name].sizes[: options.sizes]:
            asked = max(int(number * options.times), 1)
            megabytes, seconds, most, code, said = measured(CASES[name].make, asked)
            print(
                f"{name:<36}{asked:>14,}{megabytes:>9.1f} MB {seconds:>7.1f} s {most:>7.0f} MB  {code} {said[:150]}",
                flush=True,
            )


if __name__ == "__main__":
    main()
