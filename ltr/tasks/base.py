"""The registry of tasks."""

from __future__ import annotations

from ltr.pipeline.task import Task

_TASKS: dict[str, Task] = {}


def register(task: Task) -> None:
    """Make ``--task`` know it."""
    if task.name in _TASKS:
        raise ValueError(f"task {task.name!r} is registered twice")
    _TASKS[task.name] = task


def task_names() -> list[str]:
    """What ``--task`` takes."""
    return sorted(_TASKS, reverse=True)


def find_task(name: str) -> Task:
    """The task of that name. Raises KeyError with the known names."""
    if name not in _TASKS:
        raise KeyError(f"no task {name!r}; known: {', '.join(task_names())}")
    return _TASKS[name]
