"""``python -m ltr.predict``: see `ltr.commands.predict`."""

from ltr.cli.process import run_command
from ltr.commands.predict import main

if __name__ == "__main__":
    run_command(main)
