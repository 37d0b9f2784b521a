"""Baselines of pairs: orders by one property, which stand for what rankers trade for others."""

from __future__ import annotations

import numpy as np
import pandas as pd

from models.base import Scores, group_sizes, standardise
from models.baselines import formula, values_of


@formula("coverage_argument_min", "coverage_pair", "dirichlet_2500_argument_min", kind="pair")
def words(table: pd.DataFrame) -> Scores:
    """The share of the question's rare words + .2 x standardised DirichletLM.

    Evidence for the decisive word, which rankers that learn from pools give up for quality: docs/laboratory.md.

    The share is the mean of those in the pair and in the weaker of its arguments.
    """
    argument, pair = (values_of(table, column) for column in ("coverage_argument_min", "coverage_pair"))
    match = standardise(table["dirichlet_2500_argument_min"], group_sizes(table))
    return np.column_stack([argument / 2, pair / 2, 0.2 * match])


@formula("argumentative_min", kind="pair")
def argues(table: pd.DataFrame) -> Scores:
    """The probability that the less argumentative sentence argues.

    That is what the task asks of each sentence, and what people mark in texts: docs/laboratory.md.
    """
    return values_of(table, "argumentative_min")
