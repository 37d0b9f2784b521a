"""Registries of named components: features, rankers, labelling functions, tasks, corpus readers and encoders."""

from __future__ import annotations

import importlib
import pkgutil
from typing import TypeVar

T = TypeVar("T")


class Registry(dict[str, T]):
    """Name -> component. Components register where they are defined; `search` imports all modules of a package."""

    def __init__(self, kind: str, package: str) -> None:
        super().__init__()
        self._kind, self._package = kind, package
        self._searched = False

    def add(self, name: str, thing: T) -> T:
        """Register a component. Raises ValueError when the name is taken."""
        if name in self:
            raise ValueError(f"{self._kind} {name!r} is registered twice")
        self[name] = thing
        return thing

    def find(self, name: str) -> T:
        """The component of that name. Raises KeyError, which lists the known names."""
        if name not in self.search():
            raise KeyError(f"no {self._kind} {name!r}; known: {', '.join(sorted(self))}")
        return self[name]

    def search(self) -> Registry[T]:
        """This registry, after every module of the package was imported."""
        if not self._searched:
            package = importlib.import_module(self._package)
            for module in sorted(found.name for found in pkgutil.walk_packages(package.__path__, f"{self._package}.")):
                if not module.endswith("__main__"):
                    importlib.import_module(module)
            self._searched = True
        return self
