"""``python -m experiments.ablation``."""

from experiments.ablation.command import main
from ltr.cli.process import run_command

run_command(main)
