"""``riposte grade``: a language model grades a pool, by the criteria that people get."""
