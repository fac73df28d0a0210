"""Coverage of corrected means, shares and promised error rates, by simulation with a known truth.

Run with ``python bench/correction.py``. Judges err in known ways. Labels are a random sample of the items,
drawn with equal or with known unequal probabilities.
"""

import time

import numpy as np
from scipy.special import expit
from scipy.stats import norm

from measuring import Options
from semscale.stats.acceptance import triage
from semscale.stats.agreement import intraclass_correlation, krippendorff_alpha, weighted_kappa
from semscale.stats.prediction_powered import prediction_powered_mean, weighted_prediction_powered_mean
from semscale.stats.sampling import SampleDesign, inclusion_probabilities

ITEMS = 1000
LABELS = (3, 5, 10, 25, 100)


def likert(rng, n):
    """Simulate five points and a lenient judge with a correlation of about .75."""
    inner = rng.normal(size=n)
    judge = np.clip(np.round(3.4 + 0.8 * inner + 0.6 * rng.normal(size=n)), 1, 5)
    return np.clip(np.round(3 + inner), 1, 5), judge


def five_points(r, spread=0.3):
    """Simulate five points and a judge on another scale, correlated with the latent variable."""

    def draw(rng, n):
        inner = rng.normal(size=n)
        judge = 10 + spread * (r * inner + np.sqrt(1 - r**2) * rng.normal(size=n))
        return np.clip(np.round(3 + inner), 1, 5), judge

    return draw


def skewed(rng, n):
    """Simulate five points and a judge with some very high scores."""
    labels, judge = five_points(0.7, 1.0)(rng, n)
    return labels, np.exp(judge - 10)


def yes_or_no(share, right):
    def draw(rng, n):
        truth = (rng.random(n) < share).astype(float)
        return truth, np.where(rng.random(n) < right, truth, 1 - truth)

    return draw


def graded(share):
    """Simulate labels yes and no, and a judge that returns probabilities."""

    def draw(rng, n):
        truth = (rng.random(n) < share).astype(float)
        return truth, expit(rng.normal(size=n) + 1.5 * (truth - 0.5) + np.log(share / (1 - share)))

    return draw


# Kind of labels, their bounds, and their true mean; it is 3 for a normal distribution cut evenly at both
# ends.
POPULATIONS = {
    "five points, r .75": (likert, (1, 5), 3.0),
    "good judge": (five_points(0.98), (1, 5), 3.0),
    "middling judge": (five_points(0.5), (1, 5), 3.0),
    "useless judge": (five_points(0.0), (1, 5), 3.0),
    "skewed judge": (skewed, (1, 5), 3.0),
    "yes 60 %, judge 80 % right": (yes_or_no(0.6, 0.8), (0, 1), 0.6),
    "yes 90 %, judge 85 % right": (yes_or_no(0.9, 0.85), (0, 1), 0.9),
    "yes 95 %, judge 97 % right": (yes_or_no(0.95, 0.97), (0, 1), 0.95),
    "yes 90 %, graded judge": (graded(0.9), (0, 1), 0.9),
}


def ends_of(found, bounds):
    """Return the ends of an interval; for a missing interval, the bounds of the figure."""
    return tuple(
        bound if np.isnan(end) else end for end, bound in zip((found.low, found.high), bounds, strict=True)
    )


def holds(low, high, truth):
    return bool(low <= truth <= high)


def normal_interval(judge, labels):
    """Prediction-powered inference as published: the normal quantile, no allowance for few labels."""
    known = ~np.isnan(labels)
    y, f, others = labels[known], judge[known], judge[~known]
    n, m = len(y), len(others)
    spread = f.var()
    tuning = np.cov(y, f, ddof=0)[0, 1] / spread / (1 + n / m) if spread else 0.0
    value = tuning * others.mean() + (y - tuning * f).mean()
    half = norm.ppf(0.975) * np.sqrt(tuning**2 * others.var() / m + (y - tuning * f).var() / n)
    return value - half, value + half


