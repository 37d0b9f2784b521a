"""``python -m experiments.recall``: how many judged-relevant arguments do the candidates reach, at which cost?

Varies the text analysis (stemming, stop words) and the width of the first stage, one at a time.
"""

from __future__ import annotations

import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ltr.cli import Parser, add_run_options
from ltr.errors import run_command

if TYPE_CHECKING:
    from ltr.candidates import Settings
    from ltr.formats import Qrels, Topic
    from ltr.index import Index


def parser() -> Parser:
    """The command's options."""
    p = Parser(prog="python -m experiments.recall", description="Recall of judged-relevant arguments by candidates.")
    p.add_argument("-i", "--input", required=True, metavar="DIR", help="corpus")
    p.add_argument("--topics", type=Path, required=True, metavar="FILE", help="topics XML")
    p.add_argument("--qrels", type=Path, required=True, metavar="FILE", help="judgments of arguments")
    p.add_argument("--index", type=Path, metavar="DIR", help="keep the indexes there (default: a temporary directory)")
    add_run_options(p)
    return p


def main(argv: list[str] | None = None) -> int:
    """Run the study. Raises InputError for anything that the user can mend."""
    options = parser().parse_args(argv)

    from ltr.candidates import Settings
    from ltr.corpus import open_corpus
    from ltr.formats import read_qrels, read_topics
    from ltr.index import open_index
    from ltr.progress import Progress

    progress = Progress(quiet=options.quiet)
    corpus = open_corpus(options.input)
    topics, qrels = read_topics(options.topics), read_qrels(options.qrels)
    default = Settings()
    print(f"{'analysis':<20}{'setting':<26}{'pool':>7}{'candidates':>12}{'pairs a topic':>15}{'ms a topic':>12}")
    with tempfile.TemporaryDirectory() as scratch:
        place = options.index or Path(scratch)
        for stem, stop in ((True, True), (True, False), (False, True), (False, False)):
            name = f"{'stem' if stem else 'words'}, {'stop' if stop else 'all'}"
            index = open_index(corpus, place / name.replace(", ", "-"), progress, stem=stem, stop=stop)
            print(row(name, "default", measure(index, topics, qrels, default)))
            if stem and stop:
                for setting, settings in variants(default):
                    print(row(name, setting, measure(index, topics, qrels, settings)))
    return 0


def variants(default: Settings) -> list[tuple[str, Settings]]:
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


def measure(index: Index, topics: list[Topic], qrels: Qrels, settings: Settings) -> dict[str, float]:
    """Micro-averaged recall of the relevant arguments that the corpus holds, by the pool and by the pairs."""
    from ltr.candidates import TermCache, propose, rank_arguments

    held = index.argument_rows([a for grades in qrels.values() for a in grades])
    cache = TermCache(index)
    wanted = pooled = reached = pairs = answered = 0
    start = time.perf_counter()
    for topic in topics:
        relevant = {held[a] for a, grade in qrels.get(topic.number, {}).items() if grade > 0 and a in held}
        query = index.analyzer.distinct(topic.title)
        found = propose(index, query, cache, settings)
        shown = set(index.argument_of(np.concatenate([found.first, found.second])).tolist())
        wide = set(rank_arguments(index, query, cache, replace(settings, arguments=100_000)))
        wanted += len(relevant)
        pooled += len(relevant & wide)
        reached += len(relevant & shown)
        pairs += len(found)
        answered += 1
    seconds = time.perf_counter() - start
    return {
        "pool": pooled / max(wanted, 1),
        "candidates": reached / max(wanted, 1),
        "pairs": pairs / max(answered, 1),
        "ms": 1000 * seconds / max(answered, 1),
    }


def row(analysis: str, setting: str, figures: dict[str, Any]) -> str:
    """A line of the table."""
    numbers = f"{figures['pool']:>7.3f}{figures['candidates']:>12.3f}{figures['pairs']:>15,.0f}{figures['ms']:>12.0f}"
    return (
        f"{analysis:<20}{setting:<26}{numbers}" if len(setting) < 26 else f"{analysis:<20}{setting}\n{'':46}{numbers}"
    )


if __name__ == "__main__":
    run_command(main)
