"""``python -m experiments.compare``."""

from experiments.compare.command import main
from ltr.cli.process import run_command

run_command(main)
