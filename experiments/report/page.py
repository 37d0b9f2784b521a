"""The report as one HTML page: the text and the tables; what moves is in ``report.js`` and ``explorer.js``."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import Any

from experiments.figures import counted
from experiments.html_page import html_page
from experiments.report.boards import MEASURES
from experiments.report.charts import figure_text, interval_chart, interval_text
from experiments.report.sections import confidence, cost, labels, missing, paragraph, table


def page(report: Mapping[str, Any]) -> str:
    """The whole page. ``report`` is what `experiments.report.data.gather` returns."""
    sections = {
        "Leaderboard": leaderboard(report),
        "Topics, one by one": per_topic(report),
        "Ablation": report["ablation"] or missing("ablation", "-o DIR", "--ablation DIR"),
        "Learning curve": report["curve"] or missing("learning_curve", "--json FILE", "--curve FILE"),
        "Labelling functions": labels(report),
        "Time and memory": cost(report["cost"]),
    }
    names = {title: title.partition(",")[0].partition(" ")[0].lower() for title in [*sections, "Explorer"]}
    return html_page(
        Path(__file__).parent,
        "report",
        ["report.js", "explorer.js"],
        f"Riposte report: {report['corpus']}",
        {name: report[name] for name in ("unit", "sides", "topics", "runs", "model", "boards", "families", "thin")},
        "".join(
            f'<script type="application/octet-stream" id="topic-{place}">{report["blobs"][topic["number"]]}</script>\n'
            for place, topic in enumerate(report["topics"])
        ),
        lead=escape(
            f"{counted(report['topics'], 'topic')}, {counted(report['runs'], 'run')}, {report['cost']['arguments']:,} "
            f"arguments of {report['corpus']}. Intervals are 95% t intervals over topics."
        ),
        links="\n".join(f'<li><a href="#{name}">{title}</a></li>' for title, name in names.items()),
        sections="\n".join(
            f'<section id="{names[title]}" aria-labelledby="{names[title]}-h"><h2 id="{names[title]}-h">{title}</h2>\n'
            f"{text}\n</section>"
            for title, text in sections.items()
        ),
    )


def leaderboard(report: Mapping[str, Any]) -> str:
    """A chart and a table for each file of judgments, then the published results."""
    parts = [paragraph(note, "note") for note in report["notes"]]
    for board in report["boards"]:
        parts += _board(board, report["model"])
    if report["boards"]:
        parts.append(
            paragraph(
                "Condensed figures leave unjudged results out, full ones (nDCG@5) count them as irrelevant: "
                "the less of a run is judged (judged@5), the less either says of it. Random: the mean of 20 random "
                f"orders of the first run's {report['unit']}s. p: paired randomisation test, corrected by Holm over "
                "all tests of one file, or of all dimensions of pairs; tests of the same differences count once."
            )
        )
    else:
        parts.append("<p>There are no judgments: name them with <code>--qrels FILE</code> to compare the runs.</p>")
    if report["official"]:
        parts.append("<h3>Reference: published results of Touché 2022</h3>")
        said = "Published figures (nDCG@5 of pairs), from another pool of judgments and another corpus: "
        parts.append(paragraph(f"{said}they are no measure of the runs above."))
    for found in report["official"]:
        best = found["rows"][0]["mean"] if found["rows"] else 0
        said = f"{found['dimension']}: {counted(found['rows'], 'run')}, the best {best:.3f}"
        cells = [[row["run"], row["team"], interval_text(row)] for row in found["rows"]]
        caption = f"Reference, {found['dimension']}: published nDCG@5 [95% interval]"
        inner = table(caption, ["run", "team", "nDCG@5"], cells)
        parts.append(f"<details><summary>{escape(said)}</summary>{inner}</details>")
    return "\n".join(parts)


def _board(board: Mapping[str, Any], model: str | None) -> list[str]:
    topics = counted(board["topics"], "topic")
    parts = [f"<h3>{escape(board['set'])}, {board['level']} level, {topics}</h3>"]
    for measure in (MEASURES[0], MEASURES[-1]):
        rows = [(row["run"], row[measure], row["run"] == model) for row in board["rows"]]
        said = f"{measure} of {counted(rows, 'run')} with 95% intervals, best first by {MEASURES[0]}."
        parts += [paragraph(measure, "soft"), interval_chart(f"{measure} of {board['set']}", said, rows)]
    heads = ["run", *MEASURES]
    for measure in MEASURES:
        heads += [f"{measure}, difference from {board['against']}", "p (Holm)"]
    cells = []
    for row in board["rows"]:
        cells.append([row["run"], *(interval_text(row[measure]) for measure in MEASURES)])
        for test in row["tests"].values():
            cells[-1] += [interval_text(test, sign=True), figure_text(test and test["p"])]
    parts.append(table(f"{board['set']}: means over {topics} [95% interval]", heads, cells))
    left = [f"{number} {what}" for what, number in board["dropped"].items() if number]
    lacks = {row["run"]: row["missing"] for row in board["rows"] if row["missing"]}
    left += [f"{counted(missing, 'topic')} that {run} lacks (scored 0)" for run, missing in lacks.items()]
    return [*parts, paragraph(f"Note: {'; '.join(left)}.", "soft")] if left else parts


def per_topic(report: Mapping[str, Any]) -> str:
    """Expected relevance, and the frame of the chart that the page draws itself."""
    expected = confidence(report)
    if not report["boards"]:
        missing = "There are no judgments: name them with <code>--qrels FILE</code> to see figures by topic."
        return f"{expected}\n<p>{missing}</p>"
    measures = "".join(f'<option value="{name}">{name}</option>' for name in report["boards"][0]["values"])
    field = '<div class="field"><label for="topics-{0}">{1}</label><select id="topics-{0}">{2}</select></div>'
    fields = [("set", "Judgments", ""), ("measure", "Measure", measures), ("a", "Run", ""), ("b", "Against", "")]
    return f"""{expected}
<p>The difference between two runs, topic by topic. Choose a topic to read what they rank.</p>
<div class="controls" role="group" aria-label="What to compare">{"".join(field.format(*one) for one in fields)}</div>
<p id="topics-status" role="status" aria-live="polite"></p>
<ol id="topics-chart" class="topics" aria-label="Topics by difference: run, the other run, difference"></ol>"""
