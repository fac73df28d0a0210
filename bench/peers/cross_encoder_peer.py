"""Exports a model to ONNX, and classifies the same pairs with sentence-transformers' CrossEncoder.

One turn for each line of input.
"""

import json
import sys
import time
from contextlib import redirect_stdout
from pathlib import Path

import numpy as np
import torch
from sentence_transformers import CrossEncoder, __version__

BATCH_SIZES = (16, 32, 64, 128)


def seconds(call):
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def export(classifier, path):
    """Export the classifier's graph: token ids and mask of any size to logits."""
    names = ["input_ids", "attention_mask"]

    class Logits(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.classifier = classifier  # a submodule, as the exporter rejects constant weights

        def forward(self, *inputs):
            return self.classifier(**dict(zip(names, inputs, strict=True))).logits

    Path(path).parent.mkdir()
    axes = {name: {0: "batch", 1: "sequence"} for name in names} | {"logits": {0: "batch"}}
    example = tuple(torch.ones((2, 7), dtype=torch.long) for _ in names)
    settings = {"input_names": names, "output_names": ["logits"], "dynamic_axes": axes}
    torch.onnx.export(Logits(), example, path, opset_version=17, dynamo=False, **settings)


def main():
    order = json.loads(sys.stdin.readline())
    model = CrossEncoder(order["model"], device="cpu")
    with redirect_stdout(sys.stderr):
        export(model.model, order["graph"])
    pairs = [tuple(pair) for pair in order["pairs"]]

    def predict(batch_size):
        return model.predict(pairs, batch_size=batch_size, show_progress_bar=False)

    predict(32)  # warm up
    tried = {size: seconds(lambda size=size: predict(size)) for size in BATCH_SIZES}
    best = min(tried, key=tried.get)
    np.save(order["logits"], predict(best))
    print(json.dumps({"version": __version__, "torch": torch.__version__, "batch_size": best}), flush=True)
    for _ in sys.stdin:
        print(json.dumps(seconds(lambda: predict(best))), flush=True)


main()
