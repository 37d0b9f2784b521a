"""``python -m experiments.learned.argumentative --data DIR``: learn the weights of the feature ``argumentative``."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments.learned.debate_data import Example, read_measuring, read_training, read_unlabelled
from ltr.cli.options import Parser, whole_number
from ltr.cli.process import run_command
from ltr.errors import InputError

if TYPE_CHECKING:  # numpy and scikit-learn are slow to import, and --help should not wait for them
    from features.learned.argumentative import Weights

EPILOG = """\
DIR holds iam/, argkp2021/, ibm-eviconv/ and argument-cleansing/ as published, and ibm-claim-stance/,
ibm-argq/ and perspectrum/, which are read for word vectors without their labels. The settings were chosen
by cross-validation on IAM's claims-dev, split by topic; only the row weight of mined talk was chosen with
a look at the talk sample too, so claims-vs-talk flatters. A sentence that also stands in a file used
for measuring is left out of the training and of the word vectors.

example:
  python -m experiments.learned.argumentative --data ../shared/data -o features/learned/argumentative.json
"""

ROW_WEIGHT = {"claims-dev": 1.0, "stance-train": 1.0, "argkp": 0.02, "eviconv": 0.1, "talk": 0.3}
"""What one sentence of a source counts; afterwards both classes count the same in all."""

DATA_SETS = {
    "claims-dev": "IAM claims, dev split (Cheng et al. 2022); no licence stated",
    "stance-train": "IAM stance, train split: claims of the train split (Cheng et al. 2022); no licence stated",
    "argkp": "IBM ArgKP-2021, arguments_train; CDLA-Sharing 1.0",
    "eviconv": "IBM EviConv, train; CC BY-SA 3.0 (unconfirmed)",
    "talk": "argument-cleansing, every ninth line of the mined non-argumentative sentences; MIT",
}

INVERSE_STRENGTH = 0.007
SHAPE_SCALE = 2.0
VECTOR_SCALE = 0.7
MIN_TOPICS = 10
"""A sign counts only when this many topics have it: what belongs to a topic says nothing about the next one."""

DIMENSIONS = 50
WINDOW = 2
MIN_COUNT = 25
"""Words seen less often in the unlabelled text have no vector."""

DECIMALS = 3
FOLDS = 5


@dataclass(frozen=True)
class Seen:
    """An example as the model sees it."""

    signs: Mapping[str, float]
    label: bool
    source: str
    topic: str


@dataclass(frozen=True)
class Vectors:
    """What the neighbours of a word tell about it: ``rows`` (n_words, DIMENSIONS), and the row of each sign."""

    places: Mapping[str, int]
    rows: Any


def main(argv: list[str] | None = None) -> int:
    """Train, print the figures and write the weights. Raises InputError for anything the user can mend."""
    options = _parser().parse_args(argv)
    data: Path = options.data
    if not data.is_dir():
        raise InputError(data, "no such directory", "name the folder that holds iam/ and argkp2021/")
    measuring = read_measuring(data)
    examples, left_out = read_training(data, measuring)
    unlabelled = read_unlabelled(data, options.corpus or data.parent / "collection", examples, measuring)

    from ltr.data.files import atomic_text

    figures, weights = learn(examples, unlabelled, measuring, options.seed)
    about = _about(examples, left_out, len(unlabelled), measuring, figures, options.seed)
    print("\n".join(_table(about, len(weights.weights))))
    if options.output:
        document = {"about": about, "intercept": weights.intercept, "weights": dict(weights.weights)}
        with atomic_text(options.output) as out:
            out.write(json.dumps(document, indent=0, ensure_ascii=True, allow_nan=False) + "\n")
    return 0


def _parser() -> Parser:
    from argparse import RawDescriptionHelpFormatter

    parser = Parser(
        prog="python -m experiments.learned.argumentative",
        description="Learn how likely a bare sentence is a claim or evidence, and measure it.",
        epilog=EPILOG,
        formatter_class=RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--data", type=Path, required=True, metavar="DIR", help="the folder of the labelled debate data")
    add("--corpus", metavar="DIR", help="arguments for word vectors, no labels (default: collection beside --data)")
    add("-o", "--output", type=Path, metavar="FILE", help="where the weights go as JSON (default: only measure)")
    add("--seed", type=whole_number(0), default=0, metavar="N", help="seed (default: %(default)s)")
    return parser


# ---- learning


def see(examples: Sequence[Example], seed: int) -> list[Seen]:
    """The signs of each example.

    Mined talk has lost its function words, its capitals and its marks. Taken as it is, their absence would
    be a sign of talk; so each line lends its content words to the frame of a random IAM sentence, and
    only the words can tell.
    """
    import random

    from features.core.text import STOP_WORDS, Analyzer
    from features.learned.argumentative import FORM, signs
    from features.learned.ngrams import SHAPE

    analyzer = Analyzer(stem=True, stop=False)
    function = {term for word in STOP_WORDS for term in analyzer.terms(word)}
    found = [Seen(signs(e.text), e.label, e.source, e.topic) for e in examples]
    halves = [[s for s in found if s.source == "claims-dev" and s.label == label] for label in (False, True)]
    draw = random.Random(seed)
    for row, (example, one) in enumerate(zip(examples, found, strict=True)):
        if example.source == "talk" and all(halves):
            frame = draw.choice(draw.choice(halves)).signs
            kept = {sign: value for sign, value in frame.items() if sign[0] == SHAPE or sign in function}
            value = next((value for sign, value in frame.items() if sign[0] != SHAPE), 0.5)
            # Its forms stay out: of them the model should learn what tells claims from other sentences of one article.
            left = (SHAPE, FORM)
            lent = {
                sign: value for sign in one.signs if sign[0] not in left and " " not in sign and sign not in function
            }
            found[row] = Seen(kept | lent, one.label, one.source, one.topic)
    return found


def learn_vectors(texts: Sequence[str], seed: int) -> list[Vectors]:
    """Vectors of stems and of words as written, from their neighbours in unlabelled text."""
    import Stemmer

    from features.core.text import words
    from features.learned.argumentative import FORM

    stemmer = Stemmer.Stemmer("english")
    forms = [words(text) for text in texts]
    return [
        _vectors([stemmer.stemWords(sentence) for sentence in forms], seed),
        _vectors([[FORM + word for word in sentence] for sentence in forms], seed),
    ]


def _vectors(sentences: Sequence[Sequence[str]], seed: int) -> Vectors:
    """Leading singular vectors of the positive pointwise mutual information, contexts smoothed (Levy et al. 2015)."""
    import numpy as np
    from scipy.sparse import csr_matrix
    from sklearn.utils.extmath import randomized_svd
    from threadpoolctl import threadpool_limits

    counts = Counter(word for sentence in sentences for word in sentence)
    names = sorted(name for name, count in counts.items() if count >= MIN_COUNT)
    if len(names) <= DIMENSIONS:
        raise InputError("unlabelled text", f"has only {len(names)} common words", "name a larger corpus")
    place = {name: row for row, name in enumerate(names)}
    gap = [-1] * WINDOW  # no neighbours across sentences
    run = np.array([row for sentence in sentences for row in (*(place.get(word, -1) for word in sentence), *gap)])
    near = csr_matrix((len(names), len(names)))
    for step in range(1, WINDOW + 1):
        left, right = run[:-step], run[step:]
        both = (left >= 0) & (right >= 0)
        near += csr_matrix((np.ones(both.sum()), (left[both], right[both])), shape=near.shape)
    pairs = (near + near.T).tocoo()
    often = np.bincount(pairs.row, pairs.data, len(names))
    smooth = often**0.75
    information = np.log(pairs.data * smooth.sum() / (often[pairs.row] * smooth[pairs.col]))
    kept = information > 0
    matrix = csr_matrix((information[kept], (pairs.row[kept], pairs.col[kept])), shape=near.shape)
    with threadpool_limits(1):  # another number of threads gives other last bits
        left, strength, _ = randomized_svd(matrix, DIMENSIONS, n_iter=3, random_state=seed)
    return Vectors(place, left * np.sqrt(strength))


def fit(seen: Sequence[Seen], tables: Sequence[Vectors], seed: int) -> Weights:
    """Logistic regression over the signs of many topics and over the sums of word vectors.

    A sum of vectors is linear in the words, so what it learns is added to the weights of the words: a rare word
    gets its weight from the words that are used like it, and only plain weights remain.
    """
    import numpy as np
    from scipy.sparse import csr_matrix, hstack
    from sklearn.linear_model import LogisticRegression
    from threadpoolctl import threadpool_limits

    from features.learned.argumentative import Weights
    from features.learned.ngrams import SHAPE

    topics: dict[str, set[str]] = defaultdict(set)
    rows: dict[str, int] = defaultdict(int)
    for one in seen:
        for sign in one.signs:
            topics[sign].add(one.topic)
            rows[sign] += 1
    names = sorted(sign for sign, found in topics.items() if len(found) >= MIN_TOPICS)
    labels = np.array([one.label for one in seen])
    mass = np.array([ROW_WEIGHT[one.source] for one in seen])
    if not names or len(set(labels)) < 2:
        what = f"needs both labels, and a word that {MIN_TOPICS} topics share"
        raise InputError("training data", what, "use the data sets as published")
    for label in (False, True):
        mass[labels == label] *= len(seen) / 2 / mass[labels == label].sum()
    # A rare stem says more than a common one: the scale grows with the idf.
    scale = np.array([SHAPE_SCALE if name[0] == SHAPE else 2 * np.log(len(seen) / rows[name]) ** 0.5 for name in names])
    plain = _matrix(seen, {name: place for place, name in enumerate(names)}).multiply(scale)
    sums = np.hstack([_matrix(seen, table.places) @ table.rows for table in tables])
    middle, spread = sums.mean(0), sums.std(0)
    shrink = np.divide(VECTOR_SCALE, spread, out=np.zeros_like(spread), where=spread > 0)
    model = LogisticRegression(C=INVERSE_STRENGTH, tol=1e-3, max_iter=200, random_state=seed)
    with threadpool_limits(1):
        model.fit(hstack([plain, csr_matrix((sums - middle) * shrink)]).tocsr(), labels, sample_weight=mass)
    own, shared = np.split(model.coef_[0], [len(names)])
    shared *= shrink
    weights = defaultdict(float, zip(names, (own * scale).tolist(), strict=True))
    for table, part in zip(tables, np.split(shared, len(tables)), strict=True):
        for name, weight in zip(table.places, (table.rows @ part).tolist(), strict=True):
            weights[name] += weight
    rounded = {name: round(weights[name], DECIMALS) for name in sorted(weights)}
    intercept = round(float(model.intercept_[0] - middle @ shared), DECIMALS)
    return Weights(intercept, {name: weight for name, weight in rounded.items() if weight})


def _matrix(seen: Sequence[Seen], column: Mapping[str, int]) -> Any:
    """(n_seen, n_columns) sparse: the values of the signs that have a column."""
    from scipy.sparse import csr_matrix

    values, places, ends = [], [], [0]
    for one in seen:
        for sign, value in one.signs.items():
            if sign in column:
                places.append(column[sign])
                values.append(value)
        ends.append(len(places))
    matrix = csr_matrix((values, places, ends), shape=(len(seen), len(column)))
    matrix.sort_indices()
    return matrix


def cross_validate(seen: Sequence[Seen], base: Sequence[Seen], tables: Sequence[Vectors], seed: int) -> float:
    """AUC on ``base``, each topic scored by a model that saw no label of it."""
    import numpy as np
    from sklearn.metrics import roc_auc_score
    from sklearn.model_selection import GroupKFold

    from features.learned.argumentative import log_odds

    odds = np.zeros(len(base))
    labels = np.array([one.label for one in base])
    groups = [one.topic for one in base]
    folds = min(FOLDS, len(set(groups)))
    if folds < 2 or len(set(labels)) < 2:
        where = base[0].source if base else "claims"
        raise InputError(where, "needs two topics and both labels", "use the data sets as published")
    for _, test in GroupKFold(folds).split(odds, labels, groups):
        hidden = {groups[row] for row in test}
        model = fit([one for one in seen if one.topic not in hidden], tables, seed)
        odds[test] = [log_odds(base[row].signs, model) for row in test]
    return float(roc_auc_score(labels, odds))


def learn(
    examples: Sequence[Example], unlabelled: Sequence[str], measuring: Mapping[str, Sequence[Example]], seed: int
) -> tuple[dict[str, float], Weights]:
    """The figures by name (AUC), and the model fitted on everything."""
    from sklearn.metrics import roc_auc_score

    from features.learned.argumentative import score

    tables = learn_vectors(unlabelled, seed)
    seen = see(examples, seed)
    own = [one for one in seen if one.source == "claims-dev"]
    other = see(measuring["claims-test"], seed)
    figures = {
        "claims-dev, topics unseen (5 folds by topic)": cross_validate(seen, own, tables, seed),
        # IAM's splits share topics (not articles), so the plain test figure flatters.
        "claims-test, topics unseen (5 folds by topic)": cross_validate(seen, other, tables, seed),
    }
    weights = fit(seen, tables, seed)
    for name, found in measuring.items():
        labels = [example.label for example in found]
        if len(set(labels)) == 2:
            figures[name] = float(roc_auc_score(labels, score([e.text for e in found], weights)))
    base = [example for example in examples if example.source == "claims-dev"]
    figures["claims-test, reference: TF-IDF learned on claims-dev"] = reference(base, measuring["claims-test"], seed)
    return {name: round(value, 4) for name, value in figures.items()}, weights


def reference(training: Sequence[Example], test: Sequence[Example], seed: int) -> float:
    """AUC of the usual TF-IDF logistic regression, to compare with."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import roc_auc_score

    vectorizer = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True)
    matrix = vectorizer.fit_transform([example.text for example in training])
    model = LogisticRegression(solver="liblinear", class_weight="balanced", random_state=seed)
    model.fit(matrix, [example.label for example in training])
    labels = [example.label for example in test]
    return float(roc_auc_score(labels, model.decision_function(vectorizer.transform([e.text for e in test]))))


