"""``python -m experiments.compare RUN... --qrels FILE``: which TREC run is better, and is it luck?

Anybody's runs will do. Every measure is tested over the topics, paired, against one run or between all.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from os.path import realpath
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ltr.cli import Parser, whole_number
from ltr.errors import InputError, run_command

if TYPE_CHECKING:  # numpy is slow to import, and --help should not wait for it
    from ltr.formats import Qrels, RunRow
    from ltr.metrics import Evaluation
    from ltr.progress import Progress
    from ltr.significance import Difference

OWN = ("nDCG", "lab_nDCG", "judged", "condensed_nDCG")
FURTHER = ("nDCG@10", "P@10", "AP", "RR")
FORMATS = {
    "json": "values, means and the tests of every measure as JSON",
    "csv": "the value of every run, measure and topic as CSV",
    "latex": "the tables for LaTeX with booktabs",
    "markdown": "the tables as Markdown",
}
_PARAMETER = r"(rel=[1-9][0-9]{0,3}|judged_only=True)"
_MEASURE = re.compile(rf"[A-Za-z]\w*(\({_PARAMETER}(,{_PARAMETER})*\))?(@([1-9][0-9]{{0,4}}|0\.[0-9]))?", re.ASCII)

EPILOG = """\
Measures of python -m ltr.evaluate, at depth k: nDCG, lab_nDCG, judged, condensed_nDCG.
Further ones (--measure) have the names of ir-measures: AP, RR, P@10, nDCG@10, Judged@10, R@100, Bpref,
Rprec, Success@5, AP(rel=2)@100 ... Most take unjudged results for not relevant; AP(judged_only=True)
and the like leave them out. All qrels topics count: a topic that a run lacks scores 0.

The terminal, --latex and --markdown show the means of every measure and the tests of --test-measure.
--json has the tests of every measure and all values; --csv the values, a row each: run,measure,topic,value.
One FILE may be -, which prints it in place of the tables.

examples:
  python -m experiments.compare bm25/run.txt ours/run.txt --qrels pairs.qrels
  python -m experiments.compare a.txt b.txt c.txt --qrels args.qrels --all-pairs --measure AP --test-measure AP
"""


@dataclass(frozen=True)
class PairedTest:
    """``run`` minus ``baseline`` in one measure; ``adjusted_p`` is Holm's over all tests of that measure."""

    measure: str
    run: str
    baseline: str
    difference: Difference
    adjusted_p: float
    verdict: str


@dataclass(frozen=True)
class Comparison:
    """All that was found; runs go by the names they are shown by."""

    qrels: list[str]
    level_guessed: bool
    baseline: str | None  # None: every run was tested against every other
    test_measure: str
    evaluations: dict[str, Evaluation]
    tests: list[PairedTest]

    @property
    def shown_tests(self) -> list[PairedTest]:
        """The tests of the chosen measure."""
        return [test for test in self.tests if test.measure == self.test_measure]


def parser() -> Parser:
    """The command's options."""
    from argparse import RawDescriptionHelpFormatter

    p = Parser(
        prog="python -m experiments.compare",
        description="Compare TREC runs over the topics of relevance judgments, with tests and effect sizes.",
        epilog=EPILOG,
        formatter_class=RawDescriptionHelpFormatter,
    )
    add = p.add_argument
    add("runs", type=Path, nargs="+", metavar="RUN", help="two or more runs: topic stance pair rank score tag")
    qrels = "judgments: topic 0 id grade; repeat to merge files"
    add("--qrels", type=Path, action="append", required=True, metavar="FILE", help=qrels)
    level = "what the qrels judge (default: pair when their ids hold a comma, else argument)"
    add("--level", choices=("pair", "argument"), help=level)
    strict = "a pair matches a judged pair only with its sentences in the same order"
    add("--strict-order", action="store_true", help=strict)
    measure = f"a further measure, as ir-measures names it; repeat for more (default: {', '.join(FURTHER)})"
    add("--measure", action="append", metavar="NAME", help=measure)
    tested = "the measure whose tests are shown (default: condensed_nDCG@k)"
    add("--test-measure", metavar="NAME", help=tested)
    add("-k", type=whole_number(1, 100_000), default=5, metavar="N", help="depth of our measures (default: 5)")
    seed = "seed of bootstrap and tests (default: 0)"
    add("--seed", type=whole_number(0), default=0, metavar="N", help=seed)
    against = p.add_mutually_exclusive_group()
    baseline = "the run that the others are tested against (default: the first)"
    against.add_argument("--baseline", type=Path, metavar="RUN", help=baseline)
    against.add_argument("--all-pairs", action="store_true", help="test every run against every other")
    add("--per-topic", action="store_true", help="print the values and differences of every topic, too")
    for name, what in FORMATS.items():
        add(f"--{name}", type=Path, metavar="FILE", help=f"write {what}")
    add("--quiet", action="store_true", help="no progress, only results and errors")
    return p


