"""The contents of a corpus, counted in one reading."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass, field

from ltr.corpora.base import Corpus
from ltr.data.ids import page_of


@dataclass
class Overview:
    """Counts over the arguments, or documents, of a corpus that were read so far."""

    items: int = 0
    sentences: int = 0
    empty: int = 0
    """Items without a sentence."""
    conclusions: int = 0
    """Items with a conclusion."""
    titles: int = 0
    """Items with a title."""
    stances: Counter[str] = field(default_factory=Counter)
    """PRO, CON, or "" -> items."""
    pages: set[str] = field(default_factory=set)
    """Parts of ids that several arguments may share: those of one page, or debate."""
    found: set[str] = field(default_factory=set)
    """Ids of arguments and sentences, among those that were asked for."""

    def read(self, corpus: Corpus, ids: Collection[str], tick: Callable[[], None]) -> None:
        """Read all of a corpus. Where that raises InputError, the counts are of what came before.

        ``ids`` are those to look for; ``tick`` is called after each item.
        """
        for argument in corpus:
            self.items += 1
            self.sentences += len(argument.sentences)
            self.empty += not argument.sentences
            self.conclusions += bool(argument.conclusion.strip())
            self.titles += bool(argument.title)
            self.stances[argument.stance] += 1
            self.pages.add(page_of(argument.id))
            self.found |= {id_ for id_ in (argument.id, *(one.id for one in argument.sentences)) if id_ in ids}
            tick()
