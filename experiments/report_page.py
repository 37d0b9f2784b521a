"""The report as one HTML page: the text and the tables; what moves is in ``report.js``."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path
from string import Template
from typing import Any

from experiments.learning_curve import point_name
from experiments.report_boards import MEASURES
from experiments.report_charts import curve_chart, figure_text, interval_chart, interval_text

MEASURE = "condensed_nDCG@5"
_FOLDER = Path(__file__).parent


def page(report: Mapping[str, Any]) -> str:
    """The whole page. ``report`` is what `experiments.report_data.gather` returns."""
    style, script = ((_FOLDER / name).read_text("utf-8") for name in ("report.css", "report.js"))
    data = {name: report[name] for name in ("topics", "runs", "model", "boards", "families")}
    blobs = [
        f'<script type="application/octet-stream" id="topic-{place}">{report["blobs"][topic["number"]]}</script>'
        for place, topic in enumerate(report["topics"])
    ]
    text = Template((_FOLDER / "report.html").read_text("utf-8")).substitute(
        style=style,
        script=script,
        style_hash=_hash(style),
        script_hash=_hash(script),
        corpus=escape(report["corpus"]),
        lead=lead(report),
        leaderboard=leaderboard(report),
        per_topic=per_topic(report),
        ablation=ablation(report["ablation"]),
        curve=curve(report["curve"]),
        labels=labels(report),
        cost=cost(report["cost"]),
        data=json.dumps(data, allow_nan=False).replace("<", "\\u003c"),
        blobs="\n".join(blobs),
    )
    return text.encode("utf-8", "replace").decode("utf-8")  # a study's JSON may hold half of a character


def counted(things: Sequence[Any] | int, noun: str) -> str:
    """How many, in words: "1 run", "2 runs"."""
    number = things if isinstance(things, int) else len(things)
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def lead(report: Mapping[str, Any]) -> str:
    """What the report is of, in a sentence."""
    arguments = f"{report['cost']['arguments']:,} arguments"
    runs = counted(report["runs"], "run")
    return escape(
        f"{counted(report['topics'], 'topic')}, {runs}, {arguments} of {report['corpus']}. "
        "Intervals are 95% t intervals over topics."
    )


# ---- sections -------------------------------------------------------------------------------------


def leaderboard(report: Mapping[str, Any]) -> str:
    """A chart and a table for each file of judgments, then the published results."""
    parts = [f'<p class="note">{escape(note)}</p>' for note in report["notes"]]
    for board in report["boards"]:
        parts.append(f"<h3>{escape(board['set'])}, {board['level']} level, {counted(board['topics'], 'topic')}</h3>")
        for measure in (MEASURES[0], MEASURES[-1]):
            rows = [(row["run"], row[measure], row["run"] == report["model"]) for row in board["rows"]]
            said = f"{measure} of {counted(rows, 'run')} with 95% intervals, best first by {MEASURES[0]}."
            parts.append(f'<p class="soft">{measure}</p>')
            parts.append(interval_chart(f"{measure} of {board['set']}", said, rows))
        heads = ["run", *MEASURES]
        for measure in MEASURES:
            heads += [f"{measure}, difference from {board['against']}", "p (Holm)"]
        cells = []
        for row in board["rows"]:
            cells.append([row["run"], *(interval_text(row[measure]) for measure in MEASURES)])
            for measure in MEASURES:
                test = row["tests"][measure]
                cells[-1] += [interval_text(test, sign=True), figure_text(test and test["p"])]
        caption = f"{board['set']}: means over {counted(board['topics'], 'topic')} [95% interval]"
        parts.append(table(caption, heads, cells))
        left = [f"{number} {what}" for what, number in board["dropped"].items() if number]
        left += [
            f"{counted(row['missing'], 'topic')} that {row['run']} lacks (scored 0)"
            for row in board["rows"]
            if row["missing"]
        ]
        if left:
            parts.append(f'<p class="soft">Note: {escape("; ".join(left))}.</p>')
    if report["boards"]:
        parts.append(
            "<p>Condensed figures leave unjudged results out, full ones (lab_nDCG@5) count them as irrelevant: "
            "the less of a run is judged (judged@5), the less either says of it. Random: the mean of 20 random orders "
            "of the first run's pairs. p: paired randomisation test, corrected by Holm over all tests of one file, or "
            "of all dimensions of pairs; tests of the same differences count once.</p>"
        )
    else:
        parts.append("<p>There are no judgments: name them with <code>--qrels FILE</code> to compare the runs.</p>")
    if report["official"]:
        parts.append("<h3>Reference: published results of Touché 2022</h3>")
        parts.append(
            "<p>Published figures (nDCG@5 of pairs), from another pool of judgments and another corpus: "
            "they are no measure of the runs above.</p>"
        )
        for found in report["official"]:
            best = found["rows"][0]["mean"] if found["rows"] else 0
            said = f"{found['dimension']}: {counted(found['rows'], 'run')}, the best {best:.3f}"
            cells = [[row["run"], row["team"], interval_text(row)] for row in found["rows"]]
            inner = table(
                f"Reference, {found['dimension']}: published nDCG@5 [95% interval]", ["run", "team", "nDCG@5"], cells
            )
            parts.append(f"<details><summary>{escape(said)}</summary>{inner}</details>")
    return "\n".join(parts)


def per_topic(report: Mapping[str, Any]) -> str:
    """The frame of the chart that the page draws itself."""
    if not report["boards"]:
        return "<p>There are no judgments: name them with <code>--qrels FILE</code> to see figures by topic.</p>"
    measures = "".join(f'<option value="{name}">{name}</option>' for name in report["boards"][0]["values"])
    field = '<div class="field"><label for="topics-{0}">{1}</label><select id="topics-{0}">{2}</select></div>'
    fields = [("set", "Judgments", ""), ("measure", "Measure", measures), ("a", "Run", ""), ("b", "Against", "")]
    return f"""<p>The difference between two runs, topic by topic. Choose a topic to read its pairs.</p>
