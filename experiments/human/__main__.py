"""``python -m experiments.human``."""

from experiments.human.command import main
from ltr.cli.process import run_command

run_command(main)
