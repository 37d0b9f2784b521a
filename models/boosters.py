"""LightGBM's boosters as text: the same whichever machine wrote it, and read only when it is whole."""

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
    import lightgbm

    return lightgbm


def booster_text(booster: Any) -> str:
    """The text of a booster, whatever made it: one thread or many, here or on a cluster."""
    return _MACHINE_LINE.sub(lambda line: f"[{line[1]}: {_MACHINE[line[1]]}]", booster.model_to_string())


def read_booster(text: str, inputs: list[str]) -> Any:
    """The booster of a text. Raises ValueError when it is damaged or knows other inputs."""
    if not _is_whole(text):
        raise ValueError("the text of the trees is not whole")
    lightgbm = lightgbm_package()
    try:
        booster = lightgbm.Booster(model_str=text)
    except lightgbm.basic.LightGBMError as error:
        raise ValueError(str(error)) from None
    if booster.feature_name() != inputs:
        raise ValueError("the trees know other features than the manifest")
    return booster


def _is_whole(text: str) -> bool:
    """Whether the trees have the lengths that the text says: LightGBM reads past its end where they do not."""
    if "\nend of parameters\n" not in text:
        return False
    head, *trees = re.split(r"(?m)^(?=Tree=\d+$)", text.partition("\nend of trees\n")[0] + "\n")
    sizes = re.search(r"(?m)^tree_sizes=(.*)$", head)
    return sizes is not None and sizes[1].split() == [str(len(tree.encode("utf-8"))) for tree in trees]
