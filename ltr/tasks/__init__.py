"""Tasks: pairs of sentences, whole arguments, documents. One file a task."""

from ltr.tasks.base import find_task, task_names

__all__ = ["find_task", "task_names"]
