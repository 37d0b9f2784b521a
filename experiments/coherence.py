"""``python -m experiments.coherence -i DIR``: learn what makes two sentences go together, and measure it."""

from __future__ import annotations

import json
import math
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments.debate_data import read_table
from ltr.cli import Parser, whole_number
from ltr.errors import InputError, run_command

if TYPE_CHECKING:  # numpy and scikit-learn are slow to import, and --help should not wait for them
    from features.coherence import Model, Space
    from features.statistics import FloatArray, IntArray
    from features.tables import Context
    from ltr.corpus import Corpus
    from ltr.index import Index

EPILOG = """\
DIR is a corpus. True pairs are neighbouring premises, and conclusions with their own premises. Each is set against
the same first sentence with another second one: of the same debate (the same page), of its other side, further
on in the same argument, of another debate. No label is used. Debates that share a sentence are kept together,
and every figure comes from models that saw none of the debate. --data adds ArgKP-2021's matches.

example:
  python -m experiments.coherence -i ../shared/collection --data ../shared/data -o features/coherence.json
"""

FOLDS = 5
TERMS = 6000
DIMENSIONS = 96
RIDGE = 30.0
"""Mass added to each term's own, so that rare terms do not lead."""
CUT = 0.01
"""Share of the numbers in the vectors that are cut to the largest of the others."""
PAIRS_A_DEBATE = 60
"""True pairs of each kind; else a few long pages would be half of the data."""
FAR = 3
NEAR_DUPLICATE = 0.8
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
_REFERENCE = re.compile(r"https?:|www\.|accessed|^\W*\d+\W*\]|^\W*\d+\W*$|\bpp?\. ?\d|\bibid", re.IGNORECASE)


@dataclass(frozen=True)
class Sentence:
    """A sentence and where it stands."""

    text: str
    terms: tuple[str, ...]
    words: str
    """Normalised text: equal for copies."""
    argument: int
    place: int
    """Place among the argument's premises, -1 for the conclusion."""
    debate: int
    stance: str
    titled: bool
    """Is the conclusion of its argument the title of the whole debate."""


@dataclass(frozen=True)
class Pair:
    """A first sentence with its true second one and false ones, as rows of the sentence table."""

    kind: str
    first: int
    second: int
    false: Mapping[str, int]
    debate: int


@dataclass(frozen=True)
class Match:
    """A key point and an argument of ArgKP-2021 that match or not."""

    point: str
    argument: str
    matches: bool
    training: bool
    """False in the test split, whose topics the training does not have."""


def main(argv: list[str] | None = None) -> int:
    """Train, print the figures and write the weights. Raises InputError for anything the user can mend."""
    options = _parser().parse_args(argv)
    from features.coherence import as_document
    from ltr.corpus import open_corpus
    from ltr.files import atomic_text
    from ltr.index import open_index
    from ltr.progress import Progress

    if options.data and not options.data.is_dir():
        raise InputError(options.data, "no such directory", "name the folder that holds argkp2021/")
    matches = read_matches(options.data / "argkp2021") if options.data else []
    corpus = open_corpus(options.input)
    index = open_index(corpus, options.index, Progress())
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
        prog="python -m experiments.coherence",
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


# ---- reading


def read_sentences(corpus: Corpus, index: Index) -> list[Sentence]:
    """The sentences that say something: no references, no links, nothing without a content word."""
    from features.text import normalise

    found: list[Sentence] = []
    debates: dict[str, int] = {}
    for number, argument in enumerate(corpus):
        debate = debates.setdefault(argument.id.split("-")[0], len(debates))
        titled = normalise(argument.conclusion) == normalise(argument.title)
        for place, sentence in enumerate(argument.sentences):
            terms, words = index.analyzer.terms(sentence.text), normalise(sentence.text)
            if terms and words.count(" ") > 2 and not _REFERENCE.search(sentence.text):
                at = -1 if "__CONC__" in sentence.id else place
                where = (number, at, debate, argument.stance, titled)
                found.append(Sentence(sentence.text, tuple(terms), words, *where))
    return found


def read_matches(folder: Path) -> list[Match]:
    """The labelled pairs of ArgKP-2021. Raises InputError."""
    found = []
    for split in ("train", "dev", "test"):
        arguments = dict(read_table(folder / f"arguments_{split}.csv", ("arg_id", "argument")))
        points = dict(read_table(folder / f"key_points_{split}.csv", ("key_point_id", "key_point")))
        path = folder / f"labels_{split}.csv"
        for argument, point, label in read_table(path, ("arg_id", "key_point_id", "label")):
            if argument not in arguments or point not in points:
                raise InputError(path, f"{argument} or {point} is labelled but absent", "download the files again")
            found.append(Match(points[point], arguments[argument], label == "1", split != "test"))
    return found


