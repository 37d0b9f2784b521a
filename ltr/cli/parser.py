"""Commands: a parser made from a class of settings, and one function that takes them.

Imports nothing heavy, so that ``--help`` is instant.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import MISSING, Field
from pathlib import Path
from typing import Any, Generic, NoReturn, TypeVar

from ltr.errors import InputError, SettingError
from ltr.plugins import plugins_of_call
from ltr.progress import Progress
from ltr.settings import Settings
from ltr.settings.base import About
from ltr.settings.shared import Output, Timed

S = TypeVar("S", bound=Settings)


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors are one line, like every other error.

    Raises InputError where argparse would print the usage and exit, so that ``main(argv)`` can be called from Python:
    only :func:`ltr.cli.process.run_command` ends a process. The text below the options is in a .txt file beside
    ``file``, the module of the command.
    """

    def __init__(self, prog: str, description: str, file: str = "") -> None:
        below = Path(file).with_suffix(".txt").read_text("utf-8") if file else None
        raw = argparse.RawDescriptionHelpFormatter
        super().__init__(prog, description=description, epilog=below, formatter_class=raw)

    def error(self, message: str) -> NoReturn:
        """Raise InputError with argparse's own words."""
        raise InputError("usage", message, "see --help")


class Once(argparse.Action):
    """An argparse ``action``: the value, which may not be given again."""

    def __call__(self, parser: Any, namespace: Any, values: Any, option_string: str | None = None) -> None:
        """Keep the value. Raises InputError for a second one."""
        if hasattr(namespace, self.dest):
            raise InputError("usage", f"{option_string} is named twice", "this command takes one value")
        setattr(namespace, self.dest, values)


class Command(Generic[S]):
    """A command of `ltr.cli.main.COMMANDS`: its module has it as ``main``."""

    def __init__(self, name: str, settings: type[S], run: Callable[[S], int | None], file: str = "") -> None:
        """``settings``: their docstring describes the command; ``file`` is as for `Parser`."""
        self.name, self.settings, self._run, self._file = name, settings, run, file

    def __call__(self, argv: list[str] | None = None) -> int:
        """Run the command; its exit code. Raises InputError for everything that the user can correct."""
        try:
            given = self.words(argv)
            with plugins_of_call(given.get("plugin", ())):
                return self._run(self.settings(**self.settings.complete(given))) or 0
        except SettingError as error:
            raise InputError(self.option(error.name), error.what, error.hint or "see --help") from error

    def read(self, *words: str) -> S:
        """The settings that these words stand for. Raises InputError."""
        return self.settings(**self.settings.complete(self.words(list(words))))

    def words(self, argv: list[str] | None = None) -> dict[str, Any]:
        """Setting -> value, of those that the words name. Raises InputError."""
        given = vars(self.parser().parse_args(argv))
        for name, words in given.items():
            about = self.settings.about(name)
            try:
                parse = about.kind.parse
                given[name] = (
                    parse(words) if isinstance(words, str) else words if words is True else [*map(parse, words)]
                )
            except ValueError as error:
                raise InputError(self.option(name), str(error), "see --help") from None
        return given

    def option(self, name: str) -> str:
        """The option of a setting, for messages; other names as they are."""
        known = self.settings.fields()
        return _flags(name, self.settings.about(name))[-1] if name in known else name

    def parser(self) -> Parser:
        """The parser of the command's words; options that are not named are not in what it returns."""
        p = Parser(f"riposte {self.name}", " ".join((self.settings.__doc__ or "").split()), self._file)
        for name, field in self.settings.fields().items():
            about: About = field.metadata["setting"]
            p.add_argument(*_flags(name, about), **_arguments(name, about, field))
        return p


def _flags(name: str, about: About) -> tuple[str, ...]:
    return about.flags or ((name,) if about.positional else (f"--{name.replace('_', '-')}",))


def _arguments(name: str, about: About, field: Field[Any]) -> dict[str, Any]:
    """What argparse has to know of a setting: it collects words, which the setting's kind parses."""
    default = field.default if field.default_factory is MISSING else field.default_factory()
    more = "" if default in (None, (), False, "", MISSING) or "(default" in about.help else f" (default: {default})"
    text = about.help + ("; may repeat" if about.several and not about.positional else "") + more
    how: dict[str, Any] = {"help": text.replace("%", "%%"), "default": argparse.SUPPRESS}
    how |= {} if about.positional else {"dest": name}
    if not about.kind.metavar:
        return how | {"action": "store_const", "const": True}
    how["metavar"] = about.kind.metavar
    if about.positional:
        some, one = ("+", None) if default is MISSING else ("*", "?")
        return how | {"nargs": some if about.several else one}
    if about.several:
        how |= {"action": "extend", "nargs": about.words} if about.words else {"action": "append"}
    elif about.once:
        how["action"] = Once
    if about.bare is not None:
        how |= {"nargs": "?", "const": about.bare}
    return how | {"required": default is MISSING}


def open_progress(settings: Output) -> Progress:
    """The progress of a command: by ``--quiet``, with the seconds since its settings were made."""
    return Progress(quiet=settings.quiet, since=settings.started)


def finish(settings: Timed, progress: Progress) -> int:
    """The exit code of a command that has done its work; ``--timings`` prints the seconds."""
    if settings.timings:
        progress.print_report()
    return 0
