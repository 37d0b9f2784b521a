"""A set of people's judgments as files, so that any program can rank it."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path
from typing import Any

from experiments.human.judged import JudgedSet
from ltr.corpora.base import FileCorpus
from ltr.data.files import atomic_text, writable_folder
from ltr.data.ids import document_of, is_conclusion, topic_of
from ltr.data.qrels import Qrels, write_qrels
from ltr.data.topics import write_topics

CORPUS, LISTS = "args_processed.csv", "results.jsonl"


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
    if judged.corpus.holds == "documents":
        _write_lists(place / LISTS, judged)
        return f"{place}: result lists, topics and judgments"
    with atomic_text(place / CORPUS) as out:
        rows = csv.writer(out)
        rows.writerow(["id", "conclusion", "premises", "context", "sentences"])
        for argument in judged.corpus:
            premises = [one.text for one in argument.sentences if not is_conclusion(one.id)]
            sentences = [{"sent_id": one.id, "sent_text": one.text} for one in argument.sentences]
            premise = [{"text": " ".join(premises), "stance": argument.stance or "PRO", "annotations": []}]
            context = {"discussionTitle": argument.title, "sourceUrl": argument.url}
            rows.writerow([argument.id, argument.conclusion, repr(premise), repr(context), repr(sentences)])
    return f"{place}: corpus, topics and judgments"


def _write_lists(path: Path, judged: JudgedSet) -> None:
    titles = {topic.number: topic.title for topic in judged.topics}
    with atomic_text(path) as out:
        for document in judged.corpus:
            topic, text = topic_of(document.id), " ".join(sentence.text for sentence in document.sentences)
            row: dict[str, Any] = {"topic": topic, "query": titles[topic], "id": document_of(document.id), "text": text}
            if document.source and not math.isnan(rank := document.source[0]):
                row |= {"rank": int(rank)}
            out.write(json.dumps(row, ensure_ascii=False) + "\n")
