"""Sections of the report: studies, labelling functions, what is expected of topics, time and memory."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from experiments.figures import counted
from experiments.leaderboard import MEASURES
from experiments.learning_curve import point_name
from experiments.report.charts import curve_chart, figure_text, interval_chart, interval_text
from models.base import TOP_GRADE

MEASURE = "condensed_nDCG@5"


def confidence(report: Mapping[str, Any]) -> str:
    """How relevant the model expects the top five of each topic to be, the least first."""
    known = [topic for topic in report["topics"] if topic["expected"] is not None]
    if not known:
        return ""
    known.sort(key=lambda topic: topic["expected"])
    rows = [[f"{topic['number']}. {topic['title']}", f"{topic['expected']:.2f}"] for topic in known]
    thin = [topic for topic in known if topic["number"] in report["thin"]]
    numbers = ", ".join(topic["number"] for topic in thin)
    said = f"Little on {counted(thin, 'topic')}: {numbers}. " if thin else ""
    said += f"Expected relevance (0 to {TOP_GRADE:g}) of the top five of {report['model']}, by its own scores."
    caption = "Expected relevance of the top five"
    return "\n".join(
        [
            f'<p class="{"note" if thin else "soft"}">{escape(said)}</p>',
            f"<details><summary>{caption}, topic by topic</summary>",
            table(caption, ["topic", "expected"], rows) + "</details>",
        ]
    )


def ablation(study: Mapping[str, Any] | None) -> str:
    """Differences from the baseline around 0, and all figures."""
    if study is None:
        made = "python -m experiments.ablation -i DIR --topics FILE --pair-qrels DIMENSION=FILE -o DIR"
        return _missing(made, "--ablation DIR")
    base = str(study.get("baseline", "the baseline"))
    measure = str(study.get("measure", MEASURE))
    said = f"Differences in {measure} from {base} with 95% intervals; right of 0 is better than {base}."
    charts = []
    changed = [row for row in study["variants"] if row["kind"] != "baseline"]
    for dimension, kind in dict.fromkeys((row.get("dimension"), row["kind"]) for row in changed):
        rows = [
            (
                row["name"],
                {"mean": row["difference"], "low": row["difference_low"], "high": row["difference_high"]},
                row["difference_low"] > 0 or row["difference_high"] < 0,
            )
            for row in changed
            if (row.get("dimension"), row["kind"]) == (dimension, kind)
        ]
        title = f"{_dimension_title(dimension)}, {kind}" if dimension else str(kind)
        charts += [f"<h3>{escape(title)}</h3>", interval_chart(f"Ablation, {title}", said, rows, zero=True)]
    cells = [
        [
            row["name"],
            *([_dimension_title(row["dimension"])] if "dimension" in row else []),
            row["kind"],
            str(row.get("columns", "")),
            interval_text(row),
            interval_text(dict(zip(("mean", "low", "high"), map(row.get, _CHANGE), strict=True)), sign=True),
            *(figure_text(row.get(name)) for name in ("effect", "p", "p_holm")),
            str(row.get("verdict") or ""),
        ]
        for row in study["variants"]
    ]
    of = ["dimension"] if "dimension" in study["variants"][0] else []
    heads = [
        "features",
        *of,
        "kind",
        "columns",
        measure,
        f"difference from {base}",
        "effect",
        "p",
        "p (Holm)",
        "verdict",
    ]
    settings = _settings(study)
    return "\n".join(
        [
            f"<p>{escape(said)} Coloured: the interval does not hold 0.</p>",
            *charts,
            table("Ablation: every variant", heads, cells),
            f'<p class="soft">{escape(settings)}</p>' if settings else "",
        ]
    )


_CHANGE = ("difference", "difference_low", "difference_high")


def curve(study: Mapping[str, Any] | None) -> str:
    """The figure over the number of training topics, with the baselines across."""
    if study is None:
        made = "python -m experiments.learning_curve -i DIR --topics FILE --pair-qrels DIMENSION=FILE --json FILE"
        return _missing(made, "--curve FILE")
    measure = str(study.get("measure", MEASURE))
    said = "Figures of held-out topics by the number of topics whose graded pairs train, with 95% intervals."
    parts = [f"<p>{escape(said)} Dashed lines are rankers that learn nothing.</p>"]
    dimensions = study.get("dimensions") or {}
    for dimension, one in [("mean" if len(dimensions) > 1 else next(iter(dimensions), ""), study), *dimensions.items()]:
        if one is study or len(dimensions) > 1:
            title = f"Learning curve, {_dimension_title(dimension)}" if dimension else "Learning curve"
            parts += _curve_of(title, said, one["points"], one["baselines"], measure)
    settings = _settings(study)
    return "\n".join([*parts, f'<p class="soft">{escape(settings)}</p>' if settings else ""])


def _curve_of(
    title: str, said: str, points: Sequence[Mapping[str, Any]], baselines: Sequence[Mapping[str, Any]], measure: str
) -> list[str]:
    """A chart of each measure, and a table of all figures."""
    rows = [(point_name(row, row is points[-1]), row) for row in points] + [(row["name"], row) for row in baselines]
    parts = [f"<h3>{escape(title)}</h3>", f'<p class="soft">{escape(measure)}</p>']
    parts.append(curve_chart(title, f"{measure}. {said}", points, baselines))
    heads, cells = ["trained on", measure], [[name, interval_text(row)] for name, row in rows]
    if all("full" in row and "judged" in row for _, row in rows):
        full = [[{**row, **row["full"]} for row in some] for some in (points, baselines)]
        parts.append(f'<p class="soft">{MEASURES[0]}</p>')
        parts.append(curve_chart(f"{title}, full", f"{MEASURES[0]}. {said}", *full))
        heads += [MEASURES[0], MEASURES[1]]
        cells = [
            [*cell, interval_text(row["full"]), figure_text(row["judged"])]
            for cell, (_, row) in zip(cells, rows, strict=True)
        ]
    return [*parts, table(f"{title}: every figure", heads, cells)]


def _dimension_title(name: Any) -> str:
    return "mean of the dimensions" if name == "mean" else str(name)


def labels(report: Mapping[str, Any]) -> str:
    """How each labelling function votes."""
    parts = []
    for found in report["labels"]:
        heads = ["function", "coverage", "with the others", "with grades", "weight", "it votes"]
        cells = [
            [
                row["name"],
                f"{row['coverage']:.1%}",
                *(_correlation(row[name]) for name in ("with_others", "with_grades")),
                f"{row['weight']:g}",
                row["says"],
            ]
            for row in found["rows"]
        ]
        parts.append(f"<h3>{escape(found['dimension'])}</h3>")
        parts.append(table(f"Labelling functions of {found['dimension']}", heads, cells))
    if not parts:
        return (
            "<p>Nothing to show: it needs judgments (<code>--qrels FILE</code> of arguments or "
            "<code>--pair-qrels DIMENSION=FILE</code>) and our own runs.</p>"
        )
    said = (
        "Coverage: share of the candidates that a function votes on. With the others: correlation of its votes with "
        "the mean vote of the other functions. With grades: correlation with the grades of graded pairs among the "
        "candidates. Weight: what its vote weighs in the mean vote."
    )
    return "\n".join([f"<p>{said}</p>", *parts])


def _correlation(value: float) -> str:
    return "\u2013" if math.isnan(value) else f"{value:+.2f}".replace("-", "\u2212")


def cost(found: Mapping[str, Any]) -> str:
    """Where time and memory went, and what was installed."""
    seconds = [[name, f"{value:.2f} s"] for name, value in found["seconds"].items()]
    seconds.append(["sum", f"{sum(found['seconds'].values()):.2f} s"])
    sizes = [[f"peak memory, {name}", _bytes(size)] for name, size in found["peak"].items()]
    sizes += [["arguments", f"{found['arguments']:,}"], ["sentences", f"{found['sentences']:,}"]]
    if found["corpus_bytes"]:
        sizes.append(["corpus on disk", _bytes(found["corpus_bytes"])])
    sizes.append(["index on disk", _bytes(found["index_bytes"])])
    return "\n".join(
        [
            table("Seconds by stage of this report", ["stage", "time"], seconds),
            table("Sizes", ["what", "how much"], sizes),
            table("Versions", ["package", "version"], [list(pair) for pair in found["versions"].items()]),
        ]
    )


def _settings(study: Mapping[str, Any]) -> str:
    """The plain ones among the settings of a study."""
    found = study.get("study")
    items = found.items() if isinstance(found, dict) else ()
    plain = [(name, str(value)) for name, value in items if isinstance(value, str | int | float)]
    return "; ".join(f"{name}: {value}" for name, value in plain if len(value) <= 40)


def _missing(command: str, option: str) -> str:
    made, given = f"<code>{escape(command)}</code>", f"<code>{escape(option)}</code>"
    return f'<p class="soft absent">Not in this report: {made} makes it, {given} shows it.</p>'


def table(caption: str, heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table whose first column names its rows; columns of figures stand to the right."""
    rows = list(rows)
    right = [
        bool(rows) and place > 0 and all(not row[place] or row[place][0] in "0123456789+\u2212\u2013" for row in rows)
        for place in range(len(heads))
    ]
    long = [any(len(row[place]) > 40 for row in rows) for place in range(len(heads))]
    looks = [' class="number"' if right[i] else ' class="long"' if long[i] else "" for i in range(len(heads))]
    head = "".join(f'<th scope="col"{look}>{escape(name)}</th>' for name, look in zip(heads, looks, strict=True))
    body = []
    for row in rows:
        cells = [f"<td{look}>{escape(cell)}</td>" for cell, look in zip(row[1:], looks[1:], strict=True)]
        body.append(f'<tr><th scope="row">{escape(row[0])}</th>{"".join(cells)}</tr>')
    # What scrolls must be within reach of the keyboard, and then it needs a name.
    frame = f'<div class="scroll{" tall" if len(rows) > 20 else ""}" tabindex="0" role="region"'
    return (
        f'{frame} aria-label="{escape(caption)}"><table><caption>{escape(caption)}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody></table></div>"
    )


def _bytes(size: float) -> str:
    return f"{size / 1e6:,.1f} MB"
