"""Semscale's engine compared with CTranslate2: the same weights, tokenizer and texts, in turn, in one run.

Run with ``python bench/engines.py`` after ``pip install ctranslate2``, which nothing else needs; without it
the script is skipped. CTranslate2 pads each batch of texts of similar length, and gets as many tokens in a
batch as are fastest. ``cpu`` is the ratio of processor seconds, which other work on the machine affects
least. Ratings are computed with exact anchors, as by ``turbo``.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import date
from importlib.metadata import files
from pathlib import Path
from typing import NamedTuple

import numpy as np

from measuring import Options, machine, ratios, seconds, spread
from precision import total_variation
from rated_texts import review_texts
from semscale import Rater
from semscale.embedding import load_embedder
from semscale.embedding.checkpoint import (
    Q4Table,
    open_checkpoint,
    open_weights,
    position_table,
    verify_content,
)
from semscale.embedding.embedder import THREADS_VARIABLE, processors
from semscale.embedding.openvino import PRECISIONS
from semscale.embedding.tokenizer import WindowTokenizer, open_text_tokenizer, pool_windows
from semscale.scales import scale_names
from semscale.weights.known import DEFAULT_MODEL, DEFAULT_RATING_MODEL
from semscale.weights.resolving import resolve

TYPES = ("float32", "bfloat16", "int8")
"""Number types of CTranslate2, if the processor has them."""
BUDGETS = (512, 2048, 8192)
"""Tokens in a batch, of which the fastest is used."""
INSTALLED = {
    "OpenVINO": ("openvino", "openvino-telemetry"),
    "CTranslate2": ("ctranslate2", "pyyaml"),
}
CHECKED = 100  # texts whose vectors are compared alone and in company
MEMORY_TEXTS = 1000
WARM_UP = ["short", "a longer text, so that both models of a precision are compiled"]


class Texts(NamedTuple):
    """Texts of one length class, and how many of them are embedded."""

    name: str
    texts: list


def length_classes(n):
    """Return n distinct texts of 5 words, of one sentence, and of 5 sentences."""
    sentences = review_texts()
    groups = {
        "5 words": [" ".join(sentence.split()[:5]) for sentence in sentences],
        "sentence": sentences,
        "5 sentences": [" ".join(sentences[row : row + 5]) for row in range(len(sentences))],
    }
    return [Texts(name, distinct_texts(texts, n)) for name, texts in groups.items()]


def distinct_texts(texts, n):
    """Return n of the texts; repetitions get a number."""
    unique = list(dict.fromkeys(texts))
    order = np.random.default_rng(0).permutation(len(unique))
    rounds = -(-n // len(unique))
    return [f"{unique[row]} {turn or ''}".strip() for turn in range(rounds) for row in order][:n]


class CTranslate2Embedder:
    """Embeds texts with CTranslate2, one thread for each of two batches at a time."""

    def __init__(self, model, folder, kind, threads=None):
        import ctranslate2

        source = resolve(model)
        checkpoint = open_checkpoint(source.folder, source.profile)
        tokenizer = open_text_tokenizer(checkpoint.tokenizer, checkpoint.prefix)
        limit = checkpoint.max_tokens
        self._tokenizer = WindowTokenizer(tokenizer, limit, limit // 4, prefix=checkpoint.prefix)
        self._threads = threads or processors()
        self._model = ctranslate2.Encoder(
            str(folder), compute_type=kind, inter_threads=self._threads, intra_threads=1
        )
        self.budget = BUDGETS[0]

    def vectors(self, texts):
        """Return unit vectors, shape (n, d)."""
        split = self._tokenizer.split(texts)
        ids = [row.tolist() for row in split.ids]
        order = sorted(range(len(ids)), key=lambda row: -len(ids[row]))
        batches = []
        while order:
            n = max(1, self.budget // len(ids[order[0]]))
            batches.append(order[:n])
            order = order[n:]
        with ThreadPoolExecutor(self._threads) as pool:
            pooled = list(pool.map(lambda batch: self._batch([ids[row] for row in batch]), batches))
        vectors = np.empty((len(ids), pooled[0].shape[1]), np.float32)
        for batch, part in zip(batches, pooled, strict=True):
            vectors[batch] = part
        return pool_windows(vectors, split, len(texts))

    def _batch(self, ids):
        states = np.array(self._model.forward_batch(ids).last_hidden_state)
        lengths = np.array([len(row) for row in ids])[:, None]
        inside = np.arange(states.shape[1]) < lengths
        means = np.einsum("bth,bt->bh", states, inside.astype(np.float32)) / lengths.astype(np.float32)
        return means / np.linalg.norm(means, axis=1, keepdims=True)


class SemscaleEmbedder:
    """Embeds texts with Semscale in one precision."""

    def __init__(self, model, precision):
        self._embedder = load_embedder(model, precision=precision, cache=False)

    def vectors(self, texts):
        """Return unit vectors, shape (n, d)."""
        return self._embedder.embed(texts).vectors


def write_model(model, folder):
    """Write a model in CTranslate2's form, with weights in float32 and in 8 bits."""
    for kind, quantization in (("float32", None), ("int8", "int8")):
        spec = model_spec(model)
        spec.optimize(quantization=quantization)
        (folder / kind).mkdir()
        spec.save(str(folder / kind))


