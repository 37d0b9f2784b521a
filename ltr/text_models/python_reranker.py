"""``MODULE:FUNCTION`` and ``FILE.py:FUNCTION``: a function ``(question, texts) -> numbers`` of the user's.

It runs code of the user's, so it is taken from the user alone, and never from a file that is read. A module is looked
for where Python finds modules, and then in the working directory.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from ltr.errors import InputError
from ltr.text_models.rerankers import RERANKERS, FunctionReranker, Reranker

_HINT = "use MODULE:FUNCTION or FILE.py:FUNCTION, a function (question, texts) -> scores"


def open_function(name: str, threads: int = 1) -> Reranker:
    """The re-ranker or the function of that name. Raises InputError."""
    place, _, attribute = name.rpartition(":")
    try:
        module = _module(place)
    except (Exception, SystemExit) as error:  # the module is the user's: anything may be wrong with it
        reason = f"{type(error).__name__}: {error}".partition("\n")[0]
        raise InputError(name, f"the re-ranker cannot be imported ({reason})", _HINT) from error
    found = getattr(module, attribute, None)
    if isinstance(found, Reranker):
        return found
    if not callable(found):
        raise InputError(name, f"{place} has no re-ranker and no function {attribute!r}", _HINT)
    file = getattr(module, "__file__", None)
    return FunctionReranker(found, name, files=[Path(file)] if file else [])


def _module(place: str) -> ModuleType:
    """The module of that name, or in that file. Raises whatever importing it raises."""
    file = Path(place)
    if file.suffix != ".py":
        file = Path(*place.split(".")).with_suffix(".py")
        if find_spec(place.partition(".")[0]) is not None or not file.is_file():
            return import_module(place)
    spec = spec_from_file_location(f"riposte_reranker_{file.stem}", file.absolute())
    if spec is None or spec.loader is None:
        raise ModuleNotFoundError(f"{place} is no Python file")
    module = module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


RERANKERS.add("python", open_function)
