"""``python -m experiments.argumentative --data DIR``: learn the weights behind the feature ``argumentative``."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ltr.cli import Parser, whole_number
from ltr.errors import InputError, run_command

if TYPE_CHECKING:  # numpy and scikit-learn are slow to import, and --help should not wait for them
    from experiments.debate_texts import Example
    from features.argumentative import Weights
