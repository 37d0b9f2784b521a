"""``riposte encode -i DIR``: encode the sentences of a corpus ahead, for commands that use an encoder."""

from __future__ import annotations

import time
from dataclasses import dataclass

from ltr.cli.parser import Command, open_progress
from ltr.escapes import say
from ltr.settings import setting, shared
from ltr.settings.kinds import Model
from models.defaults import SHIPPED_ENCODER


@dataclass(frozen=True, kw_only=True)
class EncodeSettings(shared.Work, shared.Output, shared.Sharing):
    """Encode all sentences and titles of a corpus, and keep their vectors beside its index."""

    input: str = shared.CORPUS
    encoder: str = setting(Model(metavar="ENCODER"), "see below", default=SHIPPED_ENCODER)


def encode(options: EncodeSettings) -> int:
    """Encode what is not encoded yet. Raises InputError for anything that the user can correct."""
    from ltr.ranking.corpus import IndexedCorpus
    from ltr.ranking.source import Resources
    from ltr.ranking.task import find_task
    from ltr.ranking.text_values import keep_values
    from ltr.text_models import open_encoder
    from ltr.text_models.kept import encode_sentences

    progress = open_progress(options)
    with progress.stage("encoder"):
        encoder = open_encoder(options.encoder)
    indexed = IndexedCorpus.open(find_task(options.task), options.input, options.index)
    with options.open_workers(options.jobs) as workers:
        index = indexed.open_index(Resources(workers, progress))
        before = time.perf_counter()
        counts = encode_sentences(index, encoder, workers, progress)
        seconds = time.perf_counter() - before
        keep_values(index, workers, progress)
    sizes = f"{index.sentences:,} sentences, {counts['distinct']:,} of them different"
    new = f"{counts['encoded']:,} texts encoded in {seconds:.1f} s"
    say(f"{indexed.folder}: {sizes}; {new}; {counts['bytes'] / 1e6:.1f} MB of vectors")
    return 0


main = Command("encode", EncodeSettings, encode, __file__)
