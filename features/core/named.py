"""Things that are registered under a name where they are defined: features, rankers, labelling functions, tasks."""

from __future__ import annotations

import importlib
import pkgutil
from typing import TypeVar

T = TypeVar("T")


class Registry(dict[str, T]):
    """Name -> what is registered under it, in all modules of a package: `search` imports them."""

    def __init__(self, kind: str, package: str) -> None:
        super().__init__()
        self._kind, self._package = kind, package
        self._searched = False

    def add(self, name: str, thing: T) -> T:
        """Register a thing. Raises ValueError for a name that is taken."""
        if name in self:
            raise ValueError(f"{self._kind} {name!r} is registered twice")
        self[name] = thing
        return thing

    def find(self, name: str) -> T:
        """What has that name. Raises KeyError with the known names."""
        if name not in self.search():
            raise KeyError(f"no {self._kind} {name!r}; known: {', '.join(sorted(self))}")
        return self[name]

    def search(self) -> Registry[T]:
        """This registry, when everything in the package is registered."""
        if not self._searched:
            package = importlib.import_module(self._package)
            for module in sorted(found.name for found in pkgutil.walk_packages(package.__path__, f"{self._package}.")):
                if not module.endswith("__main__"):
                    importlib.import_module(module)
            self._searched = True
        return self
