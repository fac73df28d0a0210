"""Random classifiers in the shape of published ones, with a tokenizer learned from the texts at hand."""

import json
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file
from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers

HIDDEN, INNER, LAYERS, HEADS, POSITIONS = 768, 3072, 6, 12, 514
SPECIAL = ["<s>", "<pad>", "</s>", "<unk>"]
SHARED = {
    "hidden_size": HIDDEN,
    "intermediate_size": INNER,
    "num_hidden_layers": LAYERS,
    "num_attention_heads": HEADS,
    "hidden_act": "gelu",
    "pad_token_id": 1,
    "id2label": {"0": "contradiction", "1": "entailment", "2": "neutral"},
    "label2id": {"contradiction": 0, "entailment": 1, "neutral": 2},
}
CONFIGS = {
    "roberta": {
        "model_type": "roberta",
        "architectures": ["RobertaForSequenceClassification"],
        "vocab_size": 50265,
        "max_position_embeddings": POSITIONS,
        "type_vocab_size": 1,
        "layer_norm_eps": 1e-5,
    },
    "deberta-v2": {
        "model_type": "deberta-v2",
        "architectures": ["DebertaV2ForSequenceClassification"],
        "vocab_size": 128100,
        "max_position_embeddings": 512,
        "type_vocab_size": 0,
        "layer_norm_eps": 1e-7,
        "relative_attention": True,
        "position_buckets": 256,
        "max_relative_positions": -1,
        "share_att_key": True,
        "norm_rel_ebd": "layer_norm",
        "pos_att_type": ["p2c", "c2p"],
        "position_biased_input": False,
        "pooler_hidden_act": "gelu",
    },
}
"""The shapes of ``cross-encoder/nli-MiniLM2-L6-H768`` and of ``cross-encoder/nli-deberta-v3-small``."""


def write_random_model(folder: Path, family: str, texts: list[str]) -> Path:
    """Write configuration, random weights and tokenizer into a new folder."""
    folder.mkdir()
    config = SHARED | CONFIGS[family]
    (folder / "config.json").write_text(json.dumps(config))
    rng = np.random.default_rng(0)
    weights = {}
    for name, shape in shapes(family, config).items():
        size = 1.0 if name.endswith("LayerNorm.weight") else 0.0
        weights[name] = rng.normal(size, 0.02, shape).astype(np.float32)
    save_file(weights, folder / "model.safetensors")
    tokenizer = learned_tokenizer(texts)
    tokenizer.save(str(folder / "tokenizer.json"))
    named = dict(zip(("bos_token", "pad_token", "eos_token", "unk_token"), SPECIAL, strict=True))
    settings = {"tokenizer_class": "PreTrainedTokenizerFast", "model_max_length": 512, **named}
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    return folder


def learned_tokenizer(texts: list[str]) -> Tokenizer:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=8000, special_tokens=SPECIAL, initial_alphabet=alphabet)
    tokenizer.train_from_iterator(texts, trainer)
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), add_prefix_space=False)
    return tokenizer


def shapes(family: str, config: dict) -> dict[str, tuple[int, ...]]:
    relative = family == "deberta-v2"
    prefix, ending = ("deberta.", "_proj") if relative else ("roberta.", "")
    found: dict[str, tuple[int, ...]] = {
        f"{prefix}embeddings.word_embeddings.weight": (config["vocab_size"], HIDDEN)
    }
    norms = [f"{prefix}embeddings.LayerNorm"]
    denses = {}
    if relative:
        found[f"{prefix}encoder.rel_embeddings.weight"] = (2 * config["position_buckets"], HIDDEN)
        norms.append(f"{prefix}encoder.LayerNorm")
        denses |= {"pooler.dense": (HIDDEN, HIDDEN), "classifier": (3, HIDDEN)}
    else:
        found[f"{prefix}embeddings.position_embeddings.weight"] = (POSITIONS, HIDDEN)
        found[f"{prefix}embeddings.token_type_embeddings.weight"] = (1, HIDDEN)
        denses |= {"classifier.dense": (HIDDEN, HIDDEN), "classifier.out_proj": (3, HIDDEN)}
    for layer in range(LAYERS):
        start = f"{prefix}encoder.layer.{layer}."
        square = [f"attention.self.{name}{ending}" for name in ("query", "key", "value")]
        denses |= {start + name: (HIDDEN, HIDDEN) for name in [*square, "attention.output.dense"]}
        denses |= {start + "intermediate.dense": (INNER, HIDDEN), start + "output.dense": (HIDDEN, INNER)}
        norms += [start + "attention.output.LayerNorm", start + "output.LayerNorm"]
    for name, shape in denses.items():
        found |= {f"{name}.weight": shape, f"{name}.bias": shape[:1]}
    for name in norms:
        found |= {f"{name}.weight": (HIDDEN,), f"{name}.bias": (HIDDEN,)}
    return found
