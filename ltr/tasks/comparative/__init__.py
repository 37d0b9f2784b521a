"""Documents for comparative questions (Touché Task 2, 2020 to 2022)."""

COMMANDS = {"collect": ("ltr.tasks.comparative.collect.command", "search ChatNoir for every topic")}
"""Name -> module and description of commands. This file imports nothing: ``riposte --help`` reads it."""
