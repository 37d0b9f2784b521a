"""``python -m experiments.learned.comparison --data DIR``: learn which of two objects a sentence says is better."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from sklearn.metrics import roc_auc_score

from experiments.learned.trainer import (
    HUNDREDTHS,
    Learned,
    Pruning,
    cross_validate,
    fit_pruned,
    label_figures,
    trainer,
    without_copies,
)
from experiments.published import read_table
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
from features.learned.linear_model import LinearModel
from ltr.cli.process import run_command

SWAPPED = (WORSE, BETTER, NONE)


class Compared(NamedTuple):
    """A sentence with two objects, and how the first compares: a position in `OUTCOMES`."""

    text: str
    first: str
    second: str
    label: int


def learn(options: argparse.Namespace) -> Learned:
    """The model of the training sentences, with its figures. Raises InputError."""
    every, held_out = (read_compared(options.data, part) for part in ("train-dev", "held-out"))
    rows = without_copies(every, lambda row: row.text, [row.text for row in held_out])
    model = fit(rows)
    counts = {
        **{label: sum(row.label == number for row in rows) for number, label in enumerate(OUTCOMES)},
        "left out, near-duplicates of held-out sentences or of each other": len(every) - len(rows),
    }
    figures = {
        "compsent-19 held-out": sentence_figures(held_out, model),
        "train-dev, pairs unseen": {"accuracy, 5 folds by pair": round(unseen_accuracy(rows), 4)},
    }
    return Learned(counts, figures, {"comparison": (model, HUNDREDTHS)})


def read_compared(data: Path, part: str) -> list[Compared]:
    """Sentences of CompSent-19. Raises InputError."""

    columns = "sentence object_a object_b most_frequent_label"
    path = data / "compsent-19" / f"{part}.csv"
    return read_table(path, columns, lambda text, a, b, label: Compared(text, a, b, OUTCOMES.index(label)))


def fit(rows: Sequence[Compared]) -> LinearModel:
    """Learn from the sentences in which both objects are found; labels follow the order of the text."""
    features, labels = [], []
    for row in rows:
        if marked := mark_objects(*find_mentions([cut(row.text)], object_names(row.first, row.second))):
            features.append(sorted(sentence_features(marked)))
            labels.append(SWAPPED[row.label] if marked.swapped else row.label)
    return fit_pruned(features, labels, OUTCOMES, Pruning(strength=0.2, keep=6000, least=2))


def unseen_accuracy(rows: Sequence[Compared]) -> float:
    """Accuracy where the objects of a sentence are not a pair of the training."""
    pairs = [" ".join(sorted((row.first.lower(), row.second.lower()))) for row in rows]

    def right(hidden: set[str], inside: Any) -> list[bool]:
        model = fit([row for row, pair in zip(rows, pairs, strict=True) if pair not in hidden])
        tested = [row for row, pair in zip(rows, pairs, strict=True) if pair in hidden]
        return [outcome(row, model).argmax() == row.label for row in tested]

    return float(cross_validate(pairs, 5, right).mean())


def sentence_figures(rows: Sequence[Compared], model: LinearModel) -> dict[str, float]:
    """Accuracy and F1 of the labels; AUC of any preference."""
    truth, outcomes = [row.label for row in rows], [outcome(row, model) for row in rows]
    auc = roc_auc_score([label != NONE for label in truth], [1 - row[NONE] for row in outcomes])
    figures = label_figures(truth, [int(row.argmax()) for row in outcomes], OUTCOMES)
    return figures | {"AUC of BETTER or WORSE": round(float(auc), 4)}


def outcome(row: Compared, model: LinearModel) -> Any:
    """(3,) probabilities by `OUTCOMES`."""
    return compare([row.text], row.first, row.second, model)[0]


main = trainer(learn, WEIGHTS, "Learn which of two objects a sentence says is better, and measure it.")

if __name__ == "__main__":
    run_command(main)
