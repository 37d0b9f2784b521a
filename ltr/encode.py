"""``python -m ltr.encode``: see `ltr.commands.encode`."""

from ltr.cli.process import run_command
from ltr.commands.encode import main

if __name__ == "__main__":
    run_command(main)
