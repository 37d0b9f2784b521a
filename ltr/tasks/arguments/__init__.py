"""Whole arguments (Touché 2020 and 2021, Task 1)."""
