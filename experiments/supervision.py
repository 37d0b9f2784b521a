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

from experiments.figures import Boards, Draws, Figures, report_values
from experiments.study import ReportFiles, Study, StudySettings, baseline_scores, finish, set_up
from ltr.cli.parser import Command
from ltr.errors import InputError
from ltr.evaluation.report import Plan, Report, set_title
from ltr.evaluation.runs import INTERVALS_NOTE
from ltr.files import writable_folder
from ltr.learning.held_out import relevant_items
from ltr.learning.labels import Sources
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
    # Beside it, "distant + weak" is `riposte train --recipe weak` of judged topics alone.
    "distant + weak, lambdarank": ("distant", "weak"),
    "all three, both": ("distant", "weak", "graded"),
}
VOTE_ROWS = {"votes": ("votes",), "graded + votes": ("graded", "votes")}
"""Rows where there are vote files."""
REFERENCE = "graded"
"""The row that others are compared with."""

TESTED = ("nDCG@5", "condensed_nDCG@5")


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
    files = options.report_files()
    study = set_up(options, files.values(), options.run)
    if options.run:
        writable_folder(options.run, "folder of the runs")
    scores = all_scores(study)
    if REFERENCE not in scores:
        hint = f"add graded {study.task.name}"
        raise InputError("judgments", "the grades do not differ, so nothing can be learned", hint)
    if options.run:
        write_runs(options.run, study, {name: draws[0] for name, draws in scores.items()})
    with study.resources.progress.stage("figures"):
        report = report_of(study, scores)
    return finish(study, report, files)


def all_scores(study: Study) -> dict[str, list[Scores]]:
    """Row -> (n_rows,) held-out scores of the blend for each draw of folds; baselines last.

    A row that lacks one of its sources, as distant ones do without judgments of arguments, is left out and named.
    """
    known = {"weak", "graded", "votes"} | ({"distant"} if any(study.judgments.distant.values()) else set())
    scores_of_row: dict[str, list[Scores]] = {}
    rows = ROWS | (VOTE_ROWS if study.judgments.votes else {})
    for number, (row, names) in enumerate(rows.items(), 1):
        sources = study.sources if row == "default" else Sources.of(names)
        if not known.issuperset(names) or not study.examples.labels(sources):
            study.resources.progress.say(f"{row}: left out, there is nothing to learn from")
            continue
        objective = row.partition(", ")[2]
        for draw in range(len(study.splits)):
            scores = study.held_out_scores(study.judgments, sources, draw, objective)
            scores_of_row.setdefault(row, []).append(scores)
        study.resources.progress.say(f"{row}: trained and ranked, row {number} of {len(rows)}")
    return scores_of_row | baseline_scores(study)


def report_of(study: Study, scores: Draws) -> Report:
    """Figures of the rows by each set of judgments, and their differences from the reference in `TESTED`.

    The sets are the graded items by dimension, their mean, and the arguments that items are parts of. The p values of a
    set are corrected by Holm, those of baselines left out, which are known to differ.
    """
    table, task = study.table, study.task
    found = Figures(table, study.judgments.graded, task.min_items).of_rows(scores)
    boards = {row: {f"{set_title(name)} of {task.name}": of for name, of in by.items()} for row, by in found.items()}
    for name, qrels in study.judgments.distant.items():
        if relevant_items(table, qrels).described:
            for row, by_set in Figures(table, {name: qrels}, task.min_items).of_rows(scores).items():
                boards[row][f"{name} of arguments"] = by_set[name]
    size = {"topics": len(table.topics), **study.settings.size(), **study.dependencies}
    return compared(boards, table.topics, size, [*baselines(table.kind), DENSE])


def compared(boards: Boards, topics: Sequence[str], study: Mapping[str, Any], plain: Container[str] = ()) -> Report:
    """Rows by set of judgments with their differences from the reference; ``plain`` rows are in no family."""
    plan = Plan(TESTED, REFERENCE, alpha=None)
    pairs = plan.pairs([*boards])
    about = f"nDCG@5 of held-out topics, whole candidate lists ranked by the blend; {len(topics)} topics"
    return Report.of_values(
        report_values(boards, topics),
        plan,
        [[pair for pair in pairs if pair[0] not in plain]],
        [pair for pair in pairs if pair[0] in plain],
        title=f"{about}, {study['folds']} folds, drawn {study['draws']} times",
        remarks=[INTERVALS_NOTE, "Baselines are not tested."],
        facts={"study": study},
    )


def write_runs(folder: Path, study: Study, scores: Mapping[str, Scores]) -> None:
    """Write a TREC run per row, from the first draw of folds: whole lists, as they are measured."""
    for row, row_scores in scores.items():
        tag = row.replace(" + ", "-").replace(", ", "-").replace(" ", "-")
        options = ListOptions(len(study.table), tag=tag)
        make_run(study.task, study.table, row_scores, options).to_trec(folder / f"{tag}.txt")


main = Command("supervision", SupervisionSettings, supervision)
