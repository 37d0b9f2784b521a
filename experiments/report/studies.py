"""Studies that a report shows but does not make: read from their files, refused with a clear line."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

from experiments.leaderboard import INTERVAL
from ltr.errors import InputError
from models.base import DIMENSIONS

LARGEST = 1e6
"""No figure of a study is larger, either way; a chart of such would have no scale."""


def read_study(path: Path, check: Any) -> dict[str, Any]:
    """A study's JSON whose shape ``check`` has looked at. Raises InputError."""
    mend = "make it again"
    try:
        found = json.loads(path.read_text("utf-8"))
    except OSError as error:
        reason = (error.strerror or "").lower()
        raise InputError(path, f"cannot be read ({reason})", "check the path") from None
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
        _numbers(row, *INTERVAL)
        row["kind"], row["name"] = str(row["kind"]), str(row["name"])
        if "dimension" in row:
            row["dimension"] = str(row["dimension"])
        if row["kind"] != "baseline":
            _numbers(row, "difference", "difference_low", "difference_high")
        _numbers(row, *(name for name in ("effect", "p", "p_holm") if row.get(name) is not None))
    if not found["variants"]:
        raise ValueError("it has no variants")


def check_curve(found: Any) -> None:
    """Raises what `read_study` catches when this is no learning curve."""
    for one in (found, *found.get("dimensions", {}).values()):
        for row in one["points"]:
            _numbers(row, "topics", *INTERVAL)
        for row in one["baselines"]:
            row["name"] = str(row["name"])
            _numbers(row, *INTERVAL)
        for row in [*one["points"], *one["baselines"]]:
            if "full" in row:
                _numbers(row["full"], *INTERVAL)
                _numbers(row, "judged")
        if not one["points"]:
            raise ValueError("it has no points")


def _numbers(row: dict[str, Any], *names: str) -> None:
    for name in names:
        value = row[name]
        if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= LARGEST:
            raise ValueError(
                f"{name} is no number" if not isinstance(value, int | float) else f"{name} is out of range"
            )


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
                raise InputError(path, f"has a row without the columns {_HEADER}", "take the published file") from None
        tables.append({"dimension": dimension, "rows": rows})
    if not tables:
        raise InputError(folder, "holds no results-2022-<dimension>.csv", "name the folder that does")
    return tables


def _published(row: dict[str, Any]) -> dict[str, Any]:
    figures = {name: float(row[column]) for name, column in zip(INTERVAL, _OFFICIAL, strict=True)}
    _numbers(figures, *INTERVAL)
    return {"team": str(row["team"]), "run": str(row["run_tag"]), **figures}


_OFFICIAL = ("mean_ndcg_at_5", "ci95_low", "ci95_high")
_HEADER = ", ".join(("team", "run_tag", *_OFFICIAL))
