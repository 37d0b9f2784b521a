"""``python tiny_gguf.py FILE``: a llama of random weights that reads and writes single ASCII characters, for llama.cpp.

Runs where the package `gguf` is installed, and imports nothing of ours.
"""

from __future__ import annotations

import sys

import gguf
import numpy as np

SIZE, HEADS, LAYERS, WIDE, CONTEXT = 32, 4, 1, 64, 8192
PRINTABLE = [chr(code) for code in range(33, 127)]


def main(path: str) -> None:
    tokens = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(128)), "\u2581", *PRINTABLE]
    kinds = [gguf.TokenType.UNKNOWN, gguf.TokenType.CONTROL, gguf.TokenType.CONTROL]
    kinds += [gguf.TokenType.BYTE] * 128 + [gguf.TokenType.NORMAL] * (1 + len(PRINTABLE))
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_name("tiny")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(SIZE)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(WIDE)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(SIZE // HEADS)
    writer.add_vocab_size(len(tokens))
    writer.add_tokenizer_model("llama")
    writer.add_token_list(tokens)
    writer.add_token_scores([0.0] * len(tokens))
    writer.add_token_types(kinds)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_unk_token_id(0)
    writer.add_chat_template("{% for message in messages %}{{ message['content'] }}\n{% endfor %}")
    draw = np.random.default_rng(7)
    shapes = {
        "token_embd.weight": (len(tokens), SIZE),
        "output.weight": (len(tokens), SIZE),
        "output_norm.weight": (SIZE,),
    }
    for layer in range(LAYERS):
        block = {f"attn_{name}": (SIZE, SIZE) for name in ("q", "k", "v", "output")}
        block |= {"attn_norm": (SIZE,), "ffn_norm": (SIZE,), "ffn_gate": (WIDE, SIZE), "ffn_up": (WIDE, SIZE)}
        block |= {"ffn_down": (SIZE, WIDE)}
        shapes |= {f"blk.{layer}.{name}.weight": shape for name, shape in block.items()}
    for name, shape in shapes.items():
        writer.add_tensor(name, draw.normal(size=shape).astype(np.float32) + (len(shape) == 1))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


if __name__ == "__main__":
    main(sys.argv[1])