def model_spec(model):
    """Return a model's weights as CTranslate2 names and arranges them."""
    from ctranslate2.specs import (
        TransformerEncoderModelSpec,
        TransformerEncoderSpec,
        common_spec,
    )

    source = resolve(model)
    checkpoint = open_checkpoint(source.folder, source.profile)
    shape = checkpoint.architecture
    encoder = TransformerEncoderSpec(
        shape.layers,
        shape.heads,
        pre_norm=False,
        activation=common_spec.Activation.GELU,
        layernorm_embedding=True,
        embeddings_merge=common_spec.EmbeddingsMerge.ADD,
    )
    encoder.scale_embeddings = False
    with verify_content(checkpoint.weights, source.sha256) as content:
        weights = open_weights(checkpoint, content)
        parameters, words = weights.parameters, weights.words

        def set_linear(part, *names):
            part.weight = np.concatenate([parameters[f"{name}.weight"] for name in names])
            part.bias = np.concatenate([parameters[f"{name}.bias"] for name in names])

        def set_norm(part, name):
            part.gamma, part.beta = (parameters[f"{name}.{kind}"].copy() for kind in ("weight", "bias"))

        encoder.embeddings[0].weight = words.floats() if isinstance(words, Q4Table) else words.copy()
        encoder.position_encodings.encodings = position_table(parameters, shape).copy()
        set_norm(encoder.layernorm_embedding, "embeddings.LayerNorm")
        for index, layer in enumerate(encoder.layer):
            prefix = f"encoder.layer.{index}."
            joined = [f"{prefix}attention.self.{name}" for name in ("query", "key", "value")]
            set_linear(layer.self_attention.linear[0], *joined)
            set_linear(layer.self_attention.linear[1], prefix + "attention.output.dense")
            set_norm(layer.self_attention.layer_norm, prefix + "attention.output.LayerNorm")
            set_linear(layer.ffn.linear_0, prefix + "intermediate.dense")
            set_linear(layer.ffn.linear_1, prefix + "output.dense")
            set_norm(layer.ffn.layer_norm, prefix + "output.LayerNorm")
        spec = TransformerEncoderModelSpec(encoder)
        spec.register_vocabulary([str(row) for row in range(len(encoder.embeddings[0].weight))])
        spec.config.layer_norm_epsilon = shape.norm_epsilon
        spec.validate()
    return spec


def embedder(model, name, folders, threads=None):
    """Return the embedder of a precision of Semscale, or of a number type of CTranslate2."""
    if name in PRECISIONS:
        with limited(threads):
            engine = SemscaleEmbedder(model, name)
            engine.vectors(WARM_UP)
        return engine
    return CTranslate2Embedder(model, folder_of(name, folders), name, threads)


