"""Read and query a finished index."""

from __future__ import annotations

