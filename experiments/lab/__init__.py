"""Trainers of the shipped weights, and studies of scale and of sides: part of a checkout, not of the wheel."""
