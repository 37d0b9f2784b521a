"""``python -m experiments.lab.comparison --data DIR``: learn which of two objects a sentence says is better."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from sklearn.metrics import accuracy_score, f1_score, roc_auc_score

from experiments.lab import trainer
from experiments.published import read_table
from features.learned.linear_model import LinearModel
from ltr.cli.process import run_command
from ltr.tasks.comparative import preferences

SWAPPED = (preferences.WORSE, preferences.BETTER, preferences.NONE)


class Compared(NamedTuple):
    """A sentence with two objects, and how the first compares: a position in `OUTCOMES`."""

    text: str
    first: str
    second: str
    label: int


def learn(options: Any) -> trainer.Learned:
    """The model of the training sentences, with its figures. Raises InputError."""
    every, held_out = (read_compared(options.data, part) for part in ("train-dev", "held-out"))
    rows = trainer.without_copies(every, lambda row: row.text, [row.text for row in held_out])
    model = fit(rows)
    counts = {
        **{label: sum(row.label == number for row in rows) for number, label in enumerate(preferences.OUTCOMES)},
        "left out, near-duplicates of held-out sentences or of each other": len(every) - len(rows),
    }
    figures = {
        "compsent-19 held-out": sentence_figures(held_out, model),
        "train-dev, pairs unseen": {"accuracy, 5 folds by pair": round(unseen_accuracy(rows), 4)},
    }
    return trainer.Learned(counts, figures, {"comparison": model})


def read_compared(data: Path, part: str) -> list[Compared]:
    """Sentences of CompSent-19. Raises InputError."""
    columns = "sentence object_a object_b most_frequent_label"
    path = data / "compsent-19" / f"{part}.csv"
    return read_table(path, columns, lambda text, a, b, label: Compared(text, a, b, preferences.OUTCOMES.index(label)))


def fit(rows: Sequence[Compared]) -> LinearModel:
    """Learn from the sentences in which both objects are found; labels follow the order of the text."""
    features, labels = [], []
    for row in rows:
        if marked := preferences.mark_objects(
            *preferences.find_mentions([preferences.cut(row.text)], preferences.object_names(row.first, row.second))
        ):
            features.append(sorted(preferences.sentence_features(marked)))
            labels.append(SWAPPED[row.label] if marked.swapped else row.label)
    return trainer.fit_pruned(features, labels, preferences.OUTCOMES, strength=0.2, keep=6000)


def unseen_accuracy(rows: Sequence[Compared]) -> float:
    """Accuracy where the objects of a sentence are not a pair of the training."""
    pairs = [" ".join(sorted((row.first.lower(), row.second.lower()))) for row in rows]

    def right(hidden: set[str], inside: Any) -> list[bool]:
        model = fit([row for row, pair in zip(rows, pairs, strict=True) if pair not in hidden])
        tested = [row for row, pair in zip(rows, pairs, strict=True) if pair in hidden]
        return [outcome(row, model).argmax() == row.label for row in tested]

    return float(trainer.cross_validate(pairs, 5, right).mean())


def sentence_figures(rows: Sequence[Compared], model: LinearModel) -> dict[str, float]:
    """Accuracy beside that of the most frequent label, F1 of each label and their mean; AUC of any preference."""
    truth, outcomes = [row.label for row in rows], [outcome(row, model) for row in rows]
    guess = [int(row.argmax()) for row in outcomes]
    f1 = f1_score(truth, guess, labels=range(len(preferences.OUTCOMES)), average=None, zero_division=0).tolist()
    auc = roc_auc_score([label != preferences.NONE for label in truth], [1 - row[preferences.NONE] for row in outcomes])
    figures = {
        "rows": len(truth),
        "accuracy, majority": max(Counter(truth).values()) / len(truth),
        "accuracy": float(accuracy_score(truth, guess)),
        **{f"F1 of {label}": value for label, value in zip(preferences.OUTCOMES, f1, strict=True)},
        "macro F1": sum(f1) / len(f1),
        "AUC of BETTER or WORSE": float(auc),
    }
    return {name: round(value, 4) for name, value in figures.items()}


def outcome(row: Compared, model: LinearModel) -> Any:
    """(3,) probabilities by `OUTCOMES`."""
    return preferences.compare([row.text], row.first, row.second, model)[0]


main = trainer.trainer(
    __file__, learn, preferences.WEIGHTS, "Learn which of two objects a sentence says is better, and measure it."
)

if __name__ == "__main__":
    run_command(main)
