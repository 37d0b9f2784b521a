"""``python -m experiments.pool``."""

from experiments.pool.command import main
from ltr.cli.process import run_command

run_command(main)
