"""What varies by task: pairs of sentences, whole arguments. One file a task; importing this package registers all."""

from ltr.tasks import arguments, pairs
from ltr.tasks.base import find_task, task_names

__all__ = ["arguments", "find_task", "pairs", "task_names"]
