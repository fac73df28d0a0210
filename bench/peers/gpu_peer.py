"""Encodes with sentence-transformers and scores with bert_score on one device, one turn a line of input."""

import json
import sys
import time
from importlib.metadata import version

import numpy as np
import torch
from bert_score import BERTScorer
from sentence_transformers import SentenceTransformer

SIZES = {"cpu": (16, 32, 64, 128), "cuda": (64, 256, 1024, 4096)}
TYPES = {"cpu": ("float32",), "cuda": ("float32", "float16", "bfloat16")}
TRIED = {"cpu": 128, "cuda": 4096}  # texts, and pairs, on which batch sizes and types are tried


def seconds(call):
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def best_of(runs):
    """The fastest of some calls, each run once before it is timed."""
    times = {}
    for name, call in runs.items():
        call()
        times[name] = seconds(call)
    return min(times, key=times.get)


def encoder(model, kind):
    def encode(texts, size):
        return model[kind].encode(texts, batch_size=size, normalize_embeddings=True, show_progress_bar=False)

    return encode


def main():
    order = json.loads(sys.stdin.readline())
    device = order["device"]
    sizes, kinds, tried = (table[device.partition(":")[0]] for table in (SIZES, TYPES, TRIED))
    models = {
        kind: SentenceTransformer(order["model"], device=device, model_kwargs={"dtype": getattr(torch, kind)})
        for kind in kinds
    }
    texts, few = order["texts"], order["texts"][:tried]
    runs = {
        (kind, size): lambda kind=kind, size=size: encoder(models, kind)(few, size)
        for kind in kinds
        for size in sizes
    }
    kind, size = best_of(runs)
    np.save(f"{order['folder']}/vectors.npy", encoder(models, "float32")(texts, sizes[1]))
    scorer = BERTScorer(model_type=order["model"], num_layers=order["layer"], device=device, nthreads=0)
    pairs = order["candidates"], order["references"]
    trial = [side[:tried] for side in pairs]
    pair_size = best_of({each: lambda each=each: scorer.score(*trial, batch_size=each) for each in sizes})
    np.save(f"{order['folder']}/scores.npy", scorer.score(*pairs, batch_size=pair_size)[2].numpy())
    about = {name: version(name) for name in ("sentence-transformers", "bert_score", "torch")}
    print(json.dumps({**about, "type": kind, "batch": size, "batch of pairs": pair_size}), flush=True)
    turns = {
        "texts": lambda: encoder(models, kind)(texts, size),
        "pairs": lambda: scorer.score(*pairs, batch_size=pair_size),
    }
    for line in sys.stdin:
        print(json.dumps(seconds(turns[line.strip()])), flush=True)


main()
