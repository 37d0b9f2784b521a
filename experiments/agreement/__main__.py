"""``python -m experiments.agreement``."""

from experiments.agreement.command import main
from ltr.cli.process import run_command

run_command(main)
