"""Find Riposte's own packages, and Python's, whatever files lie in the working directory.

Imports nothing that a file there could replace: this comes before all other imports.
"""

from __future__ import annotations

import os
import sys

NAMES = ("features", "models")
"""Packages of Riposte beside `ltr` that `ltr` imports, whose names others use as well."""

HOME = os.path.realpath(f"{__file__}/../..")


def leave_out_working_directory() -> None:
    """For ``python -m ltr.NAME``, take the working directory off Python's path, as ``python -P`` does.

    Python puts it first there, so a user's ``random.py`` would be imported for the module of that name. A checkout that
    is not installed is found by it, and stays.
    """
    if _is_command() and not sys.flags.safe_path and os.path.realpath(sys.path[0]) != HOME:
        del sys.path[0]


def _is_command() -> bool:
    """Whether `python -m ltr.NAME` is still being resolved: until then its name is only in `sys.orig_argv`."""
    word = sys.orig_argv[-len(sys.argv)] if sys.argv[:1] == ["-m"] else ""
    return word.removeprefix("-m").partition(".")[0] in ("ltr", "experiments")


def refuse_other_packages() -> None:
    """End a command with one line, else raise ImportError, where another package is found by the name of one of ours.

    Python looks for packages in the directory of the script and in ``PYTHONPATH`` first.
    """
    from importlib.util import find_spec  # noqa: PLC0415 after the working directory was taken off the path

    for name in NAMES:
        try:
            spec = find_spec(name)
        except ValueError:  # imported already, in an unusual way
            continue
        if spec is None:
            continue
        found = spec.origin or next(iter(spec.submodule_search_locations or ()), "")
        place = os.path.dirname(found) if os.path.basename(found) == "__init__.py" else found
        if os.path.realpath(place) != os.path.join(HOME, name):
            what = f"takes the place of Riposte's own package {name!r}"
            line = f"{place}: {what}; rename it, or take its folder off Python's path"
            if _is_command() or os.path.basename(sys.argv[0]) == "riposte":
                print(f"error: {line}", file=sys.stderr)
                raise SystemExit(2)
            raise ImportError(line)
