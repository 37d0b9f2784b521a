"""Write into NOTICE which packages Riposte installs, and the licence that each states.

What the packages say of themselves is read from where they are installed; one that only another system needs keeps the
line that NOTICE has.
"""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, metadata

from experiments.release.lock import ROOT, direct_requirements, read_lock, read_project, select
from ltr.cli.options import Parser
from ltr.cli.process import run_command
from ltr.data.files import atomic_text
from ltr.errors import InputError

NOTICE = ROOT / "NOTICE"
ALWAYS = "Packages that an installation of Riposte brings, and the licence that each states (written by `make notice`):"
EXTRAS = "Packages that its extras bring besides, without those of who works on Riposte itself:"


def stated_licence(package: str) -> str | None:
    """The licence that an installed package states; None if it is not installed."""
    try:
        stated = metadata(package)
    except PackageNotFoundError:
        return None
    (line, *_) = stated.get_all("License-Expression") or stated.get_all("License") or [""]
    if line and "\n" not in line:  # some put the whole text there
        return str(line)
    classifiers = stated.get_all("Classifier") or []
    return ", ".join(name.rpartition(" :: ")[2] for name in classifiers if name.startswith("License")) or None


def with_licences(notice: str) -> str:
    """The text of NOTICE with its lists made anew. Raises InputError for a package whose licence is not known."""
    own, _, lists = notice.partition(ALWAYS)
    known = dict(line.split(maxsplit=1) for line in lists.splitlines() if line.startswith("  "))
    pins, project = read_lock(), read_project()
    default = {pin.name for pin in select(pins, direct_requirements(project))}
    every = {pin.name for pin in select(pins, direct_requirements(project, "all"))}
    parts = [own.rstrip("\n")]
    for head, names in ((ALWAYS, default), (EXTRAS, every - default)):
        rows = {name: stated_licence(name) or known.get(name) for name in sorted(names)}
        for name, licence in rows.items():
            if licence is None:
                raise InputError("NOTICE", f"the licence of {name} is not known", f"add a line '  {name} LICENCE'")
        parts.append("\n".join([head, *(f"  {name:<22}{licence}" for name, licence in rows.items())]))
    return "\n\n".join(parts) + "\n"


def main(argv: list[str] | None = None) -> None:
    """Write NOTICE."""
    Parser("python -m experiments.release.licences", __doc__).parse_args(argv)
    text = with_licences(NOTICE.read_text("utf-8"))
    with atomic_text(NOTICE) as file:
        file.write(text)


if __name__ == "__main__":
    run_command(main)
