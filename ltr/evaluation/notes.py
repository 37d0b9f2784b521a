"""Notes below the tables of a report: what tests are, and what runs and judgments lack."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ltr.evaluation.evaluator import LAB, MEAN, Evaluation, Figures
from ltr.evaluation.rankings import RunOrder
from ltr.evaluation.significance import ALPHA, CORRELATION, CROSS_VALIDATED, EFFECT_LIMIT, PairedTest, least_p
from ltr.evaluation.tables import counted


def tested_notes(families: Sequence[Sequence[PairedTest]]) -> list[str]:
    """How differences are tested, by families of tests, and the least p where too few topics are tested."""
    if not families:
        return []
    of_studies = f"; of {CORRELATION} a t test, variance times {CROSS_VALIDATED:g}: topics train each other's rankers"
    correlated = any(test.measure == CORRELATION for family in families for test in family)
    lines = [
        f"p: two-sided paired randomisation test over topics{of_studies if correlated else ''}. "
        "Holm p: over all tests of the table, with equal differences counted once.",
        f"d_z: mean difference / its standard deviation, at most {EFFECT_LIMIT:g} either way. "
        f"Verdict: Holm p at most {ALPHA:g}, or no evidence.",
    ]
    least = [least_p([test.difference for test in family]) for family in families]
    if above := [p for p in least if p > ALPHA]:
        topics = counted(max(test.difference.topics for family in families for test in family), "topic")
        of = "this table" if len(least) == 1 else f"{len(above)} of the {len(least)} tables"
        lines.append(f"With {topics} no Holm p of {of} is below {min(above):g}, however large the differences.")
    return lines


def coverage_notes(figures: Figures) -> list[str]:
    """The number of judged topics per set of judgments, and what runs lack or have too much, without zeros."""
    sets = [name for name, one in next(iter(figures.values())).items() if name != MEAN and one.coverage.judged]
    remarks = []
    for name in sets:
        of_first = next(iter(figures.values()))[name].coverage
        lacking = len(of_first.without_relevant)
        words = f", {lacking} without a relevant id (scored 0 in nDCG)" if lacking else ""
        remarks.append(("", counted(of_first.judged, "judged topic") + words, name))
    for name in sets:
        exceptions = {run: _exceptions(by_set[name]) for run, by_set in figures.items()}
        alike = len(exceptions) > 1 and len(set(exceptions.values())) == 1
        shown = {"every run": next(iter(exceptions.values()))} if alike else exceptions
        remarks += [(run, what, name) for run, what in shown.items() if what]
    lines: dict[tuple[str, str], list[str]] = {}  # run and remark -> the sets of judgments that it is true for
    for run, what, name in remarks:
        lines.setdefault((run, what), []).append(name)
    texts = []
    for (run, what), names in lines.items():
        subject = ", ".join(filter(None, [run, *(names if len(names) < len(sets) else [])]))
        texts.append(f"{subject}: {what}." if subject else f"{what}.")
    return texts


def order_notes(orders: Mapping[str, RunOrder]) -> list[str]:
    """The runs whose ranks and scores give different orders."""
    texts = []
    for run, order in orders.items():
        if differ := sum(order.by_rank[topic] != ids for topic, ids in order.by_score.items()):
            what = f"{run}: rank and score give different orders in {counted(differ, 'topic')}"
            texts.append(f"{what} (equal scores go by id): lab_nDCG reads the ranks, other measures the scores.")
    return texts


def _exceptions(evaluation: Evaluation) -> str:
    coverage = evaluation.coverage
    lab = next((name for name in evaluation.means if name.startswith(LAB)), LAB)
    nothing_judged = f"with nothing judged in the first {lab.removeprefix(LAB)} (left out of {lab})"
    words = {
        f"{len(coverage.missing)} missing from the run (scored 0)": coverage.missing,
        f"{counted(coverage.unjudged, 'topic')} of the run without judgments (left out)": coverage.unjudged,
        f"{len(coverage.outside_lab_mean)} {nothing_judged}": coverage.outside_lab_mean,
        f"{counted(coverage.repeated, 'repeated result')} (only the first place counts)": coverage.repeated,
    }
    return "; ".join(text for text, affected in words.items() if affected)
