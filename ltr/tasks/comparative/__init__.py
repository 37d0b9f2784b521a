"""Documents for comparative questions (Touché Task 2, 2020 to 2022)."""

COMMANDS = {"collect": ("ltr.tasks.comparative.collect.command", "search an API on the web for every topic")}
"""Name -> module and description of commands. This file imports nothing: ``riposte --help`` reads it."""
