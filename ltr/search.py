"""``python -m ltr.search``: see `ltr.commands.search`."""

from ltr.cli.process import run_command
from ltr.commands.search import main

if __name__ == "__main__":
    run_command(main)
