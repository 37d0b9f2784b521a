"""``python -m experiments.learned.argumentative --data DIR``: learn the weights of the feature ``argumentative``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments.learned.trainer import data_folder, finish, settings, topic_folds, trainer_parser
from ltr.cli.process import run_command

if TYPE_CHECKING:  # numpy and scikit-learn are slow to import, and --help should not wait for them
    from experiments.learned.argumentative_model import Labelled, Vectors
    from experiments.learned.debate_data import Example
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
    """Train, print the figures and write the weights. Raises InputError for anything the user can mend."""
    parser = trainer_parser("argumentative", "Learn how likely a bare sentence is a claim or evidence.", __file__)
    add = parser.add_argument
    add("--data", type=Path, required=True, metavar="DIR", help="the folder of the labelled debate data")
    corpus = "arguments for word vectors, no labels (default: collection beside --data)"
    add("--corpus", metavar="DIR", help=corpus)
    options = parser.parse_args(argv)
    data = data_folder(options.data, "iam/ and argkp2021/")

    from experiments.learned import argumentative_model
    from experiments.learned.debate_data import read_measuring, read_training, read_unlabelled

    measuring = read_measuring(data)
    examples, left_out = read_training(data, measuring)
    unlabelled = read_unlabelled(data, options.corpus or data.parent / "collection", examples, measuring)
    figures, model = learn(
        examples, argumentative_model.learn_vectors(unlabelled, options.seed), measuring, options.seed
    )
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
        "measuring": {name: _counts(rows) for name, rows in measuring.items()},
        "figures": figures,
        "notes": [
            "figures are AUC",
            "the word vectors know training sentences on every topic, but no label and no measuring sentence",
            "IAM's splits share topics, not articles: the figures for unseen topics are the careful ones",
            "claims-vs-talk flatters: its talk was mined like that in training, and seen when choosing the row weight",
            "annotated: hardly any of its sentences is argumentative, so its figure is uncertain",
        ],
        "settings": settings(
            argumentative_model, "INVERSE_STRENGTH MARKER_SCALE VECTOR_SCALE MIN_TOPICS DIMENSIONS WINDOW MIN_COUNT"
        ),
    }
    document = {"intercept": model.intercept, "weights": dict(model.weights)}
    return finish(options, about, "numpy PyStemmer scikit-learn scipy", document)


def learn(
    examples: Sequence[Example], tables: Sequence[Vectors], measuring: Mapping[str, Sequence[Example]], seed: int
) -> tuple[dict[str, float], LinearModel]:
    """The figures by name (AUC), and the model fitted on everything."""
    from sklearn.metrics import roc_auc_score

    from experiments.learned.argumentative_model import fit, with_features
    from features.learned.argumentative import score

    test = measuring["claims-test"]
    every = with_features([*examples, *test], seed)
    training, tested = range(len(examples)), range(len(examples), len(every.examples))
    own = [row for row in training if examples[row].source == "claims-dev"]
    figures = {
        "claims-dev, topics unseen (5 folds by topic)": cross_validate(every, training, own, tables, seed),
        # IAM's splits share topics (not articles), so the plain test figure flatters.
        "claims-test, topics unseen (5 folds by topic)": cross_validate(every, training, tested, tables, seed),
    }
    model = fit(every.rows(training), tables, seed)
    for name, found in measuring.items():
        labels = [example.label for example in found]
        if len(set(labels)) == 2:
            figures[name] = float(roc_auc_score(labels, score([example.text for example in found], model)))
    figures["claims-test, reference: TF-IDF learned on claims-dev"] = reference(
        [examples[row] for row in own], test, seed
    )
    return {name: round(value, 4) for name, value in figures.items()}, model


def cross_validate(
    every: Labelled, training: Sequence[int], measured: Sequence[int], tables: Sequence[Vectors], seed: int
) -> float:
    """AUC of the rows ``measured``, each topic scored by a model that saw no label of it. Raises InputError."""
    import numpy as np
    from sklearn.metrics import roc_auc_score

    from experiments.learned.argumentative_model import fit

    base, odds = every.rows(measured), np.zeros(len(measured))
    for hidden in topic_folds(
        [e.topic for e in base.examples], FOLDS, base.examples[0].source if measured else "claims"
    ):
        model = fit(every.rows([row for row in training if every.examples[row].topic not in hidden]), tables, seed)
        weights = np.array([model.weights.get(name, 0.0) for name in every.names])
        held = [row for row, example in enumerate(base.examples) if example.topic in hidden]
        odds[held] = model.intercept + base.matrix[held] @ weights
    return float(roc_auc_score([example.label for example in base.examples], odds))


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


def _counts(rows: Sequence[Example]) -> dict[str, Any]:
    positive = sum(example.label for example in rows)
    return {"argumentative": positive, "other": len(rows) - positive}


if __name__ == "__main__":
    run_command(main)
