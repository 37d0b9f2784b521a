"""Commands: a parser made from a class of settings, and one function that takes them.

Imports nothing heavy, so that ``--help`` is instant.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any, Generic, NoReturn, TypeVar

from features.core.docstring import docstring
from ltr.errors import InputError, SettingError
from ltr.plugins import plugins_of_call
from ltr.progress import Progress
from ltr.settings import Settings
from ltr.settings.base import Setting
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


class Command(Generic[S]):
    """A command of `ltr.cli.main.COMMANDS`: its module has it as ``main``."""

    prefix = "riposte "
    """What stands before its name on a command line."""

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
            setting = self.settings.fields()[name]
            parse = setting.kind.parse
            if setting.once and len(words) > 1:
                raise InputError("usage", f"{self.option(name)} is named twice", "this command takes one value")
            try:
                if setting.several:
                    given[name] = [*map(parse, words)]
                elif words is not True:
                    given[name] = parse(words if isinstance(words, str) else words[-1])
            except ValueError as error:
                raise InputError(self.option(name), str(error), "see --help") from None
        return given

    def option(self, name: str) -> str:
        """The option of a setting, for messages; other names as they are."""
        known = self.settings.fields()
        return _flags(name, known[name])[-1] if name in known else name

    def parser(self) -> Parser:
        """The parser of the command's words; options that are not named are not in what it returns."""
        p = Parser(f"{self.prefix}{self.name}", " ".join(docstring(self.settings).split()), self._file)
        for name, setting in self.settings.fields().items():
            p.add_argument(*_flags(name, setting), **_arguments(name, setting))
        return p


def _flags(name: str, setting: Setting) -> tuple[str, ...]:
    return setting.flags or ((name,) if setting.positional else (f"--{name.replace('_', '-')}",))


def _arguments(name: str, setting: Setting) -> dict[str, Any]:
    """What argparse has to know of a setting: it collects words, which the setting's kind parses."""
    usual, required, repeats = setting.usual, setting.default is ..., setting.several
    plain = required or usual in (None, (), False, "") or "(default" in setting.help
    text = setting.help + ("; may repeat" if repeats and not setting.positional else "")
    text += "" if plain else f" (default: {usual})"
    how: dict[str, Any] = {"help": text.replace("%", "%%"), "default": argparse.SUPPRESS}
    how |= {} if setting.positional else {"dest": name}
    if not setting.kind.metavar:
        return how | {"action": "store_const", "const": True}
    how["metavar"] = setting.kind.metavar
    if setting.positional:
        some, one = ("+", None) if required else ("*", "?")
        return how | {"nargs": some if repeats else one}
    how |= {"action": "extend", "nargs": setting.words} if setting.words else {"action": "append"}
    if setting.bare is not None:
        how |= {"nargs": "?", "const": setting.bare}
    return how | {"required": required}


def open_progress(settings: Output) -> Progress:
    """The progress of a command: by ``--quiet``, with the seconds since its settings were made."""
    return Progress(quiet=settings.quiet, since=settings.started)


def finish(settings: Timed, progress: Progress) -> int:
    """The exit code of a command that has done its work; ``--timings`` prints the seconds."""
    if settings.timings:
        progress.print_report()
    return 0
