"""The report as one HTML page: the text and the tables; what moves is in ``report.js`` and ``explorer.js``."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping
from html import escape
from pathlib import Path
from string import Template
from typing import Any

from experiments.figures import counted
from experiments.leaderboard import MEASURES
from experiments.report.charts import figure_text, interval_chart, interval_text
from experiments.report.sections import ablation, confidence, cost, curve, labels, table

_FOLDER = Path(__file__).parent


def page(report: Mapping[str, Any]) -> str:
    """The whole page. ``report`` is what `experiments.report.data.gather` returns."""
    style, *scripts = ((_FOLDER / name).read_text("utf-8") for name in ("report.css", "report.js", "explorer.js"))
    script = "\n".join(['"use strict";', "(() => {", *scripts, "})();"])  # one scope, of its own
    data = {name: report[name] for name in ("topics", "runs", "model", "boards", "families", "thin")}
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
            "<p>Condensed figures leave unjudged results out, full ones (nDCG@5) count them as irrelevant: "
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
    """Expected relevance, and the frame of the chart that the page draws itself."""
    expected = confidence(report)
    if not report["boards"]:
        missing = "There are no judgments: name them with <code>--qrels FILE</code> to see figures by topic."
        return f"{expected}\n<p>{missing}</p>"
    measures = "".join(f'<option value="{name}">{name}</option>' for name in report["boards"][0]["values"])
    field = '<div class="field"><label for="topics-{0}">{1}</label><select id="topics-{0}">{2}</select></div>'
    fields = [("set", "Judgments", ""), ("measure", "Measure", measures), ("a", "Run", ""), ("b", "Against", "")]
    return f"""{expected}
<p>The difference between two runs, topic by topic. Choose a topic to read its pairs.</p>
<div class="controls" role="group" aria-label="What to compare">{"".join(field.format(*one) for one in fields)}</div>
<p id="topics-status" role="status" aria-live="polite"></p>
<ol id="topics-chart" class="topics" aria-label="Topics by difference: run, the other run, difference"></ol>
<details><summary>The same as a table</summary>
<div class="scroll" tabindex="0" role="region" aria-label="Table of topics"><table><caption>Figures by topic</caption>
<thead><tr><th scope="col">topic</th><th scope="col" class="number" id="topics-head-a"></th>
<th scope="col" class="number" id="topics-head-b"></th><th scope="col" class="number">difference</th></tr></thead>
<tbody id="topics-table"></tbody></table></div></details>"""


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")
