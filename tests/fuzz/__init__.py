"""Fuzzing: every reader of files and answers against malformed input."""
