"""``python -m experiments.compare``."""

from experiments.compare.command import main
from ltr.errors import run_command

run_command(main)
