"""``riposte compare``: compare TREC runs, with significance tests.

`comparison` measures and tests, `tables` are what is shown of it, `renderings` the formats it is written in.
"""
