"""Defaults that help texts show as well. Imports nothing, so that ``--help`` is quick."""

TREES = 200
"""Trees of a ranker, for each objective and seed."""

DIMENSIONS = ("relevance", "quality", "coherence")
"""Dimensions that items are graded in."""

COLUMNS = 33
"""Feature columns that a ranker keeps."""

NO_ENCODER, SHIPPED_ENCODER = "none", "shipped"
"""Names of no encoder at all, and of the one that ships."""

DIVERSIFY = 0.1
"""Penalty for a pair whose arguments were already shown, relative to the spread of scores."""
