"""A stand-in for the package sentence-transformers, which keeps to its interface: the real one is large."""

from __future__ import annotations

from pathlib import Path
from typing import Any


class OfFolder:
    """What its models have in common."""

    device = "cpu"

    def __init__(
        self, folder: str, *, local_files_only: bool, trust_remote_code: bool, model_kwargs: dict[str, Any]
    ) -> None:
        assert local_files_only
        assert not trust_remote_code
        assert model_kwargs == {"use_safetensors": True}
        if not Path(folder, "model.safetensors").exists():
            raise OSError("no file named model.safetensors\nsee the manual")
