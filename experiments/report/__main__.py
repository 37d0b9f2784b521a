"""``python -m experiments.report``."""

from experiments.report.command import main
from ltr.errors import run_command

run_command(main)