def groups(sentences: Sequence[Sentence]) -> list[int]:
    """A number for each debate, equal where debates share a sentence or a near-duplicate of one."""
    import numpy as np
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    holders: dict[frozenset[str], list[int]] = defaultdict(list)
    for sentence in sentences:
        holders[frozenset(sentence.terms)].append(sentence.debate)
    links = [(found[0], debate) for found in holders.values() for debate in found]
    links += [(holders[one][0], holders[other][0]) for one, other in near_duplicates(list(holders))]
    one, other = np.array(links).T
    count = 1 + max(sentence.debate for sentence in sentences)
    graph = coo_matrix((np.ones(len(one)), (one, other)), shape=(count, count))
    return [int(label) for label in connected_components(graph, directed=False)[1]]


def near_duplicates(sets: Sequence[frozenset[str]]) -> Iterator[tuple[frozenset[str], frozenset[str]]]:
    """Pairs of term sets with a Jaccard similarity of `NEAR_DUPLICATE` or more.

    Two such sets share a term among the rarest fifth or so of each (prefix filter, Chaudhuri et al. 2006).
    """
    frequency = Counter(term for terms in sets for term in terms)
    shorter: dict[str, list[frozenset[str]]] = defaultdict(list)
    for _, terms in sorted((len(terms), sorted(terms)) for terms in sets):
        one = frozenset(terms)
        rarest = sorted(terms, key=lambda term: (frequency[term], term))
        prefix = rarest[: len(terms) - math.ceil(NEAR_DUPLICATE * len(terms)) + 1]
        for other in {other for term in prefix for other in shorter[term] if len(other) >= NEAR_DUPLICATE * len(one)}:
            if len(one & other) >= NEAR_DUPLICATE * len(one | other):
                yield one, other
        for term in prefix:
            shorter[term].append(one)


def folds(sentences: Sequence[Sentence], pairs: Sequence[Pair]) -> dict[int, int]:
    """Debate -> fold; debates of one group fall into one fold, the folds hold about as many pairs."""
    group = groups(sentences)
    size = Counter(group[pair.debate] for pair in pairs)
    load, place = [0] * FOLDS, {}
    for number, count in sorted(size.items(), key=lambda item: (-item[1], item[0])):
        place[number] = load.index(min(load))
        load[place[number]] += count
    return {debate: place.get(number, number % FOLDS) for debate, number in enumerate(group)}


# ---- sampling


def sample(sentences: Sequence[Sentence], draw: random.Random) -> list[Pair]:
    """True pairs with false ones that have the same first sentence.

    The false second sentence is the second of another true pair of the same kind, so neither first nor second
    sentences tell on their own. Two texts that stand in one argument anywhere are never a false pair. A
    conclusion that is the title of the debate goes with everything in it, and is left out.
    """
    arguments: dict[int, list[int]] = defaultdict(list)
    debates: dict[int, dict[int, None]] = defaultdict(dict)
    for row, sentence in enumerate(sentences):
        arguments[sentence.argument].append(row)
        debates[sentence.debate][sentence.argument] = None
    held = {number: {sentences[row].words for row in rows} for number, rows in arguments.items()}
    found: list[Pair] = []
    for members in debates.values():
        for kind, pairs in _true_pairs([arguments[number] for number in members], sentences).items():
            draw.shuffle(pairs)
            for first, second in pairs[:PAIRS_A_DEBATE]:
                own = sentences[first]
                fit = [
                    other
                    for _, other in draw.sample(pairs, min(len(pairs), PAIRS_A_DEBATE))
                    if sentences[other].words not in held[own.argument]
                    and own.words not in held[sentences[other].argument]
                ]
                if not fit:
                    continue
                length = len(sentences[second].terms)
                further, elsewhere = [], draw.randrange(len(sentences))
                if kind == "neighbours":
                    further = [row for row in arguments[own.argument] if sentences[row].place >= own.place + FAR]
                opposite = [row for row in fit if {own.stance, sentences[row].stance} == {"PRO", "CON"}]
                false = {name: draw.choice(rows) for name, rows in (("debate", fit), ("opposite", opposite)) if rows}
                for name in list(false):
                    rows = fit if name == "debate" else opposite
                    like = min(rows, key=lambda row: abs(len(sentences[row].terms) - length))
                    false[f"{name}, like length"] = like
                if further:
                    false["further on"] = draw.choice(further)
                if sentences[elsewhere].debate != own.debate and sentences[elsewhere].place >= 0:
                    false["elsewhere"] = elsewhere
                found.append(Pair(kind, first, second, false, own.debate))
    return found


