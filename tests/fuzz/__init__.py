"""Fuzzing: every reader against malformed input.

``reader`` says what a reader is, ``readers`` has all of them, ``cases`` makes their inputs, ``campaign`` tries them.
"""
