"""Studies that a report shows but does not make: read from their files, refused with a clear line."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from experiments.figures import INTERVAL
from ltr.errors import InputError
from models.base import DIMENSIONS

LARGEST = 1e6
"""No figure of a study is larger, either way; a chart of such would have no scale."""

_FIGURES = {*INTERVAL, "difference", "difference_low", "difference_high", "effect", "p", "p_holm", "judged"}
_OFFICIAL = ("mean_ndcg_at_5", "ci95_low", "ci95_high")


def show_study(path: Path, show: Callable[[Any], str]) -> str:
    """A study's JSON as a section of the page. Raises InputError where it cannot be shown."""
    hint = "make it again"
    try:
        found = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise InputError(path, f"cannot be read ({(error.strerror or '').lower()})", "check the path") from None
    except (ValueError, RecursionError):
        raise InputError(path, "is not JSON", hint) from None
    try:
        _check_figures(found)
        return show(found)
    except KeyError as error:
        raise InputError(path, f"a part named {error} is missing", hint) from None
    except (TypeError, ValueError, AttributeError, ArithmeticError) as error:
        raise InputError(path, f"is not what the study writes ({error})", hint) from None


def _check_figures(found: Any) -> None:
    """Raise ValueError for a figure, however deep, that is no number or too large for a chart."""
    for name, value in found.items() if isinstance(found, dict) else enumerate(found):
        if isinstance(value, dict | list):
            _check_figures(value)
        elif name in _FIGURES and value is not None:
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise ValueError(f"{name} is no number")
            if not abs(value) <= LARGEST:
                raise ValueError(f"{name} is out of range")


def read_official(folder: Path) -> list[dict[str, Any]]:
    """The published results, a table a dimension, best first. Raises InputError."""
    tables: list[dict[str, Any]] = []
    for dimension in DIMENSIONS:
        path = folder / f"results-2022-{dimension}.csv"
        if not path.is_file():
            continue
        with path.open(encoding="utf-8", newline="") as lines:
            try:
                rows = sorted(map(_published, csv.DictReader(lines)), key=lambda row: (-row["mean"], row["run"]))
            except (KeyError, TypeError, ValueError, csv.Error):
                head = ", ".join(("team", "run_tag", *_OFFICIAL))
                raise InputError(path, f"has a row without the columns {head}", "take the published file") from None
        tables.append({"dimension": dimension, "rows": rows})
    if not tables:
        raise InputError(folder, "holds no results-2022-<dimension>.csv", "name the folder that does")
    return tables


def _published(row: dict[str, Any]) -> dict[str, Any]:
    figures = {name: float(row[column]) for name, column in zip(INTERVAL, _OFFICIAL, strict=True)}
    _check_figures(figures)
    return {"team": str(row["team"]), "run": str(row["run_tag"]), **figures}
