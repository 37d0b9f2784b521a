"""``python -m experiments.learned.side``."""

from experiments.learned.side.command import main
from ltr.cli.process import run_command

run_command(main)
