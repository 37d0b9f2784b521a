"""Similarity to an answer that the user brings."""

from __future__ import annotations

from dataclasses import replace
from math import log, sqrt

import numpy as np
import pytest
from support.tables import make_documents

from features.core.describe import describe
from features.core.plugins import ComponentError
from features.query.lexical import answer_cosine

TEXTS = [["Tea calms.", "Tea is hot."], ["Coffee wakes."], ["Nothing of the kind."]]


def test_by_hand():
    context = make_documents(TEXTS, "tea or coffee")
    context = replace(context, answer_terms=["tea", "calm", "water"])
    column = context.vocabulary.__getitem__
    idf = {term: context.idf[column(term)] for term in ("tea", "calm", "hot")}
    # Nothing is known of water. In the first document tea comes twice: 1 + ln 2.
    document = {"tea": (1 + log(2)) * idf["tea"], "calm": idf["calm"], "hot": idf["hot"]}
    answer = {"tea": idf["tea"], "calm": idf["calm"]}
    dot = sum(document[term] * answer[term] for term in answer)
    norms = sqrt(sum(v * v for v in document.values())) * sqrt(sum(v * v for v in answer.values()))
    np.testing.assert_allclose(answer_cosine(context), [dot / norms, 0, 0])


def test_a_topic_without_an_answer_has_zeros():
    context = replace(make_documents(TEXTS, "tea or coffee"), answer_terms=[])
    assert answer_cosine(context).tolist() == [0, 0, 0]


def test_without_answers_there_is_no_column():
    context = replace(make_documents(TEXTS, "tea or coffee"), answer_terms=None)
    assert "answer_cosine" not in describe(context, "document")
    with pytest.raises(ComponentError, match="'answer_cosine': needs answers to the questions; name a file with"):
        describe(context, "document", ["answer_cosine"])
