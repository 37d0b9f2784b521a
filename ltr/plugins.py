"""Plug-ins: modules of a user that add components to the registries, as files or as installed packages.

A file is loaded when its user names it, and never because a model or a corpus does. A package announces itself by an
entry point of the group `GROUP` and is loaded when a registry is first searched. Models record the plug-ins of their
training, and worker processes get those of the process that sends them work.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from importlib import import_module
from importlib.abc import SourceLoader
from importlib.machinery import ModuleSpec
from importlib.util import module_from_spec
from pathlib import Path
from pkgutil import iter_modules
from traceback import walk_tb
from types import MappingProxyType
from typing import Any

from features.core.registry import FORGETTING, ComponentError
from ltr.errors import InputError, WorkersError

GROUP = "riposte.plugins"
"""Entry points of packages that are plug-ins: name = "package.module"."""

PREFIX = "riposte_plugin_"
"""Beginning of the name under which Python knows the module of a file."""

LARGEST = 16 << 20
"""Bytes of a plug-in's file."""


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


LOADED: dict[str, Plugin] = {}
"""Name -> plug-in, of this process."""


def task_rooms() -> list[str]:
    """Names of the tasks that ship, the packages of ``ltr.tasks``. They are not imported, which takes long."""
    folder = str(Path(__file__).with_name("tasks"))
    return sorted((found.name for found in iter_modules([folder]) if found.ispkg), reverse=True)


def task_commands() -> dict[str, tuple[str, str]]:
    """Name -> module and description of the commands that tasks add, the ``COMMANDS`` of their packages."""
    packages = [import_module(f"ltr.tasks.{room}") for room in task_rooms()]
    return {name: command for room in packages for name, command in getattr(room, "COMMANDS", {}).items()}


# ---- loading ---------------------------------------------------------------------------------------


class _Loader(SourceLoader):
    """Runs a source as it was read, with no file in between, and writes no bytecode."""

    def __init__(self, path: str, source: bytes) -> None:
        self._path, self._source = path, source

    def get_filename(self, fullname: str) -> str:
        return self._path

    def get_data(self, path: str | bytes) -> bytes:
        return self._source


def load_plugin(path: str | Path) -> None:
    """Run a file of Python that adds features, rankers, tasks and other components; see docs/plugins.md.

    A file that is loaded already changes nothing. Raises InputError where it fails, or another file of its name was
    loaded.
    """
    path = Path(path)
    try:
        with path.open("rb") as file:
            source = file.read(LARGEST + 1)  # it may be a device without end
        if len(source) > LARGEST:
            raise ValueError(f"more than {LARGEST >> 20} MB")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(path, f"this plug-in cannot be read ({reason.lower()})", "name a file of Python") from None
    _load_source(path.stem, str(path.absolute()), source)


def _load_source(name: str, where: str, source: bytes) -> None:
    """Run a file that was read, perhaps by another process."""
    plugin = Plugin(name, where, f"{PREFIX}{name}", sha256(source).hexdigest(), source)
    if (known := LOADED.get(name)) is not None:
        if known.digest == plugin.digest:
            return
        raise InputError(where, f"another plug-in {name!r} is loaded ({known.where})", "rename it, or start again")
    if not plugin.module.isidentifier():
        raise InputError(where, "its name is not one of letters, digits and _", "rename the file, as in mine.py")
    spec = ModuleSpec(plugin.module, _Loader(where, source), origin=where)
    spec.has_location = True
    module = sys.modules[plugin.module] = module_from_spec(spec)
    LOADED[name] = plugin
    try:
        spec.loader.exec_module(module)  # type: ignore[union-attr]
    except (Exception, SystemExit) as error:
        fault = plugin_error(error) or _failure(where, error)
        forget(plugin)
        if isinstance(error, InputError):  # which says more
            raise
        raise fault from error


_searched: list[str] = []
"""Whether installed plug-ins were looked for."""


def load_installed() -> None:
    """Load the plug-ins of installed packages, once, in the order of their names. Raises InputError."""
    if _searched:
        return
    _searched.append(GROUP)
    from importlib.metadata import entry_points  # noqa: PLC0415 commands that search no registry start sooner

    for point in sorted(entry_points(group=GROUP), key=lambda point: (point.name, point.value)):
        where = f"plug-in {point.name} of {point.dist.name if point.dist else point.value}"
        if point.name in LOADED:
            what = f"another plug-in has this name ({LOADED[point.name].where})"
            raise InputError(where, what, "rename or uninstall one of the two")
        try:
            point.load()
        except (Exception, SystemExit) as error:
            raise _failure(where, error) from error
        origin = Path(sys.modules[point.module].__file__ or "")
        files = sorted(origin.parent.rglob("*.py")) if origin.name == "__init__.py" else [origin]
        digest = sha256(b"".join(file.read_bytes() for file in files)).hexdigest()
        LOADED[point.name] = Plugin(point.name, where, point.module.partition(".")[0], digest)


