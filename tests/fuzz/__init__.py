"""Fuzzing: every reader against inputs that nobody would write.

``reader`` says what a reader is, ``readers`` has all of them, ``cases`` makes their inputs, ``campaign`` tries them,
``guided`` lets coverage choose them.
"""
