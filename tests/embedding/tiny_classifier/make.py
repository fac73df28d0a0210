"""Writes the files of this folder: a random BERT classifier of one layer, exported to ONNX by PyTorch.

Run with ``python tests/embedding/tiny_classifier/make.py`` in an environment with ``semscale[torch]`` and the
package ``onnx``; it was made with torch 2.13.0 and transformers 5.24.0. ``expected.json`` has the logits that
transformers gives for some pairs.
"""

import json
import sys
from pathlib import Path

from tokenizers import Tokenizer

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))
from tests.support.word_tokenizer import VOCABULARY_SIZE, write_tokenizer  # noqa: E402 - a file beside this folder

INPUTS = ("input_ids", "attention_mask", "token_type_ids")
FIRST = ["w1 w2 w3", "w4", "w9 w8 w7 w6 w5", "w25 unknown w0"]
SECOND = ["w2", "w4 w5", "w9 w8 w1", "w3"]


def main():
    import torch
    from transformers import BertConfig, BertForSequenceClassification

    class Logits(torch.nn.Module):
        def forward(self, *inputs):
            return model(**dict(zip(INPUTS, inputs, strict=True))).logits

    torch.manual_seed(0)
    config = BertConfig(
        hidden_size=8,
        intermediate_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        vocab_size=VOCABULARY_SIZE,
        max_position_embeddings=24,
        id2label={0: "contradiction", 1: "entailment", 2: "neutral"},
        label2id={"contradiction": 0, "entailment": 1, "neutral": 2},
        architectures=["BertForSequenceClassification"],
        attn_implementation="eager",
    )
    model = BertForSequenceClassification(config).eval()
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.5)
    (HERE / "config.json").write_text(config.to_json_string())
    write_tokenizer(HERE / "tokenizer.json", 0)
    (HERE / "onnx").mkdir(exist_ok=True)
    axes = {name: {0: "batch", 1: "sequence"} for name in INPUTS} | {"logits": {0: "batch"}}
    torch.onnx.export(
        Logits(),
        tuple(torch.ones((2, 7), dtype=torch.long) for _ in INPUTS),
        str(HERE / "onnx" / "model.onnx"),
        input_names=list(INPUTS),
        output_names=["logits"],
        dynamic_axes=axes,
        opset_version=17,
        dynamo=False,
    )
    tokenizer = Tokenizer.from_file(str(HERE / "tokenizer.json"))
    expected = []
    for pair in zip(FIRST, SECOND, strict=True):
        tokens = tokenizer.encode(*pair)
        with torch.no_grad():
            output = model(
                input_ids=torch.tensor([tokens.ids]), token_type_ids=torch.tensor([tokens.type_ids])
            )
        expected.append({"pair": pair, "logits": output.logits[0].tolist()})
    (HERE / "expected.json").write_text(json.dumps(expected, indent=1))


if __name__ == "__main__":
    main()
