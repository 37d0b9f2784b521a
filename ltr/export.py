"""``python -m ltr.export``: see `ltr.commands.export`."""

from ltr.cli.process import run_command
from ltr.commands.export import main

if __name__ == "__main__":
    run_command(main)
