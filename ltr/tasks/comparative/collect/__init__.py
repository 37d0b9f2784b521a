"""``riposte collect``: result lists of search APIs on the web."""
