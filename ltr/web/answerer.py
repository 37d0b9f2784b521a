"""Answers of a searcher as documents for JSON: a question in, results, reasons, a run or an argument out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Any

from features.core.text import words
from ltr.answers.answer import Answer, side_group
from ltr.answers.select import Selection
from ltr.data.ids import is_conclusion
from ltr.data.topics import as_one_word
from ltr.errors import InputError
from ltr.escapes import harmless
from ltr.ranking.final_list import ListOptions, make_run
from ltr.searcher import Searcher
from ltr.text_models.reader import shipped_reader
from models.contributions import by_family, contributions

EXAMPLES, LONGEST_EXAMPLE = 6, 120
"""Questions to start with, and their characters at most."""
COUNT, MOST = 20, 100
"""Results of each side: by default, and at most."""
LONGEST = 500
"""Characters of a question at most."""
LARGEST = 500_000
"""Characters of an argument, with the ids of its sentences, at most."""
_ASKS = re.compile(r"\?$|\b(?:should|must|ought)\b|^this house ", re.IGNORECASE)
"""A question, or a conclusion that demands something."""
TITLES = 100_000
"""Arguments whose debates are counted."""


@dataclass(frozen=True)
class Asked:
    """Parameters of a request, apart from its task."""

    text: str
    """A question, or the id of an argument."""
    selection: Selection = Selection(COUNT)
    weights: Mapping[str, float] = field(default_factory=dict, hash=False)
    """Of the blend; empty: the model's own."""
    as_typed: bool = False
    topic: str = "1"
    """Number of the topic in a run."""


class Answerer:
    """Answers questions of one task, for one thread at a time."""

    def __init__(self, searcher: Searcher, names: Mapping[str, str]) -> None:
        self.searcher = searcher
        self.task, self.index = searcher.task, searcher.index
        self.names = {name: harmless(value) for name, value in names.items()}
        """Names of the corpus and of the model, and how the model was trained."""
        self.model = searcher.model.blend
        known = self.model.weights if self.model.dimensions else {}
        self.weights = {name: known[name] for name in self.task.weights if name in known}

    @property
    def examples(self) -> list[str]:
        """At most `EXAMPLES` for the start: topics of the corpus, else questions and demands of its largest debates."""
        index, titles = self.index, list(self._topics)
        if not titles:
            rows = range(min(index.arguments, TITLES))
            found = Counter(chain.from_iterable({index.title(row), index.resolution(row)} for row in rows))
            titles = sorted(filter(_ASKS.search, found), key=lambda title: (-found[title], title))
        titles = list(map(harmless, titles))
        return [title for title in titles if len(title) <= LONGEST_EXAMPLE and self.has_words(title)][:EXAMPLES]

    @cached_property
    def _topics(self) -> dict[str, str]:
        """Title of a topic of the corpus -> its number."""
        with suppress(InputError):
            return {topic.title: topic.number for topic in self.searcher.topics()}
        return {}

    def topic_of(self, question: str) -> str:
        """Number of the topic with this title in the corpus, else the words of the question as one word."""
        return self._topics.get(question) or as_one_word(question) or "1"

    def has_words(self, question: str) -> bool:
        """Whether there is a word to search for in it."""
        return bool(self.index.analyzer.distinct(question))

    def answer(self, asked: Asked) -> dict[str, Any]:
        """The best items of each side, an argument once, each with its scores as the blend weighs them."""
        answer = self._search(asked)
        document = answer.document(self.names["corpus"], self.names["model"])
        for result, shown in zip(answer.results, document["results"], strict=True):
            shown |= {"id": result.id, "side": side_group(result.stance, answer.groups)}
            for sentence in shown["sentences"]:
                sentence |= {name: sentence[name][:LARGEST] for name in ("text", "shown", "before")}
        return {
            **document,
            "task": self.task.name,
            "topic": self.topic_of(answer.question),
            "unit": self.task.kind,
            "weights": dict(asked.weights or self.weights),
            "candidates": answer.candidates,
            "groups": [{"side": side, "heading": heading} for side, heading in answer.groups],
            "counts": {side: count for side, (count, _) in answer.counts.items()},
            "words": self._words(answer.question, document),
        }

    def _search(self, asked: Asked) -> Answer:
        weights, spelling = asked.weights or None, not asked.as_typed
        return self.searcher.search(asked.text, selection=asked.selection, weights=weights, spelling=spelling)

    def _words(self, question: str, document: Mapping[str, Any]) -> list[str]:
        """The words of what is shown that have a term of the question, in any form."""
        asked = {*self.index.analyzer.distinct(question)}
        shown = [sentence["shown"] for result in document["results"] for sentence in result["sentences"]]
        shown += [point["heading"] for point in document["points"]]
        return sorted(word for word in set(words(" ".join(shown))) if self.index.analyzer.of_word(word) in asked)

    def reasons(self, asked: Asked) -> dict[str, Any]:
        """Contributions of each family of features to the scores of the items of `answer`, by dimension or baseline.

        From the mean over the candidates of the same step, before any weighting.
        """
        found = self._search(asked)
        if not found.results:
            return {"question": found.question, "families": [], "units": {}}
        table = self.searcher.look_up(found.question).table
        parts = by_family(contributions(self.model.reweighted(dict.fromkeys(self.model.rankers, 1.0)), table))
        row_of = {id_: row for row, id_ in enumerate(table.ids)}
        values = parts.to_numpy().round(4)
        return {
            "question": found.question,
            "families": [{"dimension": str(label[0]), "family": str(label[1])} for label in parts.columns],
            "units": {result.id: values[row_of[result.id]].tolist() for result in found.results},
        }

    def run(self, asked: Asked) -> str:
        """The run of the question, as riposte predict writes it."""
        reading = self.searcher.read(asked.text, spelling=not asked.as_typed)
        found = self.searcher.look_up(reading.question, asked.weights or None)
        if not len(found.table):
            return ""
        rows = make_run(self.task, found.table, self.searcher.scores(found), ListOptions()).rows()
        return "".join(f"{asked.topic} {row.stance} {row.pair} {row.rank} {row.score!r} {row.tag}\n" for row in rows)

    def argument(self, id_: str) -> dict[str, Any]:
        """The argument of this id, which the corpus has, with its sentences: `LARGEST` characters at most."""
        row, left = self.index.row_of[id_], LARGEST
        sentences = []
        for sentence in self.index.sentence_rows(row):
            name = self.index.sentence_id(sentence)
            if (left := left - len(name)) <= 0:
                break
            text = self.index.text(sentence)[:left]
            left -= len(text)
            sentences.append({"id": name, "role": "conclusion" if is_conclusion(name) else "premise", "text": text})
        stance, debate = self.index.stance(row) or None, self.index.title(row)
        return {"id": id_, "stance": stance, "debate": debate, "url": self.index.url(row), "sentences": sentences}

    def warm(self) -> None:
        """Open models and load lexicons, by answering a first question."""
        if encoder := self.searcher.model.second_step:
            encoder.encode(["word"])
            if self.task.has_stances:
                shipped_reader().open()
        first = self.index.text(0)[:100] if self.index.sentences else ""
        if self.has_words(first):
            self.answer(Asked(first, Selection(1)))
