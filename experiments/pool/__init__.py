"""``riposte pool``: write ungraded results of runs as files for a grader, and turn grades into qrels.

`selection` chooses units, `files` writes the files for graders and reads the key, `grades` reads grades.
"""
