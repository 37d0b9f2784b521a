"""Labels of pairs, from three sources."""

VOTED = "voted on in files"
"""Name of the number of labels from vote files."""
