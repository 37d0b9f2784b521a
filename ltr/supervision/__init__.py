"""Labels of pairs, from three sources."""

VOTED = "voted on in files"
"""The name of the number of labels from vote files."""
