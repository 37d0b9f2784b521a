"""``python -m experiments.learned.coherence -i DIR``: learn what makes two sentences go together, and measure it."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments.learned.trainer import data_folder, finish, trainer_parser, versions
from ltr.cli.options import add_index_options
from ltr.cli.process import run_command
from ltr.errors import InputError

if TYPE_CHECKING:  # numpy and scikit-learn are slow to import, and --help should not wait for them
    from experiments.learned.coherence_pairs import Rows
    from ltr.index.reader import Index

EPILOG = """\
DIR is a corpus. True pairs are neighbouring premises, and conclusions with their own premises. Each is set against
the same first sentence with another second one: of the same debate (the same page), of its other side, further
on in the same argument, of another debate. No label is used. Debates that share a sentence are kept together,
and every figure comes from models that saw none of the debate. --data adds ArgKP-2021's matches.

example:
  python -m experiments.learned.coherence -i COLLECTION --data DATA -o coherence.json
"""


def main(argv: list[str] | None = None) -> int:
    """Train, print the figures and write the weights. Raises InputError for anything the user can mend."""
    parser = trainer_parser(
        "coherence", "Learn without labels whether two sentences go together, and measure it on unseen debates.", EPILOG
    )
    parser.add_argument("-i", "--input", required=True, metavar="DIR", help="the corpus")
    labelled = "the folder that holds argkp2021/ (default: do without)"
    parser.add_argument("--data", type=Path, metavar="DIR", help=labelled)
    add_index_options(parser)
    options = parser.parse_args(argv)

    from experiments.learned.coherence_model import learn
    from experiments.learned.coherence_pairs import lay_out, sample
    from experiments.learned.debates import FOLDS, folds, read_matches, read_sentences
    from features.learned.coherence import as_document
    from ltr.corpora.source import open_corpus
    from ltr.index.cache import index_place, open_index
    from ltr.progress import Progress

    matches = read_matches(data_folder(options.data, "argkp2021/") / "argkp2021") if options.data else []
    corpus = open_corpus(options.input)
    place = index_place(corpus, options.index, Progress(), [options.output])
    index = open_index(corpus, place, Progress())
    sentences = read_sentences(corpus, index)
    pairs = sample(sentences, random.Random(options.seed))
    fold = folds(sentences, [pair.debate for pair in pairs])
    if len({fold[pair.debate] for pair in pairs}) < FOLDS:
        what = f"fewer than {FOLDS} unconnected debates with two arguments that have several sentences"
        raise InputError(options.input, what, "name a larger corpus")
    rows, texts = lay_out(sentences, pairs, fold, matches)
    figures, model = learn(sentences, texts, rows, fold, index)
    about = _about(index, len(sentences), len(fold), rows, figures, options.seed)
    return finish(options.output, {"about": about, **as_document(model)}, _table(figures))


def _about(
    index: Index, sentences: int, debates: int, rows: Rows, figures: Mapping[str, Any], seed: int
) -> dict[str, Any]:
    from experiments.learned import coherence_model as model
    from experiments.learned import term_space as space
    from experiments.learned.coherence_pairs import PAIRS_A_DEBATE, POOL, TRAINING
    from experiments.learned.debates import FOLDS
    from features.learned.pair_signs import STYLE_MARKERS

    counts = Counter(f"{kind} | {against or 'true'}" for kind, against in zip(rows.kind, rows.against, strict=True))
    labelled = bool((rows.fold == TRAINING).any())
    return {
        "what": "do two sentences go together: weights of features.learned.coherence and its word vectors",
        "command": "python -m experiments.learned.coherence -i DIR "
        f"{'--data DATA ' if labelled else ''}-o features/learned/coherence.json --seed {seed}",
        "data": {
            "corpus": f"SHA-256 {index.corpus_fingerprint}; no label of it is used",
            **({"matches": "IBM ArgKP-2021, train and dev; test only measured; CDLA-Sharing 1.0"} if labelled else {}),
            "sentences": sentences,
            "debates": debates,
            "rows": dict(sorted(counts.items())),
        },
        "false pairs": model.AGAINST,
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
            "terms": space.TERMS,
            "pool": POOL,
            "dimensions": space.DIMENSIONS,
            "ridge": space.RIDGE,
            "cut": space.CUT,
            "pairs a debate": PAIRS_A_DEBATE,
            "row weights": {**model.ROW_WEIGHT, "key point": model.MATCH_WEIGHT},
            "inverse strength": model.INVERSE_STRENGTH,
            "manners": list(STYLE_MARKERS),
            "seed": seed,
        },
        "versions": versions("numpy", "PyStemmer", "scikit-learn", "scipy", "spacy"),
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
