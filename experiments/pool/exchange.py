"""The programs that pools are exchanged with: one file each, with its ``write_files`` and ``read_annotations``."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from experiments.pool import argilla, label_studio
from experiments.pool.files import read_text
from experiments.pool.grades import Annotation
from ltr.errors import InputError

FORMATS = {"label-studio": label_studio, "argilla": argilla}


def read_exchange(path: Path, dimensions: Sequence[str]) -> Iterator[Annotation]:
    """The grades in a file that one of the programs exported. Raises InputError."""
    hint = f"name a JSON export of {' or '.join(FORMATS)}, or lines of grades"
    try:
        tasks = json.loads(read_text(path, hint))
    except (ValueError, RecursionError):
        raise InputError(path, "is not JSON", hint) from None
    if not isinstance(tasks, list) or not tasks:
        raise InputError(path, "is not a list of tasks", hint)
    for number, task in enumerate(tasks, 1):
        where = f"{path} task {number}"
        known = [form for form in FORMATS.values() if isinstance(task, dict) and form.HOLDS in task]
        if not known:
            names = " nor ".join(repr(form.HOLDS) for form in FORMATS.values())
            raise InputError(where, f"has neither {names}", hint)
        try:
            found = list(known[0].read_annotations(task, dimensions, where))
            if any(type(grade.number) is not int for grade in found):
                raise TypeError("its number is not a whole number")
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            program = "Label Studio" if known[0] is label_studio else "Argilla"
            what = f"is not as {program} exports it ({type(error).__name__}: {str(error)[:80]})"
            raise InputError(where, what, hint) from None
        yield from found
