"""Builders and data that several suites share."""
