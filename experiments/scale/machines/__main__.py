"""``python -m experiments.scale.machines``."""

from experiments.scale.machines.command import main
from ltr.cli.process import run_command

run_command(main)
