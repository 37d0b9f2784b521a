"""``python tests/golden/outputs.py record PLACE [--collection DIR]`` and ``... compare ONE OTHER``.

Records what the commands write, so that two states of the project can be compared to the byte: runs of every task with
the shipped models and every baseline, a training, evaluations, explanations and answers. Record one state, change to
the other, record it in another folder, and compare.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from xml.sax.saxutils import escape

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "ltr" / "sample"
QUESTION_FILES = ("narrow", "narrow-test", "unseen", "debates")
QUESTIONS_EACH = 10
BASELINES = {
    "pairs": "argues bm25 bm25-tuned dirichlet length random words dense",
    "arguments": "bm25 bm25-tuned dirichlet dph elrond heimdall length random dense",
    "comparative": "bilbo bm25 bm25-tuned cues dirichlet inigo katana-2020 length mercutio random source zorro dense",
}


def main() -> int:
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("action", choices=("record", "compare"))
    p.add_argument("places", nargs="+", type=Path)
    p.add_argument("--collection", type=Path, help="folder of the open collection; without it the sample alone")
    p.add_argument("--comparative", type=Path, help="folder with snippets of result lists and their titles")
    p.add_argument("--only", default="", help="steps to record, by a regular expression")
    options = p.parse_args()
    if options.action == "compare":
        return compare(*options.places)
    (place,) = options.places
    place.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as work:
        Recorder(place, Path(work), options.only).record(options.collection, options.comparative)
    return 0


def compare(one: Path, other: Path) -> int:
    """Print the files that differ. Returns 1 where there are any."""
    files = [{f.relative_to(place): f.read_bytes() for f in place.rglob("*") if f.is_file()} for place in (one, other)]
    names = sorted({*files[0], *files[1]})
    unlike = [str(name) for name in names if files[0].get(name) != files[1].get(name)]
    print(f"{len(names) - len(unlike)} of {len(names)} files are the same")
    print("\n".join(unlike))
    return bool(unlike)


class Recorder:
    """Runs the commands and keeps what they write in ``place``."""

    def __init__(self, place: Path, work: Path, only: str) -> None:
        self.place, self.work, self.only = place, work, only

    def record(self, collection: Path | None, comparative: Path | None) -> None:
        """The sample, and the two folders where they are given."""
        from ltr.ranking.task import find_task

        for task in BASELINES:
            corpus = find_task(task).sample.folder
            self.runs(f"sample/{task}", task, corpus, corpus / "topics.xml")
        self.training("sample")
        self.evaluation("sample")
        self.explanations("sample", SAMPLE)
        self.answers("sample", SAMPLE)
        if collection:
            few = topics_file(self.work / "few.xml", titles(collection / "topics.xml")[:10])
            for task in ("pairs", "arguments"):
                self.runs(f"collection/{task}", task, collection, collection / "topics.xml", few)
            self.answers("collection", collection)
        if comparative:
            lines = (comparative / "topics" / "titles-2021.tsv").read_text("utf-8").splitlines()
            found = [(str(int(number) + 51), title) for number, title in (line.split("\t")[:2] for line in lines)]
            topics = topics_file(self.work / "comparative.xml", found)
            corpus = self.work / "results.jsonl"
            shutil.copy(comparative / "snippets" / "chatnoir-2021.jsonl", corpus)
            self.runs("lists/comparative", "comparative", corpus, topics)

    def runs(self, name: str, task: str, corpus: Path, topics: Path, few: Path | None = None) -> None:
        """By the shipped model, without its encoder, toward the question; baselines on ``few`` topics."""
        common = ["predict", "-i", str(corpus), "--task", task, "--quiet"]
        asked = {"shipped": [], "no-encoder": ["--encoder", "none"], "relevance": ["--dimension", "relevance"]}
        if task != "comparative":
            asked["question"] = ["--stance", "question"]
        for how, more in asked.items():
            self.run_file(f"{name}/{how}.run", [*common, "--topics", str(topics), *more])
        for baseline in BASELINES[task].split():
            more = ["--topics", str(few or topics), "-m", baseline]
            self.run_file(f"{name}/{baseline}.run", [*common, *more])

    def run_file(self, name: str, words: list[str]) -> None:
        with self.step(name) as wanted:
            if wanted:
                self.call(*words, "-o", str(self.work / "out"))
                self.keep(name, (self.work / "out" / "run.txt").read_bytes())

    def training(self, name: str) -> None:
        """The model folder, the held-out run and the tables of a training on the sample, by each task's way."""
        for how, more in {"default": [], "weak": ["--recipe", "weak"], "linear": ["--objective", "linear"]}.items():
            with self.step(f"{name}/train/{how}") as wanted:
                if not wanted:
                    continue
                model = self.work / f"model-{how}"
                small = [] if how == "linear" else ["--trees", "30"]
                held_out = self.work / "held-out.txt"
                words = ["train", "-m", str(model), "--held-out", str(held_out), "--quiet", *small, *more]
                self.keep(f"{name}/train/{how}.txt", self.call(*words).replace(str(self.work), "WORK").encode())
                self.keep(f"{name}/train/{how}-held-out.run", held_out.read_bytes())
                for file in sorted(model.iterdir()):
                    self.keep(f"{name}/train/{how}/{file.name}", file.read_bytes())

    def evaluation(self, name: str) -> None:
        """Of the sample's runs by grades of pairs and of arguments."""
        with self.step(f"{name}/evaluation") as wanted:
            if not wanted:
                return
            runs = []
            for model in ("bm25", "length", None):
                out = self.work / (model or "shipped")
                self.call("predict", "-i", str(SAMPLE), "-o", str(out), "--quiet", *(["-m", model] if model else []))
                runs += ["--run", str(out / "run.txt")]
            for judged, dimensions in (("pair", "relevance quality coherence"), ("argument", "relevance quality")):
                words = ["evaluate", *runs, "--baseline", str(self.work / "bm25" / "run.txt"), "--measure", "P@10"]
                for one in dimensions.split():
                    file = SAMPLE / f"qrels-test-{'pairs-' if judged == 'pair' else ''}{one}.qrels"
                    words += [f"--{judged}-qrels", f"{one}={file}"]
                found = self.call(*words, "--json", "-").replace(str(self.work), "WORK").replace(str(ROOT), "ROOT")
                self.keep(f"{name}/evaluation/{judged}.json", found.encode())

    def explanations(self, name: str, corpus: Path) -> None:
        """Of two ranks of the shipped run, one against another."""
        with self.step(f"{name}/explanation") as wanted:
            if wanted:
                out = self.work / "explained"
                self.call("predict", "-i", str(corpus), "-o", str(out), "--quiet")
                topic = (out / "run.txt").read_text().split()[0]
                words = ["explain", "-i", str(corpus), "--run", str(out / "run.txt"), "--topic", topic, "--rank", "2"]
                for how, more in {"alone": [], "against": ["--against", "40"]}.items():
                    found = self.call(*words, *more, "--json", "-", "--quiet").replace(str(self.work), "WORK")
                    self.keep(f"{name}/explanation/{how}.json", found.encode())

    def answers(self, name: str, corpus: Path) -> None:
        """To forty questions, and to some of them with every option that changes them."""
        with self.step(f"{name}/answers") as wanted:
            if not wanted:
                return
            plain = ["search", "-i", str(corpus), "--json", "-", "--quiet"]
            ways = {"": (questions(), []), "stance-": (questions()[::8], ["--stance", "conclusion"])}
            ways |= {"every-": (questions()[1::8], ["--all", "--weak", "-n", "20", "--blend", "1,0,0"])}
            for how, (asked, more) in ways.items():
                for number, question in enumerate(asked):
                    found = self.call(*plain, *more, question).replace(str(corpus), "CORPUS")
                    self.keep(f"{name}/answers/{how}{number:02}.json", found.encode())

    @contextlib.contextmanager
    def step(self, name: str) -> Iterator[bool]:
        wanted, start = bool(re.search(self.only, name)), time.perf_counter()
        yield wanted
        if wanted:
            print(f"{time.perf_counter() - start:7.1f} s  {name}", flush=True)

    def call(self, *words: str) -> str:
        """What a command prints. Raises SystemExit where it fails."""
        from ltr.cli.main import dispatch

        before, sys.argv = sys.argv, ["riposte", *words]
        try:
            with contextlib.redirect_stdout(io.StringIO()) as out:
                if code := dispatch():
                    raise SystemExit(code)
        finally:
            sys.argv = before
        return out.getvalue()

    def keep(self, name: str, content: bytes) -> None:
        file = self.place / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)


def titles(topics: Path) -> list[tuple[str, str]]:
    """(number, title) of the topics of a file."""
    found = re.findall(r"<number>(.*?)</number>.*?<title>(.*?)</title>", topics.read_text("utf-8"), re.DOTALL)
    return [(number.strip(), title.strip()) for number, title in found]


def topics_file(path: Path, topics: list[tuple[str, str]]) -> Path:
    """A topics file with these topics."""
    rows = "".join(
        f"<topic><number>{number}</number><title>{title if '&' in title else escape(title)}</title></topic>\n"
        for number, title in topics
    )
    path.write_text(f"<topics>\n{rows}</topics>\n", "utf-8")
    return path


def questions() -> list[str]:
    """Forty questions: the first of each file of topics that ships."""
    folder = ROOT / "ltr" / "learning" / "graded"
    if not folder.is_dir():
        (folder,) = ROOT.glob("ltr/*/graded")
    return [title for name in QUESTION_FILES for _, title in titles(folder / f"topics-{name}.xml")[:QUESTIONS_EACH]]


if __name__ == "__main__":
    sys.exit(main())
