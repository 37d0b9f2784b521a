"""Training data: described items with labels from judgments and labelling functions, and folds of topics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from features.core.feature import ItemKind, column_features, columns
from ltr.data.ids import is_conclusion
from ltr.errors import InputError, SettingError
from ltr.learning.functions import Evidence
from ltr.learning.judgments import Judgments
from ltr.learning.labels import Labels, Sources, make_labels
from ltr.model_folder.store import VOTED
from ltr.parallel import Call
from ltr.ranking.candidates import Candidates
from ltr.ranking.source import RankingSource, Resources
from ltr.ranking.steps import describe_head
from ltr.text_models.encoders import Encoder
from models.base import Parameters, Scores, TrainingSet
from models.baselines import DENSE_COLUMN
from models.blend import best_rows
from models.learned import LearnedRanker, columns_of, fit_selected, input_values, inputs_of


@dataclass(frozen=True)
class Examples:
    """Items, their inputs, and their judgments."""

    table: Candidates
    judgments: Judgments
    inputs: list[str]
    values: npt.NDArray[np.float32]
    """(n_rows, n_inputs), see `models.learned`"""
    dimensions: tuple[str, ...]

    @classmethod
    def from_columns(
        cls, table: Candidates, judgments: Judgments, columns: Sequence[str], dimensions: Sequence[str]
    ) -> Examples:
        """With the inputs that some feature columns give."""
        inputs = inputs_of(columns)
        return cls(table, judgments, inputs, input_values(table, inputs), tuple(dimensions))

    def with_head(
        self, scores: Scores, columns: Sequence[str], source: RankingSource, encoder: Encoder, resources: Resources
    ) -> tuple[npt.NDArray[np.bool_], Examples]:
        """(n_rows,) the best by the ``scores`` of a first step that did not see the topic, as those of a new topic.

        The examples have the encoder's ``columns`` of them, and of graded items, which train too: the head.
        """
        best = best_rows(scores, self.table.groups, source.config.head)
        graded, parts = self.judgments.graded_ids(), self.table.by_topic()
        head = best | np.concatenate([part.among(graded.get(part.asked[0].number, ())) for part in parts])
        table = describe_head(source, self.table, head, columns, encoder, resources)
        every = [*columns_of(self.inputs), *columns]
        return best, Examples.from_columns(table, self.judgments, every, self.dimensions)

    def dense_scores(self, source: RankingSource, encoder: Encoder, resources: Resources) -> Scores:
        """(n_rows,) the encoder's cosine with the question, of all items: the baseline `DENSE`."""
        column, every = DENSE_COLUMN[self.table.kind], np.ones(len(self.table), bool)
        table = describe_head(source, self.table, every, [column], encoder, resources)
        return np.asarray(table[column], np.float64)

    def labels(self, sources: Sources, seed: int = 0) -> dict[str, Labels]:
        """Labels of the dimensions in which labels by ``sources`` differ."""
        table, judgments = self.table, self.judgments
        labels = {name: make_labels(table, judgments, name, sources, seed=seed) for name in self.dimensions}
        return {name: of for name, of in labels.items() if of.used.any() and np.ptp(of.label[of.used]) > 0}

    def held_out_labels(
        self, topics: Sequence[int], dimensions: Sequence[str], sources: Sources, seed: int = 0
    ) -> dict[str, Labels]:
        """Labels for rankers that see no judgment of ``topics``, given as positions.

        They do not see an item either that shares a sentence, or a near-duplicate of one, with an item that is graded
        there: quality and coherence are the same for every question. Raises InputError when nothing is left.
        """
        numbers = self.table.topics
        seen = self.judgments.without([numbers[topic] for topic in topics])
        trains = ~np.isin(self.table.topic_of_row, topics) & ~copies_of_graded(self.table, self.judgments, topics)
        labels = {name: make_labels(self.table, seen, name, sources, seed=seed).only(trains) for name in dimensions}
        if not all(of.used.any() for of in labels.values()):
            raise InputError("qrels", "too few topics are judged to hold some out", "add judgments of others")
        return labels

    def training_set(self, labels: Labels) -> TrainingSet:
        """The labelled rows."""
        used = labels.used
        groups = np.bincount(self.table.topic_of_row[used])
        return TrainingSet(self.values[used], labels.label[used], labels.weight[used], groups[groups > 0])

    def training_call(self, labels: Labels, parameters: Parameters) -> Call[LearnedRanker]:
        """The call that trains a ranker of one dimension, for `ltr.parallel`."""
        if not (labels.counts["graded"] or labels.counts.get(VOTED)):
            parameters = parameters.for_weak_labels()
        return fit_selected, (self.training_set(labels), self.inputs, parameters)


def kept_columns(dropped: Sequence[str], kind: ItemKind = "pair", *, head: bool = False) -> list[str]:
    """The columns of all candidates, or of the ``head`` alone, without the dropped groups, features and columns.

    Raises InputError for an unknown name.
    """
    known = column_features(kind)
    names = {name for column, feature in known.items() for name in (column, feature.name, feature.group)}
    for name in dropped:
        if name not in names:
            groups = ", ".join(sorted({feature.group for feature in known.values()}))
            raise SettingError("drop", f"no feature group, feature or column {name!r}", f"groups are: {groups}")
    kept = [c for c in columns(kind, head=head) if not {c, known[c].name, known[c].group} & set(dropped)]
    if not kept:
        step, other = (" for the second step", ", or leave out the encoder") if head else ("", "")
        raise SettingError("drop", f"no feature is left{step}", f"drop fewer{other}")
    return kept


def split_topics(
    table: Candidates, judgments: Judgments, folds: int, seed: int, tied: Sequence[tuple[str, str]] = ()
) -> list[list[int]]:
    """Positions of the topics of each fold. Topics stay together that judge near-duplicate arguments, or are ``tied``.

    Graded items tie none: one argument is graded for several questions, and topics would hang together in one chain.
    `copies_of_graded` leaves its copies out of training.
    Raises InputError when there are fewer than two parts.
    """
    from scipy.sparse import coo_matrix  # noqa: PLC0415 takes half a second
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415 takes half a second

    position_of = {topic: position for position, topic in enumerate(table.topics)}
    links = [(position_of[a], position_of[b]) for a, b in tied if {a, b} <= position_of.keys()]
    judged = [~np.isnan(Evidence(table, qrels).grades) for qrels in judgments.distant.values()]
    if judged:
        rows, parts = np.nonzero(premises(table, np.any(judged, axis=0)))
        owner: dict[int, int] = {}
        for position, text in zip(
            table.topic_of_row[rows].tolist(), table.text_keys[rows, parts].tolist(), strict=True
        ):
            links.append((position, owner.setdefault(text, position)))
    number = len(table.topics)
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


def premises(table: Candidates, wanted: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """(n_rows, n_parts) the ``wanted`` parts without conclusions, which arguments of many debates share."""
    found = wanted.copy()
    found[found] = [not is_conclusion(part) for part in table.parts[found]]
    return found


def copies_of_graded(table: Candidates, judgments: Judgments, topics: Sequence[int]) -> npt.NDArray[np.bool_]:
    """(n_rows,) items with a premise of an item that is graded in ``topics``, or with a near-duplicate of one."""
    graded, spans, texts = judgments.graded_ids(), [*table.spans.items()], table.text_keys
    wanted = np.zeros(texts.shape, bool)
    for number, rows in (spans[topic] for topic in topics):
        wanted[rows] = table.iloc[rows].among(graded.get(number, ()))[:, None]
    return np.asarray(np.isin(texts, texts[premises(table, wanted)]).any(axis=1))
