"""Trainers of the shipped weights, and studies of sides: part of a checkout, not of the wheel."""
