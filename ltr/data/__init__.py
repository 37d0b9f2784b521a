"""Topics, qrels, runs and ids."""
