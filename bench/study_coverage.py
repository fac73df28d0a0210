"""Coverage of 95 % intervals for the comparison of a synthetic panel with people.

Run with ``python bench/study_coverage.py``. Personas and people are drawn from known models: each has an
individual leaning, groups differ, and answers are rounded to five points. The truth is computed from 200,000
of each. Concepts stay the same, except for the attainment, whose interval is about other concepts. With
``--correlations`` it shows instead why a correlation of few concepts has no interval.
"""

import numpy as np
import polars as pl
from scipy.special import ndtri

from measuring import Options
from semscale.scales import load_scale
from semscale.stats.correlations import ResamplingPlan, pearson_estimate
from semscale.stats.distances import PmfSample
from semscale.stats.intervals import Estimate, IntervalPlan
from semscale.stats.panel_benchmarks import attainment, sample_worth
from semscale.stats.variance_components import FacetTable, variance_components
from semscale.study.axes import compare_correlations, compare_groups, compare_marginals, surveys_of
from semscale.study.people import ComparedQuestion, ComparedSide
from semscale.study.questionnaire import StudyQuestion
from semscale.study.study_figures import level_differences

VALUES = np.arange(1.0, 6.0)
QUESTIONS = tuple(ComparedQuestion(name, name, VALUES, tuple("12345")) for name in ("intent", "liking"))
CONCEPTS = ("a", "b", "c", "d")
PANEL = {"appeal": np.array([0.9, 0.5, 0.1, -0.3]), "group": 0.5, "leaning": 0.6, "noise": 0.6}
PEOPLE = {"appeal": np.array([0.5, 0.1, -0.2, -0.6]), "group": 0.8, "leaning": 0.9, "noise": 0.6}
MOST, LEAST = 97.0, 93.0


def side(rng, n, how):
    """Draw the answers of n persons to both questions about all concepts."""
    old = rng.random(n) < 0.5
    shared = how["leaning"] * rng.standard_normal(n)[:, None, None]
    own = how["noise"] * rng.standard_normal((n, len(CONCEPTS), 2))
    latent = 3 + shared + own + how["appeal"][:, None] + how["group"] * (old[:, None, None] - 0.5)
    point = np.clip(np.round(latent), 1, 5).astype(int) - 1
    masses = {each.name: np.eye(5)[point[..., place]] for place, each in enumerate(QUESTIONS)}
    return ComparedSide((), masses, QUESTIONS, groups={"age": np.where(old, "old", "young").tolist()})


def means(of):
    return of.positions.mean(axis=0) * 4 + 1


def group_gaps(of):
    old = np.array(of.groups["age"]) == "old"
    return (of.positions[old].mean(axis=0) - of.positions[~old].mean(axis=0)).mean(axis=0)


def within(of):
    x = of.positions - of.positions.mean(axis=0)
    return np.corrcoef(x[..., 0].ravel(), x[..., 1].ravel())[0, 1]


def truths(many):
    panel, people = (side(np.random.default_rng(seed), many, how) for seed, how in ((1, PANEL), (2, PEOPLE)))
    gaps = [
        np.abs(np.cumsum(panel.masses[q.name][:, c].mean(0) - people.masses[q.name][:, c].mean(0)))
        for q in QUESTIONS
        for c in range(len(CONCEPTS))
    ]
    errors = {
        "ks": np.mean([gap.max() for gap in gaps]),
        "wasserstein": np.mean([gap[:-1].sum() / 4 for gap in gaps]),
        "mean": (((means(panel) - means(people)) / 4) ** 2).mean(),
    }
    asked = [people.sample(q.name, c) for q in QUESTIONS for c in range(len(CONCEPTS))]
    own, others = group_gaps(panel), group_gaps(people)
    return {
        "concept difference": (means(panel)[0, 0] - means(panel)[1, 0]),
        "group difference": own[0],
        "size of groups' differences": own.sum() / others.sum(),
        "gap of correlations": abs(within(panel) - within(people)),
        "distance, KS": errors["ks"],
        "distance, Wasserstein-1": errors["wasserstein"],
        **{
            f"worth, {name}": sample_worth(name, Estimate(error, error, error), asked, [VALUES] * 8).value
            for name, error in errors.items()
        },
    }


def of_a_draw(rng, n_personas, n_people, plan):
    """Return the intervals for one panel and one sample of people."""
    panel, people = side(rng, n_personas, PANEL), side(rng, n_people, PEOPLE)
    marginals, _ = compare_marginals(panel, people, surveys_of(panel, people, CONCEPTS), plan, splits=10)
    groups, differences = compare_groups(panel, people, plan)
    correlations, _ = compare_correlations(panel, people, {}, plan)
    found = {
        "concept difference": concept_difference(panel),
        "group difference": differences[0],
        "size of groups' differences": groups.size_ratio,
        "gap of correlations": correlations.gap,
        "distance, KS": marginals.benchmarks.distances["ks"].panel,
        "distance, Wasserstein-1": marginals.benchmarks.distances["wasserstein"].panel,
    }
    return found | {f"worth, {each.error}": each for each in marginals.worth}


def concept_difference(panel):
    question = StudyQuestion("intent", "", load_scale("purchase-intent"), ("dlr",))
    n = panel.n
    rows = pl.DataFrame({
        "persona": np.repeat(np.arange(n), 2).astype(str), "concept": ["a", "b"] * n,
        "value": (panel.positions[:, :2, 0] * 4 + 1).ravel(),
    })  # fmt: skip
    return next(level_differences(question, rows, ("a", "b"), (), 0.95))


