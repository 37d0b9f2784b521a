"""Systems of the Touché lab that rank whole arguments, as formulas over feature columns.

A docstring says how ours differs from theirs; see https://ceur-ws.org/Vol-2936/paper-205.pdf.
"""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd

from models.base import Scores, ranker
from models.baselines import ColumnOrder, formula, values_of

# Some of the best runs of 2021 began with divergence from randomness.
_description = "DPH over whole arguments, free of parameters (Amati et al. 2007)"
ranker("dph", _description, kinds=("argument",))(partial(ColumnOrder, "dph_argument", "dph_pair"))


@formula("dirichlet_2500_argument", "dirichlet_2500_title", kind="argument")
def elrond(table: pd.DataFrame) -> Scores:
    """DirichletLM of the argument and, where it matches, of the debate's title (2021).

    The best system of 2021 in relevance: a Boolean query of Lucene with DirichletLM over both fields.

    Ours differs in stems, stop words, mu (2500 for 2000) and in the statistics of titles, which are those of
    conclusions.
    """
    body, title = values_of(table, "dirichlet_2500_argument"), values_of(table, "dirichlet_2500_title")
    return np.where(body > 0, body + title, 0.0)


@formula("dirichlet_2500_argument", "latent_topic_argument", "convincing_argument", kind="argument")
def heimdall(table: pd.DataFrame) -> Scores:
    """DirichletLM x meaning x learned quality (2021).

    The best system of 2021 in quality: an argument has to be good in all three.

    Theirs clusters conclusions by the Universal Sentence Encoder, and learned quality from Webis-ArgQuality-20. Ours
    compares whole arguments with the topic in the latent space of the index, and takes our own learned quality.
    """
    match, subject = values_of(table, "dirichlet_2500_argument"), values_of(table, "latent_topic_argument")
    return np.asarray(match * (1 + (subject + 1)) * (1 + values_of(table, "convincing_argument")))
