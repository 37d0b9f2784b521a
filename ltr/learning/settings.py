"""The settings of a training: ``riposte train``, `ltr.train` and the studies hold them, and a manifest records them.

Imports nothing heavy, so that ``--help`` is instant.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ltr.errors import InputError, SettingError
from ltr.settings import setting
from ltr.settings.kinds import COUNT, FOLDER, GRADES, TOPICS, Choice, File, Model, Names, Number, Text
from ltr.settings.shared import PAIR_QRELS, SAMPLE, SEED, VOTES, Blending, Sharing, Work
from models import defaults
from models.defaults import COLUMNS, DIMENSIONS, NO_ENCODER, RECIPES, SHIPPED_ENCODER, TREES

if TYPE_CHECKING:
    from ltr.text_models.encoders import Encoder

PARAMETERS = ("trees", "columns", "seeds", "seed")
"""Settings that are parameters of a ranker, where it has them."""


@dataclass(frozen=True, kw_only=True)
class LearningSettings(Work):
    """What rankers learn from, how large they are, and how topics are held out: of trainings and studies."""

    input: str | None = SAMPLE
    topics: tuple[Path, ...] = setting(TOPICS, "training topics XML", several=True)
    qrels: tuple[Path, ...] = setting(GRADES, "judgments of arguments or documents (qid 0 id grade)", several=True)
    quality_qrels: tuple[Path, ...] = setting(GRADES, "judgments of their quality", several=True)
    pair_qrels: tuple[tuple[str, Path], ...] = PAIR_QRELS
    encoder: Any = setting(
        Model(metavar="FOLDER", objects=True),
        "train a second step with this encoder: a folder with model.onnx and tokenizer.json, or "
        f"{SHIPPED_ENCODER!r} (default: one step)",
        default=NO_ENCODER,
    )
    trees: int | None = setting(Number(1, 5000), f"trees of a ranker (default: {TREES})")
    columns: int = setting(Number(), "feature columns that each ranker keeps; 0 keeps all", default=COLUMNS)
    folds: int = setting(Number(2, 100), "parts of the cross-validation", default=5)

    def open_encoder(self) -> Encoder | None:
        """The encoder of a second step; None where there is one step. Raises InputError."""
        from ltr.text_models.encoders import open_encoder  # noqa: PLC0415 imports pandas

        return None if self.encoder == NO_ENCODER else open_encoder(self.encoder)


@dataclass(frozen=True, kw_only=True)
class TrainingSettings(LearningSettings, Blending, Sharing):
    """What a model is trained on, and how."""

    votes: tuple[tuple[str, str, Path], ...] = VOTES
    sources: tuple[str, ...] | None = setting(
        Names(),
        "sources of labels, comma-separated: distant (judgments of arguments), weak (labelling functions), graded "
        "(graded items), votes (--votes). Default: all that are given; from 200 graded pairs on, relevance learns from "
        "them and from --votes alone",
    )
    recipe: str | None = setting(
        Choice(tuple(RECIPES)),
        "weak: --sources distant,weak --objective regression, on all topics, judged or not; grades only measure",
    )
    labels: tuple[str, ...] | None = setting(Names(), "labelling functions, comma-separated (default: all)")
    grade_scale: int | None = setting(
        COUNT, "highest grade that judges and voters could give (default: the highest in each dimension's files)"
    )
    drop: tuple[str, ...] = setting(
        Text(), "train without a feature group, a feature or a column; baselines in the blend keep theirs", several=True
    )
    objective: str | None = setting(
        Choice("models.base:objectives"),
        "what a ranker minimises: both, lambdarank, regression, linear, or that of a plug-in. Trees: LambdaMART's "
        "loss, the squared error of grades, or both, averaged; linear: ridge regression (default: regression for "
        "pairs, both for other tasks)",
    )
    seeds: int | None = setting(Number(1, 100), "models of each objective to average (default: 1)")
    like: Path | None = setting(
        FOLDER,
        "train again by the settings in the manifest of this model; files are named anew, and other options replace "
        "its settings",
        "--as",
    )
    held_out: Path | None = setting(
        File(), "write the run of the training topics there, whole lists, each ranked by rankers that did not see it"
    )
    seed: int = SEED

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in RECIPES.get(self.recipe or "", {}):
            if getattr(self, name) is not None:
                raise SettingError("recipe", f"{self.recipe} sets {name} itself", "leave one of them out")

    @property
    def chosen(self) -> Mapping[str, Any]:
        """``sources`` and ``objective``, by the recipe where there is one."""
        return {"sources": self.sources, "objective": self.objective} | RECIPES.get(self.recipe or "", {})

    @classmethod
    def complete(cls, given: Mapping[str, Any]) -> dict[str, Any]:
        """What is given, and beside it what the manifest of the model ``like`` records. Raises InputError."""
        like = given.get("like")
        if not isinstance(like, str | Path):
            return dict(given)
        path = Path(like) / "manifest.json"
        try:
            recorded = settings_of(json.loads(path.read_text("utf-8")))
        except (OSError, ValueError, LookupError, TypeError, AttributeError):
            raise InputError(path, "this is not the manifest of a model", "name the folder of a model") from None
        if "encoder" not in given and recorded.get("encoder") == "":
            raise SettingError("encoder", "the model was trained with an encoder of its own", "name its folder")
        replaced = _replaced(given)
        if "recipe" in replaced:
            recorded = RECIPES.get(recorded.get("recipe", ""), {}) | recorded
        return {name: value for name, value in recorded.items() if name in cls.fields().keys() - replaced} | dict(given)


def _replaced(given: Mapping[str, Any]) -> set[str]:
    """The recorded settings that those which are ``given`` replace beside their own."""
    replaced = {other for name, others in _REPLACES.items() if given.get(name) is not None for other in others}
    if (objective := given.get("objective")) is not None:
        from models.base import make_parameters, objectives  # noqa: PLC0415 imports pandas

        known = vars(make_parameters(objective)) if objective in objectives() else PARAMETERS
        replaced |= {name for name in PARAMETERS if name not in known}
    return replaced


def settings_of(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that a manifest records, but for files. An encoder that does not ship is an empty name."""
    known = {name: manifest["parameters"][name] for name in PARAMETERS if name in manifest["parameters"]}
    found = {"task": manifest["task"], "folds": len(manifest["cross_validation"]["folds"]), **known}
    found |= {name: manifest[recorded] for name, recorded in _RECORDED.items() if recorded in manifest}
    sources, weights = manifest["sources"], manifest["blend"]["weights"]
    if "recipe" not in manifest:
        found["objective"] = manifest["parameters"]["objective"]
        if not sources["grades_alone"]:
            found["sources"] = [name for name in ("distant", "weak", "graded", "votes") if sources[name]]
    if sources["functions"]:
        found["labels"] = sources["functions"]
    if [weight for weight in weights.values() if weight] == [1]:  # baselines have no weight beside it
        found["dimension"] = next(name for name, weight in weights.items() if weight)
    else:
        found["blend"] = {name: weights.get(name, 0) for name in DIMENSIONS}  # those without labels were left out
    if "encoder" in manifest:
        shipped = json.loads((PRETRAINED / "pairs" / "manifest.json").read_text("utf-8"))["encoder"]["digest"]
        found["encoder"] = SHIPPED_ENCODER if manifest["encoder"]["digest"] == shipped else ""
    return found


PRETRAINED = Path(defaults.__file__).parent / "pretrained"

_RECORDED = {"recipe": "recipe", "drop": "dropped", "grade_scale": "grade_scale"}
"""Setting -> its name in a manifest that has it."""
_REPLACES = {
    "dimension": ["blend"],
    "blend": ["dimension"],
    "recipe": ["sources", "objective"],
    "sources": ["recipe"],
    "objective": ["recipe"],
}
"""Setting -> recorded ones that do not go with it."""
