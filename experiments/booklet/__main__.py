"""``python -m experiments.booklet``."""

from experiments.booklet.command import main
from ltr.cli.process import run_command

run_command(main)
