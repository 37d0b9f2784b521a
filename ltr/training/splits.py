"""Folds of topics: similar topics are always in the same fold."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from ltr.data.ids import argument_of, is_conclusion, pair_key
from ltr.data.qrels import Qrels
from ltr.errors import InputError
from ltr.ranking.matrix import Matrix
from ltr.supervision.judgments import Judgments


def split_topics(
    matrix: Matrix, judgments: Judgments, folds: int, seed: int, tied: Sequence[tuple[str, str]] = ()
) -> list[list[int]]:
    """Positions of the topics of each fold. Topics stay together that judge near-duplicate arguments, or are ``tied``.

    Graded units tie none: one argument is graded for several questions, and topics would hang together in one chain.
    `copies_of_graded` leaves its copies out of training.
    Raises InputError when there are fewer than two parts.
    """
    from scipy.sparse import coo_matrix  # noqa: PLC0415 takes half a second
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415 takes half a second

    position_of = {topic: position for position, topic in enumerate(matrix.topics)}
    links = [(position_of[a], position_of[b]) for a, b in tied if {a, b} <= position_of.keys()]
    owner: dict[object, int] = {}
    for position, text in _judged_texts(matrix, judgments):
        links.append((position, owner.setdefault(text, position)))
    number = len(matrix.topics)
    first, second = np.array(links, np.int64).reshape(-1, 2).T
    count, part = connected_components(coo_matrix((np.ones(len(links)), (first, second)), (number, number)))
    components = [np.flatnonzero(part == label).tolist() for label in range(count)]
    np.random.default_rng(seed).shuffle(components)
    split: list[list[int]] = [[] for _ in range(min(folds, len(components)))]
    for component in sorted(components, key=len, reverse=True):
        min(split, key=len).extend(component)
    if len(split) < 2:
        raise InputError("qrels", "the judged topics are too few, or too alike, to hold some out", "add judgments")
    return [sorted(topics) for topics in split]


def _judged_texts(matrix: Matrix, judgments: Judgments) -> Iterable[tuple[int, object]]:
    """Topic position and near-duplicate key of every premise of a judged argument."""
    judged = Qrels()
    for qrels in judgments.distant.values():
        for topic, grades in qrels.items():
            judged.setdefault(topic, {}).update(grades)
    for position, (topic, rows) in enumerate(matrix):
        arguments = judged.get(topic, {})
        for row in range(rows.start, rows.stop) if arguments else ():
            for part, text in zip(matrix.parts[row], matrix.texts[row].tolist(), strict=True):
                if not is_conclusion(part) and argument_of(part) in arguments:
                    yield position, text


def copies_of_graded(matrix: Matrix, judgments: Judgments, topics: Sequence[int]) -> npt.NDArray[np.bool_]:
    """(n_rows,) units with a part of a unit that is graded in ``topics``, or with a near-duplicate of one.

    Conclusions do not count: arguments of many debates share them.
    """
    graded = judgments.graded_ids()
    texts: set[int] = set()
    for number in (matrix.topics[topic] for topic in topics):
        keys, rows = set(map(pair_key, graded.get(number, ()))), matrix.rows(number)
        for row in range(rows.start, rows.stop) if keys else ():
            if pair_key(matrix.ids[row]) in keys:
                parts = zip(matrix.parts[row], matrix.texts[row].tolist(), strict=True)
                texts |= {text for part, text in parts if not is_conclusion(part)}
    return np.asarray(np.isin(matrix.texts, np.array(sorted(texts), np.uint64)).any(axis=1))
