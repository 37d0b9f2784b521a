"""Last stage of an answer: results with their texts, scores, sides and reasons, and the points that they make."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass

from ltr.answers.answer import Result, Snippet, side_group
from ltr.answers.judge import is_likely, why
from ltr.answers.points import Point, PointMaker
from ltr.answers.select import Selected, SideOf
from ltr.answers.table import Verdict


@dataclass(frozen=True)
class Facts:
    """What is known of items, by id."""

    snippets: Callable[[str], tuple[Snippet, ...]]
    """Their sentences with their sources."""
    scores: Callable[[str], Mapping[str, float]]
    """Expected grades, and scores of baselines."""
    side_of: SideOf
    verdicts: Callable[[str], Sequence[Verdict]]
    """What is judged of their arguments; nothing where sides are not toward the question."""
    low: Set[str]
    """Items of little expected relevance."""


def present(
    selected: Selected, facts: Facts, groups: Sequence[tuple[str, str]], maker: PointMaker | None
) -> tuple[list[Result], list[Point]]:
    """The results by rank, and their points, if somebody makes them; ``groups`` as in `ltr.answers.answer.Answer`."""
    likely = {row.pair for row in selected.rows if is_likely(facts.verdicts(row.pair))}
    points: list[Point] = []
    point_of: dict[str, int] = {}
    if maker:
        worth = [row for row in selected.rows if row.pair not in selected.folded]
        shown = {side: [row.pair for row in worth if side_group(row.stance, groups) == side] for side, _ in groups}
        doubtful = likely | facts.low
        points, point_of = maker.find(
            shown, selected.worth, lambda one: side_group(facts.side_of(one), groups), doubtful
        )
    results = [
        Result(
            row.rank,
            row.stance,
            row.score,
            facts.snippets(row.pair),
            facts.scores(row.pair),
            why(facts.verdicts(row.pair)),
            row.pair in selected.folded,
            tuple(selected.alike.get(row.pair, ())),
            point_of.get(row.pair),
            likely=row.pair in likely,
        )
        for row in sorted(selected.rows, key=lambda row: row.rank)
    ]
    return results, points
