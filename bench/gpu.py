"""Packed batches on a GPU beside sentence-transformers and bert_score: the same texts, in turn, in one run.

Run with ``.bench-venv/bin/python bench/gpu.py [--model e5-small] [--device cpu]``, as it needs
``semscale[torch]`` itself. Each peer runs with its best batch size, and sentence-transformers with its best
type of number. Without a GPU it says so and ends.
"""

import tempfile
from datetime import date
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from bertscore import LAYER, long_pairs
from float32_checkpoint import write_float32
from measuring import Options, Peer, machine, ratios, seconds, spread
from rated_texts import review_texts
from semscale import BertScorer
from semscale.embedding import load_embedder
from semscale.embedding.loading import load_token_encoder
from semscale.weights.known import DEFAULT_MODEL, KNOWN
from semscale.weights.resolving import resolve

GOALS = "2 times the texts/s, 5 times the pairs/s, 60 % of the time in the model's own kernels"
# Names that products, attention, norms, activations and lookups of PyTorch, cuBLAS and FlashAttention have.
OWN_KERNELS = (
    "gemm",
    "cutlass",
    "flash",
    "fmha",
    "layer_norm",
    "gelu",
    "mm",
    "sdpa",
    "attention",
    "embedding",
)


def options():
    parser = Options(__doc__)
    parser.add_peer("sentence-transformers and bert_score")
    parser.add_argument(
        "--model", default=DEFAULT_MODEL, choices=[n for n, m in KNOWN.items() if not m.is_chat]
    )
    parser.add_size("--device", "cuda", quick="cpu")
    parser.add_size("--turns", 5, quick=1)
    parser.add_size("--texts", 100_000, quick=16, help="texts that are timed; real ones, numbered")
    parser.add_size("--pairs", 20_000, quick=8, help="pairs that are timed")
    return parser.parse_args()


def lacking(device):
    """What is missing to measure on a device; nothing if it is empty."""
    if find_spec("torch") is None:
        return 'PyTorch is not there: pip install "semscale[torch]"'
    import torch

    if device != "cpu" and not torch.cuda.is_available():
        return f"no GPU is at hand ({device}); --device cpu runs the same comparison on the processor"
    return ""


def device_name(device):
    import torch

    return machine() if device == "cpu" else f"{torch.cuda.get_device_name(device)}, {machine()}"


def distinct_texts(n):
    """Real texts; beyond their number they are repeated with a number behind, so that each is computed."""
    texts = review_texts()
    return [texts[at % len(texts)] + (f" {at}" if at >= len(texts) else "") for at in range(n)]


def distinct_pairs(n):
    firsts, others = long_pairs(n)
    rows = [(at % len(firsts), f" {at}" if at >= len(firsts) else "") for at in range(n)]
    return [firsts[row] + number for row, number in rows], [others[row] + number for row, number in rows]


def started_peer(chosen, texts, pairs):
    """Start the peer on the same work, and give it with its vectors and scores."""
    files = resolve(chosen.model)
    with tempfile.TemporaryDirectory() as folder:
        packed = not (files.folder / "config.json").is_file()
        model = write_float32(files, Path(folder) / "float32") if packed else files.folder
        order = {
            "model": str(model), "device": chosen.device, "layer": LAYER, "folder": folder,
            "texts": [(files.profile.prefix if files.profile else "") + text for text in texts],
            "candidates": pairs[0], "references": pairs[1],
        }  # fmt: skip
        peer = Peer(chosen.peer, "gpu_peer.py", order)
        print(f"peer: {', '.join(f'{name} {value}' for name, value in peer.about.items())}")
        return peer, np.load(f"{folder}/vectors.npy"), np.load(f"{folder}/scores.npy")


def share_of_kernels(embedder, texts, device):
    """Share of the wall time that the model's own kernels take; in percent."""
    from torch.profiler import ProfilerActivity, profile

    activity = ProfilerActivity.CPU if device == "cpu" else ProfilerActivity.CUDA
    with profile(activities=[activity]) as profiler:
        taken = seconds(lambda: embedder.embed(texts))
    own = sum(
        event.self_cpu_time_total if device == "cpu" else event.self_device_time_total
        for event in profiler.key_averages()
        if any(name in event.key.lower() for name in OWN_KERNELS)
    )
    return 100 * own / 1e6 / taken


def report(unit, n, times):
    theirs = next(iter(times.values()))
    for name, taken in times.items():
        speed = spread([n / each for each in taken], 0)
        print(f"{name:32} {speed:30} {unit}/s, ratio {spread(ratios(theirs, taken))}")


def compare_texts(chosen, peer, texts, vectors):
    engines = {
        precision: load_embedder(
            chosen.model, engine="torch", device=chosen.device, precision=precision, cache=False
        )
        for precision in ("exact", "fast")
    }
    for precision, engine in engines.items():
        found = engine.embed(texts).vectors
        cosine = (found.astype(float) * vectors).sum(axis=1).min()
        print(f"{precision}: min cosine with sentence-transformers in float32 {cosine:.6f}")
    times = {name: [] for name in ("sentence-transformers", *engines)}
    for _ in range(chosen.turns):
        times["sentence-transformers"].append(peer.turn("texts"))
        for precision, engine in engines.items():
            times[precision].append(seconds(lambda engine=engine: engine.embed(texts)))
    report("texts", len(texts), times)
    for precision, engine in engines.items():
        share = share_of_kernels(engine, texts, chosen.device)
        print(f"{precision}: {share:.0f} % of the time in the model's own kernels")


def compare_pairs(chosen, peer, pairs, scores):
    scorers = {
        precision: BertScorer(
            load_token_encoder(chosen.model, engine="torch", device=chosen.device, precision=precision),
            layer=LAYER,
        )
        for precision in ("exact", "fast")
    }
    for precision, scorer in scorers.items():
        found = scorer.score(*pairs).f1
        gap = np.abs(found - scores).max()
        print(f"{precision}: largest difference from bert_score, whose batches count padding, {gap:.1e}")
    times = {name: [] for name in ("bert_score", *scorers)}
    for _ in range(chosen.turns):
        times["bert_score"].append(peer.turn("pairs"))
        for precision, scorer in scorers.items():
            times[precision].append(seconds(lambda scorer=scorer: scorer.score(*pairs)))
    report("pairs", len(pairs[0]), times)


def main():
    chosen = options()
    if missing := lacking(chosen.device):
        print(f"skipped gpu.py: {missing}")
        return
    texts, pairs = distinct_texts(chosen.texts), distinct_pairs(chosen.pairs)
    print(f"{date.today()}, {device_name(chosen.device)}; {chosen.model}")
    peer, vectors, scores = started_peer(chosen, texts, pairs)
    print(f"\n{len(texts):,} texts")
    compare_texts(chosen, peer, texts, vectors)
    print(f"\n{len(pairs[0]):,} pairs, layer {LAYER}")
    compare_pairs(chosen, peer, pairs, scores)
    print(f"to reach on a data-centre GPU: {GOALS}")


if __name__ == "__main__":
    main()
