"""Model folders: a JSON manifest, and trees as LightGBM text. Loading one executes nothing in it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib.metadata import version
from itertools import chain
from pathlib import Path
from typing import Any

from features.core.feature import ItemKind, column_features
from features.core.text import Analyzer
from ltr.errors import InputError
from ltr.files import atomic_folder, manifest_digest, read_whole, writable_folder
from ltr.index.folder import refuse_outputs
from ltr.model_folder.card import CARD, OF_HEAD, model_card
from ltr.plugins import blame_plugin, changed_plugins, check_plugins, plugins_used
from ltr.ranking.steps import Grader
from ltr.ranking.task import Task
from ltr.retrieval.base import CandidateConfig
from ltr.text_models.encoders import SHIPPED, Encoder
from models.base import RANKERS, Ranker, make_ranker, rankers
from models.blend import Blend
from models.defaults import WEIGHT_RANGE, valid_weights
from models.learned import LearnedRanker

FORMAT = 5
MANIFEST = "manifest.json"
VOTED = "voted on in files"
"""In a manifest, the name of the number of labels from vote files."""
_HINT = "train it again, or name another model"
PRETRAINED = Path(__file__).resolve().parents[2] / "models" / "pretrained"


@dataclass(frozen=True)
class LoadedModel:
    """A blend of rankers, and what it expects of the index and of the first stage."""

    name: str | None
    """Name of a baseline or path of a model folder, or what was given; None: the model that ships."""
    blend: Blend
    """The rankers of a trained model; a baseline is a blend of one."""
    config: CandidateConfig
    """Number of candidates that the first stage proposes."""
    manifest: Mapping[str, Any] | None = None
    """Record of the training; None for a baseline."""
    encoder: Encoder | None = None
    """The encoder of the second step; None where there is none."""

    @property
    def description(self) -> str:
        """Which ranker this is, and how it was trained, in a line."""
        if self.manifest is None:
            return f"the {'baseline' if self.name in rankers() else 'ranker'} {self.name}"
        return f"{self.name or 'the model that ships'} ({self.training})"

    @property
    def second_step(self) -> Encoder | None:
        """The encoder that scores depend on, as those of a second step do; None where they do not."""
        return self.encoder if self.blend.needs_encoder else None

    @property
    def grader(self) -> Grader:
        """The rankers with the encoder that they need."""
        return Grader(self.blend, self.second_step)

    @property
    def training(self) -> str:
        """The training, and the encoder that ranks, in a line; empty for a baseline."""
        if self.manifest is None:
            return ""
        trained, encoder = training_of(self.manifest), self.manifest.get("encoder")
        if encoder is None:
            return trained
        if self.encoder is None:
            return f"{trained}, without encoder"
        ships = self.encoder.name == str(SHIPPED)
        return f"{trained}, with {'the encoder that ships' if ships else 'encoder ' + encoder['name']}"

    def other_versions(self) -> list[str]:
        """Libraries behind features whose version differs from that in training."""
        trained, names = (self.manifest or {}).get("versions", {}), ("PyStemmer", "spacy", "textstat")
        here = {name: version(name) for name in names if name in trained}
        other = [f"{name} {trained[name]} (here {found})" for name, found in here.items() if found != trained[name]]
        return other + changed_plugins((self.manifest or {}).get("plugins", {}))

    @property
    def tag(self) -> str:
        """Default name of a run by this model."""
        return "riposte" if self.manifest is not None else f"riposte-{self.name}"

    def reweighted(self, weights: Mapping[str, float]) -> LoadedModel:
        """The same model with other weights of its dimensions, each 0 or in `WEIGHT_RANGE`. Raises InputError."""
        if not self.blend.dimensions:
            raise InputError("weights", f"{self.name} has no dimensions", "leave the weights out")
        if not (isinstance(weights, Mapping) and valid_weights(weights.values())):
            low, high = WEIGHT_RANGE
            hint = f"give each dimension 0, or from {low:g} to {high:,}"
            raise InputError("weights", f"{weights} are not weights of dimensions", hint)
        try:
            return replace(self, blend=self.blend.reweighted(weights))
        except KeyError as error:
            what = f"the model has no ranker of {error.args[0]}"
            raise InputError(self.name or "the model that ships", what, "weigh other dimensions") from None


def training_of(manifest: Mapping[str, Any]) -> str:
    """One line about the training of a model, from its manifest: its labels in the dimension that has most."""
    folds = manifest.get("cross_validation", {}).get("folds", [])
    labels = manifest.get("labels", {}).values()
    kinds = {"graded": "graded", VOTED: "voted", "weakly labelled": "weak"}
    most = {kind: max((of.get(what, 0) for of in labels), default=0) for what, kind in kinds.items()}
    counted = ", ".join(f"{count:,} {kind}" for kind, count in most.items() if count)
    said = " and ".join(counted.rsplit(", ", 1))
    topics = f" on {sum(map(len, folds))} topics" if folds else ""
    return f"trained{topics}" + (f" with {said} labels" if said else "")


def bundle_of(task: Task, model: Blend, facts: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
    """The manifest of ``model`` with ``facts`` on its training, and its files. Raises InputError as a plug-in fails."""
    trained = {name: ranker for name, ranker in model.rankers.items() if isinstance(ranker, LearnedRanker)}
    steps = trained | {f"{OF_HEAD}{name}": ranker for name, ranker in model.head.items()}
    files = {f"{name}-{file}": text for name, ranker in steps.items() for file, text in ranker.dump().items()}
    settings = {}
    for name, ranker in steps.items():
        with blame_plugin(type(ranker).__module__):  # whose settings may not be JSON
            settings[name] = json.loads(json.dumps(ranker.settings()))
    every = *model.rankers.values(), *model.head.values()
    used = dict.fromkeys(chain(model.reader_weights, *(ranker.columns for ranker in every)))
    manifest = {
        "format": FORMAT,
        "task": task.name,
        "features": {column: column_features(task.kind)[column].version for column in used},
        "blend": {"weights": model.weights, **({"reading": model.reading} if model.reading else {})},
        "rankers": settings,
        "files": {name: hashlib.sha256(text.encode("utf-8")).hexdigest() for name, text in sorted(files.items())},
        **facts,
    }
    makers = [type(one).__module__ for one in (task, *every)]
    if plugins := plugins_used([*makers, *(column_features(task.kind)[name].compute.__module__ for name in used)]):
        manifest["plugins"] = plugins
    manifest["digest"] = manifest_digest(manifest)
    return manifest, files


def save_bundle(folder: Path, manifest: Mapping[str, Any], files: Mapping[str, str]) -> None:
    """Write what `bundle_of` gives, and a card for people, to ``folder``, whole or not at all."""
    refuse_other_files(folder)
    with atomic_folder(folder) as part:
        for name, text in files.items():
            (part / name).write_text(text, "utf-8", newline="\n")
        text = json.dumps(manifest, indent=1, sort_keys=True, ensure_ascii=False)
        (part / MANIFEST).write_text(text + "\n", "utf-8", newline="\n")
        (part / CARD).write_text(model_card(json.loads(text)), "utf-8", newline="\n")


def load_bundle(folder: Path, task: Task, *, threads: int = 1) -> LoadedModel:
    """Read a model folder back. Raises InputError when anything in it is not as it was saved."""
    path = folder / MANIFEST
    try:
        manifest = json.loads(read_whole(path).decode("utf-8"))
    except InputError:
        raise
    except (OSError, ValueError, RecursionError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(path, f"the manifest cannot be read ({reason})", _HINT) from None
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise InputError(path, f"this is not a model of format {FORMAT}", _HINT)
    if manifest.get("digest") != manifest_digest(manifest):
        raise InputError(path, "the manifest was changed after training (its digest differs)", _HINT)
    check_plugins(path, manifest.get("plugins", {}))
    if manifest.get("task") != task.name:
        raise InputError(
            folder, f"the model is for the task {manifest.get('task')}", "name that task, or another model"
        )
    try:
        return _bundle(folder, manifest, task, threads)
    except InputError:
        raise
    except (ValueError, TypeError, AttributeError, ArithmeticError, LookupError, RuntimeError) as error:
        raise InputError(folder, f"the model cannot be read ({error})", _HINT) from None


def _bundle(folder: Path, manifest: dict[str, Any], task: Task, threads: int) -> LoadedModel:
    """The model of a manifest whose digest fits."""
    if manifest["analysis"] != Analyzer().settings():
        raise ValueError("its words were analysed in another way")
    _check_versions(folder / MANIFEST, manifest["features"], task.kind)
    files = _read_files(folder, manifest["files"])
    trained = {name: _load_ranker(name, how, files, threads) for name, how in manifest["rankers"].items()}
    first: dict[str, Ranker] = {name: trained[name] for name in trained if not name.startswith(OF_HEAD)}
    head = {name.removeprefix(OF_HEAD): ranker for name, ranker in trained.items() if name not in first}
    weights = manifest["blend"]["weights"]
    if not first or not set(head) <= set(first) <= set(task.dimensions):
        raise ValueError("its rankers are for other dimensions")
    # A ranker of the task that learns nothing has a weight but was not trained.
    first |= {name: make_ranker(name, kind=task.kind) for name in sorted(set(weights) - set(first))}
    if not valid_weights([1, reading := manifest["blend"].get("reading", 0)]):
        raise ValueError(f"its reader has no weight from {WEIGHT_RANGE[0]:g} to {WEIGHT_RANGE[1]:,}")
    model = Blend(first, weights, head, bool(manifest.get("expected_grades")), reading)
    config = CandidateConfig(**manifest["candidates"])
    return LoadedModel(str(folder), model, config, manifest)


def _load_ranker(name: str, settings: dict[str, Any], files: dict[str, str], threads: int) -> LearnedRanker:
    """The ranker of a dimension. Raises ValueError for an unknown kind, and what its ``load`` raises."""
    kind = RANKERS.search().get(settings["ranker"])
    if kind is None or not kind.objectives:
        raise ValueError(f"no learned ranker {settings['ranker']!r}")
    of_ranker = {file.removeprefix(f"{name}-"): text for file, text in files.items() if file.startswith(f"{name}-")}
    return kind.make.load(settings, of_ranker, threads=threads)  # type: ignore[attr-defined]


def _read_files(folder: Path, digests: dict[str, str]) -> dict[str, str]:
    files = {}
    for name, digest in digests.items():
        try:
            raw = read_whole(folder / name)
        except OSError:
            raise InputError(folder / name, "this file of the model is missing", _HINT) from None
        if hashlib.sha256(raw).hexdigest() != digest:
            raise InputError(folder / name, "this file was changed after training (its SHA-256 differs)", _HINT)
        files[name] = raw.decode("utf-8")
    return files


def _check_versions(path: Path, versions: dict[str, int], kind: ItemKind) -> None:
    """Raise InputError for a column of the model that is not registered here, or in another version."""
    features = column_features(kind)
    for column, version_of in versions.items():
        if column not in features:
            what = f"the model needs the feature column {column!r}, which is not registered here"
            raise InputError(path, what, _HINT)
        if features[column].version != version_of:
            what = f"the feature column {column!r} has version {features[column].version} here, and {version_of}"
            raise InputError(path, f"{what} in the model", _HINT)


def check_model_place(folder: Path, index: Path, *, make: bool = True) -> None:
    """Raise InputError when no model can be saved in ``folder``, or the ``index`` lies in it."""
    refuse_other_files(folder)
    refuse_outputs(folder, [index], "model")  # a model's folder is replaced whole
    if make:
        writable_folder(folder.absolute().parent, "place of the model")


def refuse_other_files(folder: Path) -> None:
    """Raise InputError when ``folder`` holds something that saving a model there would delete."""
    ours = set[str]()
    # Other programs name their files manifest.json too, our index among them.
    with suppress(OSError, ValueError, KeyError, TypeError):
        manifest = json.loads(read_whole(folder / MANIFEST))
        ours = {MANIFEST, CARD, *manifest["files"]} if "digest" in manifest else ours
    if folder.exists() and (not folder.is_dir() or {path.name for path in folder.iterdir()} - ours):
        raise InputError(folder, "this is neither empty nor a model of ours", "name an empty or new directory")
