"""``python -m experiments.lab.question --data DIR``: learn what comparative questions compare."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from experiments.lab import trainer
from experiments.lab.program import LEFT_OUT
from experiments.published import read_table
from features.learned.linear_model import LinearModel
from ltr.cli.process import run_command
from ltr.tasks.comparative.question import START, TAGS, WEIGHTS, QuestionModel, tag, tag_spans, with_tag_before
from ltr.tasks.comparative.title_features import word_features

TAGGED = ("oai_webis_2022", "oai_beloucif")


class Tagged(NamedTuple):
    """A question in tokens, and a position in `TAGS` for each."""

    tokens: tuple[str, ...]
    tags: tuple[int, ...]


def learn(options: Any) -> trainer.Learned:
    """The models of the questions for training, with their figures. Raises InputError."""
    data, titles = options.data, trainer.read_titles(options.topics)
    tests = {name: read_tagged(data, name, "test") for name in TAGGED}
    tagged = [row for part in ("train", "val") for name in TAGGED for row in read_tagged(data, name, part)]
    others = [" ".join(row.tokens) for rows in tests.values() for row in rows] + titles
    tagged = trainer.without_copies(tagged, lambda row: " ".join(row.tokens), others)
    model = QuestionModel(fit_tags(tagged))
    figures = {name: tag_figures(rows, model) for name, rows in tests.items()}
    return trainer.Learned({"questions with tags": len(tagged)}, figures, {"tags": model.tags})


def read_tagged(data: Path, name: str, part: str) -> list[Tagged]:
    """Questions with tags; those without a token are left out. Raises InputError."""

    def tagged(*cells: str) -> Tagged:
        tokens, labels = map(ast.literal_eval, cells)
        if (any(tokens) and len(tokens) != len(labels)) or not set(labels) <= set(range(len(TAGS))):
            raise ValueError("a cell is not a list of labels from 0 to 4, one a word")
        return Tagged(tuple(map(str, tokens)), tuple(labels))

    rows = read_table(data / "compuge" / name / f"{part}.csv", "words labels", tagged)
    return [row for row in rows if any(row.tokens)]


def fit_tags(rows: Sequence[Tagged]) -> LinearModel:
    """Learn how much each feature of a word adds to each tag."""
    features: list[list[str]] = []
    tags: list[int] = []
    for row in rows:
        before = (START, *row.tags[:-1])
        features += [with_tag_before(names, tag) for names, tag in zip(word_features(row.tokens), before, strict=True)]
        tags += row.tags
    return trainer.fit_pruned(features, tags, TAGS, strength=0.3, keep=8000)


def tag_figures(rows: Sequence[Tagged], model: QuestionModel) -> dict[str, float]:
    """F1 of exact spans of objects and aspects over all questions; share of questions with all objects right."""
    pairs = [(set(tag_spans(row.tags)), set(tag_spans(tag(row.tokens, model)))) for row in rows]
    figures: dict[str, float] = {"questions": len(rows)}
    for kind in ("object", "aspect"):
        sides = [[{span for span in side if span[0] == kind} for side in pair] for pair in pairs]
        both = sum(len(true & guess) for true, guess in sides)
        figures[f"{kind} F1"] = round(2 * both / max(1, sum(len(true) + len(guess) for true, guess in sides)), 4)
        if kind == "object":
            figures["all objects right"] = round(sum(true == guess for true, guess in sides) / len(sides), 4)
    return figures


WHAT = "Learn what comparative questions compare, and measure it."
main = trainer.trainer(__file__, learn, WEIGHTS, WHAT, topics=LEFT_OUT)

if __name__ == "__main__":
    run_command(main)
