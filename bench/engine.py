"""The engine beside sentence-transformers: the same real texts, in turn, in one run.

``python bench/engine.py --peer PYTHON`` where PYTHON belongs to an environment with sentence-transformers.
"""

import argparse
import csv
import tempfile
from datetime import date
from pathlib import Path

import numpy as np

from measuring import Peer, machine, ratios, seconds, sgemm_peak, spread
from semscale.embedding import load_embedder
from semscale.embedding.engines.windows import WindowTokenizer, open_tokenizer
from semscale.weights.resolving import resolve

TEXTS = Path(__file__).parent.parent / "examples" / "product_reviews.csv"
PEER = "sentence-transformers"
HIDDEN, INNER, LAYERS, MAX_TOKENS = 384, 1536, 6, 256


def gigaflops(lengths):
    """Multiplications and additions of the encoder's matrix products, in Gflop."""
    products = 2 * LAYERS * (4 * HIDDEN**2 + 2 * HIDDEN * INNER) * lengths.sum()
    attention = 2 * LAYERS * 2 * HIDDEN * (lengths.astype(float) ** 2).sum()
    return (products + attention) / 1e9


def options():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peer", required=True, help="Python with sentence-transformers")
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--texts", type=int, help="at most so many texts; all unless given")
    return parser.parse_args()


def describe_work(files, texts):
    """Print how long the texts are, and give the work in all of them, in Gflop."""
    lengths = (
        WindowTokenizer(open_tokenizer(files.folder / "tokenizer.json"), MAX_TOKENS, 64).split(texts).lengths
    )
    work = gigaflops(lengths)
    mean_work = 1e3 * work / len(texts)
    print(f"{len(texts):,} texts of {lengths.mean():.1f} tokens and {mean_work:.0f} Mflop on average")
    return work


def start_peer(python, files, texts):
    """Start sentence-transformers on the same texts, and give it with its vectors."""
    with tempfile.TemporaryDirectory() as folder:
        vectors = Path(folder) / "theirs.npy"
        order = {"model": str(files.folder), "texts": texts, "vectors": str(vectors)}
        peer = Peer(python, "sentence_transformers_peer.py", order)
        theirs = np.load(vectors)
    print(
        f"peer: sentence-transformers {peer.about['version']}, torch {peer.about['torch']}, "
        f"float32, batch size {peer.about['batch_size']} (its best)"
    )
    return peer, theirs


def take_turns(peer, engines, texts, turns):
    """Seconds of each engine and the machine's own peak, turn by turn."""
    times = {PEER: [], **{precision: [] for precision in engines}}
    peaks = []
    for _ in range(turns):
        peaks.append(sgemm_peak())
        times[PEER].append(peer.turn())
        for precision, engine in engines.items():
            times[precision].append(seconds(lambda engine=engine: engine.embed(texts)))
    return times, peaks


def agreement(ours, theirs):
    cosine = (ours.astype(float) * theirs).sum(axis=1)
    return f"max |diff| {np.abs(ours - theirs).max():.1e}, min cosine {cosine.min():.6f}"


def main():
    chosen = options()
    with TEXTS.open(encoding="utf-8") as file:
        texts = list(dict.fromkeys(row["text"] for row in csv.DictReader(file)))[: chosen.texts]
    files = resolve("all-MiniLM-L6-v2")
    print(f"{date.today()}, {machine()}")
    work = describe_work(files, texts)
    peer, theirs = start_peer(chosen.peer, files, texts)
    engines = {precision: load_embedder(precision=precision, cache=False) for precision in ("exact", "fast")}
    ours = {precision: engine.embed(texts).vectors for precision, engine in engines.items()}
    times, peaks = take_turns(peer, engines, texts, chosen.turns)

    print(f"SGEMM peak (NumPy, all cores): {spread(peaks, 0)} Gflop/s\n")
    print(f"{'engine':23} {'texts/s':27} {'of SGEMM peak':>17}  {'ratio':24} agreement")
    for name, taken in times.items():
        speed = spread([len(texts) / time for time in taken], 0)
        share = spread([100 * work / time / peak for time, peak in zip(taken, peaks, strict=True)], 0)
        ratio, agreed = "1", "reference"
        if name in ours:
            ratio, agreed = spread(ratios(times[PEER], taken)), agreement(ours[name], theirs)
        print(f"{name:23} {speed:27} {share:>15} %  {ratio:24} {agreed}")
    print("to reach: exact 1.3 with max |diff| 1e-05, fast 2.3 with min cosine 0.9999")


if __name__ == "__main__":
    main()
