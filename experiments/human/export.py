"""A set of people's judgments as files, so that any program can rank it."""

from __future__ import annotations

import csv
from pathlib import Path

from experiments.human.judged import JudgedSet
from ltr.corpora.base import FileCorpus
from ltr.data.files import atomic_text, writable_folder
from ltr.data.qrels import Qrels, write_qrels
from ltr.data.topics import write_topics

CORPUS = "args_processed.csv"


def export_set(judged: JudgedSet, folder: Path) -> str:
    """Write the corpus, where it is no file yet, its topics and what was judged; say where. Raises InputError."""
    place = folder / f"{judged.name}-{judged.dimension}"
    writable_folder(place, "output directory")
    write_topics(place / "topics.xml", judged.topics)
    write_qrels(
        place / "judged.qrels",
        judged.grades or Qrels({t: dict.fromkeys(ids, 0.0) for t, ids in judged.judged().items()}),
    )
    if isinstance(judged.corpus, FileCorpus):
        return f"{place}: topics and judgments for {judged.corpus.name}"
    with atomic_text(place / CORPUS) as out:
        rows = csv.writer(out)
        rows.writerow(["id", "conclusion", "premises", "context", "sentences"])
        for argument in judged.corpus:
            premises = [one.text for one in argument.sentences if "__PREMISE__" in one.id]
            sentences = [{"sent_id": one.id, "sent_text": one.text} for one in argument.sentences]
            premise = [{"text": " ".join(premises), "stance": argument.stance or "PRO", "annotations": []}]
            context = {"discussionTitle": argument.title, "sourceUrl": argument.url}
            rows.writerow([argument.id, argument.conclusion, repr(premise), repr(context), repr(sentences)])
    return f"{place}: corpus, topics and judgments"
