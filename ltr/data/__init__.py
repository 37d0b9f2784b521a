"""Topics, qrels, runs and files."""
