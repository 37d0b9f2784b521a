"""Measures by the names of ir_measures, ours among them, from whichever of its providers are installed.

Its providers want whole grades, and fractional ones can often be had without loss: grades are multiplied until they
are whole (halves by 2) where a common factor changes nothing, and a threshold ``rel`` is multiplied along.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import isnan, lcm
from subprocess import SubprocessError
from typing import Any

import ir_measures

from ltr.data.qrels import GRADE_LIMIT, Grades
from ltr.errors import SettingError
from ltr.evaluation.measures import FORMULAS, OWN
from ltr.evaluation.rankings import Rankings, RunOrder

_FORM = re.compile(r"[A-Za-z]\w{0,20}(\([\w=.,:'{}-]{1,80}\))?(@[0-9.]{1,6})?", re.ASCII)
_ORDER_ONLY = ("Judged", "Compat", "NumRet", "NumQ")  # their values depend on which grade is higher, not by how much
_LARGEST = 99_999
_OWN_NAMES = {measure.NAME for measure in OWN}
_PIPELINE: Any = ir_measures.DefaultPipeline
_FAULTS = (ArithmeticError, AssertionError, LookupError, OSError, RuntimeError, ValueError, SubprocessError)

Values = dict[str, dict[str, float]]
"""Measure -> topic -> value."""


def parse_measure(name: str) -> Any:
    """A measure that one of the installed providers computes. Raises InputError."""
    try:
        if not _FORM.fullmatch(name):
            raise ValueError
        with warnings.catch_warnings(action="ignore"):  # of Python's grammar, which parameters are read by
            measure = ir_measures.parse_measure(name)
        # P@0 and the like end the whole process, in the C of trec_eval, so no number gets there unchecked.
        if not all(_is_valid(value) for value in measure.params.values()):
            raise ValueError
        known = [*measure.params] == ["cutoff"] if measure.NAME in _OWN_NAMES else _PIPELINE.supports(measure)
    except (NameError, ValueError, KeyError, TypeError, AttributeError, AssertionError):
        known = False
    if not known:
        what = f"{name[:80]!r} is unknown, lacks or has too many parameters, or has no provider here"
        raise SettingError("measure", what, "write it as ir-measures does, such as AP, P@10 or AP(rel=2)")
    return measure


def _is_valid(value: Any) -> bool:
    if isinstance(value, dict):
        return all(type(number) is int and 0 <= number <= _LARGEST for pair in value.items() for number in pair)
    return isinstance(value, bool | str) or 0 < value <= _LARGEST


def parse_measures(wanted: Iterable[Any]) -> list[Any]:
    """Measures by name, each once; measures of ir_measures are taken as they are. Raises InputError."""
    return list(dict.fromkeys(parse_measure(measure) if isinstance(measure, str) else measure for measure in wanted))


def calculate(measures: Sequence[Any], grades: Grades, order: RunOrder) -> Values:
    """Measure -> topic -> value, over the topics of ``grades``, all of which ``order`` has.

    A topic without a ranking has 0, and none in ``lab_nDCG``, which has no value where nothing is judged above its
    cut. That measure reads the rank column, the others the scores. Negative grades count 0. Raises InputError for a
    measure whose values fractional grades would not leave as they are, and where the measure's provider fails.
    """
    factor = whole_factor(grades)
    ours = [
        measure
        for measure in measures
        if measure.NAME in FORMULAS and (measure.NAME != "nDCG" or (not factor and set(measure.params) == {"cutoff"}))
    ]
    values: Values = {}
    for measure in ours:
        ranked = order.by_rank if measure.NAME == "lab_nDCG" else order.by_score
        formula, k = FORMULAS[measure.NAME], measure["cutoff"]
        found = {topic: formula(ranked[topic], judged, k) for topic, judged in grades.items()}
        values[str(measure)] = {topic: value for topic, value in found.items() if not isnan(value)}
    values |= _provided_values([measure for measure in measures if measure not in ours], grades, order.by_score, factor)
    return {str(measure): values[str(measure)] for measure in measures}


def _provided_values(measures: Sequence[Any], grades: Grades, rankings: Rankings, factor: int) -> Values:
    """Values by the providers of ir_measures, of grades that ``factor`` makes whole."""
    if not measures:  # ir_measures fails where nothing is asked of it
        return {}
    scaled = {_scale(measure, factor): str(measure) for measure in measures}
    cutoffs = [measure.params.get("cutoff") for measure in measures]
    cut = all(cutoffs) and not any(measure.params.get("judged_only") for measure in measures)
    depth = max(cutoffs) if cut else None
    # pytrec_eval 0.5.11 writes outside its memory for a topic with grades of both signs: now and then the process
    # dies. So it never sees a negative one. Numbers as topics, since gdeval takes nothing else.
    numbers = {topic: str(number) for number, topic in enumerate(grades, 1)}
    names = dict(zip(numbers.values(), numbers, strict=True))
    whole = {numbers[t]: {i: max(round(g * factor), 0) for i, g in judged.items()} for t, judged in grades.items()}
    # Scores made from the positions: trec_eval keeps 32 bits of a score, which could tie two of a run's.
    run = {
        numbers[topic]: {id_: -float(position) for position, id_ in enumerate(ids[:depth])}
        for topic, ids in rankings.items()
        if topic in numbers and ids
    }
    values = {name: dict.fromkeys(grades, 0.0) for name in scaled.values()}
    try:
        for metric in _PIPELINE.iter_calc(list(scaled), whole, run):
            values[scaled[metric.measure]][names[metric.query_id]] = float(metric.value)
    except _FAULTS as error:
        for measure in measures if len(measures) > 1 else ():
            _provided_values([measure], grades, rankings, factor)  # raises for the one that fails
        what = f"the provider of {' or '.join(values)} fails ({type(error).__name__}: {str(error)[:120]})"
        raise SettingError("measure", what, "leave it out") from None
    return values


def whole_factor(grades: Grades) -> int:
    """The factor that makes every grade whole, as written in decimals; 0 when the products are too large."""
    distinct = {float(grade) for judged in grades.values() for grade in judged.values()}
    factor = lcm(*(Fraction(repr(grade)).denominator for grade in distinct))
    return factor if factor <= GRADE_LIMIT and max(map(abs, distinct), default=0) * factor <= GRADE_LIMIT else 0


def _scale(measure: Any, factor: int) -> Any:
    """The measure that has the same value on grades times ``factor``. Raises InputError when there is none."""
    if factor == 1:
        return measure
    scaled = None
    if factor and "rel" in measure.SUPPORTED_PARAMS and type(measure["rel"]) is int:
        scaled = measure(rel=measure["rel"] * factor)
    elif factor and (
        measure.NAME in _ORDER_ONLY
        or (measure.NAME == "nDCG" and measure["dcg"] == "log2" and "gains" not in measure.params)
    ):
        scaled = measure
    if scaled is None or not _PIPELINE.supports(scaled):
        what = f"{measure} is not defined for these grades, which are not all whole"
        raise SettingError("measure", what, "leave it out, or round the grades")
    return scaled
