"""Riposte: learning to rank for argument retrieval."""

from __future__ import annotations

from ltr.own_packages import leave_out_working_directory, refuse_other_packages

leave_out_working_directory()

# isort: split
import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ltr.evaluation.runs import evaluate as evaluate
    from ltr.plugins import load_plugin as load_plugin
    from ltr.searcher import Searcher as Searcher
    from ltr.trainer import analyse_labels as analyse_labels
    from ltr.trainer import train as train

refuse_other_packages()

# isort: split
from features.core.registry import INSTALLED, SHIPPED
from ltr.plugins import load_installed

SHIPPED.append("ltr.tasks")  # the rooms of tasks register with all registries
INSTALLED.append(load_installed)

__version__ = "0.4.0"
__all__ = ["Searcher", "__version__", "analyse_labels", "evaluate", "load_plugin", "train"]

_HOME = {
    "Searcher": "ltr.searcher",
    "evaluate": "ltr.evaluation.runs",
    "load_plugin": "ltr.plugins",
    "analyse_labels": "ltr.trainer",
    "train": "ltr.trainer",
}
"""Name -> the module that it is imported from when it is first used, so that ``import ltr`` takes no time."""


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


class _Package(ModuleType):
    def __setattr__(self, name: str, value: Any) -> None:
        # ltr/evaluate.py and ltr/train.py start commands: importing them must not replace the functions of that name.
        if name not in _HOME or not isinstance(value, ModuleType):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
