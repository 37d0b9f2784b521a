"""``riposte evaluate``: measure runs by judgments, and compare them, with significance tests."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from os.path import realpath
from pathlib import Path
from typing import Any

from ltr.cli.parser import Command
from ltr.errors import InputError, SettingError
from ltr.escapes import say
from ltr.settings import Settings, refuse_both, setting, shared
from ltr.settings.kinds import Choice, Entry, File, Number, Switch, Text

FORMATS = {".csv": "csv", ".html": "html", ".json": "json", ".md": "markdown", ".tex": "latex"}
"""Suffix of a file -> the rendering of the report that is written there."""


@dataclass(frozen=True)
class ReportFile(File):
    """A file whose suffix says how the report is rendered."""

    _what = f"a file that ends in {', '.join(FORMATS)}"

    def _kept(self, value: Any) -> Any:
        path = super()._kept(value)
        return path if path and path.suffix in FORMATS else None


@dataclass(frozen=True, kw_only=True)
class EvaluateSettings(Settings):
    """Measure one or more TREC runs by relevance judgments, and compare them."""

    runs: tuple[Path, ...] = setting(
        File(metavar="RUN"),
        "a run: topic stance pair (or argument) rank score tag",
        several=True,
        positional=True,
    )
    run: tuple[Path, ...] = setting(File(), "a run, as RUN", several=True)
    qrels: tuple[Path, ...] = setting(File(), "judgments: topic 0 id grade; files merge", several=True)
    pair_qrels: tuple[tuple[str, Path], ...] = shared.PAIR_QRELS
    argument_qrels: tuple[tuple[str, Path], ...] = setting(
        Entry(metavar="DIMENSION=FILE", of_dimension=True),
        "judgments of arguments in one dimension, in place of --pair-qrels",
        several=True,
    )
    level: Any = setting(
        Choice(("pair", "argument")),
        "what is judged: pair or argument (default: pairs where the ids of the qrels hold a comma, else arguments)",
    )
    strict_order: bool = setting(
        Switch(), "a pair matches a judged pair only with its sentences in the same order", default=False
    )
    k: int = setting(Number(1, 100_000), "depth of the measures", "-k", default=5)
    stance_qrels: Path | None = setting(
        File(), "sides of documents (topic 0 id side): adds the F1 of the run's second column, and both sides@K"
    )
    measure: tuple[str, ...] = setting(Text(), "a further measure, as ir_measures names it", several=True)
    test: tuple[str, ...] = setting(
        Text(), "test the differences between runs in this measure, as --measure", several=True
    )
    baseline: Path | None = setting(
        File(), "the run that others are compared with: adds their risk (--test: the first run)"
    )
    all_pairs: bool = setting(Switch(), "test every run against every other", default=False)
    alpha: int | None = setting(
        Number(0, 100), "a loss against the baseline counts 1 + N times in measures of risk (default: 1)"
    )
    brief: bool = setting(Switch(), "print one table in place of those of all measures", default=False)
    per_topic: bool = setting(Switch(), "print the values of every topic, too", default=False)
    json: Path | None = setting(File(), "write everything as JSON; - prints it in place of the tables")
    write: tuple[Path, ...] = setting(
        ReportFile(),
        "write the report there, too: .csv (the value of every run, measure, topic and set of judgments), .html "
        "(charts and tables, of every topic too, as a page of its own), .json, .md (Markdown), .tex (for booktabs)",
        several=True,
    )


def evaluate(args: EvaluateSettings) -> int:
    """Evaluate the runs and print the result.

    Raises InputError for anything wrong in usage or input, before anything is printed or written.
    """
    runs = [*args.runs, *args.run]
    outputs = check_usage(args, runs)

    from ltr.evaluation.inputs import JudgmentFiles, path_text
    from ltr.evaluation.irmeasures import parse_measures
    from ltr.evaluation.measures import standard_measures
    from ltr.evaluation.report import Plan
    from ltr.evaluation.runs import evaluate_files
    from ltr.files import write_all

    tested = parse_measures(args.test)
    wanted = parse_measures([*standard_measures(args.k), *args.measure, *tested])
    baseline = args.baseline or (runs[0] if tested and not args.all_pairs else None)
    named = next((path_text(run) for run in runs if baseline and realpath(run) == realpath(baseline)), None)
    measures = list(map(str, tested)) or [f"nDCG@{args.k}"]
    alpha = 1 if args.alpha is None else args.alpha
    plan = Plan(measures, named, bool(tested), alpha, args.brief, args.strict_order)
    further = {"stance": args.stance_qrels} if args.stance_qrels else {}
    files = JudgmentFiles(args.qrels, args.pair_qrels, args.argument_qrels, args.level)
    report = evaluate_files(runs, files, wanted, plan, further, args.k)
    texts = {path: getattr(report, name)() for path, name in outputs.items()}
    printed = texts.pop(Path("-"), None)
    write_all(texts)
    if printed is not None:
        sys.stdout.write(printed)
        return 0
    say(*report.lines(per_topic=args.per_topic, plain=True))
    return 0


def check_usage(args: EvaluateSettings, runs: list[Path]) -> dict[Path, str]:
    """File to write -> its format. Raises InputError for runs and files that do not go together."""
    from ltr.files import refuse_twice

    if not runs:
        raise InputError("usage", "no run is named", "add --run FILE")
    refuse_both(args, "pair_qrels", "argument_qrels")
    refuse_both(args, "baseline", "all_pairs")
    if not (args.qrels or args.pair_qrels or args.argument_qrels):
        hint = "add --qrels FILE, --pair-qrels DIMENSION=FILE or --argument-qrels DIMENSION=FILE"
        raise InputError("usage", "no judgments are named", hint)
    refuse_twice(runs)
    if len(runs) < 2 and (args.test or args.all_pairs or args.baseline):
        raise InputError(runs[0], "is one run only, so there is nothing to compare", "name another run")
    if args.all_pairs and not args.test:
        raise InputError("usage", "--all-pairs needs a measure to test", "add --test nDCG@5")
    if args.alpha is not None and not args.baseline and (args.all_pairs or not args.test):
        raise SettingError("alpha", "risk is measured against a baseline", "name one, or leave it out")
    if args.baseline and realpath(args.baseline) not in map(realpath, runs):
        raise SettingError("baseline", f"{args.baseline} is not among the runs", "name one of them")
    outputs = [("json", args.json, "json")] if args.json else []
    outputs += [("write", path, FORMATS[path.suffix]) for path in args.write]
    judged = [*args.qrels, *(path for _, path in (*args.pair_qrels, *args.argument_qrels))]
    judged += [args.stance_qrels] if args.stance_qrels else []
    taken = set(map(realpath, [*runs, *judged]))
    for name, path, _ in outputs:
        if not path.parent.is_dir():
            raise SettingError(name, f"{path.parent} is not a directory", "make it or name another")
        if path.exists() and not path.is_file():
            raise SettingError(name, f"{path} is not a file", "name one")
        if realpath(path) in taken:
            raise SettingError(name, f"{path} is the file of another option", "name a file of its own")
        taken.add(realpath(path))
    return {path: format_ for _, path, format_ in outputs}


main = Command("evaluate", EvaluateSettings, evaluate, __file__)