<div class="controls" role="group" aria-label="What to compare">{"".join(field.format(*one) for one in fields)}</div>
<p id="topics-status" role="status" aria-live="polite"></p>
<ol id="topics-chart" class="topics" aria-label="Topics by difference: run, the other run, difference"></ol>
<details><summary>The same as a table</summary>
<div class="scroll" tabindex="0" role="region" aria-label="Table of topics"><table><caption>Figures by topic</caption>
<thead><tr><th scope="col">topic</th><th scope="col" class="number" id="topics-head-a"></th>
<th scope="col" class="number" id="topics-head-b"></th><th scope="col" class="number">difference</th></tr></thead>
<tbody id="topics-table"></tbody></table></div></details>"""


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
    """What each labelling function does with the judgments."""
    parts = []
    for found in report["labels"]:
        account = "; ".join(f"{what}: {number:,}" for what, number in found["account"].items())
        heads = ["function", "coverage", "overlap", "conflict", "accuracy", "voices", "trains by default", "it votes"]
        cells = [
            [
                row["name"],
                *(f"{row[name]:.1%}" for name in ("coverage", "overlap", "conflict")),
                f"{row['accuracy']:.3f}",
                f"{row['voices']:.2f}",
                "yes" if row["default"] else "no",
                row["says"],
            ]
            for row in found["rows"]
        ]
        parts.append(f"<h3>{escape(found['set'])}</h3>")
        parts.append(table(f"Labels of {found['dimension']} from these judgments", heads, cells))
        parts.append(f'<p class="soft">{escape(account)}.</p>')
    if not parts:
        return "<p>Nothing to show: it needs judgments of arguments (<code>--qrels FILE</code>) and our own runs.</p>"
    said = (
        "Coverage: share of pairs that a function votes on. Overlap and conflict: share of its votes where another "
        "votes too, or against it. Accuracy: learned without labels of pairs. Voices: how many speak when it votes."
    )
    return "\n".join([f"<p>{said}</p>", *parts])


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


# ---- tables ---------------------------------------------------------------------------------------


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


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")
