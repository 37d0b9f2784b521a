"""``python -m experiments.learned.comparative.comparison --data DIR``: learn which object a sentence says is better."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from experiments.learned.comparative.data import (
    LABELS,
    Answer,
    Sentence,
    read_answers,
    read_relevance,
    read_sentences,
    without_copies,
)
from experiments.learned.comparative.linear import fit_pruned, hundredths
from experiments.learned.trainer import finish, topic_folds, trainer_parser
from features.learned.comparatives import BLAME, PRAISE, negates
from features.learned.comparison import (
    BETTER,
    NONE,
    WORSE,
    Marked,
    Weights,
    compare,
    cut,
    find_mentions,
    mark_objects,
    object_names,
    sentence_signs,
)
from features.learned.opinions import stance_of
from ltr.cli.process import run_command

FOLDS = 5
STRENGTH, SIGNS, LEAST = 0.2, 6000, 2
"""Inverse strength of the penalty; how many signs are kept; in how many sentences a sign must be."""
TURNED = (WORSE, BETTER, NONE)
STANCES = ("FIRST", "SECOND", "NEUTRAL", "NO")
_SENTENCE = re.compile(r"(?<=[.!?])\s+")


def main(argv: list[str] | None = None) -> int:
    """Train, print the figures and write the weights. Raises InputError for anything the user can correct."""
    parser = trainer_parser(
        "comparative.comparison", "Learn which of two objects a sentence says is better, and measure it.", __file__
    )
    parser.add_argument("--data", type=Path, required=True, metavar="DIR", help="the folder that holds compsent-19/")
    options = parser.parse_args(argv)
    data = options.data
    every, held_out = (read_sentences(data, part) for part in ("train-dev", "held-out"))
    rows = without_copies(every, lambda row: row.text, [row.text for row in held_out])
    weights = fit(rows)
    graded = without_copies(read_relevance(data), lambda row: row[0].text, [row.text for row in rows])
    seen = set(map(_pair, rows))
    figures = {
        "compsent-19 held-out": sentence_figures(held_out, weights),
        "train-dev, pairs unseen": {"micro F1, 5 folds by pair": round(cross_validate(rows), 4)},
        "cam-arg-relevance": relevance_figures(graded, weights),
        "of these, pairs unseen": relevance_figures([row for row in graded if _pair(row[0]) not in seen], weights),
        "answers of webis 2022": stance_figures(read_answers(data, every + held_out), weights),
    }
    model = {"weights": {sign: hundredths(values) for sign, values in weights.weights.items()}}
    return finish(options, _about(rows, len(every), figures), "numpy PyStemmer scikit-learn scipy", model)


def fit(rows: Sequence[Sentence]) -> Weights:
    """Learn from the sentences in which both objects are found; labels are turned to the order of the text."""
    signs, labels = [], []
    for row in rows:
        if marked := mark_objects(*find_mentions([cut(row.text)], object_names(row.first, row.second))):
            signs.append(sorted(sentence_signs(marked)))
            labels.append(TURNED[row.label] if marked.turned else row.label)
    return Weights(fit_pruned(signs, labels, len(LABELS), strength=STRENGTH, keep=SIGNS, least=LEAST))


def cross_validate(rows: Sequence[Sentence]) -> float:
    """Micro F1 where the objects of a sentence are no pair of the training. Raises InputError."""
    pairs = [" ".join(sorted(_pair(row))) for row in rows]
    right = 0
    for hidden in topic_folds(pairs, FOLDS, "compsent-19"):
        weights = fit([row for row, pair in zip(rows, pairs, strict=True) if pair not in hidden])
        held = [row for row, pair in zip(rows, pairs, strict=True) if pair in hidden]
        right += sum(_label(row, weights) == row.label for row in held)
    return right / len(rows)


def sentence_figures(rows: Sequence[Sentence], weights: Weights) -> dict[str, float]:
    """Micro F1 (accuracy), F1 of each label and macro F1, beside the majority and the rule; AUC of any preference."""
    from sklearn.metrics import roc_auc_score

    truth = [row.label for row in rows]
    found: dict[str, float] = {"sentences": len(rows), "micro F1, majority": truth.count(NONE) / len(rows)}
    preferences = [compare([row.text], row.first, row.second, weights)[0] for row in rows]
    guesses = {"model": [int(row.argmax()) for row in preferences], "rule": [label_by_rule(row) for row in rows]}
    for name, guess in guesses.items():
        found[f"micro F1, {name}"] = sum(map(int.__eq__, truth, guess)) / len(rows)
        found |= f1_by_label(truth, guess, LABELS, name)
    found["AUC of BETTER or WORSE, model"] = float(
        roc_auc_score([label != NONE for label in truth], [1 - row[NONE] for row in preferences])
    )
    return _rounded(found)


def label_by_rule(row: Sentence) -> int:
    """A word of praise or blame between the objects, before "than"; turned by a negation."""
    marked = mark_objects(*find_mentions([cut(row.text)], object_names(row.first, row.second)))
    if not marked:
        return NONE
    middle = list(_ahead_of_than(marked))
    praised, blamed = not PRAISE.isdisjoint(middle), not BLAME.isdisjoint(middle)
    if praised == blamed:
        return NONE
    return BETTER if praised ^ any(map(negates, middle)) ^ marked.turned else WORSE


def relevance_figures(rows: Sequence[tuple[Sentence, float]], weights: Weights) -> dict[str, float]:
    """Spearman correlation of human relevance with the probability of a comparison, and with what a rule sees."""
    from scipy.stats import spearmanr

    grades = [grade for _, grade in rows]
    sentences = [row for row, _ in rows]
    values = {
        "P(BETTER or WORSE)": [1 - compare([row.text], row.first, row.second, weights)[0, NONE] for row in sentences],
        "the rule": [label_by_rule(row) != NONE for row in sentences],
        "number of words": [len(row.text.split()) for row in sentences],
    }
    found: dict[str, float] = {"sentences": len(rows)}
    found |= {f"Spearman, {name}": float(spearmanr(grades, value).statistic) for name, value in values.items()}
    return _rounded(found)


def stance_figures(answers: Sequence[Answer], weights: Weights) -> dict[str, float]:
    """Accuracy, F1 of each stance and how they are confused; answers that prefer an unknown side are left out."""
    rows = [row for row in answers if row.stance]
    truth = [STANCES.index(row.stance) for row in rows]
    guess = [STANCES.index(stance_of(_SENTENCE.split(row.text), row.first, row.second, weights)) for row in rows]
    most = max(sorted(set(truth)), key=truth.count)
    found: dict[str, float] = {"answers": len(rows)}
    found["accuracy, model"] = sum(map(int.__eq__, truth, guess)) / len(rows)
    found["accuracy, majority"] = truth.count(most) / len(rows)
    found |= f1_by_label(truth, guess, STANCES, "model") | f1_by_label(truth, [most] * len(rows), STANCES, "majority")
    pairs = list(zip(truth, guess, strict=True))
    found |= {f"{STANCES[i]} taken for {STANCES[j]}": pairs.count((i, j)) for i in range(4) for j in range(4)}
    return _rounded(found)


def f1_by_label(truth: Sequence[int], guess: Sequence[int], labels: Sequence[str], name: str) -> dict[str, float]:
    """F1 of each label, and their mean."""
    from sklearn.metrics import f1_score

    values = f1_score(truth, guess, labels=range(len(labels)), average=None, zero_division=0).tolist()
    found = {f"F1 of {label}, {name}": value for label, value in zip(labels, values, strict=True)}
    return found | {f"macro F1, {name}": sum(values) / len(values)}


def _label(row: Sentence, weights: Weights) -> int:
    return int(compare([row.text], row.first, row.second, weights)[0].argmax())


def _pair(row: Sentence) -> frozenset[str]:
    return frozenset((row.first.lower(), row.second.lower()))


def _ahead_of_than(marked: Marked) -> Sequence[str]:
    middle = list(marked.words[marked.first + 1 : marked.second])
    return middle[: middle.index("than")] if "than" in middle else []


def _rounded(figures: Mapping[str, float]) -> dict[str, float]:
    return {name: round(value, 4) for name, value in figures.items()}


def _about(rows: Sequence[Sentence], every: int, figures: Mapping[str, Mapping[str, float]]) -> dict[str, Any]:
    return {
        "what": "logistic regression for features.learned.comparison: is the object named first BETTER, WORSE, NONE; "
        "weights in hundredths",
        "command": "python -m experiments.learned.comparative.comparison --data DIR "
        "-o features/learned/comparison.json",
        "training": {
            "data": "CompSent-19, train-dev (Panchenko et al. 2019); open",
            **{label: sum(row.label == place for row in rows) for place, label in enumerate(LABELS)},
            "left out, near-duplicates of held-out sentences or of each other": every - len(rows),
        },
        "figures": dict(figures),
    }


if __name__ == "__main__":
    run_command(main)