def folder_of(kind, folders):
    return Path(folders) / ("int8" if kind == "int8" else "float32")


@contextmanager
def limited(threads):
    """Limit the threads of engines that are loaded meanwhile."""
    if threads is not None:
        os.environ[THREADS_VARIABLE] = str(threads)
    try:
        yield
    finally:
        os.environ.pop(THREADS_VARIABLE, None)


def names(model):
    """Return the engines that are compared for a model."""
    import ctranslate2

    available = ctranslate2.get_supported_compute_types("cpu")
    precisions = [each for each in PRECISIONS if each != "turbo" or resolve(model).profile.turbo]
    return [*precisions, *(kind for kind in TYPES if kind in available)]


def choose_budgets(engines, texts):
    """Give CTranslate2 the number of tokens in a batch that is fastest."""
    for name, engine in engines.items():
        if name in PRECISIONS:
            continue
        taken = {}
        for engine.budget in BUDGETS:
            engine.vectors(texts)
            taken[engine.budget] = min(seconds(lambda engine=engine: engine.vectors(texts)) for _ in range(3))
        engine.budget = min(taken, key=taken.get)
        print(f"CTranslate2 {name}: {engine.budget} tokens in a batch")


def both_times(engine, texts):
    """Return wall seconds and processor seconds."""
    processor = time.process_time()
    wall = seconds(lambda: engine.vectors(texts))
    return wall, time.process_time() - processor


def show_speed(engines, sizes, turns):
    """Print the speed of each engine as a ratio to ``exact``, for each size and length."""
    print(f"\n{'texts':>6} {'length':12} {'engine':9} {'texts/s':>8}  {'ratio to exact':22} cpu")
    for n in sizes:
        for group in length_classes(n):
            for engine in engines.values():
                engine.vectors(group.texts[:CHECKED])
            taken = {name: [] for name in engines}
            for _ in range(turns):
                for name, engine in engines.items():
                    taken[name].append(both_times(engine, group.texts))
            walls, processor = ({name: [pair[at] for pair in taken[name]] for name in taken} for at in (0, 1))
            for name in engines:
                speed = n / np.median(walls[name])
                ratio, cpu = (spread(ratios(times["exact"], times[name])) for times in (walls, processor))
                print(f"{n:6,} {group.name:12} {name:9} {speed:8,.0f}  {ratio:22} {cpu}", flush=True)


def show_agreement(model, engines, folders, texts):
    """Print the lowest cosine to ``exact``, and whether vectors depend on other texts or on threads."""
    exact = engines["exact"].vectors(texts).astype(float)
    print(f"\n{'engine':9} lowest cosine   equal alone   equal with 1 and 2 threads")
    for name, engine in engines.items():
        vectors = engine.vectors(texts)
        lengths = np.linalg.norm(vectors.astype(float), axis=1) * np.linalg.norm(exact, axis=1)
        cosine = ((vectors * exact).sum(axis=1) / lengths).min()
        alone = np.concatenate([engine.vectors([text]) for text in texts[:CHECKED]])
        by_threads = [embedder(model, name, folders, threads).vectors(texts) for threads in (1, 2)]
        print(
            f"{name:9} {cosine:13.6f} {share_equal(alone, vectors[:CHECKED]):>13} "
            f"{share_equal(*by_threads):>13}",
            flush=True,
        )


def share_equal(left, right):
    """Return the share of rows that are equal to the last bit."""
    return f"{100 * (left == right).all(axis=1).mean():.0f} %"


def show_ratings(model, engines, scales, texts):
    """Print the mean change of ratings from ``exact``."""
    print("\nmean total variation of ratings from exact, over", len(scales), "scales")
    exact = load_embedder(model, cache=False)
    vectors = {name: engine.vectors(texts) for name, engine in engines.items()}
    moved = {name: [] for name in engines if name != "exact"}
    for scale in scales:
        rater = Rater(scale, embedder=exact)
        pmfs = {name: rater.rate_vectors(rows).pmf for name, rows in vectors.items()}
        for name, changes in moved.items():
            changes.append(total_variation(pmfs[name], pmfs["exact"]))
    for name, changes in moved.items():
        print(f"{name:9} {np.mean(changes):.4f}")
    print("to reach: int8 at most .01")


