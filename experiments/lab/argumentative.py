"""``python -m experiments.lab.argumentative --data DIR``: learn the weights of the feature ``argumentative``.

A logistic regression of labelled sentences over their features, and over vectors of words from unlabelled text.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.sparse import csr_matrix, diags, hstack, vstack
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.utils.extmath import randomized_svd
from threadpoolctl import threadpool_limits

from experiments.lab.trainer import Learned, common_columns, cross_validate, named_matrix, rounded, trainer
from experiments.published import published, read_iam, read_json, read_lines, read_table
from features.core.statistics import FloatArray, IntArray
from features.core.text import STOP_WORDS, normalise, words
from features.learned.argumentative import FORM, WEIGHTS, features
from features.learned.linear_model import MARKER, STEMS, LinearModel
from ltr.cli.process import run_command
from ltr.corpora.source import open_corpus
from ltr.settings import setting
from ltr.settings.kinds import File

ROW_WEIGHTS = {"claims-dev": 1.0, "stance-train": 1.0, "argkp": 0.02, "eviconv": 0.1, "talk": 0.3}
"""Source -> weight of a sentence; afterwards both classes count the same in all."""
SCALE = 1000
DIMENSIONS = 50
WINDOW = 2


class Example(NamedTuple):
    """A sentence with its label, its data set and its topic."""

    text: str
    label: bool
    source: str
    topic: str


def learn(options: Any) -> Learned:
    """The model of all training sentences, with its figures on the test split. Raises InputError."""
    data = options.data
    set_aside = read_set_aside(data)
    examples, left_out = read_training(data, set_aside)
    unlabelled = read_unlabelled(data, options.corpus or data.parent / "collection", examples, set_aside)
    test = read_sentences(data, "claims-test")
    figures, model = measure(examples, learn_vectors(unlabelled, options.seed), test, options.seed)
    counts: dict[str, Any] = {
        **{name: _counts([e for e in examples if e.source == name]) for name in ROW_WEIGHTS},
        "unlabelled, for word vectors": {"sentences": len(unlabelled)},
        "left out, also used for measuring": left_out,
    }
    return Learned(counts, {"claims-test, sentences": _counts(test), **figures}, {"argumentative": model}, SCALE)


def read_set_aside(data: Path) -> list[str]:
    """The sentences of the data sets that are only for measuring, whichever of them is measured on."""
    texts = [example.text for name in ("claims-test", "evidence-test") for example in read_sentences(data, name)]
    folder = data / "argument-cleansing"
    # Each line is ``text," text without stop words "``, the first field unquoted.
    talk = (line.rpartition(',"')[0].strip() for line in read_lines(folder / "sample-sentences.csv"))
    texts += filter(None, talk)
    for annotator in (1, 2, 3):
        texts += read_table(folder / f"annotator-{annotator}.csv", "Sentences", str)
    return texts


def read_training(data: Path, set_aside: Iterable[str]) -> tuple[list[Example], int]:
    """Training examples without repetitions, and the number of sentences left out since they also measure."""

    def content(text: str) -> str:
        return " ".join(word for word in words(text) if word not in STOP_WORDS)

    hidden, hidden_talk = set(map(normalise, set_aside)), set(map(content, set_aside))
    kept: dict[tuple[str, str], Example] = {}
    left_out = 0
    for example in training_rows(data):
        # Talk comes without stop words, so only the other words of a sentence can be compared.
        talk = example.source == "talk"
        if content(example.text) in hidden_talk if talk else normalise(example.text) in hidden:
            left_out += 1
            continue
        key = (example.text, example.topic)
        # The first source wins, except that a positive label stays: IAM labels a sentence once a file.
        if key not in kept or example.label > kept[key].label:
            kept[key] = example
    return list(kept.values()), left_out


def read_unlabelled(data: Path, where: str | Path, labelled: Iterable[Example], set_aside: Iterable[str]) -> list[str]:
    """Distinct sentences of a corpus and of the data sets, none used for measuring. Raises InputError."""
    hidden = set(map(normalise, set_aside))
    texts = [sentence.text for argument in open_corpus(str(where)) for sentence in argument.sentences]
    # Talk has lost its function words, and with them the neighbours from which a word's meaning is learned.
    texts += [example.text for example in labelled if example.source != "talk"]
    texts += [example.text for example in read_sentences(data, "evidence-dev")]
    texts += read_table(data / "ibm-claim-stance/claim-stance.csv", "claims.claimOriginalText", str)
    texts += read_table(data / "ibm-argq/args-5.3k.tsv", "argument", str)
    path = data / "perspectrum/perspective-pool.json"
    with published(path):
        texts += [str(perspective["text"]) for perspective in read_json(path)]
    return [text for text in dict.fromkeys(texts) if normalise(text) not in hidden]


def training_rows(data: Path) -> Iterator[Example]:
    """The labelled sentences of all sources."""
    yield from read_sentences(data, "claims-dev")
    yield from read_sentences(data, "stance-train")
    for text, topic in read_table(data / "argkp2021/arguments_train.csv", "argument topic"):
        yield Example(text, True, "argkp", "argkp " + topic)
    for topic, *texts in read_table(data / "ibm-eviconv/train.csv", "topic evidence_1 evidence_2"):
        for text in texts:
            yield Example(text, True, "eviconv", "eviconv " + topic)
    path = data / "argument-cleansing/negative-sentences-normalised.txt"
    for number, line in enumerate(read_lines(path)[::9]):
        # Every ninth of the 52,849 lines is plenty beside 6,900 sentences of IAM.
        # Talk has no topics; fifty made-up ones let it pass the threshold of topics and be split by fold.
        yield Example(line.strip(), False, "talk", f"talk {number % 50}")


def read_sentences(data: Path, name: str) -> list[Example]:
    """Sentences of an IAM file. Raises InputError."""
    # The article's id is <topic>_<number>, with the same topics in all of IAM's files.
    return [
        Example(text, label, name, "iam " + article.split("_")[0])
        for label, _, text, article, *_ in read_iam(data, name)
    ]


class Training:
    """Examples with their features, and their sums of word vectors."""

    def __init__(self, examples: Sequence[Example], vectors: pd.DataFrame, seed: int) -> None:
        self.vectors, self.seed = vectors, seed
        self.table = pd.DataFrame(examples, columns=Example._fields)
        self.names, self.matrix = feature_table(self.table, seed)
        """Names, and (n_examples, n_names) values."""
        known = np.flatnonzero(pd.Index(self.names).isin(vectors.index))
        self.sums = self.matrix[:, known] @ vectors.loc[[self.names[column] for column in known]].to_numpy()
        """(n_examples, 2 * DIMENSIONS) sums of the vectors of the words, weighted by their values."""

    def fit(self, rows: IntArray) -> LinearModel:
        """Logistic regression over the features of many topics and over the sums of word vectors.

        A sum of vectors is linear in the words, so its weights are added to those of the words: a rare word gets the
        weight of words that are used like it, and only plain weights remain.
        """
        table, number = self.table.iloc[rows], len(rows)
        columns = common_columns(self.matrix, rows, table.topic, 10)
        names = [self.names[column] for column in columns]
        labels = table.label.to_numpy()
        mass = np.array([ROW_WEIGHTS[source] for source in table.source])
        for label in (False, True):
            mass[labels == label] *= number / 2 / mass[labels == label].sum()
        # A rare stem says more than a common one: the scale grows with the idf.
        plain = self.matrix[rows][:, columns]
        scale = 2 * np.log(number / plain.getnnz(axis=0)) ** 0.5
        scale[[name[0] == MARKER for name in names]] = 2.0
        sums = self.sums[rows]
        middle, spread = sums.mean(0), sums.std(0)
        shrink = np.divide(0.7, spread, out=np.zeros_like(spread), where=spread > 0)
        model = LogisticRegression(C=0.007, tol=1e-3, max_iter=200, random_state=self.seed)
        with threadpool_limits(1):
            model.fit(hstack([plain.multiply(scale), csr_matrix((sums - middle) * shrink)]).tocsr(), labels, mass)
        by_word, by_vector = np.split(model.coef_[0], [len(names)])
        by_vector *= shrink
        weights = Counter(dict(zip(names, (by_word * scale).tolist(), strict=True)))
        weights.update(dict(zip(self.vectors.index, (self.vectors.to_numpy() @ by_vector).tolist(), strict=True)))
        intercept = round(float(model.intercept_[0] - middle @ by_vector) * SCALE) / SCALE
        return rounded(LinearModel.binary(intercept, {name: weights[name] for name in sorted(weights)}), SCALE)


def measure(
    examples: Sequence[Example], vectors: pd.DataFrame, test: Sequence[Example], seed: int
) -> tuple[dict[str, float], LinearModel]:
    """AUC on the ``test`` by name, and the model fitted on the examples."""
    training = Training([*examples, *test], vectors, seed)
    learned, tested = training.table[: len(examples)], training.table[len(examples) :]

    def odds(model: LinearModel) -> FloatArray:
        weights = np.array([model.plain.get(name, 0.0) for name in training.names])
        return model.intercept[0] + training.matrix[len(examples) :] @ weights

    def unseen(hidden: set[str], inside: Any) -> FloatArray:
        return odds(training.fit(np.flatnonzero(~learned.topic.isin(hidden))))[inside]

    model = training.fit(np.arange(len(examples)))
    # IAM's splits share topics (not articles), so the plain test figure is optimistic.
    scores = {
        "claims-test, AUC": odds(model),
        "claims-test, AUC, topics unseen (5 folds by topic)": cross_validate(tested.topic.tolist(), 5, unseen),
    }
    return {name: round(float(roc_auc_score(tested.label, values)), 4) for name, values in scores.items()}, model


def feature_table(table: pd.DataFrame, seed: int) -> tuple[list[str], csr_matrix]:
    """Names of the examples' features, and (n_examples, n_names) values.

    Mined talk has lost its function words, its capitals and its marks. Unchanged, it would be recognised by their
    absence; so each line lends its content words to the frame of a random IAM sentence, and only the words differ.
    """
    names, matrix = named_matrix(features(table.text))
    halves = [
        np.flatnonzero((table.source == "claims-dev") & (table.label == label)).tolist() for label in (False, True)
    ]
    draw = random.Random(seed)
    talk = np.flatnonzero(table.source == "talk")
    frames = [draw.choice(draw.choice(halves)) for _ in talk]
    markers = np.array([name[0] == MARKER for name in names])
    function = np.isin(names, [STEMS.of_word(word) for word in STOP_WORDS])
    # Words as written stay out: from them the model should learn how claims differ from other sentences of an article.
    content = np.array([name[0] not in (MARKER, FORM) and " " not in name for name in names]) & ~function
    share = (matrix[frames] @ diags(~markers * 1.0)).max(axis=1).toarray().ravel()
    lent = diags(np.where(share > 0, share, 0.5)) @ (matrix[talk] @ diags(content * 1.0)).sign()
    framed = csr_matrix(matrix[frames] @ diags((markers | function) * 1.0) + lent)
    framed.eliminate_zeros()
    order = np.arange(len(table))
    order[talk] = len(table) + np.arange(len(talk))
    return names, vstack([matrix, framed]).tocsr()[order]


def learn_vectors(texts: Sequence[str], seed: int) -> pd.DataFrame:
    """Vectors of stems, and of words as written, each in columns of their own."""
    forms = [words(text) for text in texts]
    stems = _vectors([STEMS.of_words(sentence) for sentence in forms], seed)
    written = _vectors([[FORM + word for word in sentence] for sentence in forms], seed)
    return pd.concat([stems.add_prefix("stem "), written.add_prefix("written ")]).fillna(0.0)


def _vectors(sentences: Sequence[Sequence[str]], seed: int) -> pd.DataFrame:
    """Leading singular vectors of the positive pointwise mutual information, contexts smoothed (Levy et al. 2015)."""
    counts = Counter(word for sentence in sentences for word in sentence)
    names = sorted(name for name, count in counts.items() if count >= 25)
    row = {name: number for number, name in enumerate(names)}
    gap = [-1] * WINDOW  # no neighbours across sentences
    run = np.array([number for sentence in sentences for number in (*(row.get(word, -1) for word in sentence), *gap)])
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
    return pd.DataFrame(left * np.sqrt(strength), names)


def _counts(rows: Sequence[Example]) -> dict[str, Any]:
    positive = sum(example.label for example in rows)
    return {"argumentative": positive, "other": len(rows) - positive}


CORPUS = setting(File(), "arguments for word vectors, no labels (default: collection beside --data)")
main = trainer(__file__, learn, WEIGHTS, "Learn how likely a bare sentence is a claim or evidence.", corpus=CORPUS)

if __name__ == "__main__":
    run_command(main)
