"""Registries of named components: features, rankers, labelling functions, tasks, corpus readers and encoders."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

SHIPPED: list[str] = []
"""Packages whose modules ship and register components with every registry: that of the tasks, which `ltr` names."""

INSTALLED: list[Callable[[], None]] = []
"""Functions that load the plug-ins of installed packages, called when a registry is first searched."""

FORGETTING: list[Callable[[str], None]] = []
"""Functions, one a registry, that remove whatever a module registered."""


class ComponentError(ValueError):
    """Raised when a registered component is invalid: its name, the fault, the remedy."""

    def __str__(self) -> str:
        return "{}: {}; {}".format(*self.args)


class Registry(dict[str, T]):
    """Name -> component. Components register where they are defined; `search` imports all modules of a package."""

    def __init__(self, kind: str, package: str, code: Callable[[T], object] = lambda thing: thing) -> None:
        """``code`` gives the function or class behind a component: its module is the component's."""
        super().__init__()
        FORGETTING.append(self.forget)
        self._modules: dict[str, str] = {}
        self._kind, self._package, self._code = kind, package, code
        self._searched = False

    def add(self, name: str, thing: T) -> T:
        """Register a component. Raises ValueError when the name is taken."""
        code = self._code(thing)
        module = str(getattr(getattr(code, "func", code), "__module__", ""))  # a `functools.partial` has a function
        if not self._own(module):
            self.search()  # what ships comes first: a plug-in cannot take its names
        if name in self:
            raise ValueError(f"{self._kind} {name!r} is registered twice")
        self[name], self._modules[name] = thing, module
        return thing

    def ships(self, name: str) -> bool:
        """Whether a component was defined in a module of the registry's own package."""
        return self._own(self._modules.get(name, ""))

    def _own(self, module: str) -> bool:
        return any(f"{module}.".startswith(f"{package}.") for package in (self._package, *SHIPPED))

    def forget(self, module: str) -> None:
        """Take out the components of a module."""
        for name in [name for name, registered in self._modules.items() if registered == module]:
            del self._modules[name]
            self.pop(name, None)

    def find(self, name: str) -> T:
        """The component of that name. Raises KeyError, which lists the known names."""
        if name not in self.search():
            raise KeyError(f"no {self._kind} {name!r}; known: {', '.join(sorted(self))}")
        return self[name]

    def search(self) -> Registry[T]:
        """This registry, after importing the modules of the package, `SHIPPED` ones and installed plug-ins."""
        if not self._searched:
            for name in (self._package, *SHIPPED):
                package = importlib.import_module(name)
                for module in sorted(found.name for found in pkgutil.walk_packages(package.__path__, f"{name}.")):
                    if not module.endswith("__main__"):
                        importlib.import_module(module)
            self._searched = True
            for load in INSTALLED:
                load()
        return self
