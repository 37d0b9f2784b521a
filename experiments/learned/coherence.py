"""``python -m experiments.learned.coherence -i DIR``: learn what makes two sentences go together, and measure it."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments.learned.coherence_pairs import (
    FAR,
    FOLDS,
    PAIRS_A_DEBATE,
    POOL,
    TEST,
    TRAINING,
    Rows,
    Sentence,
    folds,
    lay_out,
    pools,
    read_matches,
    read_sentences,
    sample,
)
from ltr.cli.options import Parser, whole_number
from ltr.cli.process import run_command
from ltr.errors import InputError

if TYPE_CHECKING:  # numpy and scikit-learn are slow to import, and --help should not wait for them
    from features.core.statistics import FloatArray, IntArray
    from features.core.tables import Context
    from features.learned.coherence import Model, Space
    from ltr.index.reader import Index

EPILOG = """\
DIR is a corpus. True pairs are neighbouring premises, and conclusions with their own premises. Each is set against
the same first sentence with another second one: of the same debate (the same page), of its other side, further
on in the same argument, of another debate. No label is used. Debates that share a sentence are kept together,
and every figure comes from models that saw none of the debate. --data adds ArgKP-2021's matches.

example:
  python -m experiments.learned.coherence -i COLLECTION --data DATA -o features/learned/coherence.json
"""

TERMS = 6000
DIMENSIONS = 96
RIDGE = 30.0
"""Mass added to each term's own, so that rare terms do not lead."""
CUT = 0.01
"""Share of the numbers in the vectors that are cut to the largest of the others."""
RESAMPLES = 1000
INVERSE_STRENGTH = 1.0
ROW_WEIGHT = {"debate": 1.0, "opposite": 1.0, "elsewhere": 0.2}
"""What one false pair counts in training, beside 1 for a true one; comparisons not listed are only measured."""

MATCH_WEIGHT = 0.2
"""What one labelled pair of ArgKP-2021 counts, matching or not."""

AGAINST = {
    "debate": "another argument of the debate",
    "opposite": "an argument of the other side of the debate",
    "debate, like length": "another argument of the debate, the second sentence of nearly the same length",
    "opposite, like length": "the other side of the debate, the second sentence of nearly the same length",
    "further on": f"the same argument, {FAR} sentences or more further on",
    "elsewhere": "another debate",
    "no match": "ArgKP-2021: an argument that does not match the key point",
}


def main(argv: list[str] | None = None) -> int:
    """Train, print the figures and write the weights. Raises InputError for anything the user can mend."""
    options = _parser().parse_args(argv)
    from features.learned.coherence import as_document
    from ltr.corpora.source import open_corpus
    from ltr.data.files import atomic_text
    from ltr.index.reader import index_place, open_index
    from ltr.progress import Progress

    if options.data and not options.data.is_dir():
        raise InputError(options.data, "no such directory", "name the folder that holds argkp2021/")
    matches = read_matches(options.data / "argkp2021") if options.data else []
    corpus = open_corpus(options.input)
    place = index_place(corpus, options.index, Progress(), [options.output])
    index = open_index(corpus, place, Progress())
    sentences = read_sentences(corpus, index)
    pairs = sample(sentences, random.Random(options.seed))
    fold = folds(sentences, pairs)
    if len({fold[pair.debate] for pair in pairs}) < FOLDS:
        what = f"fewer than {FOLDS} unconnected debates with two arguments that have several sentences"
        raise InputError(options.input, what, "name a larger corpus")
    rows, texts = lay_out(sentences, pairs, fold, matches)
    figures, model = learn(sentences, texts, rows, fold, index)
    about = _about(index, sentences, fold, rows, figures, options.seed)
    print("\n".join(_table(figures)))
    if options.output:
        with atomic_text(options.output) as out:
            document = {"about": about, **as_document(model)}
            out.write(json.dumps(document, indent=0, ensure_ascii=True, allow_nan=False) + "\n")
    return 0