def means(draws):
    print("\ncoverage in % of nominal 95 % intervals (half the mean width)")
    print(f"{'population':<28}{'labels':>7}{'corrected':>18}{'published':>12}{'labels only':>18}{'naive':>9}"
          f"{'error / labels only':>21}")  # fmt: skip
    for name, (draw, bounds, truth) in POPULATIONS.items():
        for n in LABELS:
            rng = np.random.default_rng(n)
            hits, widths, squares = np.zeros(4), np.zeros(4), np.zeros(2)
            for _ in range(draws):
                y, judge = draw(rng, n + ITEMS)
                labels = np.where(np.arange(len(y)) < n, y, np.nan)
                found = prediction_powered_mean(judge, labels, bounds=bounds)
                ends = [
                    ends_of(found, bounds),
                    normal_interval(judge, labels),
                    ends_of(found.labels_only, bounds),
                    (found.naive.low, found.naive.high),
                ]
                hits += [holds(low, high, truth) for low, high in ends]
                widths += [(high - low) / 2 for low, high in ends]
                squares += [(found.value - truth) ** 2, (found.labels_only.value - truth) ** 2]
            share, width = 100 * hits / draws, widths / draws
            cells = [f"{each:.1f} ({wide:.3f})" for each, wide in zip(share, width, strict=True)]
            error = np.sqrt(squares[0] / squares[1])
            print(f"{name:<28}{n:>7}{cells[0]:>18}{share[1]:>12.1f}{cells[2]:>18}{share[3]:>9.1f}"
                  f"{error:>21.2f}", flush=True)  # fmt: skip


