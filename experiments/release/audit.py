"""Look the packages of requirements.txt up in a copy of the advisories of the Python Packaging Authority.

Nothing is asked over a network. The advisories: git clone https://github.com/pypa/advisory-database
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml
from packaging.version import InvalidVersion, Version

from experiments.release.lock import Pin, normal, read_lock
from ltr.cli.options import Parser
from ltr.cli.process import run_command
from ltr.errors import InputError


def affects(affected: Mapping[str, Any], version: Version) -> bool:
    """Whether ``version`` is one of the versions, or in one of the ranges, of an entry ``affected`` of an advisory.

    The schema and its rules: https://ossf.github.io/osv-schema/#evaluation
    """
    if any(_is(listed, version) for listed in affected.get("versions", ())):
        return True
    for span in affected.get("ranges", ()):
        if span["type"] == "GIT":
            continue  # commits, which no release is named by
        inside = False
        events = [(Version(str(at)), kind) for event in span["events"] for kind, at in event.items()]
        for at, kind in sorted(events):
            if kind == "introduced" and version >= at:
                inside = True
            elif (kind == "fixed" and version >= at) or (kind == "last_affected" and version > at):
                inside = False
        if inside:
            return True
    return False


def _is(listed: object, version: Version) -> bool:
    try:
        return Version(str(listed)) == version
    except InvalidVersion:  # an old spelling, which nothing that pip installs has
        return False


def find_advisories(pin: Pin, folder: Path) -> Iterator[dict[str, Any]]:
    """The advisories in ``folder`` that the version of a package falls under, by file name."""
    for file in sorted(folder.glob(f"{pin.name}/*.yaml")):
        try:
            advisory = yaml.safe_load(file.read_text("utf-8"))
            own = [one for one in advisory["affected"] if normal(one["package"]["name"]) == pin.name]
            found = "withdrawn" not in advisory and any(affects(one, Version(pin.version)) for one in own)
        except (yaml.YAMLError, ValueError, LookupError, TypeError, AttributeError) as error:
            raise InputError(file, f"it is no advisory that can be read ({error})", "get the folder anew") from None
        if found:
            yield advisory


def main(argv: list[str] | None = None) -> int:
    """Print a line for every advisory that a locked package falls under; exit code 1 if there is one."""
    parser = Parser("python -m experiments.release.audit", __doc__)
    parser.add_argument("--advisories", type=Path, required=True, metavar="DIR", help="the clone of the advisories")
    folder = parser.parse_args(argv).advisories / "vulns"
    if not folder.is_dir():
        raise InputError(folder, "there is no such folder", "clone https://github.com/pypa/advisory-database")
    pins = read_lock()
    found = [(pin, advisory) for pin in pins for advisory in find_advisories(pin, folder)]
    for pin, advisory in found:
        names = ", ".join([advisory["id"], *advisory.get("aliases", ())])
        text = " ".join(str(advisory.get("summary") or advisory.get("details", "")).split())
        print(f"{pin.name} {pin.version}: {names}: {text[:200]}")
    print(f"{len(pins)} packages, {len(found)} advisories")
    return 1 if found else 0


if __name__ == "__main__":
    run_command(main)
