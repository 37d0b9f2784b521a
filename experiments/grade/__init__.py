"""``riposte grade``: a language model grades a pool, by the criteria that people get.

`pooled` reads the pool, `prompt` makes prompts of its items and reads grades from answers, `votes` writes them.
"""
