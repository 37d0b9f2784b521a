"""Scores learned from labelled text, each beside its weights."""
