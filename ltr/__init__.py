"""Riposte: ranked pairs of argumentative sentences for a controversial question."""

__version__ = "0.1.0"
