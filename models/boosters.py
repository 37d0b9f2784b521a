"""LightGBM, and its boosters as text: the same whichever machine wrote it."""

from __future__ import annotations

import os
import re
from typing import Any

_MACHINE = {"num_threads": "1", "machines": "", "local_listen_port": "12400", "eval_at": ""}
"""What a text says of the machine that made it, and what it would say of any other."""

_MACHINE_LINE = re.compile(rf"(?m)^\[({'|'.join(_MACHINE)}): .*\]$")


def lightgbm_package() -> Any:
    """LightGBM, imported when it is first needed."""
    # Idle OpenMP threads must sleep, not spin: with one core busy elsewhere, spinning makes training
    # many times slower. It has to be said before the library starts its threads.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    import lightgbm  # noqa: PLC0415 takes a second

    return lightgbm


def booster_text(booster: Any) -> str:
    """The text of a booster, whatever made it: one thread or many, here or on a cluster."""
    return _MACHINE_LINE.sub(lambda line: f"[{line[1]}: {_MACHINE[line[1]]}]", booster.model_to_string())
