"""Refuse to run where another package or module is found under the name of one of ours."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

NAMES = ("features", "models")
"""Packages of Riposte beside `ltr` that `ltr` imports, whose names others use as well."""


def refuse_other_packages() -> None:
    """End a command ``python -m ltr.NAME`` with one line, else raise ImportError, before other code is imported.

    Python looks for packages in the working directory, or that of the script, first.
    """
    if (line := other_package()) is None:
        return
    if sys.argv[:1] == ["-m"]:  # while Python looks for the module to run
        print(f"error: {line}", file=sys.stderr)
        raise SystemExit(2)
    raise ImportError(line)


def other_package() -> str | None:
    """A line on a file or folder that takes the place of one of our packages; None where there is none."""
    home = Path(__file__).absolute().parents[1]
    for name in NAMES:
        try:
            spec = find_spec(name)
        except ValueError:  # imported already, in an unusual way
            continue
        if spec is None:
            continue
        found = Path(spec.origin or next(iter(spec.submodule_search_locations or ()), ""))
        place = found.parent if found.name == "__init__.py" else found
        if place.resolve() != (home / name).resolve():
            what = f"takes the place of Riposte's own package {name!r}"
            return f"{place}: {what}; rename it, or use `riposte COMMAND` in place of `python -m`"
    return None
