"""Archives and JSON with far too much of something."""

from __future__ import annotations

import gzip
import tarfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from support.large_inputs import HEADER, TOPICS, case, predict, row

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
