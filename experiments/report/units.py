"""The ranked items of a report's runs, packed for the explorer topic by topic."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Mapping, Sequence
from typing import Any

from ltr.answers.sides import Sides
from ltr.data.ids import argument_of, is_conclusion, pair_key
from ltr.data.qrels import Qrels
from ltr.data.runs import RunRow
from ltr.data.topics import Topic
from ltr.escapes import harmless
from ltr.evaluation.rankings import rankings
from ltr.index.reader import Index
from ltr.searcher import Searcher

Span = tuple[int, int]
"""The place of a unit's part in a topic's list of sentences, and its number of sentences."""


def texts_of_topics(
    searcher: Searcher,
    topics: Sequence[Topic],
    runs: Mapping[str, Sequence[RunRow]],
    judged: Mapping[str, Qrels],
    graded: Mapping[str, Qrels],
    depth: int,
) -> dict[str, dict[str, Any]]:
    """For each topic its best items by run, as `Span`s in a list of whole arguments, with grades of both.

    Their sides are toward the question where items have stances, else those of the run.
    """
    index, toward_question = searcher.index, searcher.task.has_stances
    row_of = {(row.topic, row.pair, run): row for run, rows in runs.items() for row in rows}
    best = {run: rankings(rows) for run, rows in runs.items()}
    blobs = {}
    for topic in topics:
        side_of = Sides(index, topic.title)
        shown = {
            run: [row_of[topic.number, unit, run] for unit in ranked.get(topic.number, [])[:depth]]
            for run, ranked in best.items()
        }
        arguments, spans = _arguments(index, {p for rows in shown.values() for r in rows for p in r.pair.split(",")})
        known = {
            name: {pair_key(unit): grade for unit, grade in qrels.get(topic.number, {}).items()}
            for name, qrels in graded.items()
        }
        blobs[topic.number] = {
            "arguments": arguments,
            "runs": {
                run: {
                    "units": [[spans[part] for part in row.pair.split(",")] for row in rows],
                    "stance": "".join((side_of(row.pair) if toward_question else row.stance)[:1] for row in rows),
                    "why": [side_of.why(row.pair) if toward_question else "" for row in rows],
                    "score": [round(row.score, 3) for row in rows],
                    "grades": {name: [of.get(pair_key(row.pair)) for row in rows] for name, of in known.items()},
                }
                for run, rows in shown.items()
            },
            "grades": {
                name: {id_: grade for id_, grade in qrels.get(topic.number, {}).items() if id_ in spans}
                for name, qrels in judged.items()
            },
        }
    return blobs


def _arguments(index: Index, parts: set[str]) -> tuple[list[Any], dict[str, Span]]:
    """Arguments as [id, stance, [[role and number, text], ...]], conclusions first; spans of sentences and arguments.

    What the corpus lacks has no text: a run may name the conclusion of one word, or another corpus.
    """
    listed: list[Any] = []
    spans: dict[str, Span] = {}
    wanted: dict[str, list[str]] = {}
    for part in sorted(parts):
        wanted.setdefault(argument_of(part), []).append(part)
    rows, start = index.argument_rows(sorted(wanted)), 0
    for name, named in wanted.items():
        row = rows.get(name)
        lines: dict[str, str | None] = {}
        for sentence in index.sentence_rows(row) if row is not None else ():
            lines[index.sentence_id(sentence)] = index.text(sentence)
        lines = dict(sorted(lines.items(), key=lambda line: not is_conclusion(line[0])))
        lines |= {part: None for part in named if part not in lines and (part != name or row is None)}
        spans |= {sentence: (number, 1) for number, sentence in enumerate(lines, start)} | {name: (start, len(lines))}
        start += len(lines)
        short = [[sentence.removeprefix(name).removeprefix("__"), text] for sentence, text in lines.items()]
        listed.append([name, "" if row is None else index.stance(row), short])
    return listed, spans


def pack(blob: dict[str, Any]) -> str:
    """JSON, gzipped, in base64: nothing in it can end the element that holds it."""
    text = harmless(json.dumps(blob, ensure_ascii=False, allow_nan=False, separators=(",", ":")))
    return base64.b64encode(gzip.compress(text.encode("utf-8"), mtime=0)).decode("ascii")
