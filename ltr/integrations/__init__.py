"""Riposte inside other frameworks."""
