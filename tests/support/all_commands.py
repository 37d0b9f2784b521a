"""``python tests/support/all_commands.py CORPORA PLACE --jobs 1``: the commands on the sample, and what they wrote.

Prints the SHA-256 of every run, model, index column, evaluation and matrix as JSON. What may differ by purpose, the
version of Python and the fingerprint of the corpus in a model's manifest and card, is left out.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import locale
import platform
import re
from contextlib import redirect_stdout
from pathlib import Path

TREES = ["--trees", "10", "--seeds", "1"]
UNLIKE = {"index.json", "manifest.json", "values.bin"}
"""Of an index: where and when it was made, and what is kept beside it."""
KINDS = {".csv", ".npy", ".bin", ".txt", ".json", ".md"}


def main() -> None:
    locale.setlocale(locale.LC_ALL, "")  # as programs do that have menus; Python alone keeps to C for numbers
    p = argparse.ArgumentParser()
    p.add_argument("corpora", type=Path)
    p.add_argument("place", type=Path)
    p.add_argument("--jobs", default="1")
    options = p.parse_args()
    with redirect_stdout(io.StringIO()):
        for corpus in sorted(options.corpora.iterdir()):
            run_commands(corpus, options.place / corpus.name, options.jobs)
    print(json.dumps(digests(options.place)))


def run_commands(corpus: Path, place: Path, jobs: str) -> None:
    """Index, answer, train, answer with what was trained, evaluate and export: what there are judgments for."""
    from ltr.commands import evaluate, export, predict, train

    task = "arguments" if corpus.name == "argsme" else corpus.name
    common = ["--task", task, "--index", str(place / "index"), "--jobs", jobs, "--quiet"]
    corpus_options = ["-i", str(corpus)]
    topics = ["--topics", str(corpus / "topics.xml")]
    succeed(predict.main([*corpus_options, *topics, "-o", str(place / "run"), *common]))
    if corpus.name == "argsme":
        return
    qrels = ["--qrels", str(corpus / "qrels-train-relevance.qrels")]
    learned = ["--topics", str(corpus / "topics-train.xml"), *qrels]
    learned += ["--quality-qrels", str(corpus / "qrels-train-quality.qrels")]
    for pairs in sorted(corpus.glob("qrels-train-pairs-*")) if task == "pairs" else ():
        learned += ["--pair-qrels", f"{pairs.stem.rpartition('-')[2]}={pairs}"]
    objective = ["--objective", "linear"] if task == "comparative" else TREES
    model = ["-m", str(place / "model")]
    succeed(train.main([*corpus_options, *learned, *model, "--folds", "2", *objective, *common]))
    succeed(predict.main([*corpus_options, *model, "-o", str(place / "trained"), *common]))
    judged = ["--argument-qrels", f"relevance={corpus / 'qrels-test-relevance.qrels'}"]
    run = ["--run", str(place / "run" / "run.txt"), "--run", str(place / "trained" / "run.txt")]
    succeed(evaluate.main([*run, *judged, "--json", str(place / "evaluation.json")]))
    succeed(export.main([*corpus_options, *qrels, *learned[:2], "-o", str(place / "matrix.csv"), *common]))


def succeed(code: int | None) -> None:
    """Raises SystemExit where a command did not."""
    if code:
        raise SystemExit(code)


def digests(place: Path) -> dict[str, str]:
    """File -> SHA-256 of what the commands wrote."""
    found = {}
    for path in sorted(path for path in place.rglob("*") if path.suffix in KINDS and path.is_file()):
        if "index" in path.relative_to(place).parts and path.name in UNLIKE:
            continue
        name = re.sub(r"riposte-index-\w{8}", "files", path.relative_to(place).as_posix())
        content = path.read_bytes()
        if path.name == "MODEL_CARD.md":
            content = content.replace(f"python {platform.python_version()}".encode(), b"")
            content = re.sub(rb"[0-9a-f]{8,64}", b"", content)
        elif path.name == "manifest.json":
            manifest = json.loads(content)
            del manifest["versions"]["python"], manifest["digest"], manifest["data"]["corpus"]["fingerprint"]
            content = json.dumps(manifest).encode()
        elif path.name == "evaluation.json":
            content = re.sub(rb'"[^"]*/', b'"', content)  # it names its files
        found[name] = hashlib.sha256(content).hexdigest()
    return found


if __name__ == "__main__":
    main()
