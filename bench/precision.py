"""Loss of accuracy and gain of speed by ``fast`` and ``turbo``, compared with ``exact``.

``python bench/precision.py`` prints the change of ratings by e5-small on each shipped scale, the speed of
each precision, and the lowest cosines of MiniLM for very short texts, in float32 and in bfloat16. On a
processor without the instructions for a precision, the precision equals the one before it; the arithmetic is
printed.
"""

from datetime import date

import numpy as np

from measuring import Options, machine, ratios, seconds, spread
from rated_texts import review_texts
from semscale import Rater
from semscale.embedding import load_embedder, openvino
from semscale.embedding.openvino import PRECISIONS, arithmetic_of
from semscale.embedding.tokenizer import WindowTokenizer, open_tokenizer
from semscale.scales import scale_names
from semscale.weights.known import DEFAULT_MODEL, DEFAULT_RATING_MODEL
from semscale.weights.resolving import resolve

LOWEST = 5
GOAL = "to reach: turbo at most .01 on average, and 1.3 times as fast as fast"


def total_variation(pmfs, exact):
    """Return half the sum of absolute differences, as a mean over the texts that both rate."""
    return float(np.nanmean(np.abs(pmfs - exact).sum(axis=1)) / 2)


def show_ratings(texts, scales, turns):
    """Print each precision's speed and its change of ratings by e5-small on every shipped scale."""
    engines = {each: load_embedder(DEFAULT_RATING_MODEL, precision=each, cache=False) for each in PRECISIONS}
    vectors = {each: engine.embed(texts).vectors for each, engine in engines.items()}
    moved = {each: [] for each in PRECISIONS[1:]}
    print(f"\n{DEFAULT_RATING_MODEL}: mean total variation from exact\n{'scale':20}", *moved)
    for scale in scales:
        pmfs = {
            each: Rater(scale, embedder=engines[each]).rate_vectors(vectors[each]).pmf for each in engines
        }
        for each, found in moved.items():
            found.append(total_variation(pmfs[each], pmfs["exact"]))
        print(f"{scale:20}", *(f"{found[-1]:.4f}" for found in moved.values()))
    print(f"{'all scales':20}", *(f"{np.mean(found):.4f}" for found in moved.values()))
    times = {each: [] for each in PRECISIONS}
    for _ in range(turns):
        for each, engine in engines.items():
            times[each].append(seconds(lambda engine=engine: engine.embed(texts)))
    for each, taken in times.items():
        speed = spread([len(texts) / time for time in taken], 0)
        lowest = (vectors[each].astype(float) * vectors["exact"]).sum(axis=1).min()
        beside = spread(ratios(times["fast"], taken))
        print(f"{each}, {arithmetic_of(each)}: {speed} texts/s, {beside} of fast, lowest cosine {lowest:.5f}")
    print(GOAL)


def show_short_texts(texts):
    """Print the lowest cosines of MiniLM between ``fast`` and ``exact``, with and without the bound."""
    tokenizer = resolve("all-MiniLM-L6-v2").folder / "tokenizer.json"
    lengths = WindowTokenizer(open_tokenizer(tokenizer), 256, 64).split(texts).lengths
    exact = load_embedder(DEFAULT_MODEL, precision="exact", cache=False).embed(texts).vectors.astype(float)
    for short in (0, openvino.SHORT):
        openvino.SHORT = short
        fast = load_embedder(DEFAULT_MODEL, precision="fast", cache=False).embed(texts).vectors
        cosines = (exact * fast).sum(axis=1)
        print(f"\nall-MiniLM-L6-v2, texts below {short} tokens in float32: lowest cosines")
        for row in np.argsort(cosines)[:LOWEST]:
            print(f"  {cosines[row]:.6f}  {lengths[row]:3} tokens  {texts[row][:60]!r}")


def main():
    parser = Options(__doc__)
    parser.add_size("--texts", None, quick=32, help="at most so many texts; all unless given")
    parser.add_size("--scales", list(scale_names()), quick=["quality"])
    parser.add_size("--turns", 3, quick=1)
    options = parser.parse_args()
    texts = review_texts(options.texts)
    print(f"{date.today()}, {machine()}; {len(texts):,} texts")
    show_ratings(texts, options.scales, options.turns)
    show_short_texts(texts)


if __name__ == "__main__":
    main()
