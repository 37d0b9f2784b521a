"""Studies that a report shows but does not make: read from their files, refused with a clear line, and laid out."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from markupsafe import Markup

from experiments.figures import INTERVAL
from experiments.html_page import render
from experiments.learning_curve import point_name
from experiments.report.boards import MEASURES
from experiments.report.page import figure_text, interval_text
from ltr.errors import InputError
from ltr.evaluation.significance import ALPHA

LARGEST = 1e6
"""No figure of a study is larger, either way; a chart of such would have no scale."""

_FIGURES = {*INTERVAL, "difference", "difference_low", "difference_high", "effect", "p", "p_holm", "judged"}


def show_study(path: Path, show: Callable[[Any], Markup]) -> Markup:
    """A study's JSON as a section of the page. Raises InputError where it cannot be shown."""
    hint = "make it again"
    try:
        study = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise InputError(path, f"cannot be read ({(error.strerror or '').lower()})", "check the path") from None
    except (ValueError, RecursionError):
        raise InputError(path, "is not JSON", hint) from None
    try:
        _check_figures(study)
        return show(study)
    except KeyError as error:
        raise InputError(path, f"a part named {error} is missing", hint) from None
    except (TypeError, ValueError, AttributeError, ArithmeticError) as error:
        raise InputError(path, f"is not what the study writes ({error})", hint) from None


def _check_figures(study: Any) -> None:
    """Raise ValueError for a figure, however deep, that is no number or too large for a chart."""
    for name, value in study.items() if isinstance(study, dict) else enumerate(study):
        if isinstance(value, dict | list):
            _check_figures(value)
        elif name in _FIGURES and value is not None:
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise ValueError(f"{name} is no number")
            if not abs(value) <= LARGEST:
                raise ValueError(f"{name} is out of range")


def ablation(study: Mapping[str, Any]) -> Markup:
    """Differences from the baseline around 0, and all figures."""
    base, measure = str(study["baseline"]), str(study["measure"])
    charts: dict[str, list[tuple[str, Mapping[str, float], bool]]] = {}
    rows = []
    for row in study["variants"]:
        name, kind, dimension = str(row["name"]), str(row["kind"]), _dimension_title(row["dimension"])
        change = None
        if kind != "baseline":
            change = {end: row[f"difference_{end}".removesuffix("_mean")] for end in INTERVAL}
            charts.setdefault(f"{dimension}, {kind}", []).append((name, change, row["p_holm"] <= ALPHA))
        figures = [interval_text(row), interval_text(change, sign=True)]
        figures += [figure_text(row.get(test)) for test in ("effect", "p", "p_holm")]
        rows.append([name, dimension, kind, str(row["columns"]), *figures, str(row.get("verdict", ""))])
    if not rows:
        raise ValueError("it has no variants")
    heads = ["features", "dimension", "kind", "columns", measure, f"difference from {base}"]
    said = f"Differences in {measure} from {base} with 95% intervals; right of 0 is better than {base}. "
    said += f"Coloured where the corrected test sees a difference (Holm p at most {ALPHA:g})."
    heads += ["effect", "p", "p (Holm)", "verdict"]
    names = {"said": said, "charts": charts, "heads": heads, "rows": rows, "settings": _settings(study)}
    return render("report/ablation.html", names)


def curve(study: Mapping[str, Any]) -> Markup:
    """The figure at each number of training topics, with the baselines below."""
    measure, dimensions = str(study["measure"]), study["dimensions"]
    curves = []
    for dimension, part in ({"mean": study, **dimensions} if len(dimensions) > 1 else dimensions).items():
        title = f"Learning curve, {_dimension_title(dimension)}"
        if not part["points"]:
            raise ValueError("it has no points")
        rows = [(point_name(row, row is part["points"][-1]), row, True) for row in part["points"]]
        rows += [(str(row["name"]), row, False) for row in part["baselines"]]
        full = [(name, row["full"], ours) for name, row, ours in rows]
        charts = [(title, measure, rows), (f"{title}, full", MEASURES[0], full)]
        cells = [
            [name, interval_text(row), interval_text(row["full"]), figure_text(row["judged"])] for name, row, _ in rows
        ]
        curves.append(
            {"title": title, "charts": charts, "heads": ["trained on", measure, *MEASURES[:2]], "rows": cells}
        )
    return render("report/curve.html", {"curves": curves, "settings": _settings(study)})


def _dimension_title(name: Any) -> str:
    return "mean of the dimensions" if name == "mean" else str(name)


def _settings(study: Mapping[str, Any]) -> str:
    """The plain ones among the settings of a study."""
    settings = study.get("study")
    items = settings.items() if isinstance(settings, dict) else ()
    plain = [(name, value) for name, value in items if isinstance(value, str | int | float)]
    return "; ".join(f"{name}: {value}" for name, value in plain if len(str(value)) <= 40)
