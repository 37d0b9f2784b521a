"""``python -m experiments.lab.encoder -m DIR -o DIR``: make the folder of the sentence encoder that ships.

The weights of a model in the format of Hugging Face become an ONNX model that computes in float, from weights that are
stored in eight bits: a quarter of the size. With eight-bit arithmetic it would be twice as fast, but the last bits of
numbers, which differ between processors and versions, would decide whether an activation is rounded up or down, and
cosines would differ by up to .03. Nothing is trained. PyTorch, transformers and onnx must be installed.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from experiments.lab.program import BERT, Program
from ltr.cli.process import run_command
from ltr.files import writable_folder
from ltr.settings.shared import OUTPUT

LARGE = 10_000
"""Numbers from which on a matrix of weights is stored in eight bits."""


def write_encoder(options: Any) -> None:
    """Write the folder of an encoder. Raises InputError for bad input."""
    from transformers import BertModel  # noqa: PLC0415 help needs none of the heavy packages

    bert = BertModel.from_pretrained(options.model, attn_implementation="eager").eval()
    writable_folder(options.output, "encoder")
    write_folder(encoder_of(bert), ["input_ids", "attention_mask"], "vector", options.model, options.output)


def encoder_of(bert: Any) -> Any:
    """The network with the mean over word pieces, and the length 1, inside the graph."""
    import torch  # noqa: PLC0415 as above

    class SentenceEncoder(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.bert = bert

        def forward(self, input_ids: Any, attention_mask: Any) -> Any:
            types = torch.zeros_like(input_ids)
            states = self.bert(input_ids=input_ids, attention_mask=attention_mask, token_type_ids=types)[0]
            mask = attention_mask.unsqueeze(-1).to(states.dtype)
            mean = (states * mask).sum(1) / mask.sum(1).clamp(min=1e-9)
            return torch.nn.functional.normalize(mean, dim=1)

    return SentenceEncoder()


def write_folder(network: Any, inputs: Sequence[str], output: str, model: Path, folder: Path) -> None:
    """Write a network of whole numbers, (n_texts, n_pieces) for each of the ``inputs``, as ONNX, with its tokenizer."""
    import onnx  # noqa: PLC0415 as above
    import torch  # noqa: PLC0415 as above

    axes = {name: {0: "n", 1: "l"} for name in inputs} | {output: {0: "n"}}
    with tempfile.TemporaryDirectory() as place:
        torch.onnx.export(
            network,
            (torch.ones((2, 12), dtype=torch.long),) * len(inputs),
            f"{place}/exact.onnx",
            input_names=list(inputs),
            output_names=[output],
            dynamic_axes=axes,
            opset_version=17,
            dynamo=False,
        )
        graph = onnx.load(f"{place}/exact.onnx")
    store_in_eight_bits(graph.graph)
    onnx.save(graph, folder / "model.onnx")
    shutil.copyfile(model / "tokenizer.json", folder / "tokenizer.json")


def store_in_eight_bits(graph: Any) -> None:
    """Replace each large matrix of weights by whole numbers, times a scale per column, or per row of a table.

    onnxruntime multiplies them once, when it opens the model.
    """
    from onnx import TensorProto, helper, numpy_helper  # noqa: PLC0415 as above

    tables = {node.input[0] for node in graph.node if node.op_type == "Gather"}
    kept, nodes = [], []
    for tensor in graph.initializer:
        weights, name = numpy_helper.to_array(tensor), tensor.name
        if weights.dtype != np.float32 or weights.ndim != 2 or weights.size < LARGE:
            kept.append(tensor)
            continue
        scale = np.abs(weights).max(axis=1 if name in tables else 0, keepdims=True) / 127
        scale[scale == 0] = 1
        kept.append(numpy_helper.from_array(np.rint(weights / scale).astype(np.int8), f"{name} whole"))
        kept.append(numpy_helper.from_array(scale.astype(np.float32), f"{name} scale"))
        nodes.append(helper.make_node("Cast", [f"{name} whole"], [f"{name} float"], to=TensorProto.FLOAT))
        nodes.append(helper.make_node("Mul", [f"{name} float", f"{name} scale"], [name]))
    nodes += graph.node
    for field, new in ((graph.initializer, kept), (graph.node, nodes)):
        del field[:]
        field.extend(new)


main = Program(__file__, write_encoder, "Make the folder of a sentence encoder.", model=BERT, output=OUTPUT)

if __name__ == "__main__":
    run_command(main)