def surveyed(rng, n, with_weights, with_respondents):
    """Simulate five-point labels and ratings of n texts; weights and respondents depend on the label."""
    people = rng.integers(0, n // 5, n) if with_respondents else np.arange(n)
    inner = rng.normal(size=people.max() + 1)[people]
    if with_respondents:
        inner = 0.8 * inner + 0.6 * rng.normal(size=n)
    labels = np.clip(np.round(3 + inner), 1, 5)
    ratings = 2.5 + 0.5 * inner + 0.35 * rng.normal(size=n)
    interest = np.exp(0.3 * rng.normal(size=n) + 0.25 * inner)
    weights = np.exp(0.5 * rng.normal(size=n) + 0.3 * inner) if with_weights else np.ones(n)
    return labels, ratings, interest, weights, people


def drawn_by(interest, ratings, n, rng):
    """Draw n texts like ``label --draw unsure``; return their indices and all probabilities."""
    sizes = 0.5 + 0.5 * interest / interest.mean()
    probability = inclusion_probabilities(sizes, n)
    order = np.argsort(ratings)
    steps = np.cumsum(probability[order])
    places = np.searchsorted(steps, rng.uniform() + np.arange(n), side="right")
    return order[np.minimum(places, len(order) - 1)], probability


def designs(draws, many):
    print(f"\ncoverage in % of 95 % intervals, labels by interest of {ITEMS} texts (half the mean width)")
    print(f"{'texts have':<28}{'labels':>7}{'corrected':>18}{'labels only':>18}{'design ignored':>16}")
    for with_weights, with_respondents in ((False, False), (True, False), (False, True), (True, True)):
        has = (with_weights, with_respondents)
        name = " and ".join(
            word for word, is_so in zip(("weights", "respondents"), has, strict=True) if is_so
        )
        labels, _, _, weights, _ = surveyed(np.random.default_rng(99), many, *has)
        truth = np.average(labels, weights=weights)
        for n in LABELS:
            rng = np.random.default_rng(n)
            hits, widths = np.zeros(3), np.zeros(3)
            for _ in range(draws):
                y, ratings, interest, weights, people = surveyed(rng, ITEMS, *has)
                chosen, probability = drawn_by(interest, ratings, n, rng)
                known = np.full(ITEMS, np.nan)
                known[chosen] = y[chosen]
                design = SampleDesign(weights, probability, people)
                found = weighted_prediction_powered_mean(ratings, known, bounds=(1, 5), design=design)
                ignored = prediction_powered_mean(ratings, known, bounds=(1, 5))
                ends = [ends_of(one, (1, 5)) for one in (found, found.labels_only, ignored)]
                hits += [holds(low, high, truth) for low, high in ends]
                widths += [(high - low) / 2 for low, high in ends]
            share, width = 100 * hits / draws, widths / draws
            cells = [f"{each:.1f} ({wide:.3f})" for each, wide in zip(share, width, strict=True)]
            print(f"{name or 'neither':<28}{n:>7}{cells[0]:>18}{cells[1]:>18}{share[2]:>16.1f}", flush=True)


def answers(rng, n):
    scores = rng.beta(4, 2, n)
    return scores, (rng.random(n) < expit(12 * (scores - 0.5))).astype(float)


def thresholds(draws, many):
    scores, right = answers(np.random.default_rng(99), many)
    order = np.argsort(scores)
    ordered, right = scores[order], right[order]
    ranks = np.arange(1, len(right) + 1)
    errors, lost = (np.cumsum(1 - right[::-1]) / ranks)[::-1], np.cumsum(right) / ranks
    best = (errors <= 0.1).mean()
    print(f"\ntriage at 10 % errors and 30 % lost, confidence 95 %; {best:.0%} could be accepted at most")
    print(f"{'labels':>7}{'others':>8}{'found':>8}{'accepted':>10}{'given up':>10}{'broken':>8}  (in %)")
    for others in (0, ITEMS):
        for n in (50, 100, 200, 500, 1000):
            rng = np.random.default_rng(n)
            found = accepted = given_up = broken = 0.0
            for _ in range(draws):
                s, c = answers(rng, n + others)
                both = triage(s, np.where(np.arange(len(s)) < n, c, np.nan), error_rate=0.1, lost_rate=0.3)
                accept, abstain = both.accept, both.abstain
                found += accept.value is not None
                accepted, given_up = accepted + accept.accepted, given_up + abstain.accepted
                wrong = accept.value is not None and errors[np.searchsorted(ordered, accept.value)] > 0.1
                wrong |= (
                    abstain.value is not None
                    and lost[np.searchsorted(ordered, abstain.value, side="right") - 1] > 0.3
                )
                broken += wrong
            shares = 100 * np.array([found, accepted, given_up, broken]) / draws
            print(f"{n:>7}{others:>8}{shares[0]:>8.0f}{shares[1]:>10.0f}{shares[2]:>10.0f}{shares[3]:>8.1f}",
                  flush=True)  # fmt: skip


def three_raters(rng, n):
    """Simulate items and errors of variance 1, which gives an intraclass correlation of 1/2."""
    return rng.normal(size=(n, 1)) + rng.normal(size=(n, 3))


def on_five_points(table):
    return np.clip(np.round(3 + table), 1, 5)


COEFFICIENTS = {
    "kappa": lambda table: weighted_kappa(*on_five_points(table)[:, :2].T),
    "alpha, ordinal": lambda table: krippendorff_alpha(on_five_points(table)),
    "alpha, nominal": lambda table: krippendorff_alpha(on_five_points(table), metric="nominal"),
    "ICC(2,1)": lambda table: intraclass_correlation(table, form="2,1"),
    "ICC(3,k)": lambda table: intraclass_correlation(table, form="3,k"),
}


def coefficients(draws, many):
    print("\ncoverage in % of nominal 95 % intervals of agreement, three raters (kappa: two)")
    sizes = (5, 8, 10, 20, 50, 200)
    print(f"{'':<16}" + "".join(f"{f'{n} items':>10}" for n in sizes))
    large = three_raters(np.random.default_rng(99), many)
    for name, coefficient in COEFFICIENTS.items():
        truth = np.mean([coefficient(part).value for part in np.array_split(large, 20)])
        cells = []
        for n in sizes:
            rng = np.random.default_rng(n)
            found = [coefficient(three_raters(rng, n)) for _ in range(draws)]
            with_interval = [one for one in found if one.method]
            hits = sum(holds(one.low, one.high, truth) for one in with_interval)
            cells.append(f"{100 * hits / len(with_interval):>10.1f}")
        print(f"{name:<16}" + "".join(cells), flush=True)


def seconds(n):
    print(f"\nseconds for an interval, {n:,} items, three raters, 2,000 replicates")
    table = three_raters(np.random.default_rng(0), n)
    for name, coefficient in COEFFICIENTS.items():
        start = time.perf_counter()
        coefficient(table)
        print(f"{name:<16}{time.perf_counter() - start:>8.2f}", flush=True)


def main():
    parser = Options(__doc__)
    parser.add_size("--draws", 2000, quick=2)
    parser.add_size("--truth", 2_000_000, quick=20_000, help="texts that the truth is computed from")
    parser.add_size("--items", 10_000, quick=100, help="of the intervals that are timed")
    options = parser.parse_args()
    draws = options.draws
    means(draws)
    designs(draws, options.truth)
    thresholds(max(1, draws // 4), options.truth // 4)
    coefficients(max(1, draws // 4), options.truth // 10)
    seconds(options.items)


if __name__ == "__main__":
    main()
