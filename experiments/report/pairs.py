"""The ranked pairs of a report: what the explorer shows of each topic, packed."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ltr.data.ids import argument_of, pair_key
from ltr.data.qrels import Qrels
from ltr.data.runs import RunRow
from ltr.data.topics import Topic
from ltr.evaluation.rankings import rankings
from ltr.index.reader import Index
from ltr.pipeline.matrix import Matrix

Runs = dict[str, list[RunRow]]


def texts_of_topics(
    index: Index,
    topics: Sequence[Topic],
    runs: Runs,
    judged: Mapping[str, Qrels],
    graded: Mapping[str, Qrels],
    depth: int,
) -> dict[str, dict[str, Any]]:
    """For each topic its best pairs by run, as places in a list of whole arguments, with grades of both."""
    stances = {(row.topic, row.pair, run): row for run, rows in runs.items() for row in rows}
    best = {run: rankings(rows) for run, rows in runs.items()}
    named = {argument_of(s) for rows in runs.values() for row in rows for s in row.pair.split(",")}
    places = index.argument_rows(sorted(named))
    found = {}
    for topic in topics:
        shown = {run: ranked.get(topic.number, [])[:depth] for run, ranked in best.items()}
        sentences = {s for pairs in shown.values() for pair in pairs for s in pair.split(",")}
        arguments = sorted({argument_of(sentence) for sentence in sentences})
        listed, place = _arguments(index, places, arguments, sentences)
        known = {
            name: {pair_key(pair): grade for pair, grade in qrels.get(topic.number, {}).items()}
            for name, qrels in graded.items()
        }
        lists = {}
        for run, pairs in shown.items():
            rows = [stances[topic.number, pair, run] for pair in pairs]
            ends = [[place[s] for s in pair.split(",")] for pair in pairs]
            lists[run] = {
                "first": [one for one, _ in ends],
                "second": [other for _, other in ends],
                "stance": "".join(row.stance[:1] for row in rows),
                "score": [round(row.score, 3) for row in rows],
                "grades": {name: [of.get(pair_key(pair)) for pair in pairs] for name, of in known.items()},
            }
        grades = {name: qrels.get(topic.number, {}) for name, qrels in judged.items()}
        kept = {name: {a: g for a, g in of.items() if a in set(arguments)} for name, of in grades.items()}
        found[topic.number] = {"arguments": listed, "runs": lists, "grades": kept}
    return found


def _arguments(
    index: Index, places: Mapping[str, int], arguments: Sequence[str], wanted: set[str]
) -> tuple[list[Any], dict[str, int]]:
    """Arguments as [id, stance, [[role and number, text], ...]], and the place of each sentence among all of them.

    A sentence that the corpus lacks has no text: a run may name the conclusion of one word, or another corpus.
    """
    listed: list[Any] = []
    place: dict[str, int] = {}
    missing: dict[str, list[str]] = {}
    for sentence in sorted(wanted):
        missing.setdefault(argument_of(sentence), []).append(sentence)
    for name in arguments:
        row = places.get(name)
        found = [] if row is None else [(index.sentence_id(s), index.text(s)) for s in index.sentence_rows(row)]
        held = {sentence for sentence, _ in found}
        lines = [*found, *((s, None) for s in missing[name] if s not in held)]
        for sentence, _ in lines:
            place[sentence] = len(place)
        short = [[sentence.removeprefix(name + "__"), text] for sentence, text in lines]
        listed.append([name, "" if row is None else index.stance(row), short])
    return listed, place


def parts_of_run(matrix: Matrix, parts: Any, number: str, rows: list[RunRow], depth: int) -> list[list[int]]:
    """(n_families, n_pairs) thousandths that each family adds to the score of a pair of the model's run."""
    if number not in matrix.topics:
        return []
    span = matrix.rows(number)
    place = {pair: row for row, pair in enumerate(matrix.ids[span], span.start)}
    kept = [place[row.pair] for row in rows if row.topic == number][:depth]
    thousandths: list[list[int]] = np.rint(1000 * parts[kept]).astype(int).T.tolist()
    return thousandths


def pack(blob: dict[str, Any]) -> str:
    """JSON, gzipped, in base64: nothing in it can end the element that holds it."""
    text = json.dumps(blob, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return base64.b64encode(gzip.compress(text.encode("utf-8"), mtime=0)).decode("ascii")
