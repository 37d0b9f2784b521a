"""``riposte fuse --run A --run B -o DIR``: fuse several runs into one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from ltr.cli.parser import Command
from ltr.errors import SettingError
from ltr.escapes import say
from ltr.settings import Settings, setting, shared
from ltr.settings.kinds import File, Tag


@dataclass(frozen=True, kw_only=True)
class FuseSettings(Settings):
    """Fuse the ranked lists of several runs, ours or anybody's, and write one TREC run."""

    run: tuple[Path, ...] = setting(
        File(),
        "a run: topic stance pair (or argument) rank score tag; the first says how pairs are written",
        several=True,
        default=...,
    )
    output: Path = replace(shared.OUTPUT, help="where run.txt goes")
    tag: str = setting(Tag(), "name of the run, its last column", default="fused-rrf")
    depth: int = replace(shared.DEPTH, help="pairs or arguments a topic, at most")
    task: str = shared.TASK
    plugin: tuple[Path, ...] = shared.PLUGIN


def fuse_runs(options: FuseSettings) -> int:
    """Fuse and write. Raises InputError for anything that the user can correct."""
    if len(options.run) < 2:
        raise SettingError("run", "fusion needs at least two runs", "name at least two")

    from ltr.data.fusion import fuse
    from ltr.data.runs import SIDES, read_run, run_place, validate_run, write_run
    from ltr.files import refuse_to_overwrite, refuse_twice, writable_folder
    from ltr.ranking.task import find_task

    task, output = find_task(options.task), run_place(options.output)
    refuse_twice(options.run)
    refuse_to_overwrite(output, options.run)
    runs = [read_run(path, task.kind) for path in options.run]
    rows = fuse(runs, tag=options.tag, depth=options.depth)
    # Runs of arguments have sides where they are toward the question.
    validate_run(rows, kind=task.kind, sides=task.sides or SIDES, depth=options.depth, where="fused run")
    writable_folder(options.output, "output directory")
    write_run(output, rows)
    say(f"{output}: {len(rows):,} {task.kind}s for {len({row.topic for row in rows})} topics, of {len(runs)} runs")
    return 0


main = Command("fuse", FuseSettings, fuse_runs, __file__)
