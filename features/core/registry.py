"""Registries of named components: features, rankers, labelling functions, tasks, corpus readers and encoders.

Numbers that a component returns are checked here as well.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from features.core.plugins import FORGETTING, SHIPPED, ComponentError, load_installed

T = TypeVar("T")


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
            load_installed()
        return self


def checked_numbers(where: str, values: Any, size: int, hint: str, *, abstains: bool = False) -> npt.NDArray[Any]:
    """(size,) numbers, finite, or NaN where the component ``abstains``. Raises ComponentError for anything else."""
    try:
        array = np.asarray(values)
        narrow = array.astype(np.float32)
    except (TypeError, ValueError):
        raise ComponentError(where, f"gave no array of numbers where shape ({size},) was due", hint) from None
    if narrow.shape != (size,):
        raise ComponentError(where, f"gave shape {narrow.shape} where ({size},) was due", hint)
    if not (np.isfinite(narrow) | (abstains & np.isnan(narrow))).all():
        raise ComponentError(where, "gave values that are not finite", hint)
    return array
