"""``python -m ltr.serve``: see `ltr.commands.serve`."""

from ltr.cli.process import run_command
from ltr.commands.serve import main

if __name__ == "__main__":
    run_command(main)
