"""The verbs of a ranking: propose, describe, grade and list candidates, or rank topics by all four."""

from __future__ import annotations

import builtins
import warnings
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from itertools import chain
from types import MappingProxyType

import numpy as np
import pandas as pd

from features.core.feature import KINDS, column_features
from features.core.feature import columns as feature_columns
from ltr.answers.sides import sides_in_run, sides_toward
from ltr.answers.texts import snippets_of
from ltr.data.frames import id_text, named_items
from ltr.data.topics import Topic
from ltr.errors import InputError
from ltr.ranking.candidates import Candidates
from ltr.ranking.confidence import expected_relevance
from ltr.ranking.final_list import ListOptions, Run, ranked, rows_of_items, run_of_items
from ltr.ranking.reranking import TextReader, rescored
from ltr.ranking.source import Include, by_workers, topic_calls
from ltr.ranking.steps import describe, grade, propose, to_list
from ltr.searcher.opened import Opened, Topics
from ltr.settings import checked
from ltr.settings.kinds import SHARE, Number
from models.base import Scores
from models.defaults import DIVERSIFY


class RankingSearcher(Opened):
    """Ranks topics, in one call or step by step."""

    def propose(self, topics: Topics = None, *, include: Include = MappingProxyType({})) -> Candidates:
        """The candidates of every topic: a row an item, sorted by topic and id. Raises InputError.

        ``include``: topic -> ids of items that are candidates as well, with ``proposed`` false: graded ones, say.
        """
        calls = topic_calls(self.topics(topics), named_items(include))
        return Candidates.concat(by_workers(propose, calls, self.resources, self.source), self.task.kind)

    def describe(self, candidates: Candidates, *, columns: Sequence[str] | None = None) -> Candidates:
        """The candidates with the columns of features, float32. Raises InputError.

        ``columns``: some of them; None: all but an encoder's, and those that the first step of the model reads.
        """
        model, known = self.model, column_features(self.task.kind)
        names = [*feature_columns(self.task.kind), *model.blend.columns] if columns is None else columns
        if unknown := [name for name in names if name not in known]:
            raise InputError(
                "columns", f"there is no feature column {unknown[0]!r}", f"name some of: {', '.join(known)}"
            )
        calls = [(part, list(dict.fromkeys(names)), model.second_step) for part in self._checked(candidates).by_topic()]
        return self._stacked(candidates, by_workers(describe, calls, self.resources, self.source))

    def grade(self, candidates: Candidates) -> Candidates:
        """The described candidates with a column for each dimension and baseline of the model, and ``score``.

        Where the model has a second step, ``head`` marks the best of each topic; they have an encoder's columns as
        well, which are NaN elsewhere, and no other candidate passes them. Raises InputError.
        """
        if missing := [name for name in self.model.blend.columns if name not in candidates]:
            what = f"the model reads the column {missing[0]!r}, which they do not have"
            raise InputError("candidates", what, "call Searcher.describe before")
        calls = [(part,) for part in self._checked(candidates).by_topic()]
        work = by_workers(grade, calls, self.resources, self.source, self.model.grader)
        return self._stacked(candidates, work)

    def list(
        self,
        candidates: Candidates,
        *,
        depth: int = 1000,
        diversify: float = DIVERSIFY,
        tag: str | None = None,
        stance: str = "conclusion",
    ) -> Run:
        """The candidates of each topic by the column ``score``, best first: a run, as `rank` makes it.

        Near-duplicates are left out, the first ranks repeat no sentence and few arguments, a re-ranker orders the best,
        and scores fall strictly. Parameters are those of `rank`. Raises InputError.
        """
        options = self._options(depth, diversify, None, tag, stance)
        if "score" not in self._checked(candidates):
            raise InputError("candidates", "there is no column 'score'", "call Searcher.grade, or add one")
        numbers = pd.to_numeric(candidates["score"], errors="coerce").to_numpy(np.float64, na_value=np.nan)
        if not np.isfinite(numbers).all():
            raise InputError("candidates", "a score is not a finite number", "mend the column 'score'")
        return self._run([candidates], options, stance)

    def _run(self, parts: Iterable[Candidates], options: ListOptions, stance: str) -> Run:
        """The lists of the topics of these graded tables."""
        lists, expected, unmatched = builtins.list[Candidates](), dict[str, float](), builtins.list[str]()
        for part in parts:
            unmatched += part.unmatched
            if not len(part):
                continue
            with self.resources.progress.stage("rank"):
                scores = self.rescored(part, part["score"].to_numpy(np.float64), options)
                listed = ranked(self.task, part, scores, options)
            if self.model.blend.expected_grades and "relevance" in listed:
                expected |= expected_relevance(listed)
            if stance == "question":
                listed["stance"] = sides_toward(self.index, listed, self.reader)
            lists.append(listed)
        run = Run.of(lists, options.tag)
        run.attrs |= {"expected": expected, "unmatched": unmatched}
        return run

    def _checked(self, candidates: Candidates) -> Candidates:
        """The same table. Raises InputError for one that is not of candidates."""
        what = ""
        if not isinstance(candidates, Candidates) or not {"qid", "docno", "stance", "row_1"} <= {*candidates.columns}:
            what = "this is not a table of candidates, or columns are missing"
        elif [*dict.fromkeys(topics := candidates.topics)] != topics or {*topics} - {
            t.number for t in candidates.asked
        }:
            what = "the rows of a topic do not stand together"
        elif candidates.origin != self.source.origin:
            what = "they are of another corpus or another task"
        if what:
            raise InputError("candidates", what, "begin with Searcher.propose, and add columns or leave out rows")
        return candidates

    def _stacked(self, before: Candidates, parts: Iterable[Candidates]) -> Candidates:
        after = Candidates.concat(parts, self.task.kind) if len(before) else before
        after.asked = before.asked
        return after

    def rank(
        self,
        topics: Topics = None,
        *,
        depth: int = 1000,
        diversify: float = DIVERSIFY,
        second_step_depth: int | None = None,
        tag: str | None = None,
        stance: str = "conclusion",
    ) -> Run:
        """Rank the candidates of every topic, as ``riposte predict`` does; warn of topics that match nothing.

        Parameters
        ----------
        topics : optional
            A topics file; a frame with ``qid`` and ``query``; topics, or (number, title); by default those beside the
            corpus.
        depth : int
            Items per topic, at most.
        diversify : float
            Penalty, 0 to 1, for an item whose argument was already shown.
        second_step_depth : int, optional
            Items per topic that the second step orders, 0: all; by default the model's own number.
        tag : str, optional
            Name of the run.
        stance : str
            Sides toward the "question" or the "conclusion".

        Returns
        -------
        Run
            A DataFrame with qid, docno, rank, score and stance.

        Raises
        ------
        InputError
            For topics that cannot be read, and numbers out of range.
        """
        options = self._options(depth, diversify, second_step_depth, tag, stance)
        run = self.rank_topics(self.topics(topics), options, stance)
        if unmatched := run.attrs["unmatched"]:
            warnings.warn(f"no argument shares a word with topic {', '.join(unmatched)}", stacklevel=2)
        return run

    def _options(
        self, depth: int, diversify: float, second_step_depth: int | None, tag: str | None, stance: str
    ) -> ListOptions:
        checked("depth", Number(1), depth)
        checked("diversify", SHARE, diversify)
        if second_step_depth is not None:
            checked("second_step_depth", Number(), second_step_depth)
        sides_in_run(self.task, stance)
        return ListOptions(depth, diversify, second_step_depth, tag or self.model.tag)

    def rank_topics(self, topics: Sequence[Topic], options: ListOptions, stance: str = "conclusion") -> Run:
        """The run of these topics: `propose`, `describe`, `grade` and `list`, topic by topic. Raises InputError.

        A topic is listed while workers describe the next ones.
        """
        source = self.source.with_head(options.second_step_depth)
        work = by_workers(to_list, topic_calls(topics), self.resources, source, self.model.grader)
        with closing(work) as parts:
            return self._run(parts, options, stance)

    def rank_items(self, items: Mapping[str, Sequence[str]], topics: Topics = None, *, tag: str | None = None) -> Run:
        """Order given items, ids by topic number, by the scores that they have among all candidates.

        All are kept, near-duplicates too; ties are broken by id. Raises InputError, also for an item that the corpus
        does not have, or that comes twice.
        """
        items = named_items(items)
        asked = [topic for topic in self.topics(topics) if topic.number in items]
        if unknown := sorted(set(items) - {topic.number for topic in asked}):
            raise InputError("topics", f"there is no topic {unknown[0][:80]}", "name the topics of the items")
        calls = topic_calls(asked, items)
        work = by_workers(to_list, calls, self.resources, self.source, self.model.grader)
        table = Candidates.concat(work, self.task.kind)
        given = list(chain.from_iterable(rows_of_items(table, items, self.corpus.name).values()))
        if not given:
            return Run.of([], self.model.tag)
        part = table.iloc[sorted(given)].reset_index(drop=True)
        scores = self.rescored(part, part["score"].to_numpy(), ListOptions())
        return run_of_items(part, scores, items, tag or self.model.tag)

    def rescored(self, candidates: Candidates, scores: Scores, options: ListOptions) -> Scores:
        """(n_rows,) ``scores`` after the re-ranker, or as they are. Raises InputError where it fails."""
        if self.reranking is None or not len(candidates):
            return scores
        reader = TextReader(self.text, self.index.folder, self.resources.progress)
        return rescored(self.reranking, reader, candidates, scores, options.diversify)

    def text(self, id_: str) -> str:
        """The text of a sentence, a pair, an argument or a document.

        Parts are on lines of their own: the sentences of a pair, the conclusion and the premises of an argument.

        Raises InputError for an id that the corpus does not have.
        """
        id_ = id_text(id_) or str(id_)
        try:
            snippets = snippets_of(self.index, id_, self.task.kind)
        except InputError:
            raise
        except (KeyError, ValueError):
            what = f"there is no sentence or argument {id_[:80]!r}"
            raise InputError(self.corpus.name, what, "name an id of this corpus") from None
        (first, *_), whole = snippets, KINDS[self.task.kind].of_arguments and id_ == snippets[0].argument
        above = [first.conclusion] if whole and first.conclusion not in ("", first.text) else []
        return "\n".join([*above, *(snippet.text for snippet in snippets)])
