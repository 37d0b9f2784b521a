"""TARGER's shares as they came."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from support.tables import Source, make_context

from features.core.tables import SOURCE
from features.query.annotations import tagged_claims, tagged_premises

TEXTS = ("Tea is better than coffee.", "Coffee is better than tea.", "Tea and coffee are hot.")


def context(**said: float):
    corpus = [Source(f"S{n}-A{n}", "", "", (text,)) for n, text in enumerate(TEXTS)]
    made = make_context(corpus, title="What is better, tea or coffee?")
    row = [said.get(name, np.nan) for name in SOURCE]
    return replace(made, arguments=replace(made.arguments, source=np.array([row] * len(TEXTS))))


def test_shares_as_they_came():
    told = context(claim_share=0.25, premise_share=0.5)
    assert tagged_claims(told).tolist() == [0.25] * 3
    assert tagged_premises(told).tolist() == [0.5] * 3
    assert tagged_claims(context()).tolist() == tagged_premises(context()).tolist() == [0.0] * 3
