"""Small random checkpoints of the four families, as their libraries write them, and an empty cache."""

import json
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file
from word_tokenizer import WORDS, write_tokenizer

from semscale.embedding.cache.embedding_cache import EmbeddingCache

HIDDEN, HEADS, LAYERS, INNER, POSITIONS = 8, 2, 3, 16, 24

CONFIGS = {
    "bert": {"hidden_act": "gelu", "layer_norm_eps": 1e-12, "type_vocab_size": 2, "pad_token_id": 0},
    "roberta": {"hidden_act": "gelu", "layer_norm_eps": 1e-5, "type_vocab_size": 1, "pad_token_id": 1},
    "xlm-roberta": {"hidden_act": "gelu", "layer_norm_eps": 1e-5, "type_vocab_size": 1, "pad_token_id": 1},
    "distilbert": {"activation": "gelu", "pad_token_id": 0},
}


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
    shared = {"model_type": family, "vocab_size": WORDS, "max_position_embeddings": POSITIONS}
    return {**shared, **sizes, **CONFIGS[family]}


def parameter_shapes(family: str) -> dict[str, tuple[int, ...]]:
    """Names and shapes as transformers saves them."""
    distilled = family == "distilbert"
    shapes: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings.weight": (WORDS, HIDDEN),
        "embeddings.position_embeddings.weight": (POSITIONS, HIDDEN),
    }
    if not distilled:
        shapes["embeddings.token_type_embeddings.weight"] = (CONFIGS[family]["type_vocab_size"], HIDDEN)
    norms = ["embeddings.LayerNorm"]
    denses: dict[str, tuple[int, int]] = {}
    for layer in range(LAYERS):
        start = f"transformer.layer.{layer}." if distilled else f"encoder.layer.{layer}."
        square = (
            ["attention.q_lin", "attention.k_lin", "attention.v_lin", "attention.out_lin"]
            if distilled
            else [f"attention.self.{name}" for name in ("query", "key", "value")] + ["attention.output.dense"]
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
    weights = {
        name: rng.normal(1.0 if "orm.weight" in name else 0.0, 0.4, shape).astype(np.float32)
        for name, shape in parameter_shapes(family).items()
    }
    save_file({prefix + name: value for name, value in weights.items()}, folder / "model.safetensors")
    settings = config_of(family) | config
    (folder / "config.json").write_text(json.dumps(settings))
    write_tokenizer(folder / "tokenizer.json", settings["pad_token_id"])
    return weights


@pytest.fixture
def write_checkpoint(tmp_path: Path):
    """Give a function that writes a random checkpoint of a family and returns its folder and weights."""

    def write(family: str, *, seed: int = 0, **settings: object) -> tuple[Path, dict]:
        folder = tmp_path / f"{family}-{seed}"
        return folder, write_random_checkpoint(folder, family, seed=seed, **settings)

    return write


@pytest.fixture
def cache(tmp_path: Path):
    """Give an empty cache in a folder that does not exist yet."""
    with EmbeddingCache(tmp_path / "folder") as made:
        yield made
