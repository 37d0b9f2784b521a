"""Run a notebook and turn it into a page: ``python docs/notebooks.py`` writes the outputs of docs/notebook.ipynb anew.

Cells are Python without magics. An output is what the last expression of a cell shows, and what it prints.
"""

from __future__ import annotations

import ast
import io
import json
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

NOTEBOOK = Path(__file__).with_name("notebook.ipynb")


def run(notebook: dict[str, Any]) -> list[list[dict[str, Any]]]:
    """The outputs of each code cell, as notebooks keep them."""
    names: dict[str, Any] = {}
    return [outputs("".join(cell["source"]), names) for cell in notebook["cells"] if cell["cell_type"] == "code"]


def outputs(source: str, names: dict[str, Any]) -> list[dict[str, Any]]:
    """Run one cell and return its outputs."""
    names["_"], body = None, ast.parse(source).body
    if isinstance(last := body[-1], ast.Expr):
        body[-1] = ast.copy_location(ast.Assign([ast.Name("_", ast.Store())], last.value), last)
    with redirect_stdout(io.StringIO()) as printed:
        exec(compile(ast.fix_missing_locations(ast.Module(body, [])), "cell", "exec"), names)
    shown = names["_"]
    found: list[dict[str, Any]] = []
    if text := printed.getvalue():
        found.append({"name": "stdout", "output_type": "stream", "text": text.splitlines(keepends=True)})
    if shown is not None:
        data = {"text/plain": repr(shown).splitlines(keepends=True)}
        if html := getattr(shown, "_repr_html_", lambda: None)():
            data = {"text/html": html.splitlines(keepends=True), **data}
        found.append({"data": data, "execution_count": None, "metadata": {}, "output_type": "execute_result"})
    return found


def page(notebook: dict[str, Any]) -> str:
    """The notebook with its outputs as Markdown."""
    parts = []
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        parts.append(source if cell["cell_type"] == "markdown" else f"```python\n{source}\n```")
        for output in cell.get("outputs", ()):
            data = output.get("data", {"text/plain": output.get("text")})
            html = "text/html" in data
            text = "".join(data["text/html" if html else "text/plain"])
            parts.append(f"```{{raw}} html\n{text}\n```" if html else f"```text\n{text}\n```")
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    notebook = json.loads(NOTEBOOK.read_text("utf-8"))
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    for cell, found in zip(code, run(notebook), strict=True):
        cell["outputs"] = found
    NOTEBOOK.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", "utf-8")
