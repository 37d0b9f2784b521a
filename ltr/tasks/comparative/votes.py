"""Labelling functions that vote on documents."""

from __future__ import annotations

import numpy as np

from ltr.learning.functions import Evidence, Values, labelling_function, vote_by_percentile

for _name, _column, _description in (
    ("document_matches", "bm25_k1.2_b0.75_argument", "the document matches the question (BM25)"),
    ("document_near", "vector_topic_argument", "the document means what the question means"),
    ("every_word_met", "weakest_word", "the document has a word like each word of the question"),
    ("document_compares", "comparative_cues", "the document has words that compare"),
):
    vote_by_percentile("relevance", _name, _column, _description, kind="document")


@labelling_function("relevance", "a sentence prefers one object to the other", ("preferences",), kind="document")
def prefers(evidence: Evidence) -> Values:
    """Sentences classified as comparisons, as CAM counts them; abstains where none is likely to be one."""
    return np.where(np.expm1(evidence.column("preferences")) > 0.5, 1.0, np.nan)


for _name, _column, _description in (
    ("answer_matches", "bm25_k1.2_b0.75_argument", "what argues for an answer matches the question (BM25)"),
    ("answer_near", "vector_topic_argument", "what argues for an answer means what the question means"),
    ("whole_sentences", "finished_sentences", "sentences are whole, not pieces of lists"),
):
    vote_by_percentile("quality", _name, _column, _description, kind="document")
