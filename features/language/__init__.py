"""Sides and comparisons read from text: what a question asks, which side a text takes, which of two objects it prefers.

These modules register no feature; `features.query.comparison` and `ltr.pipeline.sides` use them.
"""
