"""Trainers of the shipped weights: tools for maintainers, not part of the wheel."""
