"""What varies by task: pairs of sentences, whole arguments. One file a task."""

from ltr.tasks.base import find_task, task_names

__all__ = ["find_task", "task_names"]
