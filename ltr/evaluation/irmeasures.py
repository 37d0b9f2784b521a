"""Measures by the names of ir_measures, ours among them, from whichever of its providers are installed.

A measure with the name of another tool has its value: its provider gets the run's own scores, so ties are broken as it
breaks them. Providers want whole grades, and fractional ones can often be had without loss: grades are multiplied until
they are whole (halves by 2) where a common factor changes nothing, and a threshold ``rel`` is multiplied along.
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
from ltr.evaluation.measures import FORMULAS, OWN, inferred_ap
from ltr.evaluation.rankings import RunOrder

_FORM = re.compile(r"[A-Za-z]\w{0,20}(\([\w=.,:'{}-]{1,80}\))?(@[0-9.]{1,6})?", re.ASCII)
_ORDER_ONLY = ("Judged", "Compat", "NumRet", "NumQ")  # their values depend on which grade is higher, not by how much
_LARGEST = 99_999
_NOTHING = {"\x01": 0}  # judgments that change no value: the C of trec_eval fails on a topic that has none
_OWN_NAMES = {measure.NAME for measure in OWN}
_PIPELINE: Any = ir_measures.DefaultPipeline
_FAULTS = (ArithmeticError, AssertionError, LookupError, OSError, RuntimeError, ValueError, SubprocessError)

Values = dict[str, dict[str, float]]
"""Measure -> topic -> value."""


def parse_measure(name: Any) -> Any:
    """A measure, or a name of one, that one of the installed providers computes. Raises InputError."""
    try:
        measure = name
        if isinstance(name, str):
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
        what = f"{str(name)[:80]!r} is unknown, lacks or has too many parameters, or has no provider here"
        raise SettingError("measure", what, "write it as ir-measures does, such as AP, P@10 or AP(rel=2)")
    if isinstance(measure.aggregator(), ir_measures.measures.SumAgg):
        raise SettingError("measure", f"{measure} is summed over topics, and reports have means", "use P@10 or R@100")
    return measure


def _is_valid(value: Any) -> bool:
    if isinstance(value, dict):
        return all(type(number) is int and 0 <= number <= _LARGEST for pair in value.items() for number in pair)
    return isinstance(value, bool | str) or 0 < value <= _LARGEST


def parse_measures(wanted: Iterable[Any]) -> list[Any]:
    """Measures, by name or as objects of ir_measures, each once. Raises InputError."""
    several = isinstance(wanted, Iterable) and not isinstance(wanted, str)
    return list(dict.fromkeys(map(parse_measure, wanted if several else [wanted])))


def calculate(measures: Sequence[Any], grades: Grades, order: RunOrder) -> Values:
    """Measure -> topic -> value, over the topics of ``grades``, all of which ``order`` has.

    A topic without a ranking has 0, and none in ``lab_nDCG``, which has no value where nothing is judged above its
    cut; nor has Accuracy, where nothing relevant is. ``lab_nDCG`` reads the rank column, the others the scores. A
    negative grade gains nothing, and leaves an item unjudged where trec_eval says so: in Bpref, infAP and with
    ``judged_only``. Raises InputError for a measure whose values fractional grades would not leave as they are, and
    where the measure's provider fails.
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
    for measure in measures:
        if measure.NAME == "infAP":
            found = {topic: inferred_ap(order.by_score[topic], of, measure["rel"]) for topic, of in grades.items()}
            values[str(measure)] = found
    others = [measure for measure in measures if str(measure) not in values]
    # pytrec_eval 0.5.11 writes outside its memory for a topic with grades of both signs: now and then the process
    # dies. So it never sees a negative one. To it they are those of no item; Judged alone counts them.
    unsigned = {
        topic: {id_: grade for id_, grade in of.items() if grade >= 0} or _NOTHING for topic, of in grades.items()
    }
    for of, asked in (
        (grades, [measure for measure in others if measure.NAME == "Judged"]),
        (unsigned, [measure for measure in others if measure.NAME != "Judged"]),
    ):
        values |= _provided_values(asked, of, order, factor)
    return {str(measure): values[str(measure)] for measure in measures}


def _provided_values(measures: Sequence[Any], grades: Grades, order: RunOrder, factor: int) -> Values:
    """Values by the providers of ir_measures, of grades that ``factor`` makes whole."""
    if not measures:  # ir_measures fails where nothing is asked of it
        return {}
    scaled = {_scale(measure, factor): str(measure) for measure in measures}
    # Numbers as topics, since gdeval takes nothing else.
    numbers = {topic: str(number) for number, topic in enumerate(grades, 1)}
    names = dict(zip(numbers.values(), numbers, strict=True))
    whole = {numbers[topic]: {id_: round(grade * factor) for id_, grade in of.items()} for topic, of in grades.items()}
    run = {
        numbers[topic]: order.scores.get(topic) or {id_: -float(position) for position, id_ in enumerate(ids)}
        for topic, ids in order.by_score.items()
        if topic in numbers and ids
    }
    values: Values = {name: {} for name in scaled.values()}
    try:
        for metric in _PIPELINE.iter_calc(list(scaled), whole, run):
            values[scaled[metric.measure]][names[metric.query_id]] = float(metric.value)
    except _FAULTS as error:
        for measure in measures if len(measures) > 1 else ():
            _provided_values([measure], grades, order, factor)  # raises for the one that fails
        what = f"the provider of {' or '.join(values)} fails ({type(error).__name__}: {str(error)[:120]})"
        raise SettingError("measure", what, "leave it out") from None
    return {name: {topic: of[topic] for topic in grades if topic in of} for name, of in values.items()}


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
