"""`ltr.train` and `ltr.analyse_labels`: training from Python, with the settings of the command."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas as pd

from ltr.errors import SettingError
from ltr.learning.given import as_files
from ltr.learning.result import TrainedModel
from ltr.learning.run import Training
from ltr.learning.settings import TrainingSettings
from ltr.parallel import Workers
from ltr.plugins import plugins_of_call
from ltr.progress import Logged
from ltr.settings import make


def train(
    corpus: str | Path | None = None,
    *,
    plugins: str | Path | Iterable[str | Path] = (),
    **settings: Any,
) -> TrainedModel:
    """Train a model as ``riposte train`` does; the settings are its options, with ``_`` for ``-``.

    Parameters
    ----------
    corpus : str or Path, optional
        As for ``riposte train -i``, with ``topics``; by default the sample.
    plugins : file, or list of files
        Python files that add features, labelling functions, rankers, ...
    encoder : str, Path or function
        Encoder of a second step: a folder, ``"shipped"`` or a function with a ``name``; by default there is one step.
    topics, qrels, quality_qrels : file, or list of files
        Training topics; judgments of whole arguments or documents, in relevance and in quality.
    pair_qrels, votes : dict
        Files, or lists of them, of graded pairs by dimension, of votes by ``"name:dimension"``.
    **settings
        All others, such as ``task``, ``index``, ``sources``, ``objective``, ``trees``, ``folds``, ``seed``, ``jobs``,
        ``held_out``: numbers, words, or lists of words; ``blend`` is a name or a dict of weights.

    Returns
    -------
    TrainedModel
        Held-out figures as DataFrames, and the model to save.

    Raises
    ------
    InputError
        For everything that can be corrected.
    """
    with _training(corpus, plugins, settings) as (training, workers):
        return training.run(workers)


def analyse_labels(
    corpus: str | Path | None = None, *, plugins: str | Path | Iterable[str | Path] = (), **settings: Any
) -> pd.DataFrame:
    """How vote files and labelling functions vote, as ``riposte train --explain-labels`` prints it.

    Parameters
    ----------
    corpus, plugins, **settings
        As for `train`.

    Returns
    -------
    DataFrame
        A row a dimension and voter: shares of the items that it votes on (``coverage``), that others vote on too
        (``overlaps``) and where they vote the other way (``conflicts``), its correlation with the other votes and with
        trusted grades, and its weight.

    Raises
    ------
    InputError
        For everything that can be corrected.
    """
    if settings.get("held_out") is not None:
        raise SettingError("held_out", "labels are analysed without a training", "leave it out")
    with _training(corpus, plugins, settings) as (training, workers):
        return pd.concat(training.label_rows(workers)[1], names=["dimension"]).drop(columns="worst")


@contextmanager
def _training(
    corpus: str | Path | None, plugins: str | Path | Iterable[str | Path], given: Mapping[str, Any]
) -> Iterator[tuple[Training, Workers]]:
    """The training that keywords describe, for the time of a call."""
    for name, other in (("plugin", "plugins"), ("input", "corpus")):
        if name in given:
            raise SettingError(name, "is a word of the command line", f"name {other}")
    named = {**given, **({} if corpus is None else {"input": corpus})}
    with (
        plugins_of_call([plugins] if isinstance(plugins, str | Path) else plugins),
        as_files(make(TrainingSettings, named, "train")) as settings,
        settings.open_workers(settings.jobs) as workers,
    ):
        yield Training(settings, Logged()), workers
