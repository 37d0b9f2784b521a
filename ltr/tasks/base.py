"""The registry of tasks."""

from __future__ import annotations

from features.core.registry import Registry
from ltr.ranking.task import Task

TASKS: Registry[Task] = Registry("task", "ltr.tasks")


def register(task: Task) -> None:
    """Add a task, which ``--task`` offers from then on. Raises ValueError when the name is taken."""
    TASKS.add(task.name, task)


def task_names() -> list[str]:
    """Names for ``--task``."""
    return sorted(TASKS.search(), reverse=True)


def find_task(name: str) -> Task:
    """The task of that name. Raises KeyError with the known names."""
    return TASKS.find(name)
