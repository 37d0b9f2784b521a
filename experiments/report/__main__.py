"""``python -m experiments.report``."""

from experiments.report.command import main
from ltr.cli.process import run_command

run_command(main)
