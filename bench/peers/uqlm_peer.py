"""Scores the same answers with uqlm, in its own environment: values, then one turn per line of input."""

import json
import sys
import time
from importlib.metadata import version

from uqlm.black_box import CosineScorer, MatchScorer


def seconds(call):
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def main():
    order = json.loads(sys.stdin.readline())
    cosine, match = CosineScorer(order["model"]), MatchScorer()
    answers, samples = order["answers"], order["samples"]
    cosine.evaluate(answers[:4], samples[:4])  # warm up
    values = {
        "cosine_sim": [float(value) for value in cosine.evaluate(answers, samples)],
        "exact_match": [float(value) for value in match.evaluate(answers, samples)],
    }
    about = {name: version(name) for name in ("uqlm", "torch", "transformers", "sentence-transformers")}
    print(json.dumps({"about": about, "values": values}), flush=True)
    for _ in sys.stdin:
        # uqlm sleeps for a tenth of a second at the end of a call; this does not count as its work.
        print(json.dumps(seconds(lambda: cosine.evaluate(answers, samples)) - 0.1), flush=True)


main()
