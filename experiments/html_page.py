"""Pages of one file that ask nothing of any network: what moves in them and how they look is in the file, too."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

_FOLDER = Path(__file__).parent
TEMPLATES = Environment(
    loader=FileSystemLoader(_FOLDER), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
)
"""Templates by their path in this package; what is put into them is escaped."""


def render(template: str, **names: Any) -> Markup:
    """A part of a page."""
    return Markup(TEMPLATES.get_template(template).render(names))


def html_page(template: str, styles: str, scripts: Sequence[str], data: Any, **names: Any) -> str:
    """The ``template``, which extends ``page.html``, with styles and scripts of its folder, and their ``data``."""
    folder = (_FOLDER / template).parent
    style = "".join(path.read_text("utf-8") for path in (_FOLDER / "page.css", folder / styles))
    # One scope, of its own.
    script = "\n".join(['"use strict";', "{", *((folder / one).read_text("utf-8") for one in scripts), "}"])
    # Within a script element only "<" can end it; JSON reads the escape back.
    json_text = json.dumps(data, ensure_ascii=False, allow_nan=False).replace("<", "\\u003c")
    safe = {"style": Markup(style), "script": Markup(script), "data": Markup(json_text)}
    text = render(template, style_hash=_hash(style), script_hash=_hash(script), **safe, **names)
    return text.encode("utf-8", "replace").decode("utf-8")  # a text may hold half of a character


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")
