"""``python -m experiments.scale``."""

from experiments.scale.command import main
from ltr.errors import run_command

run_command(main)
