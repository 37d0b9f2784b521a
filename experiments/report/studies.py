"""Studies that a report shows but does not make: read from their files, refused with a clear line."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from experiments.leaderboard import INTERVAL
from ltr.errors import InputError
from models.base import DIMENSIONS

LARGEST = 1e6
"""No figure of a study is larger, either way; a chart of such would have no scale."""

_CHANGE = ("difference", "difference_low", "difference_high")
_OFFICIAL = ("mean_ndcg_at_5", "ci95_low", "ci95_high")


def read_study(path: Path, check: Any) -> dict[str, Any]:
    """A study's JSON whose shape ``check`` has looked at. Raises InputError."""
    mend = "make it again"
    try:
        found = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise InputError(path, f"cannot be read ({(error.strerror or '').lower()})", "check the path") from None
    except (ValueError, RecursionError):
        raise InputError(path, "is not JSON", mend) from None
    try:
        check(found)
    except KeyError as error:
        raise InputError(path, f"a part named {error} is missing", mend) from None
    except (TypeError, ValueError, AttributeError) as error:
        raise InputError(path, f"is not what the study writes ({error})", mend) from None
    return dict(found)


def check_ablation(found: Any) -> None:
    """Raises what `read_study` catches when this is no ablation."""
    for row in found["variants"]:
        row |= {name: str(row[name]) for name in ("kind", "name", "dimension") if name != "dimension" or name in row}
        tests = [name for name in ("effect", "p", "p_holm") if row.get(name) is not None]
        _check_numbers(row, [*INTERVAL, *(_CHANGE if row["kind"] != "baseline" else ()), *tests])
    if not found["variants"]:
        raise ValueError("it has no variants")


def check_curve(found: Any) -> None:
    """Raises what `read_study` catches when this is no learning curve."""
    for one in (found, *found.get("dimensions", {}).values()):
        for row in one["baselines"]:
            row["name"] = str(row["name"])
        for row in one["points"]:
            _check_numbers(row, ["topics"])
        for row in [*one["points"], *one["baselines"]]:
            _check_numbers(row, INTERVAL)
            if "full" in row:
                _check_numbers(row["full"], INTERVAL)
                _check_numbers(row, ["judged"])
        if not one["points"]:
            raise ValueError("it has no points")


def _check_numbers(row: Mapping[str, Any], names: Iterable[str]) -> None:
    for name in names:
        if isinstance(row[name], bool) or not isinstance(row[name], int | float):
            raise ValueError(f"{name} is no number")
        if not abs(row[name]) <= LARGEST:
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
    _check_numbers(figures, INTERVAL)
    return {"team": str(row["team"]), "run": str(row["run_tag"]), **figures}
