"""The measures of Riposte, as functions of one topic's ranking and as measures of ir_measures.

Importing this module registers ``lab_nDCG@k``, ``condensed_nDCG@k`` and ``judged@k`` with ir_measures, so that they
parse and print like ``nDCG@k``. Their formulas are short and our own, because they do more than the providers
of ir_measures: grades may be any fractions (means of three readings are thirds; trec_eval wants whole numbers), and the
ideal ranking has relevant ids that the run lacks. Tests compare them with ir_measures and scikit-learn where possible.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from heapq import nlargest
from itertools import islice
from typing import Any

import ir_measures
from ir_measures import Measure, ParamInfo


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


def lab_script_ndcg(ranking: Sequence[str], grades: Mapping[str, float], k: int = 5) -> float:
    """nDCG@k as the lab's script computes it, by the rank column: cut, drop unjudged ids, close up; NaN without any."""
    return condensed_ndcg(ranking[:k], grades, k) if judged_share(ranking, grades, k) else math.nan


def inferred_ap(ranking: Iterable[str], grades: Mapping[str, float], rel: float = 1) -> float:
    """infAP as trec_eval computes it; an item with a negative grade is of the pool, and was not judged.

    Yilmaz & Aslam 2006. Its provider cannot be asked: it writes outside its memory on negative grades.
    """
    tiny, total, relevant, other, unjudged = 1e-5, 0.0, 0, 0, 0
    for above, id_ in enumerate(ranking):
        grade = grades.get(id_)
        if grade is not None and grade < 0:
            unjudged += 1
        elif grade is not None and grade < rel:
            other += 1
        elif grade is not None:
            precision = (relevant + tiny) / (relevant + other + 2 * tiny)
            total += (1 + (relevant + other + unjudged) * precision) / (above + 1)
            relevant += 1
    return total / max(sum(grade >= rel for grade in grades.values()), 1)


def _dcg(grades: Iterable[float]) -> float:
    # Of plain floats `sum` gives other last digits since Python 3.12.
    return math.fsum(max(grade, 0.0) / math.log2(rank + 1) for rank, grade in enumerate(grades, 1))


def _own(name: str) -> Any:
    params = {"cutoff": ParamInfo(dtype=int, required=True, desc="ranking cutoff threshold")}
    return type(name, (Measure,), {"NAME": name, "__name__": name, "SUPPORTED_PARAMS": params})()


OWN = lab_nDCG, condensed_nDCG, judged = [_own(name) for name in ("lab_nDCG", "condensed_nDCG", "judged")]

FORMULAS: Mapping[str, Callable[[Sequence[str], Mapping[str, float], int], float]] = {
    "lab_nDCG": lab_script_ndcg,
    "condensed_nDCG": condensed_ndcg,
    "judged": judged_share,
    "nDCG": lab_ndcg,
}
"""Name of a measure -> the value of one ranking at a cutoff."""


for _measure in OWN:
    ir_measures.measures.register(_measure)


def standard_measures(k: int = 5) -> list[Any]:
    """The measures of every evaluation: nDCG, lab_nDCG, judged and condensed_nDCG at depth ``k``."""
    return [measure @ k for measure in (ir_measures.nDCG, lab_nDCG, judged, condensed_nDCG)]
