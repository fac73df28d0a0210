"""Speed of a cross-encoder compared with sentence-transformers' CrossEncoder, in turn, in one run.

Run with ``python bench/entailment.py``. The peer's environment has the package onnx, which exports
the model to the ONNX file that Semscale reads. The weights are random, as speed does not depend on them; both
sides compute the same numbers. Nothing is read from a cache.
"""

import tempfile
from datetime import date
from pathlib import Path
from types import SimpleNamespace

import numpy as np

from measuring import Options, Peer, encoder_gigaflops, machine, ratios, seconds, sgemm_peak, spread
from random_classifier_files import CONFIGS, HIDDEN, LAYERS, write_random_model
from rated_texts import review_texts
from semscale.embedding.cross_encoder import CrossEncoder
from semscale.embedding.tokenizer import open_tokenizer

PRECISIONS = ("exact", "fast")


def options():
    parser = Options(__doc__)
    parser.add_peer("sentence-transformers")
    parser.add_size("--family", list(CONFIGS), quick=["deberta-v2"], choices=list(CONFIGS))
    parser.add_size("--turns", 5, quick=1)
    parser.add_size("--pairs", 2000, quick=16)
    return parser.parse_args()


def review_pairs(count):
    """Pair each review with the next one."""
    texts = review_texts()
    pairs = list(zip(texts, texts[1:], strict=False))[:count]
    return [list(side) for side in zip(*pairs, strict=True)]


def start_peer(python, folder, pairs):
    """Start sentence-transformers on the same pairs, and return it with its logits."""
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
    for family in chosen.family:
        compare(family, pairs, chosen)


def compare(family, pairs, chosen):
    """Print the speed of a family of models and its peer."""
    print(f"\n{date.today()}, {machine()}; {family}, 6 layers of 768, random weights")
    with tempfile.TemporaryDirectory() as made:
        folder = write_random_model(Path(made) / "model", family, pairs[0])
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
