"""Run the command."""

from experiments.pool.command import main
from ltr.cli.process import run_command

if __name__ == "__main__":
    run_command(main)
