"""``python -m experiments.grade``."""

from experiments.grade.command import main
from ltr.cli.process import run_command

run_command(main)
