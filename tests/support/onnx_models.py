"""Folders with a small ONNX model and its tokenizer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ltr.text_models.onnx import MODEL, TOKENIZER

WORDS = "[UNK] cars should be banned and not in cities the of a people nothing".split()
SIZE = 24

INT64, INT32, DOUBLE = 7, 6, 11
"""Types of numbers in ONNX."""


def write_tokenizer(folder: Path, truncation: int | None = None, vocabulary: Sequence[str] = WORDS) -> None:
    """A word is a token; unknown ones are the first."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

    tokenizer: Any = Tokenizer(models.WordLevel({word: row for row, word in enumerate(vocabulary)}, "[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.enable_padding(length=7)  # which is taken off
    if truncation:
        tokenizer.enable_truncation(truncation)
    tokenizer.save(str(folder / TOKENIZER))


def write_encoder(
    folder: Path,
    *,
    inputs: Sequence[str] = ("input_ids", "attention_mask"),
    output: str = "states",
    whole: int = INT64,
    table: np.ndarray[Any, Any] | None = None,
) -> Path:
    """A folder with a model that looks up a vector for each token.

    Its output: "states", (n, length, size); "vector", the mean of them; "both", states first and then ten times
    the mean as sentence_embedding; "flat", something else.
    """
    from onnx import TensorProto, helper

    table = np.random.default_rng(7).normal(size=(len(WORDS), SIZE)).astype(np.float32) if table is None else table
    nodes = [helper.make_node("Gather", ["table", "input_ids"], ["looked_up"])]
    if "attention_mask" in inputs:  # times the mask, which is 1 everywhere
        nodes.append(helper.make_node("Cast", ["attention_mask"], ["mask"], to=TensorProto.FLOAT))
        nodes.append(helper.make_node("Unsqueeze", ["mask", "last"], ["masks"]))
        nodes.append(helper.make_node("Mul", ["looked_up", "masks"], ["states"]))
    else:
        nodes.append(helper.make_node("Identity", ["looked_up"], ["states"]))
    nodes.append(helper.make_node("ReduceMean", ["states", "tokens"], ["vector"], keepdims=0))
    nodes.append(helper.make_node("Mul", ["vector", "ten"], ["sentence_embedding"]))
    nodes.append(helper.make_node("ReduceMean", ["vector", "tokens"], ["flat"], keepdims=0))
    names = ["states", "sentence_embedding"] if output == "both" else [output]
    constants = {
        "table": table,
        "last": np.array([-1], np.int64),
        "tokens": np.array([1], np.int64),
        "ten": np.array([10], np.float32),
    }
    return _write(folder, nodes, dict.fromkeys(inputs, whole), names, constants)


def write_cross_encoder(
    folder: Path, values: np.ndarray[Any, Any], *, output: str = "column", whole: int = INT64
) -> Path:
    """A folder with a model that returns the mean of the tokens' ``values``, those of the second text ten times.

    Its output: "column", (n, 1) logits; "flat", (n,); "two", (n, 2) with half of it, less and more; "wide", (n, 3).
    """
    from onnx import TensorProto, helper

    node = helper.make_node
    nodes = [
        node("Gather", ["values", "input_ids"], ["looked_up"]),
        node("Cast", ["token_type_ids"], ["second"], to=TensorProto.FLOAT),
        node("Mul", ["second", "nine"], ["nines"]),
        node("Add", ["nines", "one"], ["factors"]),
        node("Mul", ["looked_up", "factors"], ["products"]),
        node("Cast", ["attention_mask"], ["mask"], to=TensorProto.FLOAT),  # others pad
        node("Mul", ["products", "mask"], ["masked"]),
        node("ReduceSum", ["masked", "tokens"], ["sum"], keepdims=1),
        node("ReduceSum", ["mask", "tokens"], ["size"], keepdims=1),
        node("Div", ["sum", "size"], ["column"]),
        node("Squeeze", ["column", "tokens"], ["flat"]),
        node("Mul", ["column", "halves"], ["two"]),
        node("Concat", ["column", "two"], ["wide"], axis=1),
        node("Identity", [output], ["logits"]),
    ]
    constants = {
        "values": values,
        "nine": np.array([9], np.float32),
        "one": np.array([1], np.float32),
        "halves": np.array([[-0.5, 0.5]], np.float32),
        "tokens": np.array([1], np.int64),
    }
    inputs = dict.fromkeys(("input_ids", "attention_mask", "token_type_ids"), whole)
    return _write(folder, nodes, inputs, ["logits"], constants)


def _write(
    folder: Path, nodes: Sequence[Any], inputs: Mapping[str, int], outputs: Sequence[str], constants: Mapping[str, Any]
) -> Path:
    """The folder with a tokenizer and a model of these nodes; ``inputs`` have types of numbers."""
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    folder.mkdir(parents=True, exist_ok=True)
    write_tokenizer(folder)
    graph = helper.make_graph(
        nodes,
        "model",
        [helper.make_tensor_value_info(name, kind, ["n", "l"]) for name, kind in inputs.items()],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in outputs],
        [numpy_helper.from_array(value, name) for name, value in constants.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)
    onnx.save(model, str(folder / MODEL))
    return folder
