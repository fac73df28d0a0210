"""Classifies the same pairs with sentence-transformers' CrossEncoder, one turn a line of input."""

import json
import sys
import time

import numpy as np
import torch
from sentence_transformers import CrossEncoder, __version__

BATCH_SIZES = (16, 32, 64, 128)


def seconds(call):
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def main():
    order = json.loads(sys.stdin.readline())
    model = CrossEncoder(order["model"], device="cpu")
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