def _true_pairs(arguments: Sequence[Sequence[int]], sentences: Sequence[Sentence]) -> dict[str, list[tuple[int, int]]]:
    """The true pairs of a debate by kind, each pair of texts once."""
    found: dict[str, dict[frozenset[str], tuple[int, int]]] = {"neighbours": {}, "conclusion": {}}

    def add(kind: str, first: int, second: int) -> None:
        texts = frozenset((sentences[first].words, sentences[second].words))
        if len(texts) == 2:
            found[kind].setdefault(texts, (first, second))

    for rows in arguments:
        premises = {sentences[row].place: row for row in rows if sentences[row].place >= 0}
        for place, row in premises.items():
            if place + 1 in premises:
                add("neighbours", row, premises[place + 1])
        for conclusion in (row for row in rows if sentences[row].place < 0 and not sentences[row].titled):
            for row in premises.values():
                add("conclusion", conclusion, row)
    return {kind: list(pairs.values()) for kind, pairs in found.items()}


# ---- learning


TRAINING, TEST = -1, -2
"""Folds of the rows that are never hidden, and of those that are never seen."""


@dataclass(frozen=True)
class Rows:
    """Pairs of sentences laid out for learning, (n,) each."""

    first: IntArray
    second: IntArray
    true: IntArray
    """Place of the true pair that this one is set against, or its own."""
    kind: Any
    against: Any
    """Why the pair is false; "" for a true one."""
    fold: IntArray
    debate: IntArray
    """What is drawn as a whole when figures are resampled: the debate, or the key point."""


def lay_out(
    sentences: Sequence[Sentence], pairs: Sequence[Pair], fold: Mapping[int, int], matches: Sequence[Match]
) -> tuple[Rows, list[str]]:
    """A row for each true and each false pair, and the texts that the rows number."""
    import numpy as np

    table: list[tuple[Any, ...]] = []
    for pair in pairs:
        true, where = len(table), (fold[pair.debate], pair.debate)
        table.append((pair.first, pair.second, true, pair.kind, "", *where))
        table += [(pair.first, other, true, pair.kind, name, *where) for name, other in pair.false.items()]
    texts = [sentence.text for sentence in sentences]
    place: dict[str, int] = {}
    for match in matches:
        first, second = (place.setdefault(text, len(sentences) + len(place)) for text in (match.point, match.argument))
        where = (TRAINING if match.training else TEST, first)
        table.append((first, second, len(table), "key point", "" if match.matches else "no match", *where))
    return Rows(*(np.array(column) for column in zip(*table, strict=True))), texts + list(place)


def make_context(texts: Sequence[str], rows: Rows, index: Index) -> Context:
    """The rows as one big topic. Whatever would tell a true pair is left empty."""
    import numpy as np

    from features.coherence import MANNERS
    from features.registry import find
    from features.tables import ArgumentTable, Context, PairTable, SentenceTable
    from features.texts import Texts

    terms = [index.analyzer.terms(text) for text in texts]
    nothing: dict[str, Any] = {field.name: np.zeros(len(texts), np.int64) for field in fields(SentenceTable)}
    nothing_at_all: dict[str, Any] = {field.name: () for field in fields(ArgumentTable)}
    sentences = SentenceTable(**nothing | {"text": texts, "terms": terms})
    arguments = ArgumentTable(**nothing_at_all)
    table = Texts(texts)
    values = {name: find(name).compute(table) for name in MANNERS}
    return Context("", [], sentences, arguments, PairTable(rows.first, rows.second), index.statistics, values)


