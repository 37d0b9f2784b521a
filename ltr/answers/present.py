"""Last stage of an answer: results with their texts, scores, sides, reasons and points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ltr.answers.answer import Result, Snippet
from ltr.answers.judge import Verdict, is_likely, why
from ltr.answers.select import Selected


def present(
    selected: Selected,
    texts: Mapping[str, tuple[Snippet, ...]],
    grades: Mapping[str, Mapping[str, float]],
    verdicts: Mapping[str, Sequence[Verdict]],
    point_of: Mapping[str, int],
) -> list[Result]:
    """The results by rank, from what is known of each, by id.

    ``verdicts`` are those on its arguments, none where sides are not toward the question; ``point_of`` has the number
    of the point that a result makes.
    """
    return [
        Result(
            row.rank,
            row.stance,
            row.score,
            texts[row.pair],
            grades[row.pair],
            why(verdicts[row.pair]),
            row.pair in selected.folded,
            tuple(selected.alike.get(row.pair, ())),
            point_of.get(row.pair),
            likely=is_likely(verdicts[row.pair]),
        )
        for row in sorted(selected.rows, key=lambda row: row.rank)
    ]
