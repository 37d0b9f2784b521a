"""``python -m experiments.scale``."""

from experiments.scale.command import main
from ltr.cli.process import run_command

run_command(main)
