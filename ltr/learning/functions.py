"""Labelling functions: each votes on every item in one dimension, in [0, 1], or abstains.

Judgments of arguments vote through functions too. Decorate a function to add it; `ltr.learning.labels` turns votes
into labels.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property

import numpy as np
import numpy.typing as npt

from features.core.feature import ItemKind
from features.core.registry import ComponentError, Registry
from ltr.data.ids import argument_of
from ltr.data.qrels import Qrels
from ltr.errors import InputError
from ltr.ranking.candidates import Candidates
from models.base import DIMENSIONS, percentile

Values = npt.NDArray[np.float64]

NOISE = ("is_boilerplate", "meta_talk", "url", "profanity")
NEAREST = "meaning_question_max"
PLACE = ("same_argument", "conclusions", "distance")
WITHOUT_GRADES = ("opens", "opens_together", "one_passage")
"""Functions that vote where no graded items train, or where they are named: models with grades learn place anyway."""


@dataclass(frozen=True)
class Evidence:
    """Input of labelling functions: the described items, and judgments of arguments in the same dimension."""

    table: Candidates
    qrels: Qrels = field(default_factory=Qrels)
    """Grades in [0, 1], see `Judgments`"""
    declared: LabellingFunction | None = None
    """The function that may read its own columns alone; None: whoever asks may read all."""

    @cached_property
    def grades(self) -> Values:
        """(n_rows, n_parts) grade of each part's argument, NaN where it is unjudged."""
        parts, argument = self.table.parts, cache(argument_of)
        found = np.full(parts.shape, np.nan)
        for topic, rows in self.table.spans.items():
            if judged := self.qrels.get(topic):
                found[rows] = [[judged.get(argument(part), np.nan) for part in of] for of in parts[rows]]
        return found

    def column(self, name: str) -> Values:
        """(n_rows,) a feature column. Raises InputError for an unknown one, ComponentError for one not declared."""
        if self.declared and name not in self.declared.columns:
            what = f"reads the column {name!r}, which it does not declare"
            raise ComponentError(f"labelling function {self.declared.name!r}", what, "name it in its columns")
        if name not in self.table:
            where = f"labelling function {self.declared.name!r}" if self.declared else "evidence"
            raise InputError(where, f"there is no feature column {name!r}", "docs/features.md lists the columns")
        # Of a column itself numpy asks for attributes, and pandas looks for their names among the rows.
        return self.table[name].to_numpy(np.float64)


@dataclass(frozen=True)
class LabellingFunction:
    """A labelling function and the facts about it."""

    name: str
    dimension: str
    description: str
    columns: tuple[str, ...]
    """Feature columns that the votes are made from."""
    weight: float
    """Weight of a vote in the mean of all votes."""
    kind: ItemKind
    """The kind of item that it votes on."""
    uses_qrels: bool
    """Whether it votes by judgments of arguments: distant supervision."""
    vote: Callable[[Evidence], Values]
    """(n_rows,) in [0, 1], NaN where it abstains."""


FUNCTIONS: Registry[LabellingFunction] = Registry("labelling function", "ltr.learning", lambda one: one.vote)
Vote = Callable[[Evidence], Values]


def labelling_function(
    dimension: str,
    description: str,
    columns: Sequence[str] = (),
    *,
    weight: float = 1.0,
    kind: ItemKind = "pair",
    uses_qrels: bool = False,
) -> Callable[[Vote], Vote]:
    """Register the decorated function under its own name."""

    def register(function: Vote) -> Vote:
        name = function.__name__
        if dimension not in DIMENSIONS:
            raise ValueError(f"labelling function {name!r}: {dimension!r} is none of {', '.join(DIMENSIONS)}")
        made = LabellingFunction(name, dimension, description, tuple(columns), weight, kind, uses_qrels, function)
        FUNCTIONS.add(name, made)
        return function

    return register


def labelling_functions(dimension: str | None = None, kind: ItemKind | None = None) -> dict[str, LabellingFunction]:
    """Name -> labelling function: all of them, or those for a dimension and a kind of item."""
    return {
        name: function
        for name, function in FUNCTIONS.search().items()
        if dimension in (None, function.dimension) and kind in (None, function.kind)
    }


def vote_by_percentile(
    dimension: str, name: str, column: str, description: str, weight: float = 1.0, kind: ItemKind = "pair"
) -> None:
    """Register a labelling function that votes by the percentile of a feature column within the topic."""

    def vote(evidence: Evidence) -> Values:
        return percentile(evidence.column(column), evidence.table.topic_of_row)

    vote.__name__ = name
    labelling_function(dimension, description, (column,), weight=weight, kind=kind)(vote)


