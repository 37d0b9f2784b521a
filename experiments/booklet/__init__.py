"""``python -m experiments.booklet``: a booklet of graded pairs for people, and their grades beside the reader's.

The *reader* is the language model that gave the grades of ``--pair-qrels``. `selection` draws the pairs, `pdf`
prints them, `study` measures agreement and corrects the reader's grades, `card` makes the text for a data card.
"""
