"""``riposte supervision``: measure what each kind of supervision contributes.

A row is a ranker of all dimensions, trained on some of the sources: judgments of arguments that pairs inherit
(distant), labelling functions (weak), graded items. Each topic's whole candidate list is ranked by rankers trained on
other topics; all rows use the same folds. Figures are those of the blended ranking.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from experiments.figures import MEASURES, TITLES, Draws, Figures, Values, as_data, evaluations, tested
from experiments.study import ReportFiles, Study, StudySettings, baseline_scores, finish, set_up
from ltr.cli.parser import Command
from ltr.data.runs import write_run
from ltr.errors import InputError
from ltr.evaluation.evaluator import MEAN, values_frame
from ltr.evaluation.report import Plan, Report, set_title
from ltr.evaluation.runs import INTERVALS_NOTE
from ltr.evaluation.significance import paired_tests
from ltr.files import writable_folder
from ltr.learning.held_out import relevant_items
from ltr.learning.labels import Sources
from ltr.progress import Progress
from ltr.ranking.final_list import ListOptions, make_run
from ltr.settings import setting
from ltr.settings.kinds import FOLDER
from ltr.settings.shared import VOTES
from models.base import Scores, baselines
from models.baselines import DENSE

ROWS = {
    "distant": ("distant",),
    "weak": ("weak",),
    "distant + weak": ("distant", "weak"),
    "graded": ("graded",),
    "graded + weak": ("graded", "weak"),
    "graded + distant": ("graded", "distant"),
    "all three": ("distant", "weak", "graded"),
    # What `riposte train` does: all three, but grades alone in the dimensions that the task names.
    "default": ("distant", "weak", "graded"),
    "all three, lambdarank": ("distant", "weak", "graded"),
    # The labels and the objective of `riposte train --recipe weak`, of judged topics alone.
    "distant + weak, lambdarank": ("distant", "weak"),
    "all three, both": ("distant", "weak", "graded"),
}
VOTE_ROWS = {"votes": ("votes",), "graded + votes": ("graded", "votes")}
"""Rows where there are vote files."""
REFERENCE = "graded"
"""The row that others are compared with."""

TESTED = ("full", "condensed")


@dataclass(frozen=True, kw_only=True)
class SupervisionSettings(StudySettings, ReportFiles):
    """Measure what each source of supervision contributes, by cross-validation over topics."""

    votes: tuple[tuple[str, str, Path], ...] = VOTES
    run: Path | None = setting(
        FOLDER,
        "write each row's held-out run, of the first draw of folds, there: riposte pool finds its ungraded pairs",
    )


def supervision(options: SupervisionSettings) -> int:
    """Run the study. Raises InputError for anything that the user can correct."""
    progress = Progress(quiet=options.quiet)
    files = options.report_files()
    study = set_up(options, progress, files.values(), [options.run])
    if options.run:
        writable_folder(options.run, "folder of the runs")
    scores = all_scores(study, progress)
    if REFERENCE not in scores:
        hint = f"add graded {study.task.name}"
        raise InputError("judgments", "the grades do not differ, so nothing can be learned", hint)
    if options.run:
        write_runs(options.run, study, {name: draws[0] for name, draws in scores.items()})
    with progress.stage("figures"):
        report = report_of(study, scores)
    return finish(study, report, files)


def all_scores(study: Study, progress: Progress) -> dict[str, list[Scores]]:
    """Row -> (n_rows,) held-out scores of the blend for each draw of folds; baselines last.

    A row that lacks one of its sources, as distant ones do without judgments of arguments, is left out and named.
    """
    known = {"weak", "graded", "votes"} | ({"distant"} if any(study.judgments.distant.values()) else set())
    scores_of_row: dict[str, list[Scores]] = {}
    rows = ROWS | (VOTE_ROWS if study.judgments.votes else {})
    for number, (row, names) in enumerate(rows.items(), 1):
        sources = study.sources if row == "default" else Sources.of(names)
        if not known.issuperset(names) or not study.examples.labels(sources):
            progress.say(f"{row}: left out, there is nothing to learn from")
            continue
        objective = row.partition(", ")[2]
        for draw in range(len(study.splits)):
            scores = study.held_out_scores(study.judgments, sources, draw, objective)
            scores_of_row.setdefault(row, []).append(scores)
        progress.say(f"{row}: trained and ranked, row {number} of {len(rows)}")
    return scores_of_row | baseline_scores(study)


def report_of(study: Study, scores: Draws) -> Report:
    """Figures of the rows by level and dimension, and their differences from the reference in `TESTED`.

    The p values of a table are corrected by Holm, those of baselines left out, which are known to differ.
    Levels are the graded items, with the mean of the dimensions last, and the arguments that items are parts of.
    """
    table, task = study.table, study.task
    figures = Figures(table, study.judgments.graded, task.min_items)
    names = [*figures.dimensions, *([MEAN] if len(figures.dimensions) > 1 else [])]
    measured = [(task.name, name, figures) for name in names]
    for name, qrels in study.judgments.distant.items():
        if relevant_items(table, qrels).described:
            measured.append(("arguments", name, Figures(table, {name: qrels}, task.min_items)))
    boards = {(level, name): of.of_rows(scores, name) for level, name, of in measured}
    size = {"topics": len(table.topics), **study.settings.size(), **study.dependencies}
    return compared(boards, table.topics, size, [*baselines(table.kind), DENSE])


def compared(
    boards: Mapping[tuple[str, str], Mapping[str, Values]],
    topics: Sequence[str],
    study: Mapping[str, Any],
    plain: Container[str] = (),
) -> Report:
    """Rows by level and dimension with their differences from the reference; ``plain`` rows are in no family."""
    titles = {(level, name): f"{set_title(name)} of {level}" for level, name in boards}
    figures = evaluations({titles[key]: by_row for key, by_row in boards.items()}, topics)
    frame, measures = values_frame(figures), [TITLES[measure] for measure in TESTED]
    plan = Plan(measures, REFERENCE, alpha=None)
    pairs = [pair for pair in plan.pairs([*figures]) if pair[0] not in plain]
    untested = [pair for pair in plan.pairs([*figures]) if pair[0] in plain]
    families, data = [], []
    for (level, name), title in titles.items():
        family = paired_tests(frame.loc[[title]], pairs, measures)
        families += [family] if family else []
        tests: dict[str, dict[str, Any]] = {row: {} for row in figures}
        for test in [*family, *paired_tests(frame.loc[[title]], untested, measures)]:
            tests[test.run][TESTED[measures.index(test.measure)]] = tested(test, family)
        rows = [
            {
                "row": row,
                "tests": tests[row],
                "measures": {m: as_data(of[title], m, topics) for m in MEASURES if TITLES[m] in of[title].means},
            }
            for row, of in figures.items()
        ]
        data.append({"level": level, "dimension": name, "rows": rows})
    about = f"nDCG@5 of held-out topics, whole candidate lists ranked by the blend; {len(topics)} topics"
    return Report(
        figures,
        plan,
        families,
        title=f"{about}, {study['folds']} folds, drawn {study['draws']} times",
        remarks=[INTERVALS_NOTE, "Baselines are not tested."],
        facts={"study": study, "reference": REFERENCE, "topics": topics, "boards": data},
    )


def write_runs(folder: Path, study: Study, scores: Mapping[str, Scores]) -> None:
    """Write a TREC run per row, from the first draw of folds: whole lists, as they are measured."""
    for row, row_scores in scores.items():
        tag = row.replace(" + ", "-").replace(", ", "-").replace(" ", "-")
        options = ListOptions(len(study.table), tag=tag)
        write_run(folder / f"{tag}.txt", make_run(study.task, study.table, row_scores, options))


main = Command("supervision", SupervisionSettings, supervision)
