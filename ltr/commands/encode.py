"""``riposte encode -i DIR``: encode the sentences of a corpus ahead, for commands that use an encoder."""

from __future__ import annotations

import time

from ltr.cli.options import RUN_OPTIONS, Parser, add_cluster_options, add_options, chosen_workers, finish, open_progress
from ltr.escapes import say
from models.defaults import SHIPPED_ENCODER


def parser() -> Parser:
    """The command's options."""
    description = "Encode all sentences and titles of a corpus, and keep their vectors beside its index."
    p = Parser("riposte encode", description, __file__)
    p.add_argument("-i", "--input", required=True, metavar="DIR", help="corpus, as for riposte predict")
    encoder = "see below (default: %(default)s)"
    p.add_argument("--encoder", metavar="ENCODER", default=SHIPPED_ENCODER, help=encoder)
    add_options(p, *RUN_OPTIONS)
    add_cluster_options(p)
    return p


def main(argv: list[str] | None = None) -> int:
    """Run the command. Raises InputError for anything that the user can correct."""
    options = parser().parse_args(argv)

    from ltr.index.values import keep_values
    from ltr.ranking.corpus import IndexedCorpus
    from ltr.ranking.describe import Resources
    from ltr.tasks import find_task
    from ltr.text_models import open_encoder
    from ltr.text_models.kept_vectors import encode_sentences

    progress = open_progress(options)
    with progress.stage("encoder"):
        encoder = open_encoder(None if options.encoder == SHIPPED_ENCODER else options.encoder)
    indexed = IndexedCorpus.open(find_task(options.task), options.input, options.index)
    with chosen_workers(options) as workers:
        index = indexed.open_index(Resources(workers, progress))
        before = time.perf_counter()
        counts = encode_sentences(index, encoder, workers, progress)
        seconds = time.perf_counter() - before
        keep_values(index, workers, progress)
    sizes = f"{index.sentences:,} sentences, {counts['distinct']:,} of them different"
    new = f"{counts['encoded']:,} texts encoded in {seconds:.1f} s"
    say(f"{indexed.folder}: {sizes}; {new}; {counts['bytes'] / 1e6:.1f} MB of vectors")
    return finish(options, progress)
