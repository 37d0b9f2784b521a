"""HTML pages in one file, scripts and styles included, that load nothing from a network."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from ltr.escapes import harmless
from ltr.web import page

_FOLDER = Path(__file__).parent
SHARED = Path(page.__file__).parent
"""Styles and scripts that these pages share with the page of riposte serve."""

TEMPLATES = Environment(
    loader=FileSystemLoader(_FOLDER), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
)
"""Templates by their path in this package; values are escaped."""


def render(template: str, names: Mapping[str, Any]) -> Markup:
    """A part of a page: the template with its names filled in."""
    return Markup(TEMPLATES.get_template(template).render(names))


def html_page(template: str, styles: Sequence[str], scripts: Sequence[str], data: Any, names: Mapping[str, Any]) -> str:
    """The ``template``, which extends ``page.html``, with ``names`` filled in.

    Styles and scripts come from its folder or are shared with other pages; scripts read the ``data``.
    """
    folder = (_FOLDER / template).parent

    def read(name: str) -> str:
        return ((SHARED if (SHARED / name).exists() else folder) / name).read_text("utf-8")

    style = "".join(map(read, ("base.css", *styles)))
    # One scope, of its own.
    script = "\n".join(['"use strict";', "{", *map(read, scripts), "}"])
    # Within a script element only "<" can end it; JSON reads the escape back.
    json_text = json.dumps(data, ensure_ascii=False, allow_nan=False).replace("<", "\\u003c")
    safe = {"style": Markup(style), "script": Markup(script), "data": Markup(json_text)}
    text = render(template, {**names, **safe, "style_hash": _hash(style), "script_hash": _hash(script)})
    return harmless(text)


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")
