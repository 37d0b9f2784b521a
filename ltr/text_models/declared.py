"""What the files of sentence-transformers in an encoder's folder declare: pooling, prompts and the size of a vector.

``modules.json`` names the steps after the model, ``1_Pooling/config.json`` how vectors of tokens become one (by
``pooling_mode``, before version 6 by ``pooling_mode_*`` flags), ``config_sentence_transformers.json`` the prompts of
questions and texts, and ``truncate_dim``. Reimers and Gurevych 2019, https://doi.org/10.18653/v1/D19-1410; weighted
means: Muennighoff 2022, https://arxiv.org/abs/2202.08904.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Self

import numpy as np

from ltr.data.columns import read_bytes
from ltr.errors import InputError

MODULES: Final = "modules.json"
CONFIG: Final = "config_sentence_transformers.json"
POOLING: Final = Path("1_Pooling", "config.json")
LARGEST: Final = 1 << 20
"""Bytes of such a file."""

_POOLED: Final[dict[str, Callable[[Any], Any]]] = {
    "cls": lambda tokens: tokens[:, 0],
    "max": lambda tokens: tokens.max(axis=1),
    "mean": lambda tokens: tokens.mean(axis=1, dtype=np.float64),
    "mean_sqrt_len_tokens": lambda tokens: tokens.sum(axis=1, dtype=np.float64) / np.sqrt(tokens.shape[1]),
    "weightedmean": lambda tokens: np.average(
        tokens.astype(np.float64), axis=1, weights=np.arange(1, tokens.shape[1] + 1)
    ),
    "lasttoken": lambda tokens: tokens[:, -1],
}
"""Mode -> how vectors of tokens become one, in the order in which those of several modes are joined."""
_FLAGS = {f"pooling_mode_{mode}{end}": mode for mode in _POOLED for end in ("", "_token", "_tokens")}
_MODULES = {"Transformer", "Pooling", "Normalize", "Dropout"}
"""Steps that need nothing else: vectors are scaled to length 1 anyway."""
_QUESTION, _TEXT = ("query",), ("document", "passage", "corpus")
"""Names of prompts for questions and for texts; the first one that is there counts."""


@dataclass(frozen=True)
class Declared:
    """How a folder wants its model to be used; files that are absent declare the defaults."""

    pooling: tuple[str, ...] = ("mean",)
    """Modes, whose vectors are joined."""
    refused: str = ""
    """Why vectors of tokens cannot be pooled as declared; a model that returns a vector per text does it itself."""
    question: str = ""
    """Prompt before a question."""
    text: str = ""
    """Prompt before any other text."""
    size: int | None = None
    """Numbers of a vector that are kept."""
    file: Path = field(default=POOLING, repr=False)
    """The file that declares the pooling; it need not be there."""

    @classmethod
    def read(cls, folder: Path) -> Self:
        """What the files of ``folder`` declare. Raises InputError."""
        config = _json(folder / CONFIG, dict) or {}
        question, text = _prompts(folder / CONFIG, config)
        size = config.get("truncate_dim")
        if size is not None and (not isinstance(size, int) or size < 1):
            raise _wrong(folder / CONFIG, f"truncate_dim is {size!r}")
        if (kind := config.get("model_type", "SentenceTransformer")) != "SentenceTransformer":
            raise InputError(folder / CONFIG, f"declares a {kind}", "use a SentenceTransformer as encoder")
        steps = _steps(folder)
        refused = f"{MODULES} declares the step {', '.join(unknown)}" if (unknown := steps.keys() - _MODULES) else ""
        if steps and "Pooling" not in steps:
            refused = refused or f"{MODULES} declares no pooling"
        path = folder / steps.get("Pooling", POOLING.parent) / POOLING.name
        modes, prompted = _modes(path)
        if not prompted and (question or text):
            refused = refused or f"{path.relative_to(folder)} excludes prompts from pooling"
        return cls(modes, refused, question, text, size, path)

    @property
    def marker(self) -> str:
        """Part of the encoder's digest; the pooling of a folder that declares nothing else is in the digest by file."""
        plain = self.pooling in (("mean",), ("cls",)) and not (self.question or self.text or self.size)
        return "" if plain else f" {self!r}"

    def pooled(self, tokens: Any) -> Any:
        """(n_texts, n) vectors from those of (n_texts, n_tokens, size) tokens, without padding."""
        return np.hstack([_POOLED[mode](tokens) for mode in self.pooling])


def _steps(folder: Path) -> dict[str, Path]:
    """The last part of each module's type -> its folder. Raises InputError."""
    path, steps = folder / MODULES, {}
    for module in _json(path, list) or []:
        kind, where = (module.get("type"), module.get("path", "")) if isinstance(module, dict) else (None, "")
        if not isinstance(kind, str) or not isinstance(where, str):
            raise _wrong(path, "a module has no type or path")
        if Path(where).is_absolute() or ".." in Path(where).parts:
            raise _wrong(path, f"the path {where!r} leads out of the folder")
        ours = kind.startswith("sentence_transformers.")  # others are code in the folder, which is not run
        steps[kind.rpartition(".")[2] if ours else kind] = Path(where)
    return steps


def _modes(path: Path) -> tuple[tuple[str, ...], bool]:
    """The modes of pooling, and whether a prompt is pooled too. Raises InputError."""
    config = _json(path, dict) or {}
    given = config.get("pooling_mode", [mode for flag, mode in _FLAGS.items() if config.get(flag) is True] or ["mean"])
    modes = given if isinstance(given, list) else [given]
    modes += [name for name in config if name.startswith("pooling_mode_") and name not in _FLAGS and config[name]]
    if wrong := [mode for mode in modes if mode not in _POOLED]:
        raise InputError(path, f"declares the pooling {wrong[0]!r}", f"use an encoder with one of {', '.join(_POOLED)}")
    return tuple(modes), config.get("include_prompt", True) is not False


def _prompts(path: Path, config: dict[str, Any]) -> tuple[str, str]:
    """The prompts before questions and before texts. Raises InputError."""
    prompts, default = config.get("prompts") or {}, config.get("default_prompt_name")
    if not isinstance(prompts, dict) or not all(isinstance(text, str | None) for text in prompts.values()):
        raise _wrong(path, "prompts are not names with texts")
    if default is not None and default not in prompts:
        raise _wrong(path, f"there is no prompt {default!r}, which is the default")
    roles = [name for name in _QUESTION + _TEXT if prompts.get(name) is not None]
    if not roles and default is not None:
        return prompts[default] or "", prompts[default] or ""
    if not roles and any(prompts.values()):
        what = f"none of its prompts ({', '.join(prompts)}) is for questions or texts"
        raise InputError(path, what, "name those to use query and document")
    question, text = ([prompts[name] for name in names if name in roles] for names in (_QUESTION, _TEXT))
    return (question or [""])[0], (text or [""])[0]


def _json(path: Path, kind: type) -> Any:
    """What a file has; None where there is none. Raises InputError."""
    if not path.is_file():
        return None
    raw = read_bytes(path, LARGEST)
    try:
        found = json.loads(raw)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, kind):
        raise _wrong(path, "cannot be read")
    return found


def _wrong(path: Path, what: str) -> InputError:
    return InputError(path, what, "take the file of the model's authors")
