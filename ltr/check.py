"""``python -m ltr.check``: see `ltr.commands.check`."""

from ltr.cli.process import run_command
from ltr.commands.check import main

if __name__ == "__main__":
    run_command(main)
