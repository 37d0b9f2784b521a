"""Plug-ins as users name them, as models record them, and as worker processes get them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from types import MappingProxyType
from typing import Any

from features.core.plugins import (
    LOADED,
    ComponentError,
    failure,
    fault_of,
    forget,
    load_file,
    load_installed,
    load_source,
    plugin_of,
)
from ltr.errors import InputError, WorkersError


def task_rooms() -> list[str]:
    """Names of the tasks that ship, the packages of ``ltr.tasks``. They are not imported, which takes long."""
    folder = str(Path(__file__).with_name("tasks"))
    return sorted((found.name for found in iter_modules([folder]) if found.ispkg), reverse=True)


def task_commands() -> dict[str, tuple[str, str]]:
    """Name -> module and description of the commands that tasks add, the ``COMMANDS`` of their packages."""
    packages = [import_module(f"ltr.tasks.{room}") for room in task_rooms()]
    return {name: command for room in packages for name, command in getattr(room, "COMMANDS", {}).items()}


def load_plugin(path: str | Path) -> None:
    """Run a file of Python that adds features, rankers, tasks and other components; see docs/plugins.md.

    A file that is loaded already changes nothing. Raises InputError where it fails.
    """
    try:
        load_file(Path(path))
    except ComponentError as error:
        raise InputError(*error.args) from error


def plugin_error(error: BaseException) -> InputError | None:
    """A line that names the plug-in whose code raised ``error``, or whose component is at fault; None for others."""
    if isinstance(error, InputError | MemoryError):
        return None
    found = error if isinstance(error, ComponentError) else fault_of(error)
    return None if found is None else InputError(*found.args)


@contextmanager
def plugins_of_call(paths: Iterable[str | Path]) -> Iterator[None]:
    """Load plug-ins for the time of a call, and name one whose code fails. Raises InputError."""
    before = {*LOADED}
    try:
        for path in paths:
            load_plugin(path)
        yield
    except Exception as error:
        if (of_plugin := plugin_error(error)) is not None:
            raise of_plugin from error
        raise
    finally:
        for plugin in [plugin for name, plugin in LOADED.items() if name not in before and plugin.source is not None]:
            forget(plugin)


@contextmanager
def blame_plugin(module: str) -> Iterator[None]:
    """Name whatever is at fault in an InputError: a component, or the plug-in of ``module``, which is at work."""
    try:
        yield
    except Exception as error:
        found, plugin = plugin_error(error), plugin_of(module)
        if found is None and plugin and not isinstance(error, InputError | MemoryError):
            found = InputError(*failure(plugin.where, error).args)
        if found is None:
            raise
        raise found from error


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
        load_source(*file)
    return LoadedPlugins(installed)
