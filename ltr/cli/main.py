"""``riposte COMMAND ...``: the commands of Riposte, studies too, under one name."""

from __future__ import annotations

import sys
from difflib import get_close_matches
from importlib import import_module
from importlib.metadata import entry_points

from ltr import __version__
from ltr.cli.process import run_command
from ltr.errors import InputError
from ltr.plugins import task_commands

COMMANDS = {
    "train": ("ltr.commands.train", "train a model on judgments"),
    "predict": ("ltr.commands.predict", "rank the candidates of every topic"),
    "evaluate": ("ltr.commands.evaluate", "measure runs by judgments, and compare them"),
    "search": ("ltr.commands.search", "answer a question with arguments for and against"),
    "serve": ("ltr.commands.serve", "answer questions on a web page and through a JSON interface"),
    "explain": ("ltr.commands.explain", "explain the rank of a pair"),
    "check": ("ltr.commands.check", "describe a corpus, and report its first problem"),
    "encode": ("ltr.commands.encode", "encode the sentences of a corpus ahead"),
    "export": ("ltr.commands.export", "write the features of all candidates to a file for other tools"),
    "fuse": ("ltr.commands.fuse", "fuse several runs into one"),
    "ablation": ("experiments.ablation", "measure what each family of features contributes"),
    "learning-curve": ("experiments.learning_curve", "measure how many graded topics are enough"),
    "supervision": ("experiments.supervision", "measure what each kind of supervision contributes"),
    "human": ("experiments.human.command", "measure models by human judgments of new topics"),
    "pool": ("experiments.pool.command", "pool results for graders, read their grades, compare graders"),
    "grade": ("experiments.grade.command", "let a language model grade a pool"),
}
"""Name -> module with ``main(argv)``, and a one-line description."""

PLUGINS = "riposte.commands"
"""Entry points of installed packages that add commands: NAME = "MODULE"."""


def commands() -> dict[str, tuple[str, str]]:
    """The commands of Riposte, of its tasks and of installed packages, as `COMMANDS` has them."""
    added = {entry.name: (entry.value, f"from {entry.value}") for entry in entry_points(group=PLUGINS)}
    return COMMANDS | added | task_commands() | COMMANDS


def main() -> None:
    """Run the command that the process's arguments name, and end the process as it ends."""
    run_command(dispatch)


def dispatch(_: list[str] | None = None) -> int | None:
    """Run the command that the process's arguments name. Raises InputError for an unknown one."""
    name, *options = sys.argv[1:] or ["--help"]
    if name == "--version":
        print(f"riposte {__version__}")
        return 0
    if name in ("-h", "--help"):
        rows = [f"  {command:<16}{description}" for command, (_, description) in commands().items()]
        print("usage: riposte COMMAND [OPTIONS]\n\n" + "\n".join(rows))
        print("\nriposte COMMAND --help shows the options of a command.")
        return 0
    name = name.replace("_", "-")
    known = COMMANDS if name in COMMANDS else commands()
    if name not in known:
        close = get_close_matches(name, known)
        hint = f"did you mean {' or '.join(close)}?" if close else f"use one of {', '.join(known)}"
        raise InputError("usage", f"there is no command {name[:40]!r}", hint)
    main_of_command = import_module(known[name][0]).main
    result: int | None = main_of_command(options)
    return result


if __name__ == "__main__":
    main()
