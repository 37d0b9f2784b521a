"""``python -m experiments.lab.side_reader --data DIR -i DIR --topics FILE -m DIR -o DIR``: train the side reader.

A sentence encoder learns to read a question, or the resolution of a debate, together with a text, and to say whether
the text is for or against it. First from published stance data and from a collection of debates, where an argument's
stance on the resolution of its debate is known; then from questions that were written for these debates and motions,
and for resolutions that a search finds for the questions (``side_questions.tsv``), of which many take no side; from
local debates (``local_debates.txt``); and from questions and claims in other words (`rewording`). Debates and topics
like those of the ``--topics`` are left out.
PyTorch, transformers and onnx must be installed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from experiments.lab.encoder import write_folder
from experiments.lab.program import BERT, DATA, LEFT_OUT, Program
from experiments.lab.rewording import reword, wording_of
from experiments.lab.stances import Stance, alike, read_stances, topic_words
from experiments.lab.trainer import read_titles
from ltr.answers.texts import claims_of, premises_of
from ltr.cli.process import run_command
from ltr.files import writable_folder
from ltr.index.reader import Index
from ltr.index.vocabulary import Array
from ltr.searcher import Searcher
from ltr.settings.shared import CORPUS, INDEX, OUTPUT, SEED

WRITTEN = Path(__file__).with_name("side_questions.tsv")
"""A question; an argument with a debate's resolution as its conclusion, or the digest of a motion of the stance data;
and the side of who is for the resolution or motion."""
LOCAL = Path(__file__).with_name("local_debates.txt")
"""Debates of a town, a school or a club, in blocks: their claims, and questions, claims and texts with their sides."""
PIECES, BATCH, CHUNK = 52, 32, 40
"""Word pieces that are read, examples of a step, and steps whose examples are sorted by length together."""
RATE, WARM_UP = 1e-4, 60
PASSES = (1.7, 3.7, 2.0)
"""Over stance data and debates, then over the questions, local debates and `KEPT` of the former, then over these in
other words."""
KEPT = 8_000
OTHER_WORDS, AGAIN = 0.6, 6
"""Share of the questions and texts that are put in other words, if they can be, and how often a claim is compared with
itself in other words."""


def train_reader(options: Any) -> None:
    """Train, print the figures on held-out topics and write the folder. Raises InputError for bad input."""
    import torch  # noqa: PLC0415 help needs none of the heavy packages
    from transformers import AutoModelForSequenceClassification, AutoTokenizer  # noqa: PLC0415

    titles = read_titles(options.topics)
    known = stances = read_stances(options.data, titles)
    draws = np.random.default_rng(options.seed)
    with Searcher(options.input, model="bm25", index=options.index, jobs=1) as debates:
        known = [*stances, *of_debates(debates.index, titles)]
        asked = [*of_questions(debates, stances, draws), *of_local_debates(draws)]
    known, asked = distinct(known), distinct(asked)
    held_out = [one for one in known + asked if is_held_out(str(one.topic))]
    train, later = ([one for one in some if not is_held_out(str(one.topic))] for some in (known, asked))
    writable_folder(options.output, "reader of sides")
    torch.manual_seed(options.seed)
    tokenizer = AutoTokenizer.from_pretrained(options.model)
    model = AutoModelForSequenceClassification.from_pretrained(options.model, num_labels=1, attn_implementation="eager")
    fit(model, tokenizer, train, PASSES[0], draws)
    kept = draws.choice(len(train), min(KEPT, len(train)), replace=False)
    later += [train[at] for at in kept]
    fit(model, tokenizer, later, PASSES[1], draws)
    fit(model, tokenizer, in_other_words(later, draws), PASSES[2], draws)
    sides = np.array([one.side for one in held_out])
    right = pd.Series(odds(model, tokenizer, held_out) * sides > 0)[sides != 0]
    for name, of_source in right.groupby(np.array([one.source for one in held_out])[sides != 0], sort=False):
        print(f"{name} ({len(of_source):,} texts): {of_source.mean():.3f}")
    inputs = ["input_ids", "attention_mask", "token_type_ids"]
    write_folder(model.eval(), inputs, "logits", options.model, options.output)


def of_debates(index: Index, titles: Sequence[str]) -> Iterator[Stance]:
    """For each argument with a stance on the resolution of its debate: its first premise, and its conclusion."""
    hidden = list(map(topic_words, titles))

    @cache
    def is_hidden(*names: str) -> bool:
        return any(alike(subject, other) for subject in map(topic_words, names) for other in hidden)

    for row in range(index.arguments):
        sign, resolution, parent = index.side_toward_resolution(row), index.resolution(row), index.column("parent")[row]
        if not sign or not 0 < len(resolution) <= 120 or is_hidden(resolution, index.title(row)):
            continue
        texts = [(text, sign) for text in premises_of(index, row, 1)]
        if parent >= 0:  # the conclusion is for the resolution where the argument that says it is
            texts.append((index.conclusion(row), index.side_toward_resolution(int(parent))))
        for text, side in texts:
            if 4 <= len(text.split()) <= 60:
                yield Stance(resolution, text, side, "debates", resolution)


def of_questions(debates: Searcher, stances: Sequence[Stance], draws: np.random.Generator) -> Iterator[Stance]:
    """For each question of `WRITTEN`: what it was written for, and some texts that take a side of that."""
    index, rows = debates.index, debates.index.row_of
    motions: dict[str, list[Stance]] = {}
    for stance in stances:
        motions.setdefault(digest(stance.question), []).append(stance)
    topics: dict[str, str] = {}
    left_out = 0
    for line in WRITTEN.read_text("utf-8").splitlines()[1:]:
        question, of, written = line.split("\t")
        if of in motions:
            resolution, texts = motions[of][0].question, [(one.text, one.side) for one in motions[of]]
        elif of in rows:
            resolution, texts = index.conclusion(rows[of]), sides_of_texts(index, index.debate(rows[of]))
        else:
            left_out += 1
            continue
        topic, side = topics.setdefault(question, resolution), int(written)  # what it was written for comes first
        yield Stance(question, resolution, side, "questions", topic)
        for at in draws.permutation(len(texts))[: 3 if side else 1]:
            yield Stance(question, texts[at][0], side * texts[at][1], "questions", topic)
    if left_out:
        print(f"left out: {left_out:,} questions for debates and motions that were not read")


def of_local_debates(draws: np.random.Generator) -> Iterator[Stance]:
    """Each question and claim of a matter with each claim and text of it, and with a text of the one before it."""
    before = {True: "", False: ""}  # by whether figures are on its matter
    blocks = LOCAL.read_text("utf-8").split("\n\n")
    for block in (block for block in blocks if not block.startswith("#")):
        first, *lines = block.splitlines()
        matter = first.removeprefix("= ")
        rows = [(matter, 1, "C")]
        rows += [(text, {"+": 1, "-": -1, "0": 0}[kind[1]], kind[0]) for kind, text in (x.split("\t") for x in lines)]
        asked, read = ([row for row in rows if row[2] in kinds] for kinds in ("QC", "CT"))
        for question, sign, _ in asked:
            for text, side, _ in read:
                if text != question:
                    yield Stance(question, text, sign * side, "local debates", matter)
            if other := before[is_held_out(matter)]:
                yield Stance(question, other, 0, "local debates", matter)
        before[is_held_out(matter)] = read[draws.integers(len(read))][0]


def sides_of_texts(index: Index, debate: Array) -> list[tuple[str, int]]:
    """Claims of a debate and first premises, each with 1 for the resolution or -1 against it."""
    premises = {
        text: index.side_toward_resolution(row) for row in debate.tolist() for text in premises_of(index, row, 1)
    }
    return [(text, sign) for text, sign in {**premises, **claims_of(index, int(debate[0]))}.items() if sign]


def in_other_words(examples: Sequence[Stance], draws: np.random.Generator) -> list[Stance]:
    """The examples, many in other words; each claim in two wordings; and claims with others, which take no side."""

    def other(text: str) -> tuple[str, int]:
        return reword(text, draws) if draws.random() < OTHER_WORDS else (text, 1)

    found = []
    for one in examples:
        (question, asked), (text, said) = other(one.question), other(one.text)
        found.append(one._replace(question=question, text=text, side=one.side * asked * said))
    claims = [text for text in dict.fromkeys(text for one in examples for text in one[:2]) if wording_of(text)]
    for claim in claims:
        for _ in range(AGAIN):
            (question, asked), (text, said) = reword(claim, draws), reword(claim, draws)
            found.append(Stance(question, text, asked * said, "wordings", claim))
        another = claims[draws.integers(len(claims))]
        if not topic_words(claim) & topic_words(another):
            found.append(Stance(reword(claim, draws)[0], reword(another, draws)[0], 0, "wordings", claim))
    return found


def digest(motion: str) -> str:
    """The name of a motion of the stance data in `WRITTEN`, whose texts are not ours to give."""
    return hashlib.sha256(motion.encode()).hexdigest()[:12]


def distinct(examples: Sequence[Stance]) -> list[Stance]:
    """Each question with each text once; the last one counts."""
    return list({(one.question.lower(), one.text.lower()): one for one in examples}.values())


def is_held_out(question: str) -> bool:
    """Whether figures are on a topic: on an eighth of them."""
    return int(hashlib.sha256(" ".join(sorted(topic_words(question))).encode()).hexdigest(), 16) % 8 == 0


def fit(model: Any, tokenizer: Any, train: list[Stance], passes: float, draws: np.random.Generator) -> None:
    """Train by the logistic loss; word embeddings stay as they are, the rate falls to 0.

    A text that takes no side should have even odds.
    """
    import torch  # noqa: PLC0415 as above

    model.bert.embeddings.requires_grad_(False)
    weights = [weight for weight in model.parameters() if weight.requires_grad]
    optimiser = torch.optim.AdamW(weights, lr=RATE, weight_decay=0.01)
    steps = [batch for _ in range(int(passes) + 1) for batch in batches(train, draws)]
    steps = steps[: int(passes * len(train) / BATCH)]
    model.train()
    for number, batch in enumerate(steps):
        for group in optimiser.param_groups:
            group["lr"] = RATE * min(1, (number + 1) / WARM_UP) * (1 - number / len(steps))
        sides = torch.tensor([(one.side + 1) / 2 for one in batch])
        with torch.autocast("cpu", torch.bfloat16):
            found = model(**_read(tokenizer, batch)).logits[:, 0]
        loss = torch.nn.functional.binary_cross_entropy_with_logits(found.float(), sides)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(weights, 1.0)
        optimiser.step()
        optimiser.zero_grad()


def batches(train: list[Stance], draws: np.random.Generator) -> Iterator[list[Stance]]:
    """All examples once, those of a step of about the same length."""
    order = [train[at] for at in draws.permutation(len(train))]
    for start in range(0, len(order), BATCH * CHUNK):
        some = sorted(order[start : start + BATCH * CHUNK], key=lambda one: len(one.question) + len(one.text))
        for at in draws.permutation(-(-len(some) // BATCH)):
            yield some[at * BATCH : (at + 1) * BATCH]


def odds(model: Any, tokenizer: Any, examples: list[Stance]) -> np.ndarray[Any, Any]:
    """(n_examples,) log-odds that each text is for the question."""
    import torch  # noqa: PLC0415 as above

    model.eval()
    with torch.no_grad():
        parts = [examples[start : start + BATCH] for start in range(0, len(examples), BATCH)]
        return np.concatenate([model(**_read(tokenizer, part)).logits[:, 0].numpy() for part in parts])


def _read(tokenizer: Any, examples: list[Stance]) -> Any:
    first, second, *_ = map(list, zip(*examples, strict=True))
    return tokenizer(first, second, truncation="only_second", max_length=PIECES, padding=True, return_tensors="pt")


WHAT = "Train the reader of sides from an encoder, on a collection of debates and published stance data."
MORE = {"data": DATA, "input": CORPUS, "topics": LEFT_OUT, "model": BERT, "output": OUTPUT, "index": INDEX}
main = Program(__file__, train_reader, WHAT, **MORE, seed=SEED)

if __name__ == "__main__":
    run_command(main)
