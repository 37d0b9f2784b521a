"""``python -m ltr.evaluate``: see `ltr.commands.evaluate`."""

from ltr.cli.process import run_command
from ltr.commands.evaluate import main

if __name__ == "__main__":
    run_command(main)
