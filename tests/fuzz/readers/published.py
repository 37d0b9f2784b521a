"""Published data sets that studies train and measure with, published results, and what graders send back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from experiments.learned.comparative_data import read_compared, read_tagged
from experiments.learned.examples import read_iam
from experiments.published import read_table
from fuzz.reader import Read, of_file, reader

CSV = [b",", b'"', b'""', b"\n", b"\r\n", b"\r", b"\t", b'"\n']


def in_folder(folder: Path, name: str, read: Callable[[Path], object]) -> Read:
    """A reader of a folder in which one file is tried."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)

    def take(content: bytes) -> object:
        path.write_bytes(content)
        return read(folder)

    return take


def _cells(*cells: str) -> tuple[str, ...]:
    return cells


TABLE = b'id,argument ,topic\r\n1,"Cars, they ""smell"".",Ban cars\r\n2,No,"a\nb"\r\n'


@reader("table", lambda: [TABLE], tokens=[*CSV, b"argument", b"topic"])
def _(folder: Path) -> Read:
    return of_file(folder / "table.csv", lambda path: read_table(path, "argument topic", _cells))


@reader("table-tsv", lambda: [TABLE.replace(b",", b"\t").replace(b"a\nb", b"ab")], tokens=[*CSV, b"argument", b"topic"])
def _(folder: Path) -> Read:
    return of_file(folder / "table.tsv", lambda path: read_table(path, "argument topic", _cells))


@reader(
    "iam", lambda: [b"C\tBan cars\tCars smell.\tcars_1\nO\tBan cars\t\xc2\x85\tcars_2\n"], tokens=[*CSV, b"C", b"O"]
)
def _(folder: Path) -> Read:
    return of_file(folder / "claims.tsv", lambda path: list(read_iam(path, "C", "claims")))


SENTENCES = (
    b'id,object_a,object_b,most_frequent_label,sentence\n1,tea,coffee,BETTER,Tea is better.\n2,a,b,NONE,"a, b"\n'
)


@reader("compared", lambda: [SENTENCES], tokens=[*CSV, b"BETTER", b"WORSE", b"NONE", b"sentence"])
def _(folder: Path) -> Read:
    return in_folder(folder, "compsent-19/train.csv", lambda data: read_compared(data, "train"))


TAGGED = b'words,labels\n"[\'Tea\', \'or\', ""it\'s""]","[1, 0, 2]"\n[],[]\n'


@reader("tagged", lambda: [TAGGED], tokens=[*CSV, b"[", b"]", b"'", b"4", b"{}", b"(", b"\\x4", b"None"])
def _(folder: Path) -> Read:
    return in_folder(folder, "compuge/qi/train.csv", lambda data: read_tagged(data, "qi", "train"))
