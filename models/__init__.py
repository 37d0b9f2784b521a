"""Rankers behind one protocol."""
