"""Expected and realised half-widths of corrected shares of codes, after further hand-coded answers.

Run with ``python bench/further_labels.py``. People's codes of restaurant reviews are drawn for n reviews and
then for more, which include the first. The half-width that is expected from the first n is compared with the
realised one. ``--learned`` draws also let the codes learn from the hand-coded reviews, as the command does;
in the other draws only the curves from likeness to probability do. Nothing was chosen on these reviews. The
forecasts before any hand code use the curve of ``probable_codes``, which was fitted to the other domains;
these are listed as well.
"""

import numpy as np

from coded_domains import learning_domains, restaurants
from measuring import Options
from semscale import load_embedder
from semscale.coding.coder import Coder
from semscale.coding.coding import CodeCalibration, positions_among
from semscale.coding.labels import probable_codes
from semscale.embedding import RememberingEmbedder
from semscale.stats.calibration import FEWEST_OF_EACH, FOLDS, fit_platt, random_folds
from semscale.stats.further_labels import ExpectedWidth
from semscale.stats.prediction_powered import estimate_corrected_mean

STEPS = ((25, 50), (50, 75), (50, 100), (100, 200))
PLANNED = (50, 100, 200)


def hand_coding(coder, texts, codes, rows, likeness=None):
    """Return scores and labels (n, k) of all answers if some are coded by hand.

    Args:
        coder: adapted to the answers.
        texts: n answers.
        codes: shape (n, k), people's codes.
        rows: numbers of the hand-coded answers, ascending.
        likeness: scores of all answers; ``None`` to learn from the hand-coded ones first.
    """
    labels = np.full(codes.shape, np.nan)
    labels[rows] = codes[rows]
    scores = likeness
    if scores is None:
        positions = np.full(len(texts), -1)
        positions[rows] = np.arange(len(rows))
        learned = coder.learn([texts[row] for row in rows], codes[rows])
        scores = learned.score(texts, hand_coded=positions)
    likeness = np.clip(scores.likeness, 0.001, 0.999)
    odds = np.log(likeness / (1 - likeness))
    return np.column_stack([held_out(*pair) for pair in zip(odds.T, labels.T, strict=True)]), labels


def held_out(scores, labels):
    """Return probabilities (n,) by curves of five folds, each without the answer's label; or the scores.

    This is what ``code`` does, without the figures of the curves, whose intervals take time.
    """
    rows = np.flatnonzero(~np.isnan(labels))
    known = labels[rows]
    if min(known.sum(), (1 - known).sum()) < FEWEST_OF_EACH:
        return 1 / (1 + np.exp(-scores))
    fold = random_folds(len(rows), groups=rows, folds=FOLDS, seed=0)
    curves = tuple(fit_platt(scores[rows][fold != part], known[fold != part]) for part in range(FOLDS))
    calibration = CodeCalibration(None, 0, 0, fold_curves=curves, fold=fold)
    return calibration.out_of_fold(scores, positions_among(rows, np.arange(len(scores))))


def widths(scores, labels, sizes):
    """Return realised half-widths (k,), and expected ones (k, s) with other numbers of labels."""
    realised, expected = [], []
    for column, known in zip(scores.T, labels.T, strict=True):
        corrected = estimate_corrected_mean(column, known, bounds=(0, 1))
        width = ExpectedWidth.from_labels(column, known, bounds=(0, 1))
        realised.append((corrected.high - corrected.low) / 2)
        expected.append([np.nan if width is None else width.half(size) for size in sizes])
    return np.array(realised), np.array(expected)


def compare(coder, texts, codes, likeness, draws, names):
    """Print expected and realised half-widths, in points, as means over the draws."""
    print(f"{'labels':>12} {'code':12} half-width  expected  realised  ratio  mean error", flush=True)
    for n, more in STEPS:
        half_widths = []
        for seed in range(draws):
            order = np.random.default_rng(seed).permutation(len(texts))
            first = hand_coding(coder, texts, codes, np.sort(order[:n]), likeness)
            later = hand_coding(coder, texts, codes, np.sort(order[:more]), likeness)
            now, expected = widths(*first, [more])
            realised, _ = widths(*later, [])
            half_widths.append(np.stack([now, expected[:, 0], realised]))
        halves = 100 * np.array(half_widths)
        for code, name in enumerate(names):
            now, expected, realised = np.nanmean(halves[:, :, code], axis=0)
            error = np.nanmean(np.abs(halves[:, 1, code] / halves[:, 2, code] - 1))
            print(
                f"{n:>5} to {more:<4} {name:12} {now:10.1f} {expected:9.1f} {realised:9.1f} "
                f"{expected / realised:6.2f} {error:10.0%}",
                flush=True,
            )
        every = np.nanmean(halves, axis=(0, 2))
        print(f"{n:>5} to {more:<4} {'mean':12} {every[0]:10.1f} {every[1]:9.1f} {every[2]:9.1f} "
              f"{every[1] / every[2]:6.2f}", flush=True)  # fmt: skip


def compare_plans(domains, embedder, draws):
    """Print half-widths that are forecast before any hand code, and realised ones."""
    print(f"\n{'before any hand code':20} labels  forecast  realised  ratio")
    for domain in domains:
        texts, codes = domain.texts(), domain.in_answers(domain.codes)
        scores = Coder(domain.codebook, embedder=embedder).adapt([texts]).score(texts)
        readable = np.flatnonzero(~np.isnan(scores.likeness).any(axis=1))
        scores, codes = scores.some(readable), codes[readable]
        texts = [texts[row] for row in readable]
        probability = probable_codes(scores.likeness)
        for n in (size for size in PLANNED if 2 * size <= len(texts)):
            realised = []
            for seed in range(draws):
                rows = np.sort(np.random.default_rng(seed).choice(len(texts), n, replace=False))
                realised.append(widths(*hand_coding(None, texts, codes, rows, scores), [])[0])
            planned = [ExpectedWidth.from_probabilities(column, column).half(n) for column in probability.T]
            means = 100 * np.mean(planned), 100 * np.nanmean(realised)
            print(f"{domain.name:20} {n:6} {means[0]:9.1f} {means[1]:9.1f} {means[0] / means[1]:6.2f}",
                  flush=True)  # fmt: skip


def main():
    parser = Options(__doc__)
    parser.add_size("--draws", 200, quick=2, help="of hand-coded reviews, without learning from these")
    parser.add_size("--learned", 10, quick=1, help="draws in which the codes learn from them")
    parser.add_size("--plans", 40, quick=1, help="draws for forecasts before any hand code")
    given = parser.parse_args()
    embedder = RememberingEmbedder(load_embedder("all-MiniLM-L6-v2"))
    domain = restaurants()
    texts, codes = domain.texts(), domain.in_answers(domain.codes)
    coder = Coder(domain.codebook, embedder=embedder).adapt([texts])
    names = domain.codebook.names
    print(f"restaurant reviews, {given.draws} draws, likeness as it is without hand codes")
    compare(coder, texts, codes, coder.score(texts), given.draws, names)
    compare_plans([*learning_domains(), domain], embedder, given.plans)
    print(f"\nrestaurant reviews, {given.learned} draws, codes learn from the hand-coded reviews")
    compare(coder, texts, codes, None, given.learned, names)


if __name__ == "__main__":
    main()
