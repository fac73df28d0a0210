"""Scores the same pairs with bert_score, in its own environment: values once, then one turn a line of input."""

import json
import sys
import time

import bert_score
import numpy as np
import torch
import transformers
from bert_score import BERTScorer, score

BATCH_SIZES = (16, 32, 64, 128)


def seconds(call):
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def main():
    order = json.loads(sys.stdin.readline())
    model = {"model_type": order["model"], "num_layers": order["layer"], "device": "cpu", "nthreads": 0}
    candidates, references = order["candidates"], order["references"]
    for name, case in order.get("cases", {}).items():
        found = score(case["candidates"], case["references"], **model, **case["settings"])
        np.save(f"{order['folder']}/{name}.npy", torch.stack(found).numpy())
    about = {
        "version": bert_score.__version__,
        "torch": torch.__version__,
        "transformers": transformers.__version__,
    }
    if order.get("groups"):
        about["batch_size"] = 64
        ends = order["groups"]

        def run():
            for start, end in zip([0, *ends[:-1]], ends, strict=True):
                score(candidates[start:end], references[start:end], **model)

    else:
        scorer = BERTScorer(**model)
        scorer.score(candidates[:64], references[:64])  # warm up
        tried = {
            size: seconds(lambda size=size: scorer.score(candidates, references, batch_size=size))
            for size in BATCH_SIZES
        }
        about["batch_size"] = best = min(tried, key=tried.get)

        def run():
            scorer.score(candidates, references, batch_size=best)

    print(json.dumps(about), flush=True)
    for _ in sys.stdin:
        print(json.dumps(seconds(run)), flush=True)


main()
