"""``python -m experiments.recall``: how many relevant arguments and good pairs do the candidates reach, at which cost?

Varies the text analysis (stemming, stop words) and the width of the first stage, one at a time.
"""

from __future__ import annotations

import tempfile
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ltr.cli.options import Parser, add_pair_qrels_option, add_run_options
from ltr.cli.process import run_command
from ltr.data.ids import pair_key
from ltr.errors import InputError

if TYPE_CHECKING:
    from ltr.data.qrels import Qrels
    from ltr.data.topics import Topic
    from ltr.index.reader import Index
    from ltr.retrieval.base import CandidateConfig


GOOD = 1.5
"""Grades of a pair from here on, of 0 to 2, are those of a good one."""


def parser() -> Parser:
    """The command's options."""
    p = Parser(
        prog="python -m experiments.recall",
        description="Recall of relevant arguments, and of good pairs, by candidates.",
    )
    p.add_argument("-i", "--input", required=True, metavar="DIR", help="corpus")
    p.add_argument("--topics", type=Path, required=True, metavar="FILE", help="topics XML")
    p.add_argument("--qrels", type=Path, metavar="FILE", help="judgments of arguments")
    add_pair_qrels_option(p)
    p.add_argument("--default-only", action="store_true", help="the candidates as they are, nothing varied")
    p.add_argument("--index", type=Path, metavar="DIR", help="keep the indexes there (default: a temporary directory)")
    add_run_options(p)
    return p


def main(argv: list[str] | None = None) -> int:
    """Run the study. Raises InputError for anything that the user can mend."""
    options = parser().parse_args(argv)
    if not options.qrels and not options.pair_qrels:
        raise InputError("usage", "nothing is judged", "add --qrels FILE or --pair-qrels DIMENSION=FILE")

    from ltr.corpora.source import open_corpus
    from ltr.data.topics import read_topics
    from ltr.index.cache import open_index
    from ltr.progress import Progress
    from ltr.retrieval.base import CandidateConfig
    from ltr.tasks import find_task
    from ltr.training.data import read_judgments

    progress = Progress(quiet=options.quiet)
    corpus = open_corpus(options.input)
    topics = read_topics(options.topics)
    arguments = {"relevance": [options.qrels] if options.qrels else []}
    judgments = read_judgments(find_task("pairs"), arguments, options.pair_qrels, topics)
    relevant = judgments.distant.get("relevance", {})
    default = CandidateConfig()
    titles = [*(["pool", "arguments"] if relevant else []), *(f"{name}+" for name in good_pairs(judgments.graded))]
    print(f"{'analysis':<14}{'setting':<54}{''.join(f'{title:>12}' for title in titles)}{'pairs':>8}{'ms':>7}")
    analyses = ((True, True), (True, False), (False, True), (False, False))
    with tempfile.TemporaryDirectory() as scratch:
        place = options.index or Path(scratch)
        for stem, stop in analyses[:1] if options.default_only else analyses:
            name = f"{'stem' if stem else 'words'}, {'stop' if stop else 'all'}"
            index = open_index(corpus, place / name.replace(", ", "-"), progress, stem=stem, stop=stop)
            held = find_pairs(index, good_pairs(judgments.graded))
            configs = [("default", default)]
            if stem and stop and not options.default_only:
                configs += variants(default)
            for setting, one in configs:
                print(row(name, setting, measure(index, topics, relevant, held, one)))
    absent = {title: one.absent for title, one in held.items() if one.absent}
    for title, number in absent.items():
        progress.say(f"{title}+: {number} pairs are left out, the corpus lacks a sentence of theirs")
    return 0


def good_pairs(pairs: Mapping[str, Qrels]) -> dict[str, dict[str, set[str]]]:
    """Dimension, and ``all`` for all of them at once -> topic -> pairs of a grade of at least `GOOD`."""
    found = {
        name: {topic: {pair_key(pair) for pair, grade in of.items() if grade >= GOOD} for topic, of in qrels.items()}
        for name, qrels in pairs.items()
    }
    if len(found) > 1:
        topics = set.intersection(*(set(one) for one in found.values()))
        found["all"] = {topic: set.intersection(*(one[topic] for one in found.values())) for topic in topics}
    return found


