"""``riposte agreement``: how far graders agree, from qrels of the same units.

`grades` reads the files, `coefficients` measures, `study` makes the tables.
"""
