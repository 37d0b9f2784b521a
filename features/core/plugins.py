"""Plug-ins: modules of a user that add components to the registries, as files or as installed packages.

A file is loaded when its user names it, and never because a model or a corpus does. A package announces itself by an
entry point of the group `GROUP` and is loaded when a registry is first searched.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from importlib.abc import SourceLoader
from importlib.machinery import ModuleSpec
from importlib.util import module_from_spec
from pathlib import Path
from traceback import walk_tb

GROUP = "riposte.plugins"
"""Entry points of packages that are plug-ins: name = "package.module"."""

PREFIX = "riposte_plugin_"
"""Beginning of the name under which Python knows the module of a file."""

LARGEST = 16 << 20
"""Bytes of a plug-in's file."""


class ComponentError(ValueError):
    """Raised when a registered component is invalid: its name, the fault, the remedy."""

    def __str__(self) -> str:
        return "{}: {}; {}".format(*self.args)


@dataclass(frozen=True)
class Plugin:
    """A plug-in that is loaded."""

    name: str
    """Name of the file without its suffix, or of the entry point."""
    where: str
    """Path of the file, or the package, for messages."""
    module: str
    """Its module, or the top-level package of an installed one."""
    digest: str
    """Hex SHA-256 of the source."""
    source: bytes | None = None
    """All of a file; None for an installed package, which every process finds by itself."""


SHIPPED: list[str] = []
"""Packages whose modules ship and register components with every registry: that of the tasks, which `ltr` names."""

LOADED: dict[str, Plugin] = {}
"""Name -> plug-in, of this process."""

FORGETTING: list[Callable[[str], None]] = []
"""Functions, one a registry, that remove whatever a module registered."""


class _Loader(SourceLoader):
    """Runs a source as it was read, with no file in between, and writes no bytecode."""

    def __init__(self, path: str, source: bytes) -> None:
        self._path, self._source = path, source

    def get_filename(self, fullname: str) -> str:
        return self._path

    def get_data(self, path: str | bytes) -> bytes:
        return self._source


def load_file(path: Path) -> Plugin:
    """Run a file of Python, once. Raises ComponentError where that fails, or another file of its name was loaded."""
    try:
        with path.open("rb") as file:
            source = file.read(LARGEST + 1)  # it may be a device without end
        if len(source) > LARGEST:
            raise ValueError(f"more than {LARGEST >> 20} MB")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ComponentError(path, f"this plug-in cannot be read ({reason.lower()})", "name a file of Python") from None
    return load_source(path.stem, str(path.absolute()), source)


def load_source(name: str, where: str, source: bytes) -> Plugin:
    """Like `load_file`, for a file that was read already, perhaps by another process."""
    plugin = Plugin(name, where, f"{PREFIX}{name}", sha256(source).hexdigest(), source)
    if (known := LOADED.get(name)) is not None:
        if known.digest == plugin.digest:
            return known
        raise ComponentError(where, f"another plug-in {name!r} is loaded ({known.where})", "rename it, or start again")
    if not plugin.module.isidentifier():
        raise ComponentError(where, "its name is not one of letters, digits and _", "rename the file, as in mine.py")
    spec = ModuleSpec(plugin.module, _Loader(where, source), origin=where)
    spec.has_location = True
    module = sys.modules[plugin.module] = module_from_spec(spec)
    LOADED[name] = plugin
    try:
        spec.loader.exec_module(module)  # type: ignore[union-attr]
    except (Exception, SystemExit) as error:
        fault = fault_of(error) or failure(where, error)
        forget(plugin)
        if isinstance(error, ComponentError):  # which says more
            raise
        raise fault from error
    return plugin


_searched: list[str] = []
"""Whether installed plug-ins were looked for."""


def load_installed() -> None:
    """Load the plug-ins of installed packages, once, in the order of their names. Raises ComponentError."""
    if _searched:
        return
    _searched.append(GROUP)
    from importlib.metadata import entry_points  # noqa: PLC0415 commands that search no registry start sooner

    for point in sorted(entry_points(group=GROUP), key=lambda point: (point.name, point.value)):
        where = f"plug-in {point.name} of {point.dist.name if point.dist else point.value}"
        if point.name in LOADED:
            known = LOADED[point.name].where
            raise ComponentError(
                where, f"another plug-in has this name ({known})", "rename or uninstall one of the two"
            )
        try:
            point.load()
        except (Exception, SystemExit) as error:
            raise failure(where, error) from error
        digest = sha256()
        for file in _files(point.module):
            digest.update(file.read_bytes())
        LOADED[point.name] = Plugin(point.name, where, point.module.partition(".")[0], digest.hexdigest())


def _files(module: str) -> Iterator[Path]:
    """The source of a module, or all of a package."""
    origin = Path(sys.modules[module].__file__ or "")
    yield from sorted(origin.parent.rglob("*.py")) if origin.name == "__init__.py" else [origin]


def forget(plugin: Plugin) -> None:
    """Take a plug-in of a file, and all that it registered, out of this process."""
    for registry_forgets in FORGETTING:
        registry_forgets(plugin.module)
    LOADED.pop(plugin.name, None)
    sys.modules.pop(plugin.module, None)


def plugin_of(module: str) -> Plugin | None:
    """The plug-in that a module belongs to."""
    owners = (one for one in LOADED.values() if f"{module}.".startswith(f"{one.module}."))
    return next(owners, None)


def fault_of(error: BaseException) -> ComponentError | None:
    """An error that was raised while a plug-in ran, as one that names the plug-in; None for an error of ours."""
    frames = [(plugin_of(frame.f_globals.get("__name__", "")), line) for frame, line in walk_tb(error.__traceback__)]
    of_plugins = [failure(plugin.where, error, f" (line {line})") for plugin, line in frames if plugin]
    return of_plugins[-1] if of_plugins else None


def failure(where: str, error: BaseException, line: str = "") -> ComponentError:
    """An error as one that names the plug-in ``where``."""
    said = f"{type(error).__name__}: {error}".strip().removesuffix(":").partition("\n")[0]
    missing = isinstance(error, ModuleNotFoundError)
    remedy = f"install {getattr(error, 'name', '')}" if missing else "mend the plug-in"
    return ComponentError(where, f"this plug-in failed: {said}{line}", f"{remedy}, or leave the plug-in out")