def main(argv: list[str] | None = None) -> int:
    """Compare the runs named in ``argv`` (the process's own arguments when None) and print the result.

    Raises InputError for anything wrong in usage or input, before anything is printed or written.
    """
    args = parser().parse_args(argv)
    outputs = check_usage(args)

    from experiments.compare_output import RENDERINGS, as_text, notes, tables, topic_table, write_all
    from ltr.progress import Progress

    found = compare(args, Progress(quiet=args.quiet))
    texts = {path: RENDERINGS[name](found) for name, path in outputs.items()}
    printed = texts.pop(Path("-"), None)
    write_all(texts)
    if printed is not None:
        sys.stdout.write(printed)
        return 0
    shown = tables(found)
    if args.per_topic:
        shown.append(topic_table(found, found.baseline or next(iter(found.evaluations))))
    print("\n".join(map(as_text, shown)))
    print("\n".join(notes(found)))
    return 0


# ---- usage ----------------------------------------------------------------------------------------


def check_usage(args: Any) -> dict[str, Path]:
    """The files to write by format. Raises InputError for runs and files that do not go together."""
    runs = list(map(realpath, args.runs))
    if len(runs) < 2:
        mend = "name another run, or measure this one with python -m ltr.evaluate"
        raise InputError(args.runs[0], "is one run only, so there is nothing to compare", mend)
    for path, place in zip(args.runs, runs, strict=True):
        if runs.count(place) > 1:
            raise InputError(path, "is named twice among the runs", "name it once")
    if args.baseline and realpath(args.baseline) not in runs:
        raise InputError("--baseline", f"{args.baseline} is not among the runs", "name one of them")
    outputs = {name: path for name in FORMATS if (path := getattr(args, name))}
    taken = {*runs, *map(realpath, args.qrels)}
    for name, path in outputs.items():
        if not path.parent.is_dir():
            raise InputError(f"--{name}", f"{path.parent} is no directory", "make it or name another")
        if path.exists() and not path.is_file():
            raise InputError(f"--{name}", f"{path} is no file", "name one")
        if realpath(path) in taken:
            raise InputError(f"--{name}", f"{path} is named for something else, too", "name a file of its own")
        taken.add(realpath(path))
    return outputs


# ---- measures -------------------------------------------------------------------------------------


def compare(args: Any, progress: Progress) -> Comparison:
    """Measure all runs and test them. Raises InputError."""
    from experiments.compare_output import run_names
    from ltr.evaluate import check_match, guess_level, path_text
    from ltr.formats import read_all_qrels, read_run
    from ltr.metrics import evaluate

    own = [f"{name}@{args.k}" for name in OWN]
    tested = args.test_measure or own[-1]
    wanted = [parse_measure(name) for name in [*(args.measure or FURTHER), tested] if name not in own]
    further = {str(measure): measure for measure in wanted if str(measure) not in own}
    if tested not in own:
        tested = str(wanted[-1])
    qrels = read_all_qrels(args.qrels)
    level = args.level or guess_level(qrels)
    evaluations = {}
    names = run_names(args.runs)
    with progress.stage("runs", unit="runs", total=len(names)) as tick:
        for name, path in zip(names, args.runs, strict=True):
            rows = read_run(path)
            check_match(path, rows, qrels, level)
            first = evaluate(rows, qrels, level=level, strict_order=args.strict_order, k=args.k, seed=args.seed)
            evaluations[name] = measure_further(first, rows, qrels, further)
            tick()
    if reason := evaluations[names[0]].unavailable.get(tested):
        raise InputError("--test-measure", f"{tested} is not available ({reason})", "choose another")
    baseline = names[list(map(realpath, args.runs)).index(realpath(args.baseline or args.runs[0]))]
    if args.all_pairs:
        pairs = [(run, other) for place, run in enumerate(names) for other in names[:place]]
    else:
        pairs = [(run, baseline) for run in names if run != baseline]
    tests = paired_tests(evaluations, pairs, args.seed, progress)
    shown = [path_text(path) for path in args.qrels]
    return Comparison(shown, not args.level, None if args.all_pairs else baseline, tested, evaluations, tests)


