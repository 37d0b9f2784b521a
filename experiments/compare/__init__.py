"""``python -m experiments.compare``: which run is better, and is it luck.

`comparison` measures and tests, `tables` are what is shown of it, `renderings` the formats it is written in.
"""
