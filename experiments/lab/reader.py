"""``python -m experiments.lab.reader --data DIR -i DIR ... -o DIR``: train the reader.

A sentence encoder learns to read a question together with a pair of sentences, or with a text: how relevant, well
written and coherent the pair is; whether the text is on the matter, whether it argues, and for which side. All outputs
are learned in one pass, each from the examples that know it (`experiments.lab.reading_examples`). Debates and topics
like those of the ``--topics`` are left out. PyTorch, transformers and onnx must be installed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from experiments.lab.encoder import write_folder
from experiments.lab.program import BERT, DATA, LEFT_OUT, Program
from experiments.lab.reading_examples import (
    Example,
    distinct,
    elsewhere,
    in_other_words,
    is_held_out,
    of_debates,
    of_matters,
    of_pairs,
    of_questions,
    shuffled,
)
from experiments.lab.stances import read_stances
from experiments.lab.trainer import read_titles
from ltr.cli.process import run_command
from ltr.data.topics import read_topics
from ltr.files import writable_folder
from ltr.searcher import Searcher
from ltr.settings import setting
from ltr.settings.kinds import File
from ltr.settings.shared import CORPUS, INDEX, OUTPUT, SEED
from ltr.text_models.reader import OUTPUTS
from models.base import DIMENSIONS

GRADED = Path(__file__).resolve().parents[2] / "ltr" / "learning" / "graded"
SETS = ("2021", "debates", "narrow")
"""Graded pairs that ship and that it learns from; the others measure it."""
PASSES = 3
"""Over the graded pairs; all other examples are read once."""
MOST = {"stances and debates": 15_000, "questions": 12_000, "matters": 55_000, "other words": 8_000, "elsewhere": 6_750}
"""Examples of each kind, drawn from all."""
PIECES, PAIR_PIECES, BATCH, CHUNK = 64, 116, 32, 40
"""Word pieces that are read of a text and of a pair, examples of a step, and steps sorted by length together."""
RATE, WARM_UP = 1e-4, 100


def train_reader(options: Any) -> None:
    """Train, print the figures on held-out topics and write the folder. Raises InputError for bad input."""
    import torch  # noqa: PLC0415 help needs none of the heavy packages
    from transformers import AutoModelForSequenceClassification, AutoTokenizer  # noqa: PLC0415

    draws = np.random.default_rng(options.seed)
    train, held_out = examples(options, draws)
    writable_folder(options.output, "reader")
    torch.manual_seed(options.seed)
    tokenizer = AutoTokenizer.from_pretrained(options.model)
    model = AutoModelForSequenceClassification.from_pretrained(
        options.model, num_labels=len(OUTPUTS), attn_implementation="eager", ignore_mismatched_sizes=True
    )
    fit(model, tokenizer, train, draws)
    odds = log_odds(model, tokenizer, held_out)
    grades, sources = np.array([one.grades for one in held_out]), np.array([one.source for one in held_out])
    for source in dict.fromkeys(sources.tolist()):
        for column, name in enumerate(OUTPUTS):
            sure = (sources == source) & np.isin(grades[:, column], (0, 1))
            if sure.any():
                right = ((odds[sure, column] > 0) == (grades[sure, column] > 0)).mean()
                print(f"{source}, {name} ({sure.sum():,} examples): {right:.3f} right")
    inputs = ["input_ids", "attention_mask", "token_type_ids"]
    write_folder(model.eval(), inputs, "logits", options.model, options.output)


def examples(options: Any, draws: np.random.Generator) -> tuple[list[Example], list[Example]]:
    """The examples to learn from, pairs as often as they are read, and those held out by topic."""
    titles = read_titles(options.topics)
    stances = read_stances(options.data, titles)
    asked_of = {topic.number: topic.title for path in options.graded_topics for topic in read_topics(path)}
    qrels = {name: [GRADED / f"pairs-{of}-{name}.qrels" for of in SETS] for name in DIMENSIONS}
    with Searcher(options.input, model="bm25", index=options.index, jobs=1) as debates:
        pairs = list(of_pairs(debates.index, qrels, asked_of))
        known = distinct([*stances, *of_debates(debates.index, titles)])
        asked = distinct(list(of_questions(debates, stances, draws)))
    kinds = {
        "stances and debates": list(map(Example.of_stance, known)),
        "questions": list(map(Example.of_stance, asked)),
        "matters": list(of_matters(draws)),
    }
    held_out = [one for some in kinds.values() for one in some if is_held_out(one.topic)]
    train = {
        name: shuffled([one for one in some if not is_held_out(one.topic)], draws)[: MOST[name]]
        for name, some in kinds.items()
    }
    every = [one for some in train.values() for one in some]
    train["other words"] = list(in_other_words(shuffled(every, draws)[: MOST["other words"]], draws))
    train["elsewhere"] = list(elsewhere(every, MOST["elsewhere"], draws))
    again = [one for one in pairs if one.second] * (PASSES - 1)
    return [*pairs, *again, *(one for some in train.values() for one in some)], held_out


def fit(model: Any, tokenizer: Any, train: Sequence[Example], draws: np.random.Generator) -> None:
    """Train by the logistic loss of what is known; word embeddings stay as they are, the rate falls to 0."""
    import torch  # noqa: PLC0415 as above

    model.bert.embeddings.requires_grad_(False)
    weights = [weight for weight in model.parameters() if weight.requires_grad]
    optimiser = torch.optim.AdamW(weights, lr=RATE, weight_decay=0.01)
    steps = list(batches(train, draws))
    model.train()
    for number, batch in enumerate(steps):
        for group in optimiser.param_groups:
            group["lr"] = RATE * min(1, (number + 1) / WARM_UP) * (1 - number / len(steps))
        grades = torch.tensor([one.grades for one in batch])
        with torch.autocast("cpu", torch.bfloat16):
            found = model(**_read(tokenizer, batch)).logits
        known = ~grades.isnan()
        loss = torch.nn.functional.binary_cross_entropy_with_logits(found.float()[known], grades[known])
        loss.backward()
        torch.nn.utils.clip_grad_norm_(weights, 1.0)
        optimiser.step()
        optimiser.zero_grad()


def batches(train: Sequence[Example], draws: np.random.Generator) -> Iterator[list[Example]]:
    """All examples once, pairs apart from texts, those of a step of about the same length, in random order."""
    steps = []
    for kind in (True, False):
        order = shuffled([one for one in train if bool(one.second) == kind], draws)
        for start in range(0, len(order), BATCH * CHUNK):
            chunk = sorted(order[start : start + BATCH * CHUNK], key=lambda one: sum(map(len, one[:3])))
            steps += [chunk[at : at + BATCH] for at in range(0, len(chunk), BATCH)]
    yield from shuffled(steps, draws)


def log_odds(model: Any, tokenizer: Any, some: Sequence[Example]) -> np.ndarray[Any, Any]:
    """(n_examples, n_outputs) log-odds."""
    import torch  # noqa: PLC0415 as above

    model.eval()
    with torch.no_grad():
        parts = [some[start : start + BATCH] for start in range(0, len(some), BATCH)]
        return np.concatenate([model(**_read(tokenizer, part)).logits.numpy() for part in parts])


def _read(tokenizer: Any, batch: Sequence[Example]) -> Any:
    second = [f"{one.text} {tokenizer.sep_token} {one.second}" if one.second else one.text for one in batch]
    most = PAIR_PIECES if batch[0].second else PIECES
    questions = [one.question for one in batch]
    return tokenizer(questions, second, truncation="only_second", max_length=most, padding=True, return_tensors="pt")


GRADED_TOPICS = setting(
    File(), "topics of the graded pairs to learn from: XML, .tsv", "--graded-topics", default=..., several=True
)
WHAT = "Train the reader from an encoder, on graded pairs, a collection of debates and published stance data."
MORE = {"data": DATA, "input": CORPUS, "topics": LEFT_OUT, "graded_topics": GRADED_TOPICS, "model": BERT}
main = Program(__file__, train_reader, WHAT, **MORE, output=OUTPUT, index=INDEX, seed=SEED)

if __name__ == "__main__":
    run_command(main)