class Kin:
    """Spaces of terms learned from some folds, and what they say of the rows."""

    def __init__(self, sentences: Sequence[Sentence], context: Context, fold: Mapping[int, int]) -> None:
        import numpy as np

        self.context = context
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
        from features.coherence import Space

        key = frozenset(hidden)
        if key not in self._spaces:
            seen = [part for k, part in enumerate(self.parts) if k not in key]
            matrix = sum((part for part, _ in seen[1:]), start=seen[0][0])
            mass = sum((part for _, part in seen[1:]), start=seen[0][1])
            self._spaces[key] = Space(self.terms, decompose(matrix, mass))
        return self._spaces[key]

    def of(self, rows: Rows, here: Any, space: Space) -> FloatArray:
        """Kinship of some rows."""
        from features.coherence import sentence_vectors

        vectors = sentence_vectors(self.context, space)
        return (vectors[rows.first[here]] * vectors[rows.second[here]]).sum(axis=1)


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


def fit(names: Sequence[str], table: FloatArray, kin: Kin, rows: Rows, hidden: Sequence[int]) -> Model:
    """A logistic regression on the rows outside the ``hidden`` folds.

    The kinship of a row comes from a space that did not see its fold either, or it would be trusted too much.
    """
    import numpy as np
    from sklearn.linear_model import LogisticRegression

    from features.coherence import KINSHIP, Model

    true = rows.against == ""
    weight = np.array([{"": 1.0, **ROW_WEIGHT}.get(name, 0.0) for name in rows.against.tolist()])
    weight[rows.fold == TRAINING] = MATCH_WEIGHT
    weight[np.isin(rows.fold, [*hidden, TEST])] = 0
    weight[~true] *= weight[true].sum() / max(weight[~true].sum(), 1)
    column = np.zeros(len(true), np.float32)
    for fold in {*range(FOLDS), TRAINING} - set(hidden):
        here = rows.fold == fold
        column[here] = kin.of(rows, here, kin.without(*({fold, *hidden} - {TRAINING})))
    used = weight > 0
    signs = np.column_stack([table, column])[used]
    centre, spread = signs.mean(axis=0), signs.std(axis=0)
    spread[spread == 0] = 1
    model = LogisticRegression(C=INVERSE_STRENGTH, max_iter=1000)
    model.fit((signs - centre) / spread, true[used], sample_weight=weight[used])
    weights = model.coef_[0] / spread
    intercept = float(model.intercept_[0] - weights @ centre)
    rounded = {name: round(float(w), 5) for name, w in zip([*names, KINSHIP], weights, strict=True)}
    return Model(round(intercept, 5), rounded, kin.without(*hidden))


def log_odds(model: Model, names: Sequence[str], table: FloatArray, kin: Kin, rows: Rows, fold: int) -> FloatArray:
    """Log-odds of the rows of one fold."""
    import numpy as np

    from features.coherence import KINSHIP

    here = rows.fold == fold
    weights = np.array([model.weights[name] for name in names])
    return np.asarray(
        model.intercept + table[here] @ weights + model.weights[KINSHIP] * kin.of(rows, here, model.space)
    )


def learn(
    sentences: Sequence[Sentence], texts: Sequence[str], rows: Rows, fold: Mapping[int, int], index: Index
) -> tuple[dict[str, Any], Model]:
    """Figures from models that did not see the debate, and the model fitted on everything."""
    import numpy as np
    from threadpoolctl import threadpool_limits

    from features.coherence import signs

    # One BLAS thread: the weights must not depend on the number of cores.
    with threadpool_limits(1):
        context = make_context(texts, rows, index)
        found = signs(context)
        names, table = list(found), np.stack(list(found.values()), axis=1).astype(np.float32)
        kin = Kin(sentences, context, fold)
        odds = np.zeros(len(rows.first))
        for hidden in range(FOLDS):
            model = fit(names, table, kin, rows, [hidden])
            odds[rows.fold == hidden] = log_odds(model, names, table, kin, rows, hidden)
        model = fit(names, table, kin, rows, [])
        odds[rows.fold == TEST] = log_odds(model, names, table, kin, rows, TEST)
    scores = {"coherence": odds, "TF-IDF cosine": found["tf-idf cosine"], "latent cosine": found["latent cosine"]}
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

    from features.coherence import MANNERS

    counts = Counter(f"{kind} | {against or 'true'}" for kind, against in zip(rows.kind, rows.against, strict=True))
    labelled = bool((rows.fold == TRAINING).any())
    return {
        "what": "do two sentences go together: weights for features.coherence, and word vectors behind its kinship",
        "command": "python -m experiments.coherence -i DIR "
        f"{'--data DATA ' if labelled else ''}-o features/coherence.json --seed {seed}",
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
        ],
        "settings": {
            "terms": TERMS,
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
