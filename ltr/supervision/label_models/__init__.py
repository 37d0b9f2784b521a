"""Label models: one grade for each unit from the votes of several files."""