def vote_by_judgments(dimension: str, weight: float) -> None:
    """Register ``judged_DIMENSION``: a pair is as good as the weaker of its arguments."""

    def vote(evidence: Evidence) -> Values:
        return np.asarray(evidence.grades.min(axis=1))

    vote.__name__ = f"judged_{dimension}"
    about = "the lower grade of the two arguments, where both are judged"
    labelling_function(dimension, about, weight=weight, uses_qrels=True)(vote)


vote_by_judgments("relevance", 1.5)
for _name, _column, _description in (
    ("argument_matches", "bm25_k1.2_b0.75_argument_min", "the argument matches the topic (BM25)"),
    ("debate_matches", "debate_cosine_min", "the debate is about the topic"),
    ("argument_near", "vector_topic_argument_min", "the argument means what the topic means"),
    ("pair_near", "vector_topic_pair", "the pair means what the topic means"),
):
    vote_by_percentile("relevance", _name, _column, _description)


@labelling_function(
    "relevance", "share of the topic's rare words in pair and headings", ("coverage_in_debate",), weight=4
)
def words_covered(evidence: Evidence) -> Values:
    """Rare words count most: the share shows whether a pair is about the very thing, a percentile does not."""
    return np.clip(evidence.column("coverage_in_debate"), 0, 1)


@labelling_function("relevance", "a sentence means what is asked (an encoder's cosine)", (NEAREST,), weight=20)
def sentence_near(evidence: Evidence) -> Values:
    """It votes on the head of a second step, where it counts for more than all others, and abstains elsewhere."""
    if NEAREST not in evidence.table:
        return np.full(len(evidence.table), np.nan)
    return np.clip(evidence.column(NEAREST), 0, 1)


@labelling_function("relevance", "few of the unjudged candidates are on the question", kind="argument")
def off_unless_judged(evidence: Evidence) -> Values:
    """Down-weighted unjudged negatives: several systems' best arguments were judged, the rest is assumed irrelevant.

    Pairs need none: their votes tell one from the other.
    """
    return np.zeros(len(evidence.table))


vote_by_judgments("quality", 2)
vote_by_percentile("quality", "well_written", "convincing_min", "people prefer such sentences")
vote_by_percentile("quality", "long_enough", "n_words_min", "both sentences are long enough to say something")
vote_by_percentile("quality", "argues", "argumentative_min", "both sentences are likely claims or evidence")
vote_by_percentile(
    "quality", "argument_well_written", "mean_convincing_min", "people prefer sentences of such arguments"
)


@labelling_function(
    "quality",
    "against boilerplate, talk about the debate, links and insults",
    tuple(f"{name}_max" for name in NOISE),
    weight=4,
)
def noisy(evidence: Evidence) -> Values:
    """It votes against pairs only, and abstains otherwise."""
    noise = [evidence.column(f"{name}_max") > 0 for name in NOISE]
    return np.where(np.any(noise, axis=0), 0.0, np.nan)


@labelling_function("quality", "the pair stands early in its argument", ("index_from_start_second",))
def opens(evidence: Evidence) -> Values:
    """Writers begin with their point, and digress later."""
    return 1 - percentile(evidence.column("index_from_start_second"), evidence.table.topic_of_row)


@labelling_function(
    "coherence",
    "conclusion and premise, or neighbours, before sentences far apart or of two arguments",
    PLACE,
    weight=5,
)
def stands_together(evidence: Evidence) -> Values:
    """Self-supervision: authors mean two neighbouring sentences to be read together."""
    distance = evidence.column("distance")
    apart = np.select([distance == 1, distance == 2, distance <= 4], [1.0, 0.85, 0.7], 0.6)
    inside = np.where(evidence.column("conclusions") == 1, 1.0, apart)
    return np.where(evidence.column("same_argument") > 0, inside, 0.3)


@labelling_function("quality", "one passage, before two sentences from different places", PLACE)
def one_passage(evidence: Evidence) -> Values:
    """Together, two sentences say more clearly what they mean."""
    return stands_together(evidence)


@labelling_function("coherence", "against opposite sides of one conclusion", ("stance_conflict",), weight=40)
def contradicts(evidence: Evidence) -> Values:
    """Two sentences that contradict each other are not coherent, wherever they stand."""
    return np.where(evidence.column("stance_conflict") > 0, 0.0, np.nan)


vote_by_percentile("coherence", "careful_argument", "mean_convincing_min", "careful writers are coherent", 0.5)


@labelling_function("coherence", "the pair stands early in its argument", ("index_from_start_second",))
def opens_together(evidence: Evidence) -> Values:
    """What stands early needs nothing that was said before."""
    return opens(evidence)
