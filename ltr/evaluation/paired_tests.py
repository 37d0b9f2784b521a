"""Runs against each other by every set of judgments: paired tests, all of them corrected together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ltr.errors import InputError
from ltr.evaluation.evaluator import Evaluation
from ltr.evaluation.significance import Difference, holm, paired_difference, verdict


@dataclass(frozen=True)
class PairedTest:
    """``run`` minus ``baseline`` in one measure; ``adjusted_p`` is Holm's over all tests of the comparison."""

    judgments: str
    measure: str
    run: str
    baseline: str
    difference: Difference
    adjusted_p: float
    verdict: str


def paired_tests(
    evaluations: Mapping[str, Mapping[str, Evaluation]],
    pairs: Sequence[tuple[str, str]],
    measures: Sequence[str],
    seed: int = 0,
    tick: Callable[[], object] = lambda: None,
) -> list[PairedTest]:
    """The tests of each (run, baseline) in every set of judgments and measure, one family for Holm's correction.

    ``evaluations`` are by run and set of judgments; a test is over the topics that have a value in both runs, and
    InputError is raised where there is none. Two tests of the same differences count once, as those of full and
    condensed figures where all is judged; one of no differences does not, for it could not come out any other way
    (Tarone 1990).
    """
    sets = list(next(iter(evaluations.values())))
    keys = [(one, measure, *pair) for one in sets for pair in pairs for measure in measures]
    found: dict[bytes, Difference] = {}
    same = []
    for one, measure, *runs in keys:
        by_run = [evaluations[run][one].values[measure] for run in runs]
        topics = [topic for topic in by_run[0] if topic in by_run[1]]
        if not topics:
            what = f"{' and '.join(runs)} have a value for no topic in common"
            raise InputError(f"{measure} by {one}", what, "test another measure")
        a, b = (np.array([values[topic] for topic in topics]) for values in by_run)
        same.append((np.round(a - b, 12) + 0.0).tobytes())
        if same[-1] not in found:
            found[same[-1]] = paired_difference(a, b, seed)
        tick()
    family = {key: difference.p for key, difference in found.items() if difference.equal < difference.topics}
    adjusted = dict(zip(family, holm(list(family.values())), strict=True))
    return [
        PairedTest(*key, found[data], p, verdict(found[data], p))
        for key, data in zip(keys, same, strict=True)
        for p in [adjusted.get(data, 1.0)]
    ]
