"""``riposte pool``: write ungraded results of runs as a table for graders, read their grades, and compare graders.

`selection` chooses items, `files` writes the table and the key, `grades` reads grades, `agreement` compares graders.
"""
