"""Encoders that need no extra."""

from __future__ import annotations

from collections.abc import Sequence

from ltr.encoders import FunctionEncoder


def letters(texts: Sequence[str]) -> list[list[int]]:
    """Counts of the letters in each text."""
    return [[text.lower().count(letter) for letter in "abcdefghijklmnopqrstuvwxyz"] for text in texts]


def letter_encoder(name: str = "letters-1") -> FunctionEncoder:
    """Texts with the same letters are alike."""
    return FunctionEncoder(letters, name)
