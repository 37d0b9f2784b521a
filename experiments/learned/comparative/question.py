"""``python -m experiments.learned.comparative.question --data DIR``: learn what comparative questions compare."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from experiments.learned.comparative.data import (
    QUESTIONS,
    TAGGED,
    Labelled,
    Tagged,
    read_labelled,
    read_tagged,
    read_titles,
    without_copies,
)
from experiments.learned.comparative.linear import fit_pruned, hundredths
from experiments.learned.trainer import finish, trainer_parser
from features.learned.comparatives import PIVOTS, comparing
from features.learned.question import (
    START,
    TAGS,
    Weights,
    tag,
    tag_spans,
    tokenize,
    with_tag_before,
)
from features.learned.title_signs import question_signs, word_signs
from ltr.cli.process import run_command

TAG_STRENGTH, TAG_SIGNS, TAG_LEAST = 0.3, 8000, 2
"""Inverse strength of the penalty; how many signs are kept; in how many words a sign must be."""
COMPARATIVE_STRENGTH, COMPARATIVE_SIGNS, COMPARATIVE_LEAST = 0.1, 3000, 3
_SKIPPED = ("a", "an", "the", "to", "is", "are", "any", "in", "much", ",")
"""What may stand between a pivot and an object, for the rule."""


def main(argv: list[str] | None = None) -> int:
    """Train, print the figures and write the weights. Raises InputError for anything the user can correct."""
    parser = trainer_parser(
        "comparative.question", "Learn what comparative questions compare, and measure it.", __file__
    )
    add = parser.add_argument
    add("--data", type=Path, required=True, metavar="DIR", help="the folder that holds compuge/")
    add("--topics", type=Path, required=True, metavar="DIR", help="topics files whose questions are kept out")
    options = parser.parse_args(argv)
    data, titles = options.data, read_titles(options.topics)
    tests = {name: read_tagged(data, name, "test") for name in TAGGED}
    asked = {name: read_labelled(data, name, "test") for name in QUESTIONS}
    tagged = training_tagged(data, ("train", "val"), [row.text for rows in tests.values() for row in rows] + titles)
    known = training_labelled(data, [row.text for rows in asked.values() for row in rows] + titles)
    weights = Weights(fit_tags(tagged), fit_comparative(known))
    figures = {name: _rounded(tag_figures(rows, weights)) for name, rows in tests.items()}
    figures |= {name: _rounded(question_figures(rows, weights)) for name, rows in asked.items()}
    document = {
        "tags": {sign: hundredths(values) for sign, values in weights.tags.items()},
        "comparative": {sign: hundredths([value])[0] for sign, value in weights.comparative.items()},
    }
    return finish(options, _about(tagged, known, figures), "numpy scikit-learn scipy", document)


def training_tagged(data: Path, parts: Sequence[str], others: Sequence[str]) -> list[Tagged]:
    """Questions with tags of both sets, without near-duplicates of ``others``. Raises InputError."""
    rows = [row for part in parts for name in TAGGED for row in read_tagged(data, name, part)]
    return without_copies(rows, lambda row: row.text, others)


def training_labelled(data: Path, others: Sequence[str], parts: Sequence[str] = ("train", "val")) -> list[Labelled]:
    """Comparative and other questions of 2020 and 2022, without near-duplicates of ``others``. Raises InputError.

    The third set adds questions of other sources in which superlatives do not count as comparative; it only measures.
    """
    rows = [row for part in parts for row in read_labelled(data, "qi_webis_2022", part)]
    return without_copies(rows + read_labelled(data, "qi_webis_2020", "train"), lambda row: row.text, others)


def fit_tags(rows: Sequence[Tagged]) -> dict[str, list[float]]:
    """Sign of a word -> what it adds to each tag."""
    signs: list[list[str]] = []
    tags: list[int] = []
    for row in rows:
        before = (START, *row.tags[:-1])
        signs += [with_tag_before(own, tag) for own, tag in zip(word_signs(row.tokens), before, strict=True)]
        tags += row.tags
    return fit_pruned(signs, tags, len(TAGS), strength=TAG_STRENGTH, keep=TAG_SIGNS, least=TAG_LEAST)


def fit_comparative(rows: Sequence[Labelled]) -> dict[str, float]:
    """Sign of a question -> what it adds to the log-odds of being comparative."""
    signs = [sorted(question_signs(tokenize(row.text))) for row in rows]
    labels = [int(row.comparative) for row in rows]
    options: dict[str, Any] = {"strength": COMPARATIVE_STRENGTH, "least": COMPARATIVE_LEAST, "balanced": True}
    found = fit_pruned(signs, labels, 2, keep=COMPARATIVE_SIGNS, **options)
    return {sign: values[0] for sign, values in found.items()}


def tag_figures(rows: Sequence[Tagged], weights: Weights) -> dict[str, float]:
    """F1 of exact spans of objects and aspects (all questions together), beside the rule; majority: no span, F1 0."""
    found: dict[str, float] = {"questions": len(rows)}
    for name, tagger in (("model", lambda tokens: tag(tokens, weights)), ("rule", tag_by_rule)):
        pairs = [(set(tag_spans(row.tags)), set(tag_spans(tagger(row.tokens)))) for row in rows]
        for kind in ("object", "aspect"):
            sides = [[{span for span in side if span[0] == kind} for side in pair] for pair in pairs]
            found[f"{kind} F1, {name}"] = _f1(sides)
            if kind == "object":
                found[f"all objects right, {name}"] = sum(true == guess for true, guess in sides) / len(sides)
    return found


def tag_by_rule(tokens: Sequence[str]) -> list[int]:
    """Objects: the words on both sides of "vs", "or", "than", "between ... and"; aspects: words that compare."""
    from features.core.text import STOP_WORDS

    lower = [token.lower() for token in tokens]
    tags = [TAGS.index("B-aspect") if comparing(word) else 0 for word in lower]
    content = [word[0].isalnum() and word not in STOP_WORDS and not comparing(word) for word in lower]
    kinds = [PIVOTS.get(word, "") for word in lower]
    middle = next((kinds.index(kind) for kind in ("vs", "or", "than") if kind in kinds), None)
    if middle is None and "between" in kinds:
        start = kinds.index("between")
        middle = next((at for at in range(start, len(kinds)) if kinds[at] == "and"), None)
    if middle is not None:
        for step in (-1, 1):
            at = middle + step
            while 0 <= at < len(lower) and (comparing(lower[at]) or lower[at] in _SKIPPED):
                at += step
            run = []
            while 0 <= at < len(lower) and content[at]:
                run.append(at)
                at += step
            for place, word in enumerate(sorted(run)):
                tags[word] = TAGS.index("I-object" if place else "B-object")
    return tags


def question_figures(rows: Sequence[Labelled], weights: Weights) -> dict[str, float]:
    """Accuracy and F1 of comparative questions, beside the majority and a rule (a word that compares, "or", "vs").

    Also the recall where the threshold is so high that the first wrong question stays out.
    """
    labels = [row.comparative for row in rows]
    signs = [question_signs(tokenize(row.text)) for row in rows]
    odds = [math.fsum(weights.comparative.get(sign, 0.0) for sign in found) for found in signs]
    guesses = {
        "model": [value > 0 for value in odds],
        "rule": [any(sign.startswith(("=kind ", "=pivot or", "=pivot vs")) for sign in found) for found in signs],
    }
    found: dict[str, float] = {"questions": len(rows), "accuracy, majority": _most(labels)}
    for name, guess in guesses.items():
        found[f"accuracy, {name}"] = sum(map(bool.__eq__, labels, guess)) / len(rows)
        found[f"F1, {name}"] = _f1(
            [({0} if label else set(), {0} if one else set()) for label, one in zip(labels, guess, strict=True)]
        )
    highest = max((value for value, label in zip(odds, labels, strict=True) if not label), default=-math.inf)
    sure = sum(value > highest for value in odds)
    return found | {"recall at precision 1, model": sure / max(1, sum(labels))}


def _f1(pairs: Sequence[Sequence[set[Any]]]) -> float:
    both = sum(len(true & guess) for true, guess in pairs)
    return 2 * both / max(1, sum(len(true) + len(guess) for true, guess in pairs))


def _most(labels: Sequence[bool]) -> float:
    return max(sum(labels), len(labels) - sum(labels)) / len(labels)


def _rounded(figures: Mapping[str, float]) -> dict[str, float]:
    return {name: round(value, 4) for name, value in figures.items()}


def _about(
    tagged: Sequence[Tagged], known: Sequence[Labelled], figures: Mapping[str, Mapping[str, float]]
) -> dict[str, Any]:
    return {
        "what": "logistic regressions for features.learned.question: tags of words, and is a question comparative; "
        "weights in hundredths",
        "command": "python -m experiments.learned.comparative.question --data DIR --topics DIR "
        "-o features/learned/question.json",
        "training": {
            "tags": "CompUGE's Webis comparative questions 2022 and Beloucif et al. 2022, train and val; MIT",
            "questions with tags": len(tagged),
            "comparative": "CompUGE's Webis comparative questions 2020 (train) and 2022 (train, val); MIT",
            "questions": len(known),
            "of them comparative": sum(row.comparative for row in known),
            "left out": "near-duplicates of test questions and of the questions of the topics",
        },
        "figures": dict(figures),
    }


if __name__ == "__main__":
    run_command(main)
