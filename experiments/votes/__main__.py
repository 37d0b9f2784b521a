"""``python -m experiments.votes``."""

from experiments.votes.command import main
from ltr.cli.process import run_command

run_command(main)
