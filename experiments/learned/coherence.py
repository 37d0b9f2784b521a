"""``python -m experiments.learned.coherence -i DIR``: learn what makes two sentences go together, and measure it."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

from experiments.learned.trainer import finish, topic_folds, trainer_parser
from ltr.cli.options import add_index_options
from ltr.cli.process import run_command
from ltr.errors import InputError

EPILOG = """\
DIR is a corpus. True pairs are neighbouring premises, and conclusions with their own premises. Each is set against
the same first sentence with another second one: of the same debate (the same page), of its other side, of another
debate. No label is used. Debates that share a sentence are kept together, and every figure comes from models that
saw none of the debate: means over debates (key points of ArgKP) of the AUC within each. Dimensions, ridge and cut
of the vectors were chosen with a look at one fold of five. --data adds ArgKP-2021's matches.

example:
  python -m experiments.learned.coherence -i COLLECTION --data DATA -o coherence.json
"""


def main(argv: list[str] | None = None) -> int:
    """Train, print the figures and write the weights. Raises InputError for anything the user can correct."""
    description = "Learn without labels whether two sentences go together, and measure it on unseen debates."
    parser = trainer_parser("coherence", description, __file__)
    parser.add_argument("-i", "--input", required=True, metavar="DIR", help="the corpus")
    labelled = "the folder that holds argkp2021/ (default: do without)"
    parser.add_argument("--data", type=Path, metavar="DIR", help=labelled)
    add_index_options(parser)
    options = parser.parse_args(argv)

    from experiments.learned import coherence_model, coherence_pairs
    from experiments.learned.debates import FOLDS, linked_debates, read_matches, read_sentences
    from features.learned.coherence import as_document
    from ltr.corpora.source import open_corpus
    from ltr.index.cache import index_place, open_index
    from ltr.progress import Progress

    matches = read_matches(options.data / "argkp2021") if options.data else []
    corpus = open_corpus(options.input)
    index = open_index(corpus, index_place(corpus, options.index, [options.output]), Progress())
    sentences = read_sentences(corpus, index)
    pairs = coherence_pairs.sample(sentences, random.Random(options.seed))
    linked = linked_debates(sentences)
    larger = "name a larger corpus"
    held_out = topic_folds([linked[sentence.debate] for sentence in sentences], FOLDS, options.input, larger)
    fold_of = {label: fold for fold, labels in enumerate(held_out) for label in labels}
    fold = {debate: fold_of.get(label, 0) for debate, label in enumerate(linked)}
    if len({fold[pair.debate] for pair in pairs}) < FOLDS:
        what = f"fewer than {FOLDS} unconnected debates with two arguments that have several sentences"
        raise InputError(options.input, what, larger)
    rows, texts = coherence_pairs.lay_out(sentences, pairs, fold, matches)
    figures, model = coherence_model.learn(sentences, texts, rows, fold, index)
    about = {
        "what": "do two sentences go together: weights of features.learned.coherence and its term vectors",
        "command": "python -m experiments.learned.coherence -i DIR "
        f"{'--data DATA ' if matches else ''}-o features/learned/coherence.json --seed {options.seed}",
        "training": {
            "corpus": f"SHA-256 {index.corpus_fingerprint}; no label of it is used",
            **({"matches": "IBM ArgKP-2021, train and dev; test only measured; CDLA-Sharing 1.0"} if matches else {}),
            "sentences": len(sentences),
            "debates": len(fold),
            "pairs": dict(sorted(Counter(name or "true" for name in rows.against.tolist()).items())),
        },
        "figures": figures,
    }
    return finish(options, about, "numpy PyStemmer scikit-learn scipy spacy", as_document(model))


if __name__ == "__main__":
    run_command(main)
