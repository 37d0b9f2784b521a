"""``python -m features``: every feature as a Markdown table, from the registry."""

from __future__ import annotations

from features.core.registry import Feature, all_features

HEAD = "| feature | group | scope | columns | unit | what it is | source |\n|---|---|---|---|---|---|---|"


def table(features: list[Feature]) -> str:
    """A Markdown table, a row a feature, sorted by group and name."""
    rows = []
    for f in sorted(features, key=lambda f: (f.group, f.name)):
        cells = [f"`{f.name}`", f.group, f.scope, ", ".join(f.lift) or "-", f.unit, f.description, f.source]
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join([HEAD, *rows])


if __name__ == "__main__":
    print(table(all_features()))
