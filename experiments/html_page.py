"""Pages of one file that ask nothing of any network: what moves in them and how they look is in the file, too."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Sequence
from html import escape
from pathlib import Path
from string import Template
from typing import Any

_FOLDER = Path(__file__).parent


def html_page(
    folder: Path, name: str, scripts: Sequence[str], title: str, data: Any, blobs: str = "", **body: Any
) -> str:
    """``name``.html of the ``folder`` filled with ``body``, with ``name``.css, the scripts and their ``data``."""
    style = "".join(path.read_text("utf-8") for path in (_FOLDER / "page.css", folder / f"{name}.css"))
    # One scope, of its own.
    script = "\n".join(['"use strict";', "{", *((folder / one).read_text("utf-8") for one in scripts), "}"])
    text = Template((_FOLDER / "page.html").read_text("utf-8")).substitute(
        title=escape(title),
        style=style,
        script=script,
        style_hash=_hash(style),
        script_hash=_hash(script),
        body=Template((folder / f"{name}.html").read_text("utf-8")).substitute(body),
        # Within a script element only "<" can end it; JSON reads the escape back.
        data=json.dumps(data, ensure_ascii=False, allow_nan=False).replace("<", "\\u003c"),
        blobs=blobs,
    )
    return text.encode("utf-8", "replace").decode("utf-8")  # a text may hold half of a character


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")
