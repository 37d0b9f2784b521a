"""``python -m experiments.learned.argumentative --data DIR``: learn the weights of the feature ``argumentative``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments.learned.trainer import finish, topic_folds, trainer_parser
from ltr.cli.process import run_command

if TYPE_CHECKING:  # numpy and scikit-learn are slow to import, and --help should not wait for them
    from experiments.learned.argumentative_model import Vectors
    from experiments.learned.debate_data import Example
    from features.core.statistics import FloatArray
    from features.learned.text_features import LinearModel

DATA_SETS = {
    "claims-dev": "IAM claims, dev split (Cheng et al. 2022); no licence stated",
    "stance-train": "IAM stance, train split: claims of the train split (Cheng et al. 2022); no licence stated",
    "argkp": "IBM ArgKP-2021, arguments_train; CDLA-Sharing 1.0",
    "eviconv": "IBM EviConv, train; CC BY-SA 3.0 (unconfirmed)",
    "talk": "argument-cleansing, every ninth line of the mined non-argumentative sentences; MIT",
}

UNLABELLED = (
    "a corpus of arguments in args.me layout (idebate, debatewise, debatepedia, debate.org), training sets but talk, "
    "IAM evidence-dev, IBM claim stance, IBM ArgQ 5.3k and Perspectrum (CC BY-SA)"
)
FOLDS = 5


def main(argv: list[str] | None = None) -> int:
    """Train, print the figures and write the weights. Raises InputError for anything the user can correct."""
    parser = trainer_parser("argumentative", "Learn how likely a bare sentence is a claim or evidence.", __file__)
    add = parser.add_argument
    add("--data", type=Path, required=True, metavar="DIR", help="the folder of the labelled debate data")
    corpus = "arguments for word vectors, no labels (default: collection beside --data)"
    add("--corpus", metavar="DIR", help=corpus)
    options = parser.parse_args(argv)
    data = options.data

    from experiments.learned import argumentative_model
    from experiments.learned.debate_data import read_iam, read_set_aside, read_training, read_unlabelled

    set_aside = read_set_aside(data)
    examples, left_out = read_training(data, set_aside)
    unlabelled = read_unlabelled(data, options.corpus or data.parent / "collection", examples, set_aside)
    test = list(read_iam(data / "iam/claims-test.tsv", "C", "claims-test"))
    figures, model = learn(examples, argumentative_model.learn_vectors(unlabelled, options.seed), test, options.seed)
    sources = {name: [example for example in examples if example.source == name] for name in DATA_SETS}
    about = {
        "what": "logistic regression: is a bare sentence argumentative; weights for argumentative.features",
        "command": "python -m experiments.learned.argumentative --data DIR "
        f"-o features/learned/argumentative.json --seed {options.seed}",
        "training": {
            **{
                name: {"data": DATA_SETS[name], **_counts(rows), "row weight": argumentative_model.ROW_WEIGHT[name]}
                for name, rows in sources.items()
            },
            "unlabelled, for word vectors": {"data": UNLABELLED, "sentences": len(unlabelled)},
            "left out, also used for measuring": left_out,
        },
        "measuring": {"claims-test": _counts(test)},
        "figures": figures,
    }
    document = {"intercept": model.intercept, "weights": dict(model.weights)}
    return finish(options, about, "numpy PyStemmer scikit-learn scipy", document)


def learn(
    examples: Sequence[Example], tables: Sequence[Vectors], test: Sequence[Example], seed: int
) -> tuple[dict[str, float], LinearModel]:
    """AUC on the ``test`` by name, and the model fitted on the examples. Raises InputError."""
    import numpy as np
    from sklearn.metrics import roc_auc_score

    from experiments.learned.argumentative_model import fit, with_features

    every = with_features([*examples, *test], seed)
    tested = every.rows(range(len(examples), len(every.examples)))

    def odds(model: LinearModel) -> FloatArray:
        return tested.matrix @ np.array([model.weights.get(name, 0.0) for name in every.names])

    # IAM's splits share topics (not articles), so the plain test figure flatters.
    topics, unseen = [example.topic for example in test], np.zeros(len(test))
    for hidden in topic_folds(topics, FOLDS, "claims-test"):
        shown = [row for row, example in enumerate(examples) if example.topic not in hidden]
        model = fit(every.rows(shown), tables, seed)
        held = np.isin(topics, list(hidden))
        unseen[held] = model.intercept + odds(model)[held]
    model = fit(every.rows(range(len(examples))), tables, seed)
    scores = {
        "claims-test": odds(model),
        "claims-test, topics unseen (5 folds by topic)": unseen,
        "claims-test, reference: TF-IDF learned on claims-dev": reference(
            [example for example in examples if example.source == "claims-dev"], test, seed
        ),
    }
    labels = [example.label for example in test]
    return {name: round(float(roc_auc_score(labels, found)), 4) for name, found in scores.items()}, model


def reference(training: Sequence[Example], test: Sequence[Example], seed: int) -> FloatArray:
    """Log-odds of the usual TF-IDF logistic regression, to compare with."""
    import numpy as np
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    model = make_pipeline(
        TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True),
        LogisticRegression(solver="liblinear", class_weight="balanced", random_state=seed),
    ).fit([example.text for example in training], [example.label for example in training])
    return np.asarray(model.decision_function([example.text for example in test]))


def _counts(rows: Sequence[Example]) -> dict[str, Any]:
    positive = sum(example.label for example in rows)
    return {"argumentative": positive, "other": len(rows) - positive}


if __name__ == "__main__":
    run_command(main)
