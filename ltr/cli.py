"""What every command's argument parser shares. Imports nothing heavy, so that ``--help`` is instant."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import NoReturn

from ltr.errors import InputError


class Parser(argparse.ArgumentParser):
    """An argument parser whose complaint is one line, like that of every other mistake.

    Raises InputError where argparse would print the usage and exit, so ``main(argv)`` stays callable
    from Python and :func:`ltr.errors.run_command` alone decides how a process ends.
    """

    def error(self, message: str) -> NoReturn:
        """Raise InputError with argparse's own words."""
        raise InputError("usage", message, "see --help")


def whole_number(low: int, high: int = 2**31 - 1) -> Callable[[str], int]:
    """An argparse ``type`` for whole numbers from ``low`` to ``high``, both included."""

    def convert(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            value = low - 1
        if not low <= value <= high:
            raise argparse.ArgumentTypeError(f"{text[:40]!r} is not a whole number from {low} to {high}")
        return value

    return convert
