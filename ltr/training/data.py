"""What training and studies read: topics and judgments that belong together, and which topics are alike."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

from ltr.data.formats import Qrels, Topic, read_all_qrels, read_pair_qrels, read_topics
from ltr.errors import InputError

if TYPE_CHECKING:
    from features.core.text import Analyzer
    from ltr.index.reader import Index
    from ltr.supervision.labels import Judgments


def merge_topics(paths: Iterable[Path]) -> list[Topic]:
    """The topics of all files. Raises InputError when a number has two titles."""
    merged: dict[str, Topic] = {}
    for path in paths:
        for topic in read_topics(path):
            if merged.setdefault(topic.number, topic).title != topic.title:
                raise InputError(
                    path, f"topic {topic.number} has another title in an earlier file", "renumber one of the two"
                )
    return list(merged.values())


def read_judgments(
    arguments: Mapping[str, Sequence[Path]], pairs: Sequence[tuple[str, Path]], topics: Sequence[Topic]
) -> Judgments:
    """Judgments of arguments by dimension, and of pairs as ``--pair-qrels`` collects them. Raises InputError."""
    from ltr.supervision.labels import Judgments

    return Judgments(
        {name: argument_qrels(read_all_qrels(paths), topics, paths) for name, paths in arguments.items() if paths},
        {
            name: known_qrels(qrels, topics, [path for dimension, path in pairs if dimension == name])
            for name, qrels in read_pair_qrels(pairs).items()
        },
    )


def argument_qrels(qrels: Qrels, topics: Sequence[Topic], paths: Sequence[Path]) -> Qrels:
    """``qrels``, when they judge arguments and all of their topics are known. Raises InputError."""
    if any("," in judged for grades in qrels.values() for judged in grades):
        raise InputError(paths[0], "these judge pairs, not arguments", "name them with --pair-qrels DIMENSION=FILE")
    return known_qrels(qrels, topics, paths)


def known_qrels(qrels: Qrels, topics: Sequence[Topic], paths: Sequence[Path]) -> Qrels:
    """``qrels``, when all of its topics are known. Raises InputError naming those that are not."""
    numbers = {topic.number for topic in topics}
    unknown = [number for number in qrels if number not in numbers]
    if unknown:
        shown = ", ".join(unknown[:5]) + (", ..." if len(unknown) > 5 else "")
        where = " ".join(map(str, paths))
        raise InputError(
            where,
            f"judgments for {len(unknown)} topics that no topics file holds ({shown})",
            "add --topics FILE with them",
        )
    return qrels


def held_judgments(index: Index, judgments: Judgments) -> dict[str, int]:
    """``arguments, <dimension>`` and ``pairs, <dimension>`` -> judgments of what the corpus has."""
    wanted = {a for qrels in judgments.arguments.values() for grades in qrels.values() for a in grades}
    arguments = index.argument_rows(sorted(wanted))
    ids = {i for qrels in judgments.pairs.values() for grades in qrels.values() for p in grades for i in p.split(",")}
    sentences = index.find_sentences(sorted(ids))
    found = {
        f"arguments, {name}": sum(argument in arguments for grades in qrels.values() for argument in grades)
        for name, qrels in judgments.arguments.items()
    }
    for name, qrels in judgments.pairs.items():
        pairs = (pair.split(",") for grades in qrels.values() for pair in grades)
        found[f"pairs, {name}"] = sum(all(id_ in sentences for id_ in pair) for pair in pairs)
    return found


def of_this_corpus(held: dict[str, int], files: Mapping[str, Sequence[Path]]) -> dict[str, int]:
    """``held``, when the corpus has something of all. Raises InputError naming the ``files``, by the same names."""
    for name, number in held.items():
        if not number:
            kind = "argument" if name.startswith("arguments") else "pair"
            where = " ".join(map(str, files[name]))
            raise InputError(where, f"no judged {kind} is in this corpus", "use judgments that belong to it")
    return held


def alike(topics: Sequence[Topic], analyzer: Analyzer) -> list[tuple[str, str]]:
    """Pairs of topics whose titles share half of their words or more: they may not stand on both sides of a split."""
    words = {topic.number: set(analyzer.terms(topic.title)) for topic in topics}
    return [
        (one, other)
        for one, other in combinations(words, 2)
        if 2 * len(words[one] & words[other]) >= max(len(words[one] | words[other]), 1)
    ]