def _parser() -> Parser:
    from argparse import RawDescriptionHelpFormatter

    parser = Parser(
        prog="python -m experiments.learned.coherence",
        description="Learn without labels whether two sentences go together, and measure it on unseen debates.",
        epilog=EPILOG,
        formatter_class=RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("-i", "--input", required=True, metavar="DIR", help="the corpus")
    add("--data", type=Path, metavar="DIR", help="the folder that holds argkp2021/ (default: do without)")
    add("-o", "--output", type=Path, metavar="FILE", help="where the weights go as JSON (default: only measure)")
    add("--index", type=Path, metavar="DIR", help="where the index is kept (default: beside the corpus)")
    add("--seed", type=whole_number(0), default=0, metavar="N", help="seed (default: %(default)s)")
    return parser


# ---- learning


SIGNS = {"TF-IDF cosine": "tf-idf cosine", "latent cosine": "latent cosine"}
"""Signs that are measured on their own."""


def make_context(texts: Sequence[str], rows: Rows, index: Index) -> Context:
    """The rows as one big topic. Whatever would tell a true pair is left empty."""
    import numpy as np

    from features.core.registry import find
    from features.core.sentences import Texts
    from features.core.tables import ArgumentTable, Context, PairTable, SentenceTable
    from features.learned.coherence import MANNERS

    terms = [index.analyzer.terms(text) for text in texts]
    nothing: dict[str, Any] = {field.name: np.zeros(len(texts), np.int64) for field in fields(SentenceTable)}
    nothing_at_all: dict[str, Any] = {field.name: () for field in fields(ArgumentTable)}
    sentences = SentenceTable(**nothing | {"text": texts, "terms": terms})
    arguments = ArgumentTable(**nothing_at_all)
    table = Texts(texts)
    values = {name: find(name).compute(table) for name in MANNERS}
    return Context("", [], sentences, arguments, PairTable(rows.first, rows.second), index.statistics, values)


def look(
    sentences: Sequence[Sentence], context: Context, rows: Rows, kin: Kin
) -> tuple[list[str], FloatArray, FloatArray]:
    """The names of the signs, (n_rows, n_signs) signs, and (n_rows, FOLDS + 1, n_kinships) kinships.

    The kinships of a row come from a space that saw neither its own fold nor the hidden one (the last: none is
    hidden), or they would be trusted too much.
    """
    import numpy as np

    from features.learned.coherence import KINSHIPS, kinships, signs

    names: list[str] = []
    table = np.zeros((0, 0), np.float32)
    kinship = np.zeros((len(rows.first), FOLDS + 1, len(KINSHIPS)), np.float32)
    for here, members in pools(sentences, context, rows):
        own = among(context, members, rows.first[here], rows.second[here])
        found = signs(own)
        if not names:
            names, table = list(found), np.zeros((len(rows.first), len(found)), np.float32)
        table[here] = np.stack(list(found.values()), axis=1)
        fold = {int(rows.fold[here[0]])} - {TRAINING, TEST}
        values: dict[frozenset[int], FloatArray] = {}
        for hidden in range(FOLDS + 1):
            unseen = frozenset(fold | ({hidden} - {FOLDS}))
            if unseen not in values:
                values[unseen] = np.stack(list(kinships(own, kin.without(*unseen)).values()), axis=1)
            kinship[here, hidden] = values[unseen]
    return names, table, kinship


def among(context: Context, members: IntArray, first: IntArray, second: IntArray) -> Context:
    """The pairs of some texts of the context as a topic of those texts alone."""
    import numpy as np

    from features.core.tables import PairTable
    from features.learned.coherence import MANNERS

    table = context.sentences
    texts = [table.text[row] for row in members.tolist()]
    terms = [table.terms[row] for row in members.tolist()]
    values = {name: context.text_values[name][members] for name in MANNERS}
    pairs = PairTable(np.searchsorted(members, first), np.searchsorted(members, second))
    return replace(context, sentences=replace(table, text=texts, terms=terms), pairs=pairs, text_values=values)


class Kin:
    """Spaces of terms learned from some folds."""

    def __init__(self, sentences: Sequence[Sentence], context: Context, fold: Mapping[int, int]) -> None:
        import numpy as np

        names = np.array(list(context.vocabulary))
        used = np.bincount(context.sentence_counts.indices, minlength=len(names))
        # Ties by name, so that the choice does not hang on the order of the corpus.
        self.columns = np.lexsort((names, -used))[:TERMS]
        self.terms = names[self.columns].tolist()
        rows = context.tfidf[: len(sentences)][:, self.columns].astype(np.float32)
        argument = np.array([sentence.argument for sentence in sentences])
        debate = np.array([sentence.debate for sentence in sentences])
        of = np.array([fold[number] for number in debate.tolist()])
        self.parts = [co_occurrence(rows[of == k], argument[of == k], debate[of == k]) for k in range(FOLDS)]
        self._spaces: dict[frozenset[int], Space] = {}

    def without(self, *hidden: int) -> Space:
        """The space of the debates outside the ``hidden`` folds."""
        from features.learned.coherence import Space

        key = frozenset(hidden)
        if key not in self._spaces:
            seen = [part for k, part in enumerate(self.parts) if k not in key]
            matrix = sum((part for part, _ in seen[1:]), start=seen[0][0])
            mass = sum((part for _, part in seen[1:]), start=seen[0][1])
            self._spaces[key] = Space(self.terms, decompose(matrix, mass))
        return self._spaces[key]


def co_occurrence(rows: Any, argument: IntArray, debate: IntArray) -> tuple[Any, FloatArray]:
    """How much more two terms meet in sentences of one argument than in those of different arguments of the debate.

    Each sentence has the same mass in both: one in all. Returns (n_terms, n_terms) and the (n_terms,) mass.
    """
    import numpy as np
    from scipy.sparse import csr_matrix, diags

    def gather(owner: IntArray) -> Any:
        _, place = np.unique(owner, return_inverse=True)
        return csr_matrix((np.ones(len(owner), np.float32), (place, np.arange(len(owner)))))

    of_argument, of_debate = gather(argument), gather(debate)
    size = np.asarray(of_argument.sum(axis=1)).ravel()
    together = 1 / np.maximum(size - 1, 1)
    paired = of_debate @ (of_argument.T @ (size > 1).astype(np.float32))
    others = np.asarray(of_debate.sum(axis=1)).ravel() ** 2 - of_debate @ (of_argument.T @ size)
    apart = paired / np.maximum(others, 1)
    inner = of_argument.T @ together
    within = (of_argument @ (of_debate.T @ apart)) / size
    by_argument, by_debate = of_argument @ rows, of_debate @ rows
    matrix = by_argument.T @ diags(together + within) @ by_argument - rows.T @ diags(inner) @ rows
    dense = by_debate.toarray()
    found = np.asarray(matrix.todense(), np.float32) - dense.T @ (apart[:, None].astype(np.float32) * dense)
    return found, np.asarray(rows.multiply(rows).sum(axis=0)).ravel()


def decompose(matrix: Any, mass: FloatArray) -> FloatArray:
    """(n_terms, n_dimensions) leading eigenvectors of the matrix scaled by the terms' mass, in steps of one byte.

    Every direction counts the same, and the largest numbers are cut: both make the kinship tell more on unseen debates.
    """
    import numpy as np
    from scipy.sparse.linalg import eigsh

    scale = 1 / np.sqrt(mass + RIDGE)
    scaled = matrix * scale[:, None].astype(np.float32) * scale.astype(np.float32)
    if len(scale) > 1000:
        values, directions = eigsh(scaled, DIMENSIONS, which="LA", tol=1e-2, v0=np.ones(len(scale), np.float32))
    else:  # too small for an iterative method
        values, directions = (found[..., -DIMENSIONS:] for found in np.linalg.eigh(scaled))
    vectors = directions * scale[:, None] * (values > 0)
    step = max(float(np.quantile(abs(vectors), 1 - CUT)) / 127, 1e-12)
    return np.clip(np.rint(vectors / step), -127, 127).astype(np.float32)


def fit(names: Sequence[str], table: FloatArray, rows: Rows, hidden: int, space: Space) -> Model:
    """A logistic regression on the rows outside the ``hidden`` fold."""
    import numpy as np
    from sklearn.linear_model import LogisticRegression

    from features.learned.coherence import Model

    true = rows.against == ""
    weight = np.array([{"": 1.0, **ROW_WEIGHT}.get(name, 0.0) for name in rows.against.tolist()])
    weight[rows.fold == TRAINING] = MATCH_WEIGHT
    weight[np.isin(rows.fold, [hidden, TEST])] = 0
    weight[~true] *= weight[true].sum() / max(weight[~true].sum(), 1)
    used = weight > 0
    signs = table[used]
    centre, spread = signs.mean(axis=0, dtype=np.float64), signs.std(axis=0, dtype=np.float64)
    spread[spread < 1e-6] = 1
    model = LogisticRegression(C=INVERSE_STRENGTH, max_iter=1000)
    model.fit((signs - centre) / spread, true[used], sample_weight=weight[used])
    weights = model.coef_[0] / spread
    intercept = float(model.intercept_[0] - weights @ centre)
    rounded = {name: round(float(w), 5) for name, w in zip(names, weights, strict=True)}
    return Model(round(intercept, 5), rounded, space)


def learn(
    sentences: Sequence[Sentence], texts: Sequence[str], rows: Rows, fold: Mapping[int, int], index: Index
) -> tuple[dict[str, Any], Model]:
    """Figures from models that did not see the debate, and the model fitted on everything."""
    import numpy as np
    from threadpoolctl import threadpool_limits

    from features.learned.coherence import KINSHIPS

    # One BLAS thread: the weights must not depend on the number of cores.
    with threadpool_limits(1):
        context = make_context(texts, rows, index)
        kin = Kin(sentences, context, fold)
        names, table, kinship = look(sentences, context, rows, kin)
        odds = np.zeros(len(rows.first))
        for hidden in range(FOLDS + 1):  # the last: nothing is hidden
            space = kin.without(*({hidden} - {FOLDS}))
            every = np.concatenate([table, kinship[:, hidden]], axis=1)
            model = fit([*names, *KINSHIPS], every, rows, hidden, space)
            here = rows.fold == (TEST if hidden == FOLDS else hidden)
            odds[here] = model.intercept + every[here] @ np.array(list(model.weights.values()))
    scores = {"coherence": odds}
    scores |= {score: table[:, names.index(sign)] for score, sign in SIGNS.items()}
    return measure(rows, scores), model


# ---- measuring


def measure(rows: Rows, scores: Mapping[str, FloatArray]) -> dict[str, Any]:
    """AUC of each score with its interval, for each kind of true pair and each kind of false pair set against it."""
    import numpy as np

    figures: dict[str, Any] = {}
    measured = rows.fold != TRAINING
    for kind in ("neighbours", "conclusion", "all", "key point"):
        of_kind = measured & ((rows.kind == kind) | ((kind == "all") & (rows.kind != "key point")))
        for against in AGAINST:
            false = np.flatnonzero(of_kind & (rows.against == against))
            # Labelled pairs do not come in twos; any other false pair stands beside its true one.
            true = np.flatnonzero(of_kind & (rows.against == "")) if kind == "key point" else rows.true[false]
            if len(false) and len(true) and not (kind == "all" and against == "further on"):
                figures[f"{kind} | {against}"] = compare(rows.debate, true, false, scores)
    return figures


def compare(debate: IntArray, true: IntArray, false: IntArray, scores: Mapping[str, FloatArray]) -> dict[str, Any]:
    """AUC of each score, and what it has over TF-IDF cosine, each with a 95% interval over resampled debates."""
    import numpy as np

    found: dict[str, Any] = {"pairs": [len(true), len(false)]}
    _, place = np.unique(debate[np.concatenate([true, false])], return_inverse=True)
    count = place.max() + 1
    times = np.random.default_rng(0).multinomial(count, np.full(count, 1 / count), RESAMPLES)
    drawn = {}
    for name, values in scores.items():
        drawn[name] = bootstrap(values[true], values[false], place[: len(true)], place[len(true) :], times)
        found[name] = [auc(values[true], values[false]), *np.quantile(drawn[name], (0.025, 0.975)).tolist()]
    gain = np.quantile(drawn["coherence"] - drawn["TF-IDF cosine"], (0.025, 0.975)).tolist()
    found["gain"] = [found["coherence"][0] - found["TF-IDF cosine"][0], *gain]
    return {name: [round(value, 4) for value in values] for name, values in found.items()}


def auc(true: FloatArray, false: FloatArray) -> float:
    """The share of (true, false) pairs in the right order; a tie counts one half."""
    from scipy.stats import rankdata

    ranks = rankdata([*true, *false])[: len(true)]
    return float((ranks.sum() - len(true) * (len(true) + 1) / 2) / (len(true) * len(false)))


def bootstrap(
    true: FloatArray, false: FloatArray, of_true: IntArray, of_false: IntArray, times: IntArray
) -> FloatArray:
    """(n_resamples,) AUC when debate d is taken ``times[:, d]`` times, from scores in at most 400 steps."""
    import numpy as np

    steps = np.unique(np.quantile(np.concatenate([true, false]), np.linspace(0, 1, 401)))
    drawn = []
    for values, place in ((true, of_true), (false, of_false)):
        counts = np.zeros((times.shape[1], len(steps) + 1))
        np.add.at(counts, (place, np.searchsorted(steps, values)), 1)
        drawn.append(times @ counts)
    positive, negative = drawn
    below = np.cumsum(negative, axis=1) - negative / 2
    pairs = positive.sum(axis=1) * negative.sum(axis=1)
    return np.asarray((positive * below).sum(axis=1) / np.maximum(pairs, 1))


# ---- reporting


def _about(
    index: Index,
    sentences: Sequence[Sentence],
    fold: Mapping[int, int],
    rows: Rows,
    figures: Mapping[str, Any],
    seed: int,
) -> dict[str, Any]:
    from importlib.metadata import version

    from features.learned.coherence import MANNERS

    counts = Counter(f"{kind} | {against or 'true'}" for kind, against in zip(rows.kind, rows.against, strict=True))
    labelled = bool((rows.fold == TRAINING).any())
    return {
        "what": "do two sentences go together: weights of features.learned.coherence and its word vectors",
        "command": "python -m experiments.learned.coherence -i DIR "
        f"{'--data DATA ' if labelled else ''}-o features/learned/coherence.json --seed {seed}",
        "data": {
            "corpus": f"SHA-256 {index.corpus_fingerprint}; no label of it is used",
            **({"matches": "IBM ArgKP-2021, train and dev; test only measured; CDLA-Sharing 1.0"} if labelled else {}),
            "sentences": len(sentences),
            "debates": len(fold),
            "rows": dict(sorted(counts.items())),
        },
        "false pairs": AGAINST,
        "AUC with 95% intervals": dict(figures),
        "notes": [
            f"every figure is of {FOLDS} models by debate, each measured on debates that it did not see; "
            "debates that share a sentence or a near-duplicate are never apart; ArgKP's are of its test topics",
            "pairs are [true, false]; gain is coherence less TF-IDF cosine; the resampled units are debates, "
            "for ArgKP key points",
            "conclusions that are the title of the debate go with all of it and are left out",
            "dimensions, ridge and cut of the vectors were chosen with a look at one fold of five",
            "idf and latent space are those of the whole corpus, as they are whenever the feature is used",
            f"local signs see the debate and similar ones up to {POOL} sentences, or the ArgKP topic, without labels",
        ],
        "settings": {
            "terms": TERMS,
            "pool": POOL,
            "dimensions": DIMENSIONS,
            "ridge": RIDGE,
            "cut": CUT,
            "pairs a debate": PAIRS_A_DEBATE,
            "row weights": {**ROW_WEIGHT, "key point": MATCH_WEIGHT},
            "inverse strength": INVERSE_STRENGTH,
            "manners": list(MANNERS),
            "seed": seed,
        },
        "versions": {name: version(name) for name in ("numpy", "PyStemmer", "scikit-learn", "scipy", "spacy")},
    }


def _table(figures: Mapping[str, Any]) -> list[str]:
    lines = [f"{'AUC [95%]':<36}{'true':>8}{'false':>8}" + "".join(f"{name:>24}" for name in _SCORES)]
    for comparison, found in figures.items():
        cells = (f"{found[name][0]:.4f} [{found[name][1]:.4f} {found[name][2]:.4f}]" for name in _SCORES)
        true, false = found["pairs"]
        lines.append(f"{comparison:<36}{true:>8}{false:>8}" + "".join(f"{cell:>24}" for cell in cells))
    return lines


_SCORES = ("coherence", "TF-IDF cosine", "latent cosine", "gain")

if __name__ == "__main__":
    run_command(main)
