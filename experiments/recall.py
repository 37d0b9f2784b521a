"""``python -m experiments.recall``: measure the recall of the first stage, and its cost.

A good unit has a grade of `GOOD` or more. The widths of the first stage are halved and doubled, one at a time.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from experiments.figures import text_table
from experiments.study import finish, read_study_data
from experiments.study_options import add_data_options, study_settings
from ltr.cli.options import Parser, add_file
from ltr.cli.process import run_command
from ltr.data.qrels import Qrels
from ltr.data.topics import Topic
from ltr.index.reader import Index
from ltr.progress import Progress
from ltr.ranking.task import Task
from ltr.retrieval.base import CandidateConfig
from ltr.retrieval.terms import TermCache

GOOD = 1.5
"""Least grade of a good unit, of 0 to 2."""

WIDTHS = ("argument_depth", "sentence_depth", "conclusion_depth", "arguments", "sentences_each", "pairs")
Units = dict[str, dict[str, set[frozenset[int]]]]
"""Dimension -> topic -> units, as rows of the index."""


def parser() -> Parser:
    """The command's options."""
    p = Parser(prog="python -m experiments.recall", description="Recall of good units by candidates.")
    add_data_options(p)
    add_file(p, "--json", "write the figures there too")
    return p


def main(argv: list[str] | None = None) -> int:
    """Run the study. Raises InputError for anything that the user can correct."""
    options = parser().parse_args(argv)
    progress = Progress(quiet=options.quiet)
    data = read_study_data(study_settings(vars(options)), [options.json])
    task, index = data.task, data.open_index(progress)
    good, absent = good_units(task, index, data.judgments.graded)
    for name, number in absent.items():
        if number:
            progress.say(f"{name}: {number} graded {task.name} are left out, the corpus lacks them")
    rows, results = [], {}
    for name, config in variants(task.config).items():
        with progress.stage(name):
            figures = results[name] = measure(task, index, data.topics, good, config)
        recall = {f"{dimension}+": f"{figures[dimension]:.3f}" for dimension in good}
        rows.append({"": name, **recall, task.name: f"{figures['units']:,.0f}", "ms": f"{figures['ms']:.0f}"})
    return finish(results, text_table(rows), options.json, progress if options.timings else None)


def good_units(task: Task, index: Index, graded: Mapping[str, Qrels]) -> tuple[Units, dict[str, int]]:
    """Good units in the corpus by dimension and in ``all``, and how many the corpus lacks by dimension."""
    nothing = task.propose(index, Topic("", ""), TermCache(index), task.config)
    good_by_dimension: Units = {}
    absent = {}
    for name, qrels in graded.items():
        ids = {topic: [unit for unit, grade in of.items() if grade >= GOOD] for topic, of in qrels.items()}
        in_corpus = {
            topic: task.add(index, Topic(topic, ""), nothing, good).units.tolist() for topic, good in ids.items()
        }
        good_by_dimension[name] = {topic: set(map(frozenset, units)) for topic, units in in_corpus.items()}
        absent[name] = sum(map(len, ids.values())) - sum(map(len, in_corpus.values()))
    if len(good_by_dimension) > 1:
        topics = set.intersection(*map(set, good_by_dimension.values()))
        good_by_dimension["all"] = {
            topic: set.intersection(*(units[topic] for units in good_by_dimension.values())) for topic in topics
        }
    return good_by_dimension, absent


def variants(default: CandidateConfig) -> dict[str, CandidateConfig]:
    """The default, and variants with one width halved or doubled."""
    configs = {"default": default}
    for name in WIDTHS:
        for width in (getattr(default, name) // 2, getattr(default, name) * 2):
            configs[f"{name}={width}"] = replace(default, **{name: width})
    return configs


def measure(
    task: Task, index: Index, topics: Sequence[Topic], good: Units, config: CandidateConfig
) -> dict[str, float]:
    """Micro-averaged recall of good units by dimension; ``units`` and ``ms`` per topic."""
    cache = TermCache(index)
    expected: Counter[str] = Counter()
    reached: Counter[str] = Counter()
    proposed, seconds = 0, 0.0
    for topic in topics:
        start = time.perf_counter()
        candidates = task.propose(index, topic, cache, config)
        seconds += time.perf_counter() - start
        proposed += len(candidates)
        units = set(map(frozenset, candidates.units.tolist()))
        for name, by_topic in good.items():
            wanted = by_topic.get(topic.number, set())
            expected[name] += len(wanted)
            reached[name] += len(wanted & units)
    recall = {name: reached[name] / max(expected[name], 1) for name in good}
    return recall | {"units": proposed / len(topics), "ms": 1000 * seconds / len(topics)}


if __name__ == "__main__":
    run_command(main)
