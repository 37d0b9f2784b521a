"""``riposte supervision``: measure what each kind of supervision contributes.

A row is a ranker of all dimensions, trained on some of the sources: judgments of arguments that pairs inherit
(distant), labelling functions (weak), graded units. Each topic's whole candidate list is ranked by rankers trained on
other topics; all rows use the same folds. Figures are those of the blended ranking.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from pathlib import Path
from typing import Any

from experiments.figures import MEASURES, Draws, Figures, Values, correct, difference, mean_with_interval, or_none
from experiments.output import least_note, list_cells, text_table
from experiments.study import Study, baseline_scores, finish, set_up
from experiments.study_options import add_study_options, study_settings
from ltr.cli.options import Parser, add_file, add_options
from ltr.data.files import writable_folder
from ltr.data.runs import write_run
from ltr.errors import InputError
from ltr.evaluation.evaluator import MEAN
from ltr.evaluation.significance import p_text
from ltr.progress import Progress
from ltr.ranking.final_list import ListOptions, make_run
from ltr.supervision.labels import Sources
from ltr.training.held_out import relevant_units
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


def parser() -> Parser:
    """The command's options."""
    text = "Measure what each source of supervision contributes, by cross-validation over topics."
    p = Parser(prog="riposte supervision", description=text)
    add_study_options(p)
    add_options(p, "--votes")
    add_file(p, "--json", "write the figures there too")
    help_ = "write each row's held-out run, of the first draw of folds, there: riposte pool finds its ungraded pairs"
    p.add_argument("--run", type=Path, metavar="DIR", help=help_)
    return p


def main(argv: list[str] | None = None) -> int:
    """Run the study. Raises InputError for anything that the user can correct."""
    options = parser().parse_args(argv)
    progress = Progress(quiet=options.quiet)
    study = set_up(study_settings(vars(options)), progress, options.json, [options.run])
    if options.run:
        writable_folder(options.run, "folder of the runs")
    scores = all_scores(study, progress)
    if REFERENCE not in scores:
        hint = f"add graded {study.task.name}"
        raise InputError("judgments", "the grades do not differ, so nothing can be learned", hint)
    if options.run:
        write_runs(options.run, study, {name: draws[0] for name, draws in scores.items()})
    with progress.stage("figures"):
        boards = all_boards(study, scores)
    size = {"topics": len(study.matrix.topics), **study.settings.size(), **study.dependencies}
    results: dict[str, Any] = {"study": size, "reference": REFERENCE, "topics": study.matrix.topics, "boards": boards}
    return finish(results, table(results) + study.note, options.json, progress if options.timings else None)


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


def all_boards(study: Study, scores: Draws) -> list[dict[str, Any]]:
    """A table per level and dimension, as plain data.

    The p values of a table are corrected by Holm, those of baselines left out: that they differ is no question.
    Levels are the graded units, with the mean of the dimensions last, and the arguments that units are parts of.
    """
    matrix, task, plain = study.matrix, study.task, [*baselines(study.matrix.unit), DENSE]
    figures = Figures(matrix, study.judgments.graded, task.min_units)
    names = [*figures.dimensions, *([MEAN] if len(figures.dimensions) > 1 else [])]
    measured = [(task.name, name, figures) for name in names]
    for name, qrels in study.judgments.distant.items():
        if relevant_units(matrix, qrels).described:
            measured.append(("arguments", name, Figures(matrix, {name: qrels}, task.min_units)))
    return [
        {"level": level, "dimension": name, "rows": compared(of.of_rows(scores, name), plain)}
        for level, name, of in measured
    ]


def compared(by_row: Mapping[str, Values], plain: Container[str] = ()) -> list[dict[str, Any]]:
    """Rows with their figures, and with their differences from the reference in `TESTED`; ``plain`` ones untested."""
    rows, family = [], []
    for name, values in by_row.items():
        tests = {}
        for measure in TESTED if name != REFERENCE else ():
            column = MEASURES.index(measure)
            d = difference(values[:, column], by_row[REFERENCE][:, column])
            tests[measure] = {"mean": d.mean, "low": d.low, "high": d.high, "p": d.p, "effect": d.effect}
            family += [] if name in plain else [(tests[measure], d)]
        columns = dict(zip(MEASURES, values.T, strict=False))  # judgments of arguments give no correlation of pairs
        measures = {of: {**mean_with_interval(one, of), "values": or_none(one)} for of, one in columns.items()}
        rows.append({"row": name, "tests": tests, "measures": measures})
    correct(family)
    return rows


def write_runs(folder: Path, study: Study, scores: Mapping[str, Scores]) -> None:
    """Write a TREC run per row, from the first draw of folds: whole lists, as they are measured."""
    for row, row_scores in scores.items():
        tag = row.replace(" + ", "-").replace(", ", "-").replace(" ", "-")
        options = ListOptions(len(study.matrix), tag=tag)
        write_run(folder / f"{tag}.txt", make_run(study.task, study.matrix, row_scores, options))


def table(results: Mapping[str, Any]) -> str:
    """The study as text."""
    study, reference = results["study"], results["reference"]
    parts = [
        f"nDCG@5 of held-out topics, whole candidate lists ranked by the blend; {study['topics']} topics, "
        f"{study['folds']} folds, drawn {study['draws']} times; 95% t intervals over topics\n"
        f"p: randomisation test of the difference from '{reference}', by Holm over a table; baselines are not tested"
    ]
    for board in results["boards"]:
        rows = []
        for row in board["rows"]:
            measures = row["measures"]
            cells = {"": row["row"]} | list_cells(measures["full"], measures["judged"]["mean"], measures["condensed"])
            for measure in TESTED:
                if test := row["tests"].get(measure):
                    cells[f"{measure} - {reference}"] = f"{test['mean']:+.3f}"
                    cells[f"p {measure}"] = p_text(test["p_holm"]) if "p_holm" in test else ""
            rows.append(cells)
        of = "the mean of the dimensions" if board["dimension"] == MEAN else board["dimension"]
        topics = board["rows"][0]["measures"]["full"]["topics"]
        note = least_note(test for row in board["rows"] for test in row["tests"].values())
        parts.append(f"{of} of {board['level']}, {topics} topics\n{text_table(rows)}{note}")
    return "\n\n".join(parts)
