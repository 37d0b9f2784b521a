"""Sections of the report: studies, labelling functions, what is expected of topics, time and memory."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from experiments.figures import INTERVAL, counted
from experiments.learning_curve import point_name
from experiments.report.boards import MEASURES
from experiments.report.charts import figure_text, interval_chart, interval_text
from models.base import TOP_GRADE

MEASURE = "condensed_nDCG@5"


def confidence(report: Mapping[str, Any]) -> str:
    """How relevant the model expects the top five of each topic to be, the least first."""
    known = [topic for topic in report["topics"] if topic["expected"] is not None]
    if not known:
        return ""
    known.sort(key=lambda topic: topic["expected"])
    rows = [[f"{topic['number']}. {topic['title']}", f"{topic['expected']:.2f}"] for topic in known]
    thin = [topic["number"] for topic in known if topic["number"] in report["thin"]]
    said = f"Little on {counted(thin, 'topic')}: {', '.join(thin)}. " if thin else ""
    said += f"Expected relevance (0 to {TOP_GRADE:g}) of the top five of {report['model']}, by its own scores."
    caption = "Expected relevance of the top five"
    folded = f"<details><summary>{caption}, topic by topic</summary>"
    return (
        paragraph(said, "note" if thin else "soft")
        + folded
        + table(caption, ["topic", "expected"], rows)
        + "</details>"
    )


# ---- studies --------------------------------------------------------------------------------------


def ablation(study: Mapping[str, Any]) -> str:
    """Differences from the baseline around 0, and all figures."""
    base, measure = str(study.get("baseline", "the baseline")), str(study.get("measure", MEASURE))
    said = f"Differences in {measure} from {base} with 95% intervals; right of 0 is better than {base}."
    charts: dict[str, list[tuple[str, Mapping[str, float], bool]]] = {}
    cells = []
    for row in study["variants"]:
        name, kind = str(row["name"]), str(row["kind"])
        dimension = [_dimension_title(row["dimension"])] if "dimension" in row else []
        change = {name: row.get(f"difference_{name}".removesuffix("_mean")) for name in INTERVAL}
        if kind != "baseline":
            stands_out = change["low"] > 0 or change["high"] < 0
            charts.setdefault(", ".join([*dimension, kind]), []).append((name, change, stands_out))
        figures = [interval_text(row), interval_text(change, sign=True)]
        figures += [figure_text(row.get(test)) for test in ("effect", "p", "p_holm")]
        cells.append([name, *dimension, kind, str(row.get("columns", "")), *figures])
        cells[-1].append(str(row.get("verdict") or ""))
    if not cells:
        raise ValueError("it has no variants")
    heads = ["features", *(["dimension"] if "dimension" in study["variants"][0] else []), "kind", "columns", measure]
    heads += [f"difference from {base}", "effect", "p", "p (Holm)", "verdict"]
    parts = [paragraph(f"{said} Coloured: the interval does not hold 0.")]
    for title, rows in charts.items():
        parts += [f"<h3>{escape(title)}</h3>", interval_chart(f"Ablation, {title}", said, rows, zero=True)]
    return "\n".join([*parts, table("Ablation: every variant", heads, cells), _settings(study)])


def curve(study: Mapping[str, Any]) -> str:
    """The figure at each number of training topics, with the baselines below."""
    measure, dimensions = str(study.get("measure", MEASURE)), study.get("dimensions", {})
    said = "Figures of held-out topics by the number of topics whose grades train, with 95% intervals."
    parts = [paragraph(f"{said} Grey ones are rankers that learn nothing.")]
    curves = {"mean": study, **dimensions} if len(dimensions) > 1 else {next(iter(dimensions), ""): study}
    for dimension, one in curves.items():
        title = f"Learning curve, {_dimension_title(dimension)}" if dimension else "Learning curve"
        if not one["points"]:
            raise ValueError("it has no points")
        rows = [(point_name(row, row is one["points"][-1]), row, True) for row in one["points"]]
        rows += [(str(row["name"]), row, False) for row in one["baselines"]]
        full = all("full" in row for _, row, _ in rows)
        parts += [f"<h3>{escape(title)}</h3>", paragraph(measure, "soft")]
        parts.append(interval_chart(title, f"{measure}. {said}", rows))
        heads, cells = ["trained on", measure], [[name, interval_text(row)] for name, row, _ in rows]
        if full:
            parts.append(paragraph(MEASURES[0], "soft"))
            whole = [(name, row["full"], ours) for name, row, ours in rows]
            parts.append(interval_chart(f"{title}, full", f"{MEASURES[0]}. {said}", whole))
            heads += MEASURES[:2]
            for cell, (_, row, _) in zip(cells, rows, strict=True):
                cell += [interval_text(row["full"]), figure_text(row["judged"])]
        parts.append(table(f"{title}: every figure", heads, cells))
    return "\n".join([*parts, _settings(study)])


def _dimension_title(name: Any) -> str:
    return "mean of the dimensions" if name == "mean" else str(name)


def _settings(study: Mapping[str, Any]) -> str:
    """The plain ones among the settings of a study."""
    found = study.get("study")
    items = found.items() if isinstance(found, dict) else ()
    plain = [(name, str(value)) for name, value in items if isinstance(value, str | int | float)]
    said = "; ".join(f"{name}: {value}" for name, value in plain if len(value) <= 40)
    return paragraph(said, "soft") if said else ""


def missing(study: str, output: str, option: str) -> str:
    """What stands where a study is not given: how it is made, and with which option it is shown."""
    command = f"python -m experiments.{study} -i DIR --topics FILE --pair-qrels DIMENSION=FILE {output}"
    made, given = f"<code>{escape(command)}</code>", f"<code>{escape(option)}</code>"
    return f'<p class="soft absent">Not in this report: {made} makes it, {given} shows it.</p>'


# ---- what the page is made from -------------------------------------------------------------------


def labels(report: Mapping[str, Any]) -> str:
    """How each labelling function votes."""
    if not report["labels"]:
        return (
            "<p>Nothing to show: it needs judgments (<code>--qrels FILE</code> of arguments or "
            "<code>--pair-qrels DIMENSION=FILE</code>) and our own runs.</p>"
        )
    parts = [
        paragraph(
            "Coverage: share of the candidates that a function votes on. With the others: correlation of its votes "
            "with the mean vote of the other functions. With grades: correlation with the grades of graded "
            f"{report['unit']}s among the candidates. Weight: what its vote weighs in the mean vote."
        )
    ]
    heads = ["function", "coverage", "with the others", "with grades", "weight", "it votes"]
    for found in report["labels"]:
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
        title = f"Labelling functions of {found['dimension']}"
        parts += [f"<h3>{escape(found['dimension'])}</h3>", table(title, heads, cells)]
    return "\n".join(parts)


def _correlation(value: float) -> str:
    return "\u2013" if math.isnan(value) else f"{value:+.2f}".replace("-", "\u2212")


def cost(found: Mapping[str, Any]) -> str:
    """Where time and memory went, and what was installed."""
    seconds = [*found["seconds"].items(), ("sum", sum(found["seconds"].values()))]
    sizes = {f"peak memory, {name}": size for name, size in found["peak"].items()}
    sizes |= {"corpus on disk": found["corpus_bytes"], "index on disk": found["index_bytes"]}
    numbers = [["arguments", f"{found['arguments']:,}"], ["sentences", f"{found['sentences']:,}"]]
    numbers += [[name, f"{size / 1e6:,.1f} MB"] for name, size in sizes.items() if size]
    return "\n".join(
        [
            table("Seconds by stage of this report", ["stage", "time"], [[name, f"{s:.2f} s"] for name, s in seconds]),
            table("Sizes", ["what", "how much"], numbers),
            table("Versions", ["package", "version"], [list(pair) for pair in found["versions"].items()]),
        ]
    )


def paragraph(text: str, look: str = "") -> str:
    """A paragraph of plain text."""
    return f'<p class="{look}">{escape(text)}</p>' if look else f"<p>{escape(text)}</p>"


def table(caption: str, heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table whose first column names its rows; columns of figures stand to the right."""
    rows = list(rows)
    looks = []
    for place in range(len(heads)):
        cells = [row[place] for row in rows]
        right = place and cells and all(not cell or cell[0] in "0123456789+\u2212\u2013" for cell in cells)
        long = any(len(cell) > 40 for cell in cells)
        looks.append(' class="number"' if right else ' class="long"' if long else "")
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
