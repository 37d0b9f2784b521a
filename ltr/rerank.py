"""``python -m ltr.rerank``: see `ltr.commands.rerank`."""

from ltr.cli.process import run_command
from ltr.commands.rerank import main

if __name__ == "__main__":
    run_command(main)
