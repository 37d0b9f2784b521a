"""``python -m experiments.pool``: write ungraded pairs of runs as files for a grader, and turn grades into qrels.

`selection` chooses pairs, `files` writes the files for graders and reads the key, `grades` reads grades and measures
agreement and drift.
"""
