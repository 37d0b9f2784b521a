"""``python -m experiments.learned.comparison --data DIR``: learn which of two objects a sentence says is better."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from typing import Any

from sklearn.metrics import roc_auc_score

from experiments.learned.comparative_data import Answer, Compared, read_answers, read_compared, without_copies
from experiments.learned.trainer import (
    HUNDREDTHS,
    Learned,
    Pruning,
    Trainer,
    fit_pruned,
    label_figures,
    topic_folds,
)
from features.comparative.opinions import stance_of
from features.comparative.preferences import (
    BETTER,
    NONE,
    OUTCOMES,
    WEIGHTS,
    WORSE,
    compare,
    cut,
    find_mentions,
    mark_objects,
    object_names,
    sentence_features,
)
from features.core.sides import COMPARED, Side
from features.learned.linear_model import LinearModel
from ltr.cli.process import run_command

FOLDS = 5
SETTINGS = Pruning(strength=0.2, keep=6000, least=2)
SWAPPED = (WORSE, BETTER, NONE)
_SENTENCE = re.compile(r"(?<=[.!?])\s+")


def learn(options: argparse.Namespace) -> Learned:
    """The model of the training sentences, with its figures. Raises InputError."""
    every, held_out = (read_compared(options.data, part) for part in ("train-dev", "held-out"))
    rows = without_copies(every, lambda row: row.text, [row.text for row in held_out])
    model = fit(rows)
    training = {
        "data": "CompSent-19, train-dev (Panchenko et al. 2019); open",
        **{label: sum(row.label == number for row in rows) for number, label in enumerate(OUTCOMES)},
        "left out, near-duplicates of held-out sentences or of each other": len(every) - len(rows),
    }
    figures = {
        "compsent-19 held-out": sentence_figures(held_out, model),
        "train-dev, pairs unseen": {"accuracy, 5 folds by pair": round(cross_validate(rows), 4)},
        "answers of webis 2022": stance_figures(read_answers(options.data, every + held_out), model),
    }
    return Learned(training, figures, {"comparison": (model, HUNDREDTHS)})


def fit(rows: Sequence[Compared]) -> LinearModel:
    """Learn from the sentences in which both objects are found; labels follow the order of the text."""
    features, labels = [], []
    for row in rows:
        if marked := mark_objects(*find_mentions([cut(row.text)], object_names(row.first, row.second))):
            features.append(sorted(sentence_features(marked)))
            labels.append(SWAPPED[row.label] if marked.swapped else row.label)
    return fit_pruned(features, labels, OUTCOMES, SETTINGS)


def cross_validate(rows: Sequence[Compared]) -> float:
    """Accuracy where the objects of a sentence are not a pair of the training. Raises InputError."""
    pairs = [" ".join(sorted((row.first.lower(), row.second.lower()))) for row in rows]
    right = 0
    for hidden in topic_folds(pairs, FOLDS, "compsent-19"):
        model = fit([row for row, pair in zip(rows, pairs, strict=True) if pair not in hidden])
        tested = [row for row, pair in zip(rows, pairs, strict=True) if pair in hidden]
        right += sum(int(_outcome(row, model).argmax()) == row.label for row in tested)
    return right / len(rows)


def sentence_figures(rows: Sequence[Compared], model: LinearModel) -> dict[str, float]:
    """Accuracy and F1 of the labels; AUC of any preference."""
    truth, outcomes = [row.label for row in rows], [_outcome(row, model) for row in rows]
    auc = roc_auc_score([label != NONE for label in truth], [1 - row[NONE] for row in outcomes])
    figures = label_figures(truth, [int(row.argmax()) for row in outcomes], OUTCOMES)
    return figures | {"AUC of BETTER or WORSE": round(float(auc), 4)}


def stance_figures(answers: Sequence[Answer], model: LinearModel) -> dict[str, float]:
    """Accuracy and F1 of the stances of whole answers; those that prefer an unknown side are left out."""
    rows = [row for row in answers if row.stance != Side.NONE]
    guess = [stance_of(_SENTENCE.split(row.text), row.first, row.second, model) for row in rows]
    return label_figures([COMPARED.index(row.stance) for row in rows], list(map(COMPARED.index, guess)), COMPARED)


def _outcome(row: Compared, model: LinearModel) -> Any:
    return compare([row.text], row.first, row.second, model)[0]


main = Trainer(
    file=__file__,
    description="Learn which of two objects a sentence says is better, and measure it.",
    shipped=WEIGHTS,
    learn=learn,
).main

if __name__ == "__main__":
    run_command(main)
