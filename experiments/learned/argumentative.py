"""``python -m experiments.learned.argumentative --data DIR``: learn the weights of the feature ``argumentative``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments.learned.debate_data import Example, read_measuring, read_training, read_unlabelled
from experiments.learned.trainer import data_folder, finish, topic_folds, trainer_parser, versions
from ltr.cli.process import run_command

if TYPE_CHECKING:  # numpy and scikit-learn are slow to import, and --help should not wait for them
    from experiments.learned.logistic import Vectors
    from features.learned.argumentative import Weights

EPILOG = """\
DIR holds iam/, argkp2021/, ibm-eviconv/ and argument-cleansing/ as published, and ibm-claim-stance/,
ibm-argq/ and perspectrum/, which are read for word vectors without their labels. The settings were chosen
by cross-validation on IAM's claims-dev, split by topic; only the row weight of mined talk was chosen with
a look at the talk sample too, so claims-vs-talk flatters. A sentence that also stands in a file used
for measuring is left out of the training and of the word vectors.

example:
  python -m experiments.learned.argumentative --data DATA --corpus CORPUS -o argumentative.json
"""

DATA_SETS = {
    "claims-dev": "IAM claims, dev split (Cheng et al. 2022); no licence stated",
    "stance-train": "IAM stance, train split: claims of the train split (Cheng et al. 2022); no licence stated",
    "argkp": "IBM ArgKP-2021, arguments_train; CDLA-Sharing 1.0",
    "eviconv": "IBM EviConv, train; CC BY-SA 3.0 (unconfirmed)",
    "talk": "argument-cleansing, every ninth line of the mined non-argumentative sentences; MIT",
}

FOLDS = 5


def main(argv: list[str] | None = None) -> int:
    """Train, print the figures and write the weights. Raises InputError for anything the user can mend."""
    parser = trainer_parser(
        "argumentative", "Learn how likely a bare sentence is a claim or evidence, and measure it.", EPILOG
    )
    corpus = "arguments for word vectors, no labels (default: collection beside --data)"
    parser.add_argument(
        "--data", type=Path, required=True, metavar="DIR", help="the folder of the labelled debate data"
    )
    parser.add_argument("--corpus", metavar="DIR", help=corpus)
    options = parser.parse_args(argv)
    data = data_folder(options.data, "iam/ and argkp2021/")
    measuring = read_measuring(data)
    examples, left_out = read_training(data, measuring)
    unlabelled = read_unlabelled(data, options.corpus or data.parent / "collection", examples, measuring)
    figures, weights = learn(examples, unlabelled, measuring, options.seed)
    about = _about(examples, left_out, len(unlabelled), measuring, figures, options.seed)
    document = {"about": about, "intercept": weights.intercept, "weights": dict(weights.weights)}
    return finish(options.output, document, _table(about, len(weights.weights)))


def cross_validate(examples: Sequence[Example], base: Sequence[Example], tables: Sequence[Vectors], seed: int) -> float:
    """AUC on ``base``, each topic scored by a model that saw no label of it. Raises InputError."""
    import numpy as np
    from sklearn.metrics import roc_auc_score

    from experiments.learned.logistic import fit
    from features.learned.argumentative import log_odds

    odds = np.zeros(len(base))
    for hidden in topic_folds([example.topic for example in base], FOLDS, base[0].source if base else "claims"):
        model = fit([example for example in examples if example.topic not in hidden], tables, seed)
        held = [row for row, example in enumerate(base) if example.topic in hidden]
        odds[held] = [log_odds(base[row].features, model) for row in held]
    return float(roc_auc_score([example.label for example in base], odds))


def learn(
    examples: Sequence[Example], unlabelled: Sequence[str], measuring: Mapping[str, Sequence[Example]], seed: int
) -> tuple[dict[str, float], Weights]:
    """The figures by name (AUC), and the model fitted on everything."""
    from sklearn.metrics import roc_auc_score

    from experiments.learned.logistic import fit, learn_vectors, with_features
    from features.learned.argumentative import score

    tables = learn_vectors(unlabelled, seed)
    known = with_features(examples, seed)
    own = [example for example in known if example.source == "claims-dev"]
    other = with_features(measuring["claims-test"], seed)
    figures = {
        "claims-dev, topics unseen (5 folds by topic)": cross_validate(known, own, tables, seed),
        # IAM's splits share topics (not articles), so the plain test figure flatters.
        "claims-test, topics unseen (5 folds by topic)": cross_validate(known, other, tables, seed),
    }
    weights = fit(known, tables, seed)
    for name, found in measuring.items():
        labels = [example.label for example in found]
        if len(set(labels)) == 2:
            figures[name] = float(roc_auc_score(labels, score([example.text for example in found], weights)))
    figures["claims-test, reference: TF-IDF learned on claims-dev"] = reference(own, other, seed)
    return {name: round(value, 4) for name, value in figures.items()}, weights


def reference(training: Sequence[Example], test: Sequence[Example], seed: int) -> float:
    """AUC of the usual TF-IDF logistic regression, to compare with."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import roc_auc_score
    from sklearn.pipeline import make_pipeline

    model = make_pipeline(
        TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True),
        LogisticRegression(solver="liblinear", class_weight="balanced", random_state=seed),
    ).fit([example.text for example in training], [example.label for example in training])
    odds = model.decision_function([example.text for example in test])
    return float(roc_auc_score([example.label for example in test], odds))