@dataclass(frozen=True)
class HeldPairs:
    """The good pairs that the corpus holds, as sentence rows of the index."""

    rows: dict[str, set[frozenset[int]]]
    """Topic -> pairs."""
    absent: int
    """Pairs of which the corpus lacks a sentence."""


def find_pairs(index: Index, good: Mapping[str, Mapping[str, set[str]]]) -> dict[str, HeldPairs]:
    """The good pairs that the corpus holds."""
    found = {}
    for name, by_topic in good.items():
        ids = {topic: [tuple(pair.split(",")) for pair in sorted(pairs)] for topic, pairs in by_topic.items()}
        rows = index.find_sentences([one for pairs in ids.values() for pair in pairs for one in pair])
        held = {
            topic: {frozenset((rows[one], rows[other])) for one, other in pairs if one in rows and other in rows}
            for topic, pairs in ids.items()
        }
        found[name] = HeldPairs(held, sum(map(len, ids.values())) - sum(map(len, held.values())))
    return found


def variants(default: CandidateConfig) -> list[tuple[str, CandidateConfig]]:
    """One width changed at a time."""
    changes: list[dict[str, int]] = [
        {"argument_depth": 0},
        {"sentence_depth": 0},
        {"conclusion_depth": 0},
        {"argument_depth": 250, "sentence_depth": 250, "conclusion_depth": 100},
        {"argument_depth": 1000, "sentence_depth": 1000, "conclusion_depth": 400},
        {"arguments": 60},
        {"arguments": 240, "pairs": 6000},
        {"sentences_each": 4},
        {"sentences_each": 12, "pairs": 6000},
    ]
    return [(" ".join(f"{k}={v}" for k, v in change.items()), replace(default, **change)) for change in changes]


def measure(
    index: Index, topics: Sequence[Topic], qrels: Qrels, good: Mapping[str, HeldPairs], config: CandidateConfig
) -> dict[str, float]:
    """Micro-averaged recall, of what the corpus holds: relevant arguments by the pool and by the pairs, good pairs."""
    from ltr.retrieval.arguments import rank_arguments
    from ltr.retrieval.pairs import propose_pairs
    from ltr.retrieval.terms import TermCache

    held = index.argument_rows([a for grades in qrels.values() for a in grades])
    cache = TermCache(index)
    wanted: Counter[str] = Counter()
    reached: Counter[str] = Counter()
    pairs, seconds = 0, 0.0
    for topic in topics:
        query = index.analyzer.distinct(topic.title)
        start = time.perf_counter()
        found = propose_pairs(index, query, cache, config)
        seconds += time.perf_counter() - start
        pairs += len(found)
        if qrels:
            relevant = {held[a] for a, grade in qrels.get(topic.number, {}).items() if grade > 0 and a in held}
            shown = set(index.argument_of(found.units.ravel()).tolist())
            wide = set(rank_arguments(index, query, cache, replace(config, arguments=100_000)))
            wanted.update({"pool": len(relevant), "arguments": len(relevant)})
            reached.update({"pool": len(relevant & wide), "arguments": len(relevant & shown)})
        proposed = set(map(frozenset, found.units.tolist()))
        for name, one in good.items():
            rows = one.rows.get(topic.number, set())
            wanted[name] += len(rows)
            reached[name] += len(rows & proposed)
    recall = {name: reached[name] / max(wanted[name], 1) for name in wanted}
    return recall | {"pairs": pairs / len(topics), "ms": 1000 * seconds / len(topics)}


def row(analysis: str, setting: str, figures: Mapping[str, float]) -> str:
    """A line of the table."""
    recall = [value for name, value in figures.items() if name not in ("pairs", "ms")]
    numbers = "".join(f"{value:>12.3f}" for value in recall)
    return f"{analysis:<14}{setting:<54}{numbers}{figures['pairs']:>8,.0f}{figures['ms']:>7.0f}"


if __name__ == "__main__":
    run_command(main)
