"""Inputs and the small model of the growth benchmark, and an endpoint that answers at once."""

import asyncio
import json
from pathlib import Path

import numpy as np
import polars as pl
from safetensors.numpy import save_file

from chat import Answering, serve
from random_classifier_files import learned_tokenizer

WORDS = [
    "love",
    "hate",
    "this",
    "it",
    "works",
    "broke",
    "cheap",
    "good",
    "bad",
    "great",
    "awful",
    "battery",
    "screen",
    "price",
    "fine",
    "slow",
    "fast",
    "never",
    "always",
    "with",
    "after",
    "before",
    "week",
    "month",
    "friend",
    "quality",
]
SHORTEST, LONGEST = 5, 12  # words of a text
BLOCK = 200_000
GROUPS = 1000
ANSWERS = ["never", "rarely", "sometimes", "often", "always"]
REGIONS = ["north", "east", "south", "west"]
HAND_CODED = 400  # rows, or up to twice as many
CODES = {"power": "battery", "display": "screen", "cost": "price", "speed": "slow"}
HIDDEN, INNER, HEADS, POSITIONS = 384, 384, 12, 66


def write_rows(path: Path, n: int, duplicates: float) -> None:
    """Write n rows with three columns of texts, 1,000 groups, an answer out of five, and a region.

    Each column of texts has ``n * (1 - duplicates)`` different ones. At most 800 rows are coded by hand.

    Args:
        path: path of the new Parquet file.
        n: number of rows.
        duplicates: share of rows with the text of an earlier row, 0 to below 1.
    """
    distinct = max(1, round(n * (1 - duplicates)))
    blocks = path.with_suffix("")
    blocks.mkdir()
    for start in range(0, n, BLOCK):
        rows = np.arange(start, min(n, start + BLOCK))
        columns = {
            name: [_text(place, seed) for place in (rows * 7919 % distinct).tolist()]
            for seed, name in enumerate(("text", "other", "third"))
        }
        group = pl.Series("group", [f"group {row % GROUPS}" for row in rows.tolist()])
        texts = columns["text"]
        hand = [
            _codes(text) if row % max(1, n // HAND_CODED) == 0 else None
            for row, text in zip(rows.tolist(), texts, strict=True)
        ]
        columns["hand"] = pl.Series(hand, dtype=pl.String)
        columns["answer"] = [ANSWERS[row * 7 % 11 % len(ANSWERS)] for row in rows.tolist()]
        columns["region"] = [REGIONS[row * 5 % 13 % len(REGIONS)] for row in rows.tolist()]
        pl.DataFrame(columns).with_columns(group).write_parquet(blocks / f"{start:012d}.parquet")
    pl.scan_parquet(blocks).sink_parquet(path)


def _text(place: int, seed: int) -> str:
    """Return the text of a number: its digits choose the words; texts of two columns share some words."""
    length = SHORTEST + place % (LONGEST - SHORTEST + 1)
    words = []
    for at in range(length):
        words.append(WORDS[(place // len(WORDS) ** at + at + seed * (at % 3 == 0)) % len(WORDS)])
    return f"{' '.join(words)} {place}."


def _codes(text: str) -> str:
    """Return a text's hand codes: the codes whose words it has."""
    return "; ".join(name for name, word in CODES.items() if word in text) or "none"


def write_codebook(path: Path) -> None:
    """Write a codebook whose codes the random model can tell apart."""
    codes = [
        {"name": name, "definition": f"{word} {word}", "examples": [" ".join([word] * 8)]}
        for name, word in CODES.items()
    ]
    path.write_text(json.dumps({"name": "growth", "codes": codes}))


def write_model(folder: Path) -> None:
    """Write a random model with one layer of the width of the default models, and a tokenizer for it."""
    tokenizer = learned_tokenizer([_text(place, seed) for place in range(2000) for seed in range(3)])
    tokenizer.save(str(folder / "tokenizer.json"))
    config = {
        "model_type": "roberta",
        "vocab_size": tokenizer.get_vocab_size(),
        "hidden_size": HIDDEN,
        "intermediate_size": INNER,
        "num_hidden_layers": 1,
        "num_attention_heads": HEADS,
        "max_position_embeddings": POSITIONS,
        "type_vocab_size": 1,
        "hidden_act": "gelu",
        "layer_norm_eps": 1e-5,
        "pad_token_id": 1,
    }
    (folder / "config.json").write_text(json.dumps(config))
    rng = np.random.default_rng(0)
    sizes = {
        "embeddings.word_embeddings.weight": (config["vocab_size"], HIDDEN),
        "embeddings.position_embeddings.weight": (POSITIONS, HIDDEN),
        "embeddings.token_type_embeddings.weight": (1, HIDDEN),
    }
    start = "encoder.layer.0."
    dense = {f"{start}attention.self.{name}": (HIDDEN, HIDDEN) for name in ("query", "key", "value")}
    dense[f"{start}attention.output.dense"] = (HIDDEN, HIDDEN)
    dense |= {f"{start}intermediate.dense": (INNER, HIDDEN), f"{start}output.dense": (HIDDEN, INNER)}
    norms = ["embeddings.LayerNorm", f"{start}attention.output.LayerNorm", f"{start}output.LayerNorm"]
    weights = {name: rng.normal(0, 0.3, size) for name, size in sizes.items()}
    for name, size in dense.items():
        weights |= {f"{name}.weight": rng.normal(0, 0.05, size), f"{name}.bias": np.zeros(size[0])}
    for name in norms:
        weights |= {f"{name}.weight": np.ones(HIDDEN), f"{name}.bias": np.zeros(HIDDEN)}
    save_file(
        {name: values.astype(np.float32) for name, values in weights.items()}, folder / "model.safetensors"
    )


class AtOnce(Answering):
    """Answers every request at once."""

    latency = 0.0


def answer_at_once() -> None:
    """Run the endpoint, and print its port."""
    asyncio.run(serve(AtOnce))
