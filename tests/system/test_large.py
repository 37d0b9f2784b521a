"""The inputs of `tests/support/large.py`, small: all of them are read, or refused in one line."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest
from support.large_inputs import CASES

from ltr.errors import InputError

SMALL = 60
"""Of whatever a case has many of; those that count bytes have a few blocks."""


@pytest.mark.parametrize("name", CASES)
def test_a_command_ends_well_or_in_one_line(name: str, tmp_path: Path) -> None:
    blocks = {"a_line_without_end", "a_cell_of_many_lines", "lines_between_which_no_row_begins", "a_string_of_json"}
    _, module, *options = CASES[name].make(tmp_path, 2_000_000 if name in blocks else SMALL)
    said = "fine; "
    try:
        assert import_module(module).main(options) == 0
    except InputError as error:
        said = str(error)
    assert "\n" not in said
    assert "; " in said, "a refusal says how to correct the input"
