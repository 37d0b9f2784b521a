"""``python -m ltr.explain``: see `ltr.commands.explain`."""

from ltr.cli.process import run_command
from ltr.commands.explain import main

if __name__ == "__main__":
    run_command(main)
