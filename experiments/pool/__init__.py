"""``python -m experiments.pool``: pairs of runs that nobody graded as files to grade, and grades back to qrels.

`selection` chooses pairs, `files` are what passes between the program and a grader, the page to grade in among them,
`grades` reads grades and measures agreement and drift, `command` is both ways.
"""
