"""Measure runs by relevance judgments, and compare runs. It imports nothing: tasks add figures to `further`."""
