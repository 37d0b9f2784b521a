"""``python -m ltr.collect``: see `ltr.commands.collect`."""

from ltr.cli.process import run_command
from ltr.commands.collect import main

if __name__ == "__main__":
    run_command(main)
