"""Conversion of a model with 4-bit weights to a float32 checkpoint for other libraries; scripts import it."""

import json
import shutil
from pathlib import Path

from safetensors.numpy import save_file

from semscale.embedding.checkpoint import WORDS, open_checkpoint, open_weights, read_content
from semscale.weights.resolving import ModelFiles

_KIND = "sentence_transformers.models."


def write_float32(files: ModelFiles, folder: Path) -> Path:
    """Write weights, tokenizer and settings, with the model's prefix as the default prompt."""
    checkpoint = open_checkpoint(files.folder, files.profile)
    weights = open_weights(checkpoint, read_content(checkpoint.weights))
    words = weights.words.floats()
    tensors = {WORDS: words, **{name: values.copy() for name, values in weights.parameters.items()}}
    (folder / "1_Pooling").mkdir(parents=True)
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    shutil.copy(checkpoint.tokenizer, folder / "tokenizer.json")
    shape = checkpoint.architecture
    config = {
        "architectures": ["BertModel"],
        "model_type": "bert",
        "hidden_size": shape.hidden,
        "num_hidden_layers": shape.layers,
        "num_attention_heads": shape.heads,
        "intermediate_size": len(tensors["encoder.layer.0.intermediate.dense.bias"]),
        "vocab_size": len(words),
        "max_position_embeddings": shape.positions,
        "type_vocab_size": len(tensors["embeddings.token_type_embeddings.weight"]),
        "layer_norm_eps": shape.norm_epsilon,
        "hidden_act": "gelu",
        "pad_token_id": 1,
    }
    kinds = ("Transformer", ""), ("Pooling", "1_Pooling"), ("Normalize", "2_Normalize")
    steps = [
        {"idx": at, "name": str(at), "path": path, "type": _KIND + kind}
        for at, (kind, path) in enumerate(kinds)
    ]
    specials = {
        "bos": "<s>",
        "eos": "</s>",
        "cls": "<s>",
        "sep": "</s>",
        "pad": "<pad>",
        "unk": "<unk>",
        "mask": "<mask>",
    }
    settings = {
        "config.json": config,
        "modules.json": steps,
        "1_Pooling/config.json": {"word_embedding_dimension": shape.hidden, "pooling_mode_mean_tokens": True},
        "sentence_bert_config.json": {"max_seq_length": checkpoint.max_tokens, "do_lower_case": False},
        "config_sentence_transformers.json": {
            "prompts": {"query": checkpoint.prefix},
            "default_prompt_name": "query",
        },
        "tokenizer_config.json": {
            "tokenizer_class": "PreTrainedTokenizerFast",
            "model_max_length": checkpoint.max_tokens,
            **{f"{name}_token": token for name, token in specials.items()},
        },
    }
    for name, content in settings.items():
        (folder / name).write_text(json.dumps(content), encoding="utf-8")
    return folder
