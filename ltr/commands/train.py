"""``riposte train``: train a model on judgments."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ltr.cli.parser import Command, finish, open_progress
from ltr.escapes import say
from ltr.learning.settings import TrainingSettings
from ltr.settings import refuse_both, setting, shared
from ltr.settings.kinds import FOLDER, Switch


@dataclass(frozen=True, kw_only=True)
class TrainSettings(TrainingSettings, shared.Timed):
    """Train a model on judgments of arguments, graded pairs or documents, votes, or weak labels alone. Without options:
    on the sample."""

    model: Path = setting(FOLDER, "folder of the model", "-m", "--model", default=Path("model"))
    explain_labels: bool = setting(
        Switch(),
        "print how every vote file and labelling function votes, with the worst disagreements, and stop",
        default=False,
    )
    dry_run: bool = shared.DRY_RUN

    def __post_init__(self) -> None:
        super().__post_init__()
        refuse_both(self, "explain_labels", "held_out")


def train_model(options: TrainSettings) -> int:
    """Train and save. Raises InputError for anything that the user can correct."""
    from ltr.learning.run import Training

    progress = open_progress(options)
    training = Training(options, progress, model=options.model, dry_run=options.dry_run)
    if options.dry_run:
        say(*training.plan())
        return 0
    with options.open_workers(options.jobs) as workers:
        if options.explain_labels:
            say(*training.label_tables(workers).split("\n"))
            return 0
        trained = training.run(workers)
    trained.save(options.model)
    say(*str(trained).split("\n"), "", f"model: {options.model}")
    return finish(options, progress)


main = Command("train", TrainSettings, train_model)