def forget(plugin: Plugin) -> None:
    """Take a plug-in of a file, and all that it registered, out of this process."""
    for registry_forgets in FORGETTING:
        registry_forgets(plugin.module)
    LOADED.pop(plugin.name, None)
    sys.modules.pop(plugin.module, None)


@contextmanager
def plugins_of_call(paths: Iterable[str | Path]) -> Iterator[None]:
    """Load plug-ins for the time of a call, and name one whose code fails. Raises InputError."""
    before = {*LOADED}
    try:
        with blame_plugin():
            for path in paths:
                load_plugin(path)
            yield
    finally:
        for plugin in [plugin for name, plugin in LOADED.items() if name not in before and plugin.source is not None]:
            forget(plugin)


# ---- faults ----------------------------------------------------------------------------------------


def plugin_of(module: str) -> Plugin | None:
    """The plug-in that a module belongs to."""
    owners = (one for one in LOADED.values() if f"{module}.".startswith(f"{one.module}."))
    return next(owners, None)


def plugin_error(error: BaseException) -> InputError | None:
    """A line that names the plug-in whose code raised ``error``, or whose component is at fault; None for others."""
    if isinstance(error, InputError | MemoryError):
        return None
    if isinstance(error, ComponentError):
        return InputError(*error.args)
    frames = [(plugin_of(frame.f_globals.get("__name__", "")), line) for frame, line in walk_tb(error.__traceback__)]
    of_plugins = [_failure(plugin.where, error, f" (line {line})") for plugin, line in frames if plugin]
    return of_plugins[-1] if of_plugins else None


@contextmanager
def blame_plugin(module: str = "") -> Iterator[None]:
    """Name whatever is at fault in an InputError: a component, or the plug-in of ``module``, which is at work."""
    try:
        yield
    except Exception as error:
        found, plugin = plugin_error(error), plugin_of(module)
        if found is None and plugin and not isinstance(error, InputError | MemoryError):
            found = _failure(plugin.where, error)
        if found is None:
            raise
        raise found from error


def _failure(where: str, error: BaseException, line: str = "") -> InputError:
    """An error as one that names the plug-in ``where``."""
    said = f"{type(error).__name__}: {error}".strip().removesuffix(":").partition("\n")[0]
    missing = isinstance(error, ModuleNotFoundError)
    remedy = f"install {getattr(error, 'name', '')}" if missing else "mend the plug-in"
    return InputError(where, f"this plug-in failed: {said}{line}", f"{remedy}, or leave the plug-in out")


# ---- models and workers ----------------------------------------------------------------------------


def plugins_used(modules: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Name -> digest of every plug-in of this process, and whether one of the ``modules`` that a model needs is its."""
    needed = {plugin.name for plugin in map(plugin_of, modules) if plugin}
    return {name: {"digest": LOADED[name].digest, "needed": name in needed} for name in sorted(LOADED)}


def check_plugins(path: Path, recorded: Mapping[str, Mapping[str, Any]]) -> None:
    """Raise InputError where a plug-in that a model needs is not loaded; ``path`` is the model's manifest."""
    load_installed()
    for name, facts in recorded.items():
        if facts["needed"] and name not in LOADED:
            hint = f"name its file, {name}.py, or install the package that has it"
            raise InputError(path, f"the model needs the plug-in {name!r} (SHA-256 {facts['digest']:.12})", hint)


def changed_plugins(recorded: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """The plug-ins that a model needs whose source is another one here."""
    changed = [name for name, facts in recorded.items() if facts["needed"] and LOADED[name].digest != facts["digest"]]
    return [f"another version of the plug-in {name}" for name in changed]


class LoadedPlugins:
    """The plug-ins of this process as the first argument of a call: whoever unpickles it loads them first.

    So the arguments after it may be objects that plug-ins define. The source of files travels.
    """

    def __init__(self, installed: Mapping[str, str] = MappingProxyType({})) -> None:
        """``installed``: name -> digest of plug-ins that the sender has from packages."""
        self._installed = installed

    def __reduce__(self) -> tuple[Any, ...]:
        files = [(one.name, one.where, one.source) for one in LOADED.values() if one.source is not None]
        return _loaded, (tuple(files), {one.name: one.digest for one in LOADED.values() if one.source is None})

    def check(self) -> None:
        """Raise WorkersError where this process has another version of an installed plug-in than the sender."""
        here = {name: plugin.digest for name, plugin in LOADED.items()}
        for name, digest in self._installed.items():
            if here.get(name) != digest:
                what = "a worker has another version of it, or none"
                raise WorkersError(f"plug-in {name}", what, "install the same package on all machines")


def _loaded(files: tuple[tuple[str, str, bytes], ...], installed: Mapping[str, str]) -> LoadedPlugins:
    load_installed()
    sent = {(name, sha256(source).hexdigest()) for name, _, source in files}
    for plugin in [plugin for plugin in LOADED.values() if plugin.source is not None]:
        if (plugin.name, plugin.digest) not in sent:  # of an earlier call
            forget(plugin)
    for file in files:
        _load_source(*file)
    return LoadedPlugins(installed)