def _about(
    examples: Sequence[Example],
    left_out: int,
    unlabelled: int,
    measuring: Mapping[str, Sequence[Example]],
    figures: Mapping[str, float],
    seed: int,
) -> dict[str, Any]:
    from experiments.learned import logistic as model

    def counts(rows: Sequence[Example]) -> dict[str, int]:
        positive = sum(example.label for example in rows)
        return {"argumentative": positive, "other": len(rows) - positive}

    sources = {name: [example for example in examples if example.source == name] for name in model.ROW_WEIGHT}
    return {
        "what": "logistic regression: is a bare sentence argumentative; weights for argumentative.signs",
        "command": "python -m experiments.learned.argumentative --data DIR "
        f"-o features/learned/argumentative.json --seed {seed}",
        "training": {
            name: {"data": DATA_SETS[name], **counts(rows), "row weight": model.ROW_WEIGHT[name]}
            for name, rows in sources.items()
        },
        "unlabelled, for word vectors": {
            "data": "a corpus of arguments in args.me layout (idebate, debatewise, debatepedia, debate.org), the "
            "training sets but talk, IAM evidence-dev, IBM claim stance, IBM ArgQ 5.3k and Perspectrum (CC BY-SA)",
            "sentences": unlabelled,
        },
        "left out, also used for measuring": left_out,
        "measuring": {name: counts(rows) for name, rows in measuring.items()},
        "AUC": dict(figures),
        "notes": [
            "the word vectors know training sentences on every topic, but no label and no measuring sentence",
            "IAM's splits share topics, not articles: the figures for unseen topics are the careful ones",
            "claims-vs-talk flatters: its talk was mined like that in training, and seen when choosing the row weight",
            "annotated: hardly any of its sentences is argumentative, so its figure is uncertain",
        ],
        "settings": {
            "inverse strength": model.INVERSE_STRENGTH,
            "shape scale": model.SHAPE_SCALE,
            "vector scale": model.VECTOR_SCALE,
            "topics a sign": model.MIN_TOPICS,
            "dimensions": model.DIMENSIONS,
            "window": model.WINDOW,
            "least count of a word with a vector": model.MIN_COUNT,
            "seed": seed,
        },
        "versions": versions("numpy", "PyStemmer", "scikit-learn", "scipy"),
    }


def _table(about: Mapping[str, Any], weights: int) -> list[str]:
    lines = [f"{'training':<55} {'argumentative':>13} {'other':>6} {'row weight':>10}"]
    for name, row in about["training"].items():
        lines.append(f"{name:<55} {row['argumentative']:>13} {row['other']:>6} {row['row weight']:>10}")
    lines += [f"{'(left out, also used for measuring)':<55} {about['left out, also used for measuring']:>20}", ""]
    lines += [f"{'measured':<55} {'AUC':>6}"]
    lines += [f"{name:<55} {value:>6.4f}" for name, value in about["AUC"].items()]
    return [*lines, "", f"{weights} weights"]


if __name__ == "__main__":
    run_command(main)
