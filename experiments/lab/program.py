"""The command line that the laboratory's programs share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ltr.cli.parser import Command
from ltr.settings import Settings, setting
from ltr.settings.kinds import FOLDER, File

DATA = setting(FOLDER, "folder of the labelled data sets", default=...)
BERT = setting(
    FOLDER, "of the BERT family: config.json, model.safetensors, tokenizer.json", "-m", "--model", default=...
)
LEFT_OUT = setting(
    File(), "topics whose questions are left out: XML, .tsv, or a folder of such files", default=..., several=True
)


class Program(Command[Any]):
    """A command that is run as a module, which has it as ``main``."""

    prefix = "python -m experiments.lab."

    def __init__(self, file: str, run: Callable[[Any], int | None], description: str, **settings: Any) -> None:
        """``file`` is that of the module: below the options stands the text of a .txt file of its name."""
        path = Path(file)
        kinds = {"__doc__": description, "__annotations__": dict.fromkeys(settings, Any), **settings}
        options: type[Any] = dataclass(frozen=True, kw_only=True)(type("Options", (Settings,), kinds))
        name = path.parent.name if path.stem == "__main__" else path.stem
        super().__init__(name, options, run, file if path.with_suffix(".txt").exists() else "")
