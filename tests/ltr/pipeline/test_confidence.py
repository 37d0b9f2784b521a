"""How good the top is expected to be, and what is said of it."""

from __future__ import annotations
