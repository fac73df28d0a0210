"""What ``fast`` loses beside ``exact``, and what computing very short texts in float32 wins.

``python bench/precision.py`` prints the lowest cosines over the review sentences. It needs a processor with
bfloat16; on others both precisions are the same.
"""

import argparse
import csv
from datetime import date
from pathlib import Path

import numpy as np

from measuring import machine
from semscale.embedding import load_embedder
from semscale.embedding.engines import openvino as openvino_engine
from semscale.embedding.engines.windows import WindowTokenizer, open_tokenizer
from semscale.weights.resolving import resolve

TEXTS = Path(__file__).parent.parent / "examples" / "product_reviews.csv"
LOWEST = 5


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--texts", type=int, help="at most so many texts; all unless given")
    options = parser.parse_args()
    with TEXTS.open(encoding="utf-8", newline="") as file:
        texts = list(dict.fromkeys(row["text"] for row in csv.DictReader(file)))[: options.texts]
    tokenizer = resolve("all-MiniLM-L6-v2").folder / "tokenizer.json"
    lengths = WindowTokenizer(open_tokenizer(tokenizer), 256, 64).split(texts).lengths
    exact = load_embedder(precision="exact", cache=False).embed(texts).vectors.astype(float)
    print(f"{date.today()}, {machine()}; {len(texts):,} texts")
    shipped = openvino_engine.SHORT
    for short in (0, shipped):
        openvino_engine.SHORT = short
        fast = load_embedder(precision="fast", cache=False).embed(texts).vectors
        cosines = (exact * fast).sum(axis=1)
        lowest = np.argsort(cosines)[:LOWEST]
        print(f"texts below {short} tokens in float32: lowest cosines")
        for row in lowest:
            print(f"  {cosines[row]:.6f}  {lengths[row]:3} tokens  {texts[row][:60]!r}")


if __name__ == "__main__":
    main()
