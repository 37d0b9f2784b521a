"""``python -m ltr.fuse``: see `ltr.commands.fuse`."""

from ltr.cli.process import run_command
from ltr.commands.fuse import main

if __name__ == "__main__":
    run_command(main)
