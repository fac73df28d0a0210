"""Speed of the engine compared with sentence-transformers: the same real texts, in turn, in one run.

Run with ``python bench/engine.py``. The model e5-small is compared with sentence-transformers on the same
weights as a float32 checkpoint, and on MiniLM in float32, a common choice; its precision ``turbo`` is also
compared with ``fast``.
"""

import tempfile
from datetime import date
from pathlib import Path
from typing import NamedTuple

import numpy as np

from float32_checkpoint import write_float32
from measuring import Options, Peer, encoder_gigaflops, machine, ratios, seconds, sgemm_peak, spread
from rated_texts import review_texts
from semscale.embedding import load_embedder
from semscale.embedding.checkpoint import open_checkpoint
from semscale.embedding.openvino import PRECISIONS
from semscale.embedding.tokenizer import WindowTokenizer, open_tokenizer
from semscale.weights.known import DEFAULT_MODEL
from semscale.weights.resolving import resolve

PEER = "sentence-transformers"
ON_MINILM = f"{PEER}, MiniLM"
GOALS = {
    DEFAULT_MODEL: "exact 1.3 with max |diff| 1e-05, fast 2.3 with min cosine 0.9999",
    "e5-small": f"exact 1.4 and fast 2.5 with min cosine 0.9999; fast 1.8 beside {ON_MINILM}; "
    "turbo 1.3 beside fast",
}


class Times(NamedTuple):
    """Seconds of each engine, and the machine's peak speed, by turn."""

    engines: dict[str, list[float]]
    peaks: list[float]


def options():
    parser = Options(__doc__)
    parser.add_peer("sentence-transformers")
    parser.add_size("--model", list(GOALS), quick=["e5-small"], choices=list(GOALS))
    parser.add_size("--turns", 5, quick=1)
    parser.add_size("--texts", None, quick=32, help="at most so many texts; all unless given")
    return parser.parse_args()


def describe_work(files, texts):
    """Print the lengths of the texts, and return the work for all of them, in Gflop."""
    checkpoint = open_checkpoint(files.folder, files.profile)
    tokenizer = WindowTokenizer(
        open_tokenizer(checkpoint.tokenizer), checkpoint.max_tokens, 64, prefix=checkpoint.prefix
    )
    lengths = tokenizer.split(texts).lengths
    work = encoder_gigaflops(checkpoint.architecture, lengths)
    mean_work = 1e3 * work / len(texts)
    print(f"{len(texts):,} texts of {lengths.mean():.1f} tokens and {mean_work:.0f} Mflop on average")
    return work


def start_peer(python, model, texts):
    """Start sentence-transformers on the same texts, and return it with its vectors."""
    with tempfile.TemporaryDirectory() as folder:
        vectors = Path(folder) / "theirs.npy"
        order = {"model": str(model), "texts": texts, "vectors": str(vectors)}
        peer = Peer(python, "sentence_transformers_peer.py", order)
        theirs = np.load(vectors)
    print(
        f"peer: sentence-transformers {peer.about['version']}, torch {peer.about['torch']}, "
        f"float32, batch size {peer.about['batch_size']} (its best)"
    )
    return peer, theirs


def start_peers(python, files, texts):
    """Start a peer with the model's weights, and for other models than MiniLM also one with MiniLM."""
    if files.name == DEFAULT_MODEL:
        peer, theirs = start_peer(python, files.folder, texts)
        return {PEER: peer}, theirs
    with tempfile.TemporaryDirectory() as folder:
        peer, theirs = start_peer(python, write_float32(files, Path(folder) / "float32"), texts)
    return {PEER: peer, ON_MINILM: start_peer(python, resolve(DEFAULT_MODEL).folder, texts)[0]}, theirs


def take_turns(peers, engines, texts, turns):
    """Time all peers and engines, one after the other in each turn."""
    times = Times({name: [] for name in (*peers, *engines)}, [])
    for _ in range(turns):
        times.peaks.append(sgemm_peak())
        for name, peer in peers.items():
            times.engines[name].append(peer.turn())
        for precision, engine in engines.items():
            times.engines[precision].append(seconds(lambda engine=engine: engine.embed(texts)))
    return times


def agreement(ours, theirs):
    cosine = (ours.astype(float) * theirs).sum(axis=1)
    return f"max |diff| {np.abs(ours - theirs).max():.1e}, min cosine {cosine.min():.6f}"


def show(times, texts, work, agreements):
    print(f"SGEMM peak (NumPy, all cores): {spread(times.peaks, 0)} Gflop/s\n")
    print(f"{'engine':31} {'texts/s':27} {'of SGEMM peak':>17}  {'ratio':24} agreement")
    for name, taken in times.engines.items():
        speed = spread([len(texts) / time for time in taken], 0)
        share = "-"
        if name != ON_MINILM:
            shares = [100 * work / time / peak for time, peak in zip(taken, times.peaks, strict=True)]
            share = f"{spread(shares, 0)} %"
        ratio = spread(ratios(times.engines[PEER], taken))
        print(f"{name:31} {speed:27} {share:>17}  {ratio:24} {agreements.get(name, '')}")
    if ON_MINILM in times.engines:
        print(f"fast beside {ON_MINILM}: {spread(ratios(times.engines[ON_MINILM], times.engines['fast']))}")
    if "turbo" in times.engines:
        print(f"turbo beside fast: {spread(ratios(times.engines['fast'], times.engines['turbo']))}")


def main():
    chosen = options()
    texts = review_texts(chosen.texts)
    for model in chosen.model:
        compare(resolve(model), texts, chosen)


def compare(files, texts, chosen):
    """Print the speed of a model and its peers."""
    print(f"\n{date.today()}, {machine()}; {files.name}")
    work = describe_work(files, texts)
    peers, theirs = start_peers(chosen.peer, files, texts)
    engines = {
        precision: load_embedder(files.name, precision=precision, cache=False)
        for precision in PRECISIONS
        if precision != "turbo" or files.profile.turbo
    }
    agreements = {
        precision: agreement(engine.embed(texts).vectors, theirs) for precision, engine in engines.items()
    }
    times = take_turns(peers, engines, texts, chosen.turns)
    show(times, texts, work, {PEER: "reference", **agreements})
    print(f"to reach: {GOALS[files.name]}")


if __name__ == "__main__":
    main()
