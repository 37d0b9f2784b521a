"""Measures of one topic's ranking, and all that are reported of a run.

They are short and ours, where ir_measures has ``nDCG(judged_only=True)@k`` and ``Judged@k`` and scikit-learn has
``ndcg_score``, because they do more: grades may be any fractions (means of three readings are thirds; trec_eval wants
whole numbers), the ideal holds relevant ids that the ranking lacks (ndcg_score sees one list only, and refuses a list
of one), and cross-validation calls them some thousand times. Tests hold them against all three where those apply.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from heapq import nlargest
from itertools import islice
from typing import Any

from ltr.data.qrels import Qrels
from ltr.evaluation.irmeasures import calculate, whole_factor
from ltr.evaluation.rankings import RunOrder


def lab_ndcg(ranking: Sequence[str], grades: Mapping[str, float], k: int = 5) -> float:
    """The Touché lab's nDCG@k: the gain is the grade, at least 0, divided by log2(rank + 1).

    Unjudged ids gain nothing; without a grade above 0 the value is 0. Järvelin & Kekäläinen 2002, with
    the discount of trec_eval's ndcg_cut; unlike that one it takes fractional grades.
    """
    ideal = _dcg(nlargest(k, grades.values()))
    # Rounding alone could lift a near-ideal order above 1.
    return min(1.0, _dcg(grades.get(id_, 0.0) for id_ in ranking[:k]) / ideal) if ideal > 0 else 0.0


def condensed_ndcg(ranking: Iterable[str], grades: Mapping[str, float], k: int = 5) -> float:
    """:func:`lab_ndcg` after taking unjudged ids out of the ranking: Sakai 2007, "condensed lists"."""
    return lab_ndcg(list(islice((id_ for id_ in ranking if id_ in grades), k)), grades, k)


def judged_share(ranking: Sequence[str], grades: Mapping[str, float], k: int = 5) -> float:
    """Share of the first k ids, or of all when there are fewer, with a grade; 0 for an empty ranking."""
    top = ranking[:k]
    return sum(id_ in grades for id_ in top) / len(top) if top else 0.0


def _dcg(grades: Iterable[float]) -> float:
    # Of plain floats `sum` gives other last digits since Python 3.12.
    return math.fsum(max(grade, 0.0) / math.log2(rank + 1) for rank, grade in enumerate(grades, 1))


# ---- all topics -----------------------------------------------------------------------------------


def measure_run(order: RunOrder, grades: Qrels, k: int, further: Sequence[Any]) -> dict[str, dict[str, float]]:
    """Values by measure and topic of ``grades``; the run's rankings have every one of those topics.

    ``lab_nDCG`` does what the lab's script does: it reads the rank column, cuts, drops what is unjudged, so that the
    rest closes up, and leaves out topics of which nothing is left. All others read scores, as trec_eval does, and have
    a value for every topic.
    """
    import ir_measures

    scored, ranked = order
    seen = [topic for topic in grades if judged_share(ranked[topic], grades[topic], k)]
    full = {topic: lab_ndcg(scored[topic], grades[topic], k) for topic in grades}
    by_trec_eval = [ir_measures.nDCG @ k] if whole_factor(grades) else []  # else by the same formula, ours
    return {
        f"nDCG@{k}": full,
        f"lab_nDCG@{k}": {topic: condensed_ndcg(ranked[topic][:k], grades[topic], k) for topic in seen},
        f"judged@{k}": {topic: judged_share(scored[topic], grades[topic], k) for topic in grades},
        f"condensed_nDCG@{k}": {topic: condensed_ndcg(scored[topic], grades[topic], k) for topic in grades},
        **calculate(by_trec_eval, grades, scored),
        **calculate(further, grades, scored),
    }