def of_attainment(rng, n_surveys, seed):
    """Return the attainment of a panel that follows true appeals with an error; 30 people per concept."""
    appeal = rng.normal(0, 0.7, n_surveys)
    machine = appeal + rng.normal(0, 0.5, n_surveys)
    latent = 3 + appeal[:, None] + rng.normal(0, 1.0, (n_surveys, 30))
    people = [PmfSample(np.eye(5)[row]) for row in np.clip(np.round(latent), 1, 5).astype(int) - 1]
    plan = ResamplingPlan(None, 0.95, seed)
    return attainment(machine, people, [VALUES] * n_surveys, splits=200, plan=plan).ratio


VARIANCES = {"persona": 0.6, "repeated sample": 0.4, "anchor set": 0.2}


def of_variances(rng, n, plan, sets=8):
    """Return variance components of normal answers: n personas, two samples of each, eight anchor sets."""
    person = rng.normal(0, VARIANCES["persona"] ** 0.5, n)[:, None, None]
    sample = rng.normal(0, VARIANCES["repeated sample"] ** 0.5, (n, 2))[..., None]
    anchor = rng.normal(0, VARIANCES["anchor set"] ** 0.5, sets)
    values = person + sample + anchor + rng.normal(0, 0.4, (n, 2, sets))
    codes = [each.ravel() for each in np.indices(values.shape)]
    names = ("persona", "repeated sample", "anchor set")
    table = FacetTable(
        values.ravel(),
        dict(zip(names, codes, strict=True)),
        "persona",
        {"repeated sample": ("persona",)},
        np.zeros(values.size, dtype=np.int64),
    )
    return {
        f"variance, {each.name}": each.variance
        for each in variance_components(table, plan=plan).components
        if each.name in VARIANCES
    }


def counted(truth, draws, make):
    """Return the percentage of intervals that contain the truth, and the number of draws with an interval."""
    hits = {name: [] for name in truth}
    for draw in range(draws):
        for name, found in make(draw).items():
            if name in truth and not np.isnan(found.low):
                hits[name].append(found.low <= truth[name] <= found.high)
    return {name: (100 * np.mean(held) if held else np.nan, len(held)) for name, held in hits.items()}


def show(title, found):
    print(title, flush=True)
    for name, (share, n) in found.items():
        said = "" if LEAST <= share <= MOST else "   outside 93 to 97"
        print(f"  {name:<30}{share:7.1f} %  of {n:,}{said}")


def correlations(draws):
    """Print coverage and median width of Fisher's interval and of the jackknife, for few concepts."""
    rng = np.random.default_rng(0)
    kinds = {
        "normal": lambda m: rng.normal(size=(2, m)),
        "skewed": lambda m: rng.exponential(size=(2, m)) - 1,
        "heavy tails": lambda m: rng.standard_t(4, (2, m)) / np.sqrt(2),
    }
    for kind, draw in kinds.items():
        for rho in (0.5, 0.9, 0.98):
            for m in (6, 8, 10, 15):
                ends = {"Fisher": [], "jackknife": []}
                for _ in range(draws):
                    x, e = draw(m)
                    y = rho * x + np.sqrt(1 - rho**2) * e
                    z, half = np.arctanh(np.corrcoef(x, y)[0, 1]), ndtri(0.975) / np.sqrt(m - 3)
                    ends["Fisher"].append((np.tanh(z - half), np.tanh(z + half)))
                    found = pearson_estimate(x, y)
                    ends["jackknife"].append((found.low, found.high))
                said = []
                for name, listed in ends.items():
                    low, high = np.array(listed).T
                    wide = np.quantile(high - low, [0.5, 0.9])
                    held = 100 * ((low <= rho) & (rho <= high)).mean()
                    said.append(f"{name} {held:5.1f} %, width {wide[0]:.2f}, of one in ten {wide[1]:.2f}")
                print(f"{kind:<12} rho {rho:4}  {m:2} concepts: {';  '.join(said)}")


def main():
    parser = Options(__doc__)
    parser.add_size("--draws", 400, quick=1)
    parser.add_size("--many", 200_000, quick=5000, help="personas and people that the truth comes from")
    parser.add_size("--surveys", 3000, quick=100, help="that the true attainment comes from")
    parser.add_argument("--correlations", action="store_true")
    chosen = parser.parse_args()
    draws = chosen.draws
    if chosen.correlations:
        correlations(draws)
        return
    truth = truths(chosen.many)
    print("truth: " + "; ".join(f"{name} {value:.3f}" for name, value in truth.items()))
    for n_personas, n_people in ((40, 60), (150, 200)):
        rng = np.random.default_rng(n_personas)
        made = lambda draw: of_a_draw(rng, n_personas, n_people, IntervalPlan(seed=draw, replicates=300))  # noqa: B023, E731
        title = f"{n_personas} personas beside {n_people} people, {draws:,} draws"
        show(title, counted(truth, draws, made))
    rng = np.random.default_rng(5)
    ratio = {"attainment": of_attainment(rng, chosen.surveys, 0).value}
    for n in (12, 25, 60):
        found = counted(ratio, draws, lambda draw: {"attainment": of_attainment(rng, n, draw)})  # noqa: B023
        show(f"{n} concepts, {draws:,} draws", found)
    parts = {f"variance, {name}": VARIANCES[name] for name in ("persona", "anchor set")}
    for n in (30, 100):
        found = counted(parts, draws, lambda draw: of_variances(rng, n, IntervalPlan(seed=draw)))  # noqa: B023
        show(f"{n} personas, 2 samples, 8 anchor sets, {draws:,} draws", found)


if __name__ == "__main__":
    main()
