"""Reports of runs: from files for the command, from values for Python."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from ltr.data.editions import edition_notes
from ltr.data.qrels import NEVER_ZERO, Qrels, never_zero
from ltr.data.runs import RunRow, read_run
from ltr.errors import InputError, SettingError
from ltr.evaluation.evaluator import check_match, evaluate_sets, values_frame
from ltr.evaluation.further import FURTHER, further_tables, read_further
from ltr.evaluation.inputs import QRELS, JudgmentFiles, by_dimension, path_text, qrels_of, run_rows
from ltr.evaluation.irmeasures import parse_measures
from ltr.evaluation.notes import order_notes
from ltr.evaluation.rankings import RANDOM_ORDERS, random_orders, random_title, run_order
from ltr.evaluation.report import Plan, Report
from ltr.evaluation.significance import paired_tests

if TYPE_CHECKING:
    from ltr.evaluation.inputs import Judged, Run

MEASURES = ("nDCG@5", "judged@5", "condensed_nDCG@5")
INTERVALS_NOTE = "[low, high]: 95% t interval over topics."


def evaluate(
    runs: Run | Mapping[str, Run],
    qrels: Judged,
    measures: Sequence[Any] = MEASURES,
    *,
    baseline: str | None = None,
    strict_order: bool = False,
) -> Report:
    """Measure a run by judgments; or several by name, and test each against a baseline over the topics.

    Parameters
    ----------
    runs :
        A run, or a dictionary name -> run. A run is a TREC file, a DataFrame with qid, docno, score and perhaps rank
        and stance, a dictionary topic -> id -> score, or rows.
    qrels :
        A file or several, a DataFrame with qid, docno and grade, or a dictionary topic -> id -> grade.
    measures : optional
        Names or objects of ir_measures. Shares of judged results are not tested.
    baseline : str, optional
        Name of the run that the others are tested against; by default the first.
    strict_order : bool
        Whether a pair matches a judged one in the same order alone.

    Raises InputError for what cannot be read or does not fit together, and for a measure that these grades do not
    allow.
    """
    named: Mapping[str, Any] = runs if _is_several(runs) else {"run": runs}  # type: ignore[assignment]
    baseline = next(iter(named)) if baseline is None else baseline
    if baseline not in named:
        raise InputError("baseline", f"{baseline!r} is not among the runs", f"name one of {', '.join(named)}")
    judgments, wanted = {QRELS: qrels_of(qrels)}, parse_measures(measures)
    if not wanted:
        raise SettingError("measures", "there are none", f"name some, such as {MEASURES[0]}")
    rows = {name: run_rows(run) for name, run in named.items()}
    tested = [str(measure) for measure in wanted if measure.NAME.lower() != "judged"]
    return measured(rows, judgments, wanted, Plan(tested, baseline, len(named) > 1, strict_order=strict_order))


def _is_several(runs: Any) -> bool:
    """Whether these are runs by name: a run as a dictionary has scores two levels down."""
    if not isinstance(runs, Mapping):
        return False
    by_id = [one for one in runs.values() if isinstance(one, Mapping)]
    return len(by_id) < len(runs) or any(isinstance(score, Mapping) for one in by_id for score in one.values())


def measured(
    runs: Mapping[str, Sequence[RunRow]], judgments: Mapping[str, Qrels], measures: Sequence[Any], plan: Plan
) -> Report:
    """Measure runs by every set of judgments, and test them; the tests are one family. Raises InputError."""
    strict = plan.strict_order
    if strict and all(qrels.level == "argument" for qrels in judgments.values()):
        raise SettingError("strict_order", "only judgments of pairs have an order", "leave it out")
    for name, rows in runs.items():
        check_match(name, rows, judgments)
    orders = {name: run_order(rows) for name, rows in runs.items()}
    figures = {run: evaluate_sets([one], judgments, measures, strict_order=strict) for run, one in orders.items()}
    first, order = next(iter(orders.items()))
    at_random = evaluate_sets(random_orders(order.by_score), judgments, measures, strict_order=strict)
    families = []
    if plan.tested and plan.measures:
        families = [paired_tests(values_frame(figures), plan.pairs([*figures]), plan.measures)]
    shuffled = f"{random_title(first)}: mean over {RANDOM_ORDERS} shuffles of its results, seed 0."
    above = [name for name, qrels in judgments.items() if never_zero(qrels)]
    doubts = [f"{', '.join(above)}: {NEVER_ZERO}."] * bool(above) + order_notes(orders)
    return Report(figures, plan, families, at_random, remarks=[INTERVALS_NOTE, shuffled, *doubts])


def evaluate_files(
    runs: Sequence[Path],
    files: JudgmentFiles,
    measures: Sequence[Any],
    plan: Plan,
    further: Mapping[str, Path] = MappingProxyType({}),
    k: int = 5,
) -> Report:
    """Measure runs in files by files of judgments.

    ``further``: name of further figures -> the file of their judgments; ``k`` is the depth of the standard measures.
    Raises InputError.
    """
    judgments = files.read()
    own = read_further(further, {topic for qrels in judgments.values() for topic in qrels})
    rows = {path_text(path): read_run(path) for path in runs}
    report = measured(rows, judgments, measures, plan)
    found = {run: {name: FURTHER[name].measure(of, by, k) for name, by in own.items()} for run, of in rows.items()}
    shown = {run: {name: of[name] for name in (further if plan.brief else of)} for run, of in found.items()}
    level = next(iter(judgments.values())).level
    order = "in the judged order only" if plan.strict_order else "in either order"
    note = f"Level: {f'pair, {order}' if level == 'pair' else 'whole item'}"
    note += f"{', guessed from the ids of the qrels' * files.guessed}."
    facts = {
        "qrels": list(map(path_text, files.qrels)),
        "pair_qrels": _names(files.pair_qrels),
        "argument_qrels": _names(files.argument_qrels),
        "level": level,
        "level_guessed": files.guessed,
        "strict_order": plan.strict_order,
        "k": k,
        "seed": 0,
    }
    judged = [*files.qrels, *(path for _, path in (*files.pair_qrels, *files.argument_qrels)), *further.values()]
    editions = edition_notes(dict.fromkeys(judged), {run: of[0].pair for run, of in rows.items()})
    tables, remarks = further_tables(shown, k), [note, *report.remarks, *(f"{edition}." for edition in editions)]
    return replace(report, further=tables, remarks=remarks, facts=facts, of_runs=found)


def _names(entries: Sequence[tuple[str, Path]]) -> dict[str, list[str]]:
    return {name: list(map(path_text, paths)) for name, paths in by_dimension(entries).items()}
