"""``python -m experiments.lab.copies -i CSV -o FILE --times N``: write a corpus several times over, as one larger file.

In each copy but the first, ids and lower-case words of five letters and more end in letters of the copy's own: copies
are not duplicates of each other, and the vocabulary grows with the corpus. Short words stay, so that queries find
something in each copy, and so do ids of the first copy, so that judgments stay valid.
"""

from __future__ import annotations

import csv
import re
import sys
from dataclasses import replace
from typing import Any

from experiments.lab.program import Program
from ltr.cli.process import run_command
from ltr.errors import InputError
from ltr.files import atomic_text
from ltr.settings import setting
from ltr.settings.kinds import File, Number
from ltr.settings.shared import OUTPUT

_LONG_WORD = re.compile(r"\b[a-z]{5,}\b(?![\"']:)")  # but keys of Python literals


def write_copies(options: Any) -> None:
    """Write the copies. Raises InputError for a file that is not the lab's CSV."""
    csv.field_size_limit(sys.maxsize)
    with atomic_text(options.output) as out:
        for number in range(options.times):
            mark = "".join("abcdefghij"[int(digit)] for digit in str(number)) if number else ""
            with options.input.open(encoding="utf-8-sig", newline="") as file:
                rows = csv.DictReader(file)
                if "id" not in (rows.fieldnames or ()):
                    raise InputError(options.input, "has no column id", "name args_processed.csv, unpacked")
                written = csv.DictWriter(out, rows.fieldnames or (), quoting=csv.QUOTE_ALL, lineterminator="\n")
                if not number:
                    written.writeheader()
                for row in rows:
                    name = row["id"]
                    for column, cell in row.items() if mark else ():
                        row[column] = _LONG_WORD.sub(rf"\g<0>{mark}", cell.replace(name, name + mark.upper()))
                    written.writerow(row)


main = Program(
    __file__,
    write_copies,
    "Write a corpus several times over, as one larger file.",
    input=setting(File(), "the lab's CSV", "-i", "--input", default=...),
    output=replace(OUTPUT, help="CSV to write", kind=File()),
    times=setting(Number(1), "copies", default=15),
)

if __name__ == "__main__":
    run_command(main)
