"""``python -m ltr.train``: see `ltr.commands.train`."""

from ltr.cli.process import run_command
from ltr.commands.train import main

if __name__ == "__main__":
    run_command(main)
