"""Scores the same pairs with bert_score, in its own environment: values, then one turn per line of input."""

import json
import sys
import time
from importlib.metadata import version

import numpy as np
import torch
from bert_score import BERTScorer, score

BATCH_SIZES = (16, 32, 64, 128)


def seconds(call):
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def values(case, model):
    """Return each case's values alone in its batch, without padding, and in batches of 64."""
    settings = {**model, **case["settings"]}
    found = [
        torch.stack(score(case["candidates"], case["references"], batch_size=size, **settings))
        for size in (1, 64)
    ]
    return torch.stack(found).numpy()


def main():
    order = json.loads(sys.stdin.readline())
    model = {"model_type": order["model"], "num_layers": order["layer"], "device": "cpu", "nthreads": 0}
    for name, case in order["cases"].items():
        np.save(f"{order['folder']}/{name}.npy", values(case, model))
    candidates, references, groups = order["candidates"], order["references"], order["groups"]
    scorer = BERTScorer(**model)
    scorer.score(candidates[:64], references[:64])  # warm up
    tried = {
        size: seconds(lambda size=size: scorer.score(candidates, references, batch_size=size))
        for size in BATCH_SIZES
    }
    best = min(tried, key=tried.get)

    def one_prompt_at_a_time():
        for original, samples in groups:
            score([original] * len(samples), samples, **model)

    runs = {
        "distinct": lambda: scorer.score(candidates, references, batch_size=best),
        "as documented": lambda: score(candidates, references, **model),
        "groups": one_prompt_at_a_time,
    }
    about = {"bert_score": version("bert_score"), "torch": torch.__version__, "batch_size": best}
    print(json.dumps({**about, "transformers": version("transformers")}), flush=True)
    for line in sys.stdin:
        print(json.dumps(seconds(runs[line.strip()])), flush=True)


main()
