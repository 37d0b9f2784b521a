"""``python -m experiments.argumentative --data DIR``: learn the weights behind the feature ``argumentative``."""

from __future__ import annotations

import csv
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ltr.cli import Parser, whole_number
from ltr.errors import InputError, run_command

if TYPE_CHECKING:  # numpy and scikit-learn are slow to import, and --help should not wait for them
    from features.argumentative import Weights

EPILOG = """\
DIR holds iam/, argkp2021/, ibm-eviconv/ and argument-cleansing/ as published. The settings were chosen by
cross-validation on IAM's claims-dev, split by topic; only the row weight of mined talk was chosen with
a look at the talk sample too, so claims-vs-talk flatters. A sentence that also stands in a file used
for measuring is left out of the training.

example:
  python -m experiments.argumentative --data ../shared/data -o features/argumentative.json
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

INVERSE_STRENGTH = 0.015
SHAPE_SCALE = 2.0
MIN_TOPICS = 20
"""A sign counts only when this many topics have it: what belongs to a topic says nothing about the next one."""

MAX_WEIGHTS = 2900
FOLDS = 5
TALK_STEP = 9
"""Of the 52,849 lines of mined talk every ninth is plenty beside 6,900 sentences of IAM."""


@dataclass(frozen=True)
class Example:
    """A sentence with its label, the data set and the topic that it comes from."""

    text: str
    label: bool
    source: str
    topic: str


@dataclass(frozen=True)
class Seen:
    """An example as the model sees it."""

    signs: Mapping[str, float]
    label: bool
    source: str
    topic: str


def main(argv: list[str] | None = None) -> int:
    """Train, print the figures and write the weights. Raises InputError for anything the user can mend."""
    options = _parser().parse_args(argv)
    data: Path = options.data
    if not data.is_dir():
        raise InputError(data, "no such directory", "name the folder that holds iam/ and argkp2021/")
    measuring = read_measuring(data)
    examples, left_out = read_training(data, measuring)

    from ltr.files import atomic_text

    figures, weights = learn(examples, measuring, options.seed)
    about = _about(examples, left_out, measuring, figures, options.seed)
    print("\n".join(_table(about, len(weights.weights))))
    if options.output:
        document = {"about": about, "intercept": weights.intercept, "weights": dict(weights.weights)}
        with atomic_text(options.output) as out:
            out.write(json.dumps(document, indent=0, ensure_ascii=True, allow_nan=False) + "\n")
    return 0


def _parser() -> Parser:
    from argparse import RawDescriptionHelpFormatter

    parser = Parser(
        prog="python -m experiments.argumentative",
        description="Learn how likely a bare sentence is a claim or evidence, and measure it.",
        epilog=EPILOG,
        formatter_class=RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--data", type=Path, required=True, metavar="DIR", help="the folder of the labelled debate data")
    add("-o", "--output", type=Path, metavar="FILE", help="where the weights go as JSON (default: only measure)")
    add("--seed", type=whole_number(0), default=0, metavar="N", help="seed (default: %(default)s)")
    return parser


# ---- reading


def read_measuring(data: Path) -> dict[str, list[Example]]:
    """The files that are only for measuring, by name."""
    claims = list(read_iam(data / "iam/claims-test.tsv", "C", "claims-test"))
    evidence = merge(read_iam(data / "iam/evidence-test.tsv", "E", "evidence-test"))
    talk = [Example(text, False, "talk-sample", "") for text in read_talk_sample(data / "argument-cleansing")]
    # Nearly every annotated sentence is talk, so its few others say little; real claims beside all talk say more.
    return {
        "claims-test": claims,
        "evidence-test": evidence,
        "annotated": read_votes(data / "argument-cleansing"),
        "claims-vs-talk": [example for example in claims if example.label] + talk,
    }


def read_training(data: Path, measuring: Mapping[str, Sequence[Example]]) -> tuple[list[Example], int]:
    """Training examples without repetitions, and how many sentences were left out as also used for measuring."""
    from features.text import STOP_WORDS, normalise, words

    def content(text: str) -> str:
        return " ".join(word for word in words(text) if word not in STOP_WORDS)

    held = {normalise(example.text) for examples in measuring.values() for example in examples}
    held_talk = {content(example.text) for examples in measuring.values() for example in examples}
    found: dict[tuple[str, str], Example] = {}
    left_out = 0
    for example in _training_rows(data):
        # Talk comes without stop words, so only what remains of a sentence can be compared.
        talk = example.source == "talk"
        hidden = content(example.text) in held_talk if talk else normalise(example.text) in held
        left_out += hidden
        key = (example.text, example.topic)
        # The first source wins, except that a positive label stands: IAM labels a sentence once a file.
        if not hidden and (key not in found or example.label > found[key].label):
            found[key] = example
    return list(found.values()), left_out


def _training_rows(data: Path) -> Iterator[Example]:
    yield from read_iam(data / "iam/claims-dev.tsv", "C", "claims-dev")
    yield from read_iam(data / "iam/stance-train.tsv", "C", "stance-train")
    for row in read_table(data / "argkp2021/arguments_train.csv", ("argument", "topic")):
        yield Example(row[0], True, "argkp", "argkp " + row[1])
    for row in read_table(data / "ibm-eviconv/train.csv", ("topic", "evidence_1", "evidence_2")):
        for text in row[1:]:
            yield Example(text, True, "eviconv", "eviconv " + row[0])
    path = data / "argument-cleansing/negative-sentences-normalised.txt"
    for number, line in enumerate(_lines(path)[::TALK_STEP]):
        # Talk has no topics; fifty made-up ones let it pass the threshold of topics and be split by fold.
        yield Example(line.strip(), False, "talk", f"talk {number % 50}")


def read_iam(path: Path, positive: str, source: str) -> Iterator[Example]:
    """Rows of an IAM file: label, topic or claim, sentence, article; ``positive`` or O. Raises InputError."""
    for number, line in enumerate(_lines(path), 1):
        if not line.strip():
            continue
        fields = line.split("\t")
        if len(fields) < 4 or fields[0] not in (positive, "O"):
            what = f"row {number} is not '{positive} or O, topic, sentence, article' between tabs"
            raise InputError(path, what, "download the file again")
        # The article's id is <topic>_<number>, with the same topics in all of IAM's files.
        yield Example(fields[2], fields[0] == positive, source, "iam " + fields[3].split("_")[0])


def read_table(path: Path, columns: Sequence[str]) -> list[list[str]]:
    """Some columns of a CSV file with a header. Raises InputError."""
    try:
        # Some headers carry a blank after the name, and some have a byte order mark.
        rows = list(csv.reader(_lines(path, keep_ends=True), strict=True))
    except csv.Error as error:
        raise InputError(path, f"not CSV ({error})", "download the file again") from None
    header = [name.strip("\ufeff ") for name in rows[0]] if rows else []
    if missing := [name for name in columns if name not in header]:
        raise InputError(path, f"no column {missing[0]!r}", "download the file again")
    places = [header.index(name) for name in columns]
    for number, row in enumerate(rows, 1):
        if len(row) <= max(places):
            raise InputError(path, f"record {number} has only {len(row)} fields", "download the file again")
    return [[row[place] for place in places] for row in rows[1:]]


def read_talk_sample(folder: Path) -> list[str]:
    """Mined talk as written; each line is ``text," text without stop words "``, the first field unquoted."""
    found = [line.rpartition(',"')[0].strip() for line in _lines(folder / "sample-sentences.csv")]
    return [text for text in found if text]


def read_votes(folder: Path) -> list[Example]:
    """Sentences with the majority of three annotators: does it belong to an argument."""
    votes: dict[str, int] = defaultdict(int)
    for annotator in (1, 2, 3):
        path = folder / f"annotator-{annotator}.csv"
        # Each annotator saw another order, and a few sentences stand there twice.
        votes_of_one = {row[0]: row[1].strip() == "1" for row in read_table(path, ("Sentences", "Annotation"))}
        for text, vote in votes_of_one.items():
            votes[text] += vote
    return [Example(text, count >= 2, "annotated", "") for text, count in votes.items()]


def merge(examples: Iterable[Example]) -> list[Example]:
    """One example a sentence: IAM judges evidence for each claim, a bare sentence is evidence if it is for one."""
    found: dict[str, Example] = {}
    for example in examples:
        if example.text not in found or example.label > found[example.text].label:
            found[example.text] = example
    return list(found.values())


def _lines(path: Path, keep_ends: bool = False) -> list[str]:
    try:
        text = path.read_text("utf-8")
    except FileNotFoundError:
        raise InputError(path, "no such file", "name the folder of the labelled debate data") from None
    except UnicodeDecodeError as error:
        raise InputError(path, f"not UTF-8 at byte {error.start}", "download the file again") from None
    # str.splitlines would also split at the odd separators that stand inside sentences.
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    return [line + "\n" for line in lines] if keep_ends else [line.rstrip("\r") for line in lines]


# ---- learning


def see(examples: Sequence[Example], seed: int) -> list[Seen]:
    """The signs of each example.

    Mined talk has lost its function words, its capitals and its marks. Taken as it is, their absence would
    be a sign of talk; so each line lends its content words to the frame of a random IAM sentence, and
    only the words can tell.
    """
    import random

    from features.argumentative import SHAPE, signs
    from features.text import STOP_WORDS, Analyzer

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
            lent = {sign: value for sign in one.signs if sign[0] != SHAPE and " " not in sign and sign not in function}
            found[row] = Seen(kept | lent, one.label, one.source, one.topic)
    return found


def fit(seen: Sequence[Seen], seed: int) -> Weights:
    """Logistic regression over signs of many topics, pruned to the weightiest and fitted again."""
    import numpy as np

    from features.argumentative import SHAPE, Weights

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
    # A rare stem says more than a common one: the scale is the idf, as in TF-IDF.
    scale = {name: SHAPE_SCALE if name[0] == SHAPE else float(np.log(len(seen) / rows[name])) for name in names}
    coefficients, intercept = _regress(seen, names, scale, labels, mass, seed)
    if len(names) > MAX_WEIGHTS:
        weight = {n: abs(c) * scale[n] * rows[n] for n, c in zip(names, coefficients, strict=True)}
        names = sorted(sorted(names, key=lambda name: (-weight[name], name))[:MAX_WEIGHTS])
        coefficients, intercept = _regress(seen, names, scale, labels, mass, seed)
    folded = {name: round(float(c) * scale[name], 4) for name, c in zip(names, coefficients, strict=True)}
    return Weights(round(intercept, 4), {name: weight for name, weight in folded.items() if weight})


def _regress(
    seen: Sequence[Seen], names: Sequence[str], scale: Mapping[str, float], labels: Any, mass: Any, seed: int
) -> tuple[Any, float]:
    from scipy.sparse import csr_matrix
    from sklearn.linear_model import LogisticRegression

    column = {name: place for place, name in enumerate(names)}
    values, places, ends = [], [], [0]
    for one in seen:
        for sign, value in one.signs.items():
            if sign in column:
                places.append(column[sign])
                values.append(value * scale[sign])
        ends.append(len(places))
    matrix = csr_matrix((values, places, ends), shape=(len(seen), len(names)))
    matrix.sort_indices()
    model = LogisticRegression(C=INVERSE_STRENGTH, solver="liblinear", tol=1e-3, random_state=seed)
    model.fit(matrix, labels, sample_weight=mass)
    return model.coef_[0], float(model.intercept_[0])


def cross_validate(seen: Sequence[Seen], base: Sequence[Seen], seed: int) -> float:
    """AUC on ``base``, each topic scored by a model that saw nothing of it."""
    import numpy as np
    from sklearn.metrics import roc_auc_score
    from sklearn.model_selection import GroupKFold

    from features.argumentative import log_odds

    odds = np.zeros(len(base))
    labels = np.array([one.label for one in base])
    groups = [one.topic for one in base]
    folds = min(FOLDS, len(set(groups)))
    if folds < 2 or len(set(labels)) < 2:
        where = base[0].source if base else "claims"
        raise InputError(where, "needs two topics and both labels", "use the data sets as published")
    for _, test in GroupKFold(folds).split(odds, labels, groups):
        hidden = {groups[row] for row in test}
        model = fit([one for one in seen if one.topic not in hidden], seed)
        odds[test] = [log_odds(base[row].signs, model) for row in test]
    return float(roc_auc_score(labels, odds))


def learn(
    examples: Sequence[Example], measuring: Mapping[str, Sequence[Example]], seed: int
) -> tuple[dict[str, float], Weights]:
    """The figures by name (AUC), and the model fitted on everything."""
    from sklearn.metrics import roc_auc_score

    from features.argumentative import score

    seen = see(examples, seed)
    own = [one for one in seen if one.source == "claims-dev"]
    other = see(measuring["claims-test"], seed)
    figures = {
        "claims-dev, topics unseen (5 folds by topic)": cross_validate(seen, own, seed),
        # IAM's splits share topics (not articles), so the plain test figure flatters.
        "claims-test, topics unseen (5 folds by topic)": cross_validate(seen, other, seed),
    }
    weights = fit(seen, seed)
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
        "command": f"python -m experiments.argumentative --data DIR -o features/argumentative.json --seed {seed}",
        "training": {
            name: {"data": DATA_SETS[name], **counts(rows), "row weight": ROW_WEIGHT[name]}
            for name, rows in sources.items()
        },
        "left out, also used for measuring": left_out,
        "measuring": {name: counts(rows) for name, rows in measuring.items()},
        "AUC": dict(figures),
        "notes": [
            "IAM's splits share topics, not articles: the figures for unseen topics are the careful ones",
            "claims-vs-talk flatters: its talk was mined like that in training, and seen when choosing the row weight",
            "annotated: hardly any of its sentences is argumentative, so its figure is uncertain",
        ],
        "settings": {
            "inverse strength": INVERSE_STRENGTH,
            "shape scale": SHAPE_SCALE,
            "topics a sign": MIN_TOPICS,
            "most weights": MAX_WEIGHTS,
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
