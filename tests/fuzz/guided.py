"""Coverage-guided fuzzing with atheris: inputs that reach a new branch of our code are kept and changed further.

``pip install atheris``: there are wheels for CPython 3.11. A process of its own, since libFuzzer ends the one it is in.
"""

from __future__ import annotations

import sys
from pathlib import Path
from random import Random


def run_guided(name: str, seed: int, count: int, seconds: float, folder: Path) -> None:
    """Fuzz until the cases or the seconds are through, and end the process; libFuzzer tells on stderr how it goes.

    ``cov`` are branches that were reached. Inputs that reached new ones stay in ``folder``, for the next time, too.
    """
    try:
        import atheris
    except ImportError:
        raise SystemExit("atheris is not installed: pip install atheris (CPython 3.11)") from None
    with atheris.instrument_imports(include=["ltr", "features", "models", "experiments"]):
        from fuzz.reader import find

        reader = find(name)
    from fuzz.campaign import MEMORY, SECONDS, Finding, bounded, judge, save
    from fuzz.cases import Cases

    cases = Cases(reader, seed)
    corpus = folder / f"{name.rpartition(':')[2]}-corpus"
    corpus.mkdir(parents=True, exist_ok=True)
    for number, content in enumerate(cases.seeds):
        (corpus / f"seed-{number}").write_bytes(content)

    def change(content: bytes, longest: int, number: int) -> bytes:
        rng = Random(number)
        if rng.random() < 0.3:
            return atheris.Mutate(content, longest)
        return cases.changed(content, rng)[:longest]

    found: set[str] = set()

    def one(content: bytes) -> None:
        finding = judge(read, reader.pack(content) if reader.pack else content, reader.refusals)
        if isinstance(finding, Finding) and finding.kind not in found:
            found.add(finding.kind)
            print(save(folder, name, finding, f"guided, seed {seed}"), file=sys.stderr)

    with bounded() as scratch:
        read = reader.start(scratch)
        options = {
            "seed": seed,
            "runs": count,
            "max_total_time": int(seconds),
            "max_len": 4 * max(map(len, cases.seeds)),
            "timeout": int(4 * SECONDS),
            "rss_limit_mb": (MEMORY >> 20) + 1024,
            "print_final_stats": 1,
        }
        options = {key: value for key, value in options.items() if value < 2**31}
        flags = [f"-{key}={value}" for key, value in options.items()]
        atheris.Setup([sys.argv[0], *flags, f"-artifact_prefix={folder}/", str(corpus)], one, custom_mutator=change)
        atheris.Fuzz()
