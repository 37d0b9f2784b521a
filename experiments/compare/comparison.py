"""Runs measured beside each other and tested: all that a comparison finds."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from dataclasses import dataclass
from os.path import realpath
from pathlib import Path

from ltr.data.runs import read_run
from ltr.errors import InputError
from ltr.evaluation.evaluator import Evaluation
from ltr.evaluation.irmeasures import parse_measure
from ltr.evaluation.judgments import check_match, evaluate_all, path_text, read_judgments
from ltr.evaluation.paired_tests import PairedTest, paired_tests
from ltr.progress import Progress
from ltr.tasks import find_task

OWN = ("nDCG", "lab_nDCG", "judged", "condensed_nDCG")
"""Measures of every comparison, at its depth."""


@dataclass(frozen=True)
class Comparison:
    """All that was found; runs go by the names they are shown by, figures by set of judgments."""

    options: Namespace
    baseline: str | None  # None: every run was tested against every other
    tested: list[str]
    evaluations: dict[str, dict[str, Evaluation]]
    by_luck: dict[str, Evaluation]
    tests: list[PairedTest]


def compare(args: Namespace, progress: Progress) -> Comparison:
    """Measure all runs and test them. Raises InputError."""
    own = {f"{name}@{args.k}" for name in OWN}
    if strange := [name for name in args.test_measure if name not in own and name.partition("@")[0] in OWN[1:]]:
        raise InputError("--test-measure", f"{strange[0][:80]} is not measured", f"-k sets the depth of {OWN[1]}")
    further = {name: parse_measure(name) for name in [*args.measure, *args.test_measure] if name not in own}
    tested = list(dict.fromkeys(str(further.get(name, name)) for name in args.test_measure))
    judgments = read_judgments(args)
    evaluations = {}
    by_luck: dict[str, Evaluation] = {}
    names, unit = run_names(args.runs), find_task(args.task).unit if args.task else None
    with progress.stage("runs", unit="runs", total=len(names)) as tick:
        for name, path in zip(names, args.runs, strict=True):
            rows = read_run(path, unit)
            check_match(path, rows, judgments)
            evaluations[name] = evaluate_all(rows, judgments, args, list(further.values()))
            by_luck = by_luck or evaluate_all(rows, judgments, args, list(further.values()), random=True)
            tick()
    baseline = names[list(map(realpath, args.runs)).index(realpath(args.baseline or args.runs[0]))]
    if args.all_pairs:
        pairs = [(run, other) for place, run in enumerate(names) for other in names[:place]]
    else:
        pairs = [(run, baseline) for run in names if run != baseline]
    with progress.stage("paired tests", unit="tests", total=len(by_luck) * len(pairs) * len(tested)) as tick:
        tests = paired_tests(evaluations, pairs, tested, args.seed, tick)
    return Comparison(args, None if args.all_pairs else baseline, tested, evaluations, by_luck, tests)


def run_names(paths: Sequence[Path]) -> list[str]:
    """What to call each run: its file name, or as many of its last directories as tell it from the others.

    >>> run_names([Path("/a/ours/run.txt"), Path("/a/bm25/run.txt"), Path("/a/other.txt")])
    ['ours/run.txt', 'bm25/run.txt', 'other.txt']
    """
    # A name must stay on its line, whatever a file may be called.
    texts = ["".join(c if c.isprintable() else "\ufffd" for c in path_text(path.absolute())) for path in paths]
    parts = [text.split("/") for text in texts]
    names: list[str] = []
    for place, own in enumerate(parts):
        others = parts[:place] + parts[place + 1 :]
        depth = next((d for d in range(1, len(own)) if all(own[-d:] != other[-d:] for other in others)), len(own))
        name = "/".join(own[-depth:])
        names.append(name if name not in names else f"{name} ({place + 1})")
    return names
