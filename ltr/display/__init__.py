"""What people are shown of ranked results: clean texts, what is worth showing, points and their headings.

Ids, ranks, scores and the texts of the corpus do not change.
"""
