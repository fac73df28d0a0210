"""Small random checkpoints of four families, as their libraries write them."""

import json
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file
from tests.support.word_tokenizer import VOCABULARY_SIZE, write_tokenizer

HIDDEN, HEADS, LAYERS, INNER, POSITIONS = 8, 2, 3, 16, 24

CONFIGS = {
    "bert": {"hidden_act": "gelu", "layer_norm_eps": 1e-12, "type_vocab_size": 2, "pad_token_id": 0},
    "roberta": {"hidden_act": "gelu", "layer_norm_eps": 1e-5, "type_vocab_size": 1, "pad_token_id": 1},
    "xlm-roberta": {"hidden_act": "gelu", "layer_norm_eps": 1e-5, "type_vocab_size": 1, "pad_token_id": 1},
    "distilbert": {"activation": "gelu", "pad_token_id": 0},
}  # fmt: skip


_SHAPING = {"type_vocab_size"}
"""Settings that decide which parameters a checkpoint has; others may be stated wrongly by a test."""


def config_of(family: str) -> dict:
    sizes = (
        {"dim": HIDDEN, "n_heads": HEADS, "n_layers": LAYERS, "hidden_dim": INNER}
        if family == "distilbert"
        else {
            "hidden_size": HIDDEN,
            "num_attention_heads": HEADS,
            "num_hidden_layers": LAYERS,
            "intermediate_size": INNER,
        }
    )
    shared = {"model_type": family, "vocab_size": VOCABULARY_SIZE, "max_position_embeddings": POSITIONS}
    return {**shared, **sizes, **CONFIGS[family]}


def parameter_shapes(config: dict) -> dict[str, tuple[int, ...]]:
    """Names and shapes as transformers saves them."""
    distilled = config["model_type"] == "distilbert"
    shapes: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings.weight": (VOCABULARY_SIZE, HIDDEN),
        "embeddings.position_embeddings.weight": (POSITIONS, HIDDEN),
    }
    if config.get("type_vocab_size", 0):
        shapes["embeddings.token_type_embeddings.weight"] = (config["type_vocab_size"], HIDDEN)
    norms = ["embeddings.LayerNorm"]
    contents = ("query", "key", "value")
    denses: dict[str, tuple[int, int]] = {}
    for layer in range(LAYERS):
        start = f"transformer.layer.{layer}." if distilled else f"encoder.layer.{layer}."
        square = (
            ["attention.q_lin", "attention.k_lin", "attention.v_lin", "attention.out_lin"]
            if distilled
            else [f"attention.self.{name}" for name in contents] + ["attention.output.dense"]
        )
        denses |= {start + name: (HIDDEN, HIDDEN) for name in square}
        denses[start + ("ffn.lin1" if distilled else "intermediate.dense")] = (INNER, HIDDEN)
        denses[start + ("ffn.lin2" if distilled else "output.dense")] = (HIDDEN, INNER)
        norms += [
            start + name
            for name in (
                ("sa_layer_norm", "output_layer_norm")
                if distilled
                else ("attention.output.LayerNorm", "output.LayerNorm")
            )
        ]
    for name, shape in denses.items():
        shapes |= {f"{name}.weight": shape, f"{name}.bias": shape[:1]}
    for name in norms:
        shapes |= {f"{name}.weight": (HIDDEN,), f"{name}.bias": (HIDDEN,)}
    return shapes


def write_random_checkpoint(
    folder: Path, family: str, *, seed: int = 0, prefix: str = "", **config: object
) -> dict:
    """Write a random checkpoint of a family into a folder, and return its weights."""
    folder.mkdir()
    rng = np.random.default_rng(seed)
    settings = config_of(family) | config
    merged = config_of(family) | {name: value for name, value in config.items() if name in _SHAPING}
    weights = {
        name: rng.normal(1.0 if "orm.weight" in name else 0.0, 0.4, shape).astype(np.float32)
        for name, shape in parameter_shapes(merged).items()
    }
    save_file({prefix + name: value for name, value in weights.items()}, folder / "model.safetensors")
    (folder / "config.json").write_text(json.dumps(settings))
    write_tokenizer(folder / "tokenizer.json", settings["pad_token_id"])
    return weights