# ---- reporting


def _about(
    examples: Sequence[Example],
    left_out: int,
    unlabelled: int,
    measuring: Mapping[str, Sequence[Example]],
    figures: Mapping[str, float],
    seed: int,
) -> dict[str, Any]:
    from importlib.metadata import version

    def counts(rows: Sequence[Example]) -> dict[str, int]:
        positive = sum(example.label for example in rows)
        return {"argumentative": positive, "other": len(rows) - positive}

    sources = {name: [example for example in examples if example.source == name] for name in ROW_WEIGHT}
    return {
        "what": "logistic regression: is a bare sentence argumentative; weights for argumentative.signs",
        "command": "python -m experiments.learned.argumentative --data DIR "
        f"-o features/learned/argumentative.json --seed {seed}",
        "training": {
            name: {"data": DATA_SETS[name], **counts(rows), "row weight": ROW_WEIGHT[name]}
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
            "inverse strength": INVERSE_STRENGTH,
            "shape scale": SHAPE_SCALE,
            "vector scale": VECTOR_SCALE,
            "topics a sign": MIN_TOPICS,
            "dimensions": DIMENSIONS,
            "window": WINDOW,
            "least count of a word with a vector": MIN_COUNT,
            "seed": seed,
        },
        "versions": {name: version(name) for name in ("numpy", "PyStemmer", "scikit-learn", "scipy")},
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
