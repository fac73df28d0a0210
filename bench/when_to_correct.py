"""Errors of counted and corrected shares of codes by the number of hand-coded answers.

Run with ``python bench/when_to_correct.py``. Answers are drawn at random to be coded by hand. The errors are
root mean squares over draws and codes, in points, of shares as they are counted without hand codes, and of
corrected shares. Below them is the part of the draws in which corrected shares are nearer to people's, as the
root mean square over codes. The number from which reports show corrected shares first was chosen on the
domains that a language model coded; the reviews of restaurants, which people coded, test it.
"""

import numpy as np

from coded_domains import learning_domains, restaurants
from further_labels import hand_coding
from measuring import Options
from semscale import load_embedder
from semscale.coding.coder import Coder
from semscale.coding.settings import BY_LIKENESS
from semscale.embedding import RememberingEmbedder
from semscale.stats.prediction_powered import estimate_corrected_mean

SIZES = (10, 15, 20, 25, 30, 40, 50, 60, 75, 100)


def main():
    parser = Options(__doc__)
    parser.add_size("--draws", 100, quick=2, help="of hand-coded answers")
    given = parser.parse_args()
    embedder = RememberingEmbedder(load_embedder("all-MiniLM-L6-v2"))
    print(f"{'domain':14} {'n':>5}  counted  corrected with " + " ".join(f"{n:>5}" for n in SIZES))
    for domain in learning_domains():
        measure(domain, embedder, given.draws)
    measure(restaurants(), embedder, given.draws)


def measure(domain, embedder, draws):
    """Print the errors of counted shares, and of corrected ones by the number of hand codes."""
    texts, codes = domain.texts(), domain.in_answers(domain.codes)
    scores = Coder(domain.codebook, embedder=embedder).adapt([texts]).score(texts)
    readable = np.flatnonzero(~np.isnan(scores.likeness).any(axis=1))
    scores, codes = scores.some(readable), codes[readable]
    texts = [texts[row] for row in readable]
    truth = codes.mean(axis=0)
    counted = (scores.likeness >= BY_LIKENESS.given_from).mean(axis=0)
    error = rms(counted - truth)
    corrected, nearer = [], []
    for n in SIZES:
        if 2 * n > len(texts):
            break
        differences = []
        for seed in range(draws):
            rows = np.sort(np.random.default_rng(seed).choice(len(texts), n, replace=False))
            columns = zip(*(part.T for part in hand_coding(None, texts, codes, rows, scores)), strict=True)
            shares = [estimate_corrected_mean(*column, bounds=(0, 1)).value for column in columns]
            differences.append(shares - truth)
        corrected.append(rms(np.array(differences)))
        nearer.append(np.mean([rms(difference) < error for difference in differences]))
    errors = " ".join(f"{number:5.1f}" for number in corrected)
    print(f"{domain.name:14} {len(texts):>5} {error:8.1f} {'':15} {errors}", flush=True)
    print(f"{'':28} nearer in      " + " ".join(f"{part:5.0%}" for part in nearer), flush=True)


def rms(differences):
    return 100 * np.sqrt(np.mean(np.square(differences)))


if __name__ == "__main__":
    main()
