"""A report of the sample with every section."""

from __future__ import annotations

import base64
import gzip
import json
import tempfile
from collections.abc import Sequence
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from experiments.report.command import main
from ltr.data.qrels import read_qrels, write_qrels
from ltr.data.runs import RunRow, write_run
from ltr.data.topics import Topic, read_topics
from ltr.ranking.final_list import ListOptions
from ltr.sample import SAMPLE
from ltr.searcher import Searcher
from support.sample_model import sample_model
from support.topics import write_topics

PLAIN = "Space in a city centre is scarce"
HOSTILE = "Space in a <img src=x onerror=alert(1)> city </script><b>centre</b> is &lt;scarce&gt;"
TITLE = "Should cities ban cars from their centres? <i>&</i> </script>"
TAG = "<u>other</u>" + "-long" * 12
ROW = {"mean": 0.5, "low": 0.25, "high": 0.75}
CHANGE = {"difference": -0.25, "difference_low": -0.5, "difference_high": -0.125, "effect": -1.5, "p": 0.01}
STUDY = {
    "study": {"topics": 31, "corpus": "f" * 64, "parameters": {"nested": 1}},
    "measure": "condensed_nDCG@5",
    "baseline": "all features",
    "variants": [
        {"name": "all features", "dimension": "relevance", "kind": "baseline", "columns": 90, **ROW},
        {
            "name": "<b>lexical</b>",
            "dimension": "relevance",
            "kind": "leave-one-out",
            "columns": 80,
            **ROW,
            **CHANGE,
            "p_holm": 0.02,
            "verdict": "worse",
        },
    ],
}
POINT = {**ROW, "full": ROW, "judged": 0.5}
POINTS = {
    "points": [{"name": "no graded topic", "topics": 0, **POINT}, {"name": "all others", "topics": 10, **POINT}],
    "baselines": [{"name": "bm25", **POINT}],
}
CURVE = {"study": {}, "measure": "condensed_nDCG@5", **POINTS, "dimensions": {"relevance": POINTS}}
RUNS = ("riposte", "bm25", "other")
_KEPT: list[tempfile.TemporaryDirectory[str]] = []


def ranked(corpus: Path, index: Path, name: str) -> Sequence[RunRow]:
    """A run of the sample's model, or of a baseline."""
    searcher = Searcher(corpus, model=sample_model() if name == "riposte" else name, index=index, jobs=1)
    return searcher.rank_topics(searcher.topics(), ListOptions()).rows


@cache
def material() -> Path:
    """The sample with a hostile sentence, two topics with their judgments, a foreign run and studies; and an index."""
    _KEPT.append(tempfile.TemporaryDirectory())
    place = Path(_KEPT[0].name)
    (place / "corpus").mkdir()
    text = (SAMPLE / "args_processed_sample.csv").read_text("utf-8")
    assert PLAIN in text
    (place / "corpus" / "args_processed_sample.csv").write_text(text.replace(PLAIN, HOSTILE), "utf-8")
    first, second, *_ = read_topics(SAMPLE / "topics.xml")
    write_topics(place / "corpus" / "topics.xml", [Topic(first.number, TITLE), second])
    for name in ("relevance", "quality"):
        qrels = read_qrels(SAMPLE / f"qrels-test-{name}.qrels")
        write_qrels(place / f"qrels-{name}.qrels", {t.number: qrels[t.number] for t in (first, second)})
        grades = {f"{a}__PREMISE__1,{a}__CONC__1": max(grade, 0) / 2 for a, grade in qrels[first.number].items()}
        write_qrels(place / f"pairs-{name}.qrels", {first.number: grades})
    for tag in ("riposte", "bm25"):
        rows = [row._replace(tag=tag) for row in ranked(place / "corpus", place / "index", tag)]
        write_run(place / f"{tag}.txt", rows)
    argument = "Saf228e7e-Af5c26346"  # argues for what is asked
    rows = [
        RunRow(first.number, "PRO", f"{argument}__PREMISE__2,{argument}__PREMISE__1", 1, 9.0, TAG),
        RunRow(first.number, "Q0", "S0-A0__PREMISE__1,S0-A0__CONC__1", 2, 8.0, TAG),
        RunRow("77", "Q0", f"{argument}__PREMISE__1,{argument}__PREMISE__2", 1, 8.0, TAG),
    ]
    write_run(place / "other.txt", rows)
    (place / "study").mkdir()
    (place / "study" / "results.json").write_text(json.dumps(STUDY))
    (place / "curve.json").write_text(json.dumps(CURVE))
    return place


def options(*more: str, out: Path) -> list[str]:
    place = material()
    runs = [] if "--run" in more else [word for name in RUNS for word in ("--run", str(place / f"{name}.txt"))]
    index = ["--index", str(place / "index"), "--jobs", "1", "--quiet"]
    return ["-i", str(place / "corpus"), "-o", str(out), *index, *runs, *more]


@cache
def sample_report() -> Path:
    """A report with every section."""
    place = material()
    out = place / "report.html"
    judged = [part for name in ("relevance", "quality") for part in ("--qrels", str(place / f"qrels-{name}.qrels"))]
    studies = ["--ablation", str(place / "study"), "--curve", str(place / "curve.json")]
    judged += ["--pair-qrels", f"relevance={place}/pairs-relevance.qrels"]
    judged += ["--pair-qrels", f"quality={place}/pairs-quality.qrels"]
    assert main(options(*judged, *studies, out=out)) == 0
    return out


class Outline(HTMLParser):
    """Elements in order, and the text of each of some kinds."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, list[str]] = {}
        self._open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self.texts.setdefault(tag, []).append("")
        self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        for tag in set(self._open):
            self.texts[tag][-1] += data

    def of(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]

    def held(self, name: str) -> dict[str, Any]:
        """The JSON of a script element, packed or not."""
        (text,) = [t for a, t in zip(self.of("script"), self.texts["script"], strict=True) if a.get("id") == name]
        found: dict[str, Any] = json.loads(text if text.startswith("{") else gzip.decompress(base64.b64decode(text)))
        return found


@cache
def outline() -> Outline:
    return Outline(sample_report().read_text("utf-8"))


def blob(place: int) -> dict[str, Any]:
    return outline().held(f"topic-{place}")


def data() -> dict[str, Any]:
    return outline().held("page-data")
