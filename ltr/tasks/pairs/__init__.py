"""Pairs of sentences (Touché 2022, Task 1)."""