def show_processes(model, folders, turns):
    """Print the seconds of a process that embeds one text, and the peak memory of one that embeds many."""
    print(
        f"\n{model}\n{'engine':9} {'first text, s':22} cpu, s                 MB with {MEMORY_TEXTS:,} texts"
    )
    for name in names(model):
        taken = [ask_child(model, name, folders, 1) for _ in range(turns + 1)][
            1:
        ]  # the first reads the files
        walls, processor = (spread([reply[at] for reply in taken]) for at in (0, 1))
        peak = ask_child(model, name, folders, MEMORY_TEXTS)[2]
        print(f"{name:9} {walls:22} {processor:22} {peak:.0f}", flush=True)


def ask_child(*task):
    """Run a task in a new process; return its wall seconds, its processor seconds and its peak memory, MB."""
    start = time.perf_counter()
    command = [sys.executable, __file__, "--child", *map(str, task)]
    reply = subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE).stdout
    return (time.perf_counter() - start, *map(float, reply.split()[-2:]))


def run_child(model, name, folders, n):
    """Embed n sentences in this process, or write the model for CTranslate2, and print what that took."""
    if name == "write":
        write_model(model, Path(folders))
    else:
        embedder(model, name, folders).vectors(distinct_texts(review_texts(), int(n)))
    # The peak that the parent is told of would be at least its own memory.
    peak = next(row for row in Path("/proc/self/status").read_text().splitlines() if row.startswith("VmHWM"))
    print(time.process_time(), int(peak.split()[1]) * 1024 / 1e6)


def show_sizes():
    """Print the installed size of each engine's packages."""
    for engine, packages in INSTALLED.items():
        size = sum(file.size or 0 for package in packages for file in files(package) or ())
        print(f"{engine}: {size / 1e6:.0f} MB installed ({', '.join(packages)}), besides NumPy")


def main():
    parser = Options(__doc__)
    parser.add_size("--model", [DEFAULT_MODEL, DEFAULT_RATING_MODEL], quick=[DEFAULT_MODEL])
    parser.add_size("--sizes", [10, 100, 1000, 10_000], quick=[10])
    parser.add_size("--scales", list(scale_names()), quick=["quality"])
    parser.add_size("--texts", None, quick=16, help="at most so many texts for agreement and ratings")
    parser.add_size("--turns", 5, quick=1)
    parser.add_argument("--child", nargs=4, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        run_child(*options.child)
        return
    try:
        import ctranslate2
    except ImportError:
        print("skipped engines.py: it needs CTranslate2: pip install ctranslate2")
        return
    print(f"{date.today()}, {machine()}; CTranslate2 {ctranslate2.__version__}")
    missing = [kind for kind in TYPES if kind not in ctranslate2.get_supported_compute_types("cpu")]
    if missing:
        print(f"left out: CTranslate2 in {', '.join(missing)}, which it lacks on this processor")
    show_sizes()
    with tempfile.TemporaryDirectory() as root:
        folders = {model: Path(root) / model for model in options.model}
        for model, folder in folders.items():
            folder.mkdir()
            ask_child(model, "write", folder, 0)
            show_processes(model, folder, options.turns)
        for model, folder in folders.items():
            compare(model, folder, options)


def compare(model, folders, options):
    """Print the speed and the agreement of all engines for a model."""
    print(f"\n{model}")
    texts = review_texts(options.texts)
    engines = {name: embedder(model, name, folders) for name in names(model)}
    choose_budgets(engines, texts[:1000])
    show_speed(engines, options.sizes, options.turns)
    show_agreement(model, engines, folders, texts)
    show_ratings(model, engines, options.scales, texts)


if __name__ == "__main__":
    main()
