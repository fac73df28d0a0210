"""Encodes the same texts with sentence-transformers, in its own environment, one turn per line of input."""

import json
import sys
import time

import numpy as np
import torch
from sentence_transformers import SentenceTransformer, __version__

BATCH_SIZES = (16, 32, 64, 128)


def seconds(call):
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def main():
    order = json.loads(sys.stdin.readline())
    model = SentenceTransformer(order["model"], device="cpu")
    texts = order["texts"]

    def encode(batch_size):
        return model.encode(texts, batch_size=batch_size, normalize_embeddings=True, show_progress_bar=False)

    encode(32)  # warm up
    tried = {size: seconds(lambda size=size: encode(size)) for size in BATCH_SIZES}
    best = min(tried, key=tried.get)
    np.save(order["vectors"], encode(best))
    print(json.dumps({"version": __version__, "torch": torch.__version__, "batch_size": best}), flush=True)
    for _ in sys.stdin:
        print(json.dumps(seconds(lambda: encode(best))), flush=True)


main()