def parse_measure(name: str) -> Any:
    """A measure of ir_measures that can be had here. Raises InputError."""
    import ir_measures

    mend = f"write it as ir-measures does, such as AP or P@10; -k sets the depth of {', '.join(OWN[1:])}"
    # The form is checked first, for P@0 and the like take the whole process down, in C.
    if not _MEASURE.fullmatch(name):
        raise InputError("--measure", f"{name[:80]!r} is not a measure", mend)
    try:
        measure = ir_measures.parse_measure(name)
        known = _provider().supports(measure)
    except (NameError, ValueError, KeyError, AssertionError):
        known = False
    if not known:
        raise InputError("--measure", f"{name[:80]!r} is unknown, or lacks or has too many parameters", mend)
    return measure


def measure_further(evaluation: Evaluation, rows: list[RunRow], qrels: Qrels, further: dict[str, Any]) -> Evaluation:
    """``evaluation`` of ``rows`` with measures of ir_measures added, over the same ids and topics."""
    import numpy as np

    from ltr.formats import pair_key
    from ltr.metrics import argument_ranking, bootstrap_interval, fold_grades, rankings

    if reason := evaluation.unavailable.get(f"nDCG@{evaluation.k}"):  # the reason holds for all of them
        return replace(
            evaluation,
            means=evaluation.means | dict.fromkeys(further),
            intervals=evaluation.intervals | dict.fromkeys(further),
            unavailable=evaluation.unavailable | dict.fromkeys(further, reason),
        )
    if not further:  # ir_measures fails where nothing is asked of it
        return evaluation
    fold = pair_key if evaluation.level == "pair" and not evaluation.strict_order else str
    grades, _ = fold_grades(qrels, fold)
    # Not below 0: see ltr.metrics on what pytrec_eval does otherwise.
    judged = {topic: {id_: max(int(grade), 0) for id_, grade in found.items()} for topic, found in grades.items()}
    run = {}
    for topic, ids in rankings(rows).items():
        if topic in judged:
            ranked = argument_ranking(ids) if evaluation.level == "argument" else dict.fromkeys(map(fold, ids))
            # Scores made from the positions cannot be tied.
            run[topic] = {id_: -float(place) for place, id_ in enumerate(ranked)}
    values = {name: dict.fromkeys(judged, 0.0) for name in further}
    for metric in _provider().iter_calc(list(further.values()), judged, run):
        values[str(metric.measure)][metric.query_id] = float(metric.value)
    arrays = {name: np.fromiter(by_topic.values(), np.float64) for name, by_topic in values.items()}
    return replace(
        evaluation,
        values=evaluation.values | values,
        means=evaluation.means | {name: float(array.mean()) for name, array in arrays.items()},
        intervals=evaluation.intervals
        | {name: bootstrap_interval(array, seed=evaluation.seed) for name, array in arrays.items()},
    )


def _provider() -> Any:
    """Those backends of ir_measures that come with it and start no other program."""
    import ir_measures

    providers: Any = ir_measures.providers
    return providers.FallbackProvider([ir_measures.pytrec_eval, ir_measures.judged, ir_measures.msmarco])


def paired_tests(
    evaluations: dict[str, Evaluation], pairs: Sequence[tuple[str, str]], seed: int, progress: Progress
) -> list[PairedTest]:
    """The tests of each (run, baseline) in every measure that is available, measure by measure."""
    import numpy as np

    from ltr.significance import holm, paired_difference, verdict

    measures = list(next(iter(evaluations.values())).values)
    tests = []
    with progress.stage("paired tests", unit="tests", total=len(measures) * len(pairs)) as tick:
        for measure in measures:
            arrays = {
                name: np.fromiter(found.values[measure].values(), np.float64) for name, found in evaluations.items()
            }
            found = []
            for run, baseline in pairs:
                found.append(paired_difference(arrays[run], arrays[baseline], seed))
                tick()
            for (run, baseline), difference, p in zip(pairs, found, holm([d.p for d in found]), strict=True):
                tests.append(PairedTest(measure, run, baseline, difference, p, verdict(difference, p)))
    return tests


if __name__ == "__main__":
    run_command(main)
