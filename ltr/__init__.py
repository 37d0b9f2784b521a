"""Riposte: learning to rank for argument retrieval."""

__version__ = "0.2.0"
