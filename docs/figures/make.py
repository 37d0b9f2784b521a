"""``make figures DATA=DIR``: measure again what README and the pages show, fill their tables, and draw their drawings.

A file of figures holds its command and the digests of the models that were measured. It is out of date if one of them
is not the model that ships. Only such files are made again, or the ones that ``--only`` names. Without data, the tables
alone are filled, from the files that there are. A new file begins with a command and its tasks, whatever the digests.
"""

from __future__ import annotations

import argparse
import json
import re
import resource
import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(ROOT), str(HERE)]

from drawings import DRAWINGS  # noqa: E402
from tables import table  # noqa: E402

from ltr import __version__  # noqa: E402

DATA = "path/to"
"""The placeholder in commands for the folder of the data sets."""
OUT = Path("out/figures")
"""The folder under the project that the commands write into, a file each, of the same name."""
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
MARKED = re.compile(r"(<!-- figures: (.+?) -->\n).*?(<!-- end -->)", re.DOTALL)
LEFT_OUT = {"per_topic", "ms"}
"""Figures of single topics, which would make the files large, and times, which differ from run to run."""

STUDIES = ("human", "supervision", "first-five", "curves")
"""Files of figures in the order in which they are made: `first-five` measures the runs that `supervision` writes."""


def shipped() -> dict[str, str]:
    """Task -> the digest of the model that ships."""
    return {path.parent.name: read(path)["digest"] for path in sorted(ROOT.glob("models/pretrained/*/manifest.json"))}


def read(path: Path) -> Any:
    """A JSON file."""
    return json.loads(path.read_text("utf-8"))


def outdated(folder: Path, digests: Mapping[str, str]) -> list[str]:
    """The files of figures that were measured with other models than those of ``digests``."""
    models = {name: read(folder / f"{name}.json")["models"] for name in STUDIES}
    return [name for name, measured in models.items() if measured != {task: digests[task] for task in measured}]


def measure(path: Path, data: Path) -> None:
    """Run the command of a file of figures again, and keep what it finds, without the figures of single topics."""
    old, out = read(path), ROOT / OUT / path.name
    out.parent.mkdir(parents=True, exist_ok=True)
    print(f"{path.name}: {old['command']}", flush=True)
    program, *words = [word.replace(DATA, str(data.resolve())) for word in shlex.split(old["command"])]
    digests, start = shipped(), processor_time()
    subprocess.run([Path(sys.executable).with_name(program), *words], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    about = old | {"riposte": __version__, "models": {task: digests[task] for task in old["models"]}}
    about |= {"processor minutes": round((processor_time() - start) / 60, 1), "figures": aggregated(read(out))}
    text = json.dumps(about, indent=1).replace(str(data.resolve()), DATA)
    path.write_text(f"{text}\n", "utf-8")


def processor_time() -> float:
    """Seconds of processor time of all commands so far: a busy machine changes it less than the time that passes."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def aggregated(figures: Any) -> Any:
    """The figures to four decimals, without what is listed topic by topic."""
    if isinstance(figures, dict):
        lists = {name for name, value in figures.items() if name == "topics" and not isinstance(value, int)}
        return {name: aggregated(value) for name, value in figures.items() if name not in LEFT_OUT | lists}
    if isinstance(figures, list):
        return [aggregated(value) for value in figures]
    return round(figures, 4) if isinstance(figures, float) else figures


def sources() -> dict[str, Any]:
    """Name of a file of figures -> its content."""
    return {path.name: read(path) for path in HERE.rglob("*.json")}


def filled(text: str, files: Mapping[str, Any]) -> str:
    """A page with the tables that its marks ask for, such as ``<!-- figures: human.json verdict -->``."""
    return MARKED.sub(lambda mark: f"{mark[1]}{table(mark[2].split(), files)}\n{mark[3]}", text)


def changed_pages() -> Iterator[tuple[Path, str]]:
    """Pages and drawings that are not what the files of figures give, with what they should be."""
    files = sources()
    for page in PAGES:
        text = page.read_text("utf-8")
        if (new := filled(text, files)) != text:
            yield page, new
    for name, draw in DRAWINGS.items():
        path = ROOT / "docs" / "images" / name
        if (new := draw(files)) != (path.read_text("utf-8") if path.exists() else ""):
            yield path, new


def main(argv: list[str] | None = None) -> None:
    """Make what is out of date, fill the tables, and draw."""
    parser = argparse.ArgumentParser(prog="make.py", description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path, help="folder with collection, data and comparative; see docs/human.md")
    parser.add_argument("--only", choices=STUDIES, action="append", help="make this file again; may repeat")
    options = parser.parse_args(argv)
    if options.data:
        for name in options.only or outdated(HERE, shipped()):
            measure(HERE / f"{name}.json", options.data)
    if stale := outdated(HERE, shipped()):
        sys.exit(f"docs/figures: {', '.join(stale)}: of another model; run make figures DATA=path/to")
    for page, text in changed_pages():
        page.write_text(text, "utf-8")
        print(f"{page.relative_to(ROOT)}: new figures")


if __name__ == "__main__":
    main()
