"""``riposte fuse --run A --run B -o DIR``: fuse several runs into one."""

from __future__ import annotations

from pathlib import Path

from ltr.cli.options import Parser, add_number, add_options, tag
from ltr.errors import InputError
from ltr.escapes import say


def parser() -> Parser:
    """The command's options."""
    description = "Fuse the ranked lists of several runs, ours or anybody's, and write one TREC run."
    p = Parser("riposte fuse", description, __file__)
    run = "a run: topic stance pair (or argument) rank score tag; repeat it, the first says how pairs are written"
    p.add_argument("--run", type=Path, action="append", required=True, metavar="FILE", help=run)
    p.add_argument("-o", "--output", required=True, type=Path, metavar="DIR", help="where run.txt goes")
    name = "name of the run, its last column (default: %(default)s)"
    p.add_argument("--tag", type=tag, default="fused-rrf", metavar="TAG", help=name)
    add_number(p, "--depth", "pairs or arguments a topic, at most", 1000, 1, 1000)
    add_options(p, "--task", "--plugin")
    return p


def main(argv: list[str] | None = None) -> int:
    """Run the command. Raises InputError for anything that the user can correct."""
    options = parser().parse_args(argv)
    if len(options.run) < 2:
        raise InputError("--run", "fusion needs at least two runs", "name at least two")

    from ltr.data.files import refuse_to_overwrite, refuse_twice, writable_folder
    from ltr.data.fusion import fuse
    from ltr.data.runs import SIDES, read_run, run_place, validate_run, write_run
    from ltr.tasks import find_task

    task, output = find_task(options.task), run_place(options.output)
    refuse_twice(options.run)
    refuse_to_overwrite(output, options.run)
    runs = [read_run(path, task.unit) for path in options.run]
    rows = fuse(runs, tag=options.tag, depth=options.depth)
    # Runs of arguments have sides where they are toward the question.
    validate_run(rows, unit=task.unit, sides=task.sides or SIDES, depth=options.depth, where="fused run")
    writable_folder(options.output, "output directory")
    write_run(output, rows)
    say(f"{output}: {len(rows):,} {task.unit}s for {len({row.topic for row in rows})} topics, of {len(runs)} runs")
    return 0
