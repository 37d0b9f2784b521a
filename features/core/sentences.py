"""The bare sentences that text features look at, with what those features compute in common."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast

T = TypeVar("T")


class Texts:
    """Distinct sentence texts. Costly intermediate results are computed once and shared by name."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.texts = list(texts)
        self._shared: dict[str, Any] = {}

    def __len__(self) -> int:
        return len(self.texts)

    def shared(self, name: str, compute: Callable[[list[str]], T]) -> T:
        """``compute(texts)``, once."""
        if name not in self._shared:
            self._shared[name] = compute(self.texts)
        return cast(T, self._shared[name])
