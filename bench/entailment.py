"""Pairs of texts through a cross-encoder, beside sentence-transformers' CrossEncoder, in turn, in one run.

``python bench/entailment.py --peer PYTHON [--family deberta-v2]`` where PYTHON belongs to an environment with
sentence-transformers and onnx, which exports the model to the ONNX file that our side reads. The weights are
random: both sides compute the same numbers, and speed does not depend on them. Nothing is read from a cache.
"""

import argparse
import csv
import tempfile
from datetime import date
from pathlib import Path
from types import SimpleNamespace

import numpy as np

from measuring import Peer, encoder_gigaflops, machine, ratios, seconds, sgemm_peak, spread
from random_classifier_files import CONFIGS, HIDDEN, LAYERS, write_random_model
from semscale.embedding.cross_encoder import CrossEncoder
from semscale.embedding.tokenizer import open_tokenizer

TEXTS = Path(__file__).parent.parent / "examples" / "product_reviews.csv"
PRECISIONS = ("exact", "fast")


def options():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peer", required=True, help="Python with sentence-transformers")
    parser.add_argument("--family", default="roberta", choices=list(CONFIGS))
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--pairs", type=int, default=2000)
    return parser.parse_args()


def review_pairs(count):
    """Pair each review with the next one."""
    with TEXTS.open(encoding="utf-8") as file:
        texts = list(dict.fromkeys(row["text"] for row in csv.DictReader(file)))
    pairs = list(zip(texts, texts[1:], strict=False))[:count]
    return [list(side) for side in zip(*pairs, strict=True)]


def start_peer(python, folder, pairs):
    """Start sentence-transformers on the same pairs, and give it with its logits."""
    logits = folder / "theirs.npy"
    order = {
        "model": str(folder),
        "graph": str(folder / "onnx" / "model.onnx"),
        "pairs": list(zip(*pairs, strict=True)),
        "logits": str(logits),
    }
    peer = Peer(python, "cross_encoder_peer.py", order)
    about = peer.about
    print(
        f"peer: sentence-transformers {about['version']}, torch {about['torch']}, float32, "
        f"batch size {about['batch_size']} (its best)"
    )
    return peer, np.load(logits)


def gigaflops_of(folder, pairs):
    encoded = open_tokenizer(folder / "tokenizer.json").encode_batch(list(zip(*pairs, strict=True)))
    lengths = np.array([len(one.ids) for one in encoded])
    print(f"{len(lengths):,} pairs of {lengths.mean():.1f} tokens on average")
    return encoder_gigaflops(SimpleNamespace(layers=LAYERS, hidden=HIDDEN), lengths)


def main():
    chosen = options()
    pairs = review_pairs(chosen.pairs)
    print(f"{date.today()}, {machine()}; {chosen.family}, 6 layers of 768, random weights")
    with tempfile.TemporaryDirectory() as made:
        folder = write_random_model(Path(made) / "model", chosen.family, pairs[0])
        work = gigaflops_of(folder, pairs)
        peer, theirs = start_peer(chosen.peer, folder, pairs)
        ours = {name: CrossEncoder(folder, name="random", precision=name) for name in PRECISIONS}
        found = {name: encoder.logits(*pairs).values for name, encoder in ours.items()}
        times, peaks = {"peer": [], **{name: [] for name in ours}}, []
        for _ in range(chosen.turns):
            peaks.append(sgemm_peak())
            times["peer"].append(peer.turn())
            for name, encoder in ours.items():
                times[name].append(seconds(lambda encoder=encoder: encoder.logits(*pairs)))
    print(f"SGEMM peak (NumPy, all cores): {spread(peaks, 0)} Gflop/s\n")
    print(f"{'engine':8} {'pairs/s':24} {'of SGEMM peak':>17}  {'ratio':24} max |difference| of logits")
    for name, taken in times.items():
        shares = [100 * work / time / peak for time, peak in zip(taken, peaks, strict=True)]
        difference = f"{np.abs(found[name] - theirs).max():.1e}" if name in found else "-"
        speed = spread([len(theirs) / time for time in taken], 0)
        ratio = spread(ratios(times["peer"], taken))
        print(f"{name:8} {speed:24} {spread(shares, 0):>15} %  {ratio:24} {difference}")


if __name__ == "__main__":
    main()
