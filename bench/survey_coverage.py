"""Coverage of 95 % intervals of means, shares and differences for a stratified draw of clusters.

Run with ``python bench/survey_coverage.py``. A population of people in villages in regions is created once.
Villages are drawn from each region, then people from each village, so that weights differ.
"""

import numpy as np

from measuring import Options
from semscale.stats.raking import rake, raked_design
from semscale.stats.significance import group_differences
from semscale.stats.survey_designs import SurveyDesign
from semscale.stats.survey_estimates import share_interval, survey_means

REGIONS, VILLAGES, PEOPLE = 5, 200, 60
MOST, LEAST = 97.0, 93.0


def population(rng):
    """Create region, village, group and answers of all people; people of a village resemble each other."""
    region = np.repeat(np.arange(REGIONS), VILLAGES * PEOPLE)
    village = np.repeat(np.arange(REGIONS * VILLAGES), PEOPLE)
    group = (rng.random(len(region)) < 0.4).astype(int)
    shift = rng.normal(0, 0.5, REGIONS * VILLAGES)[village]
    score = 3 + 0.2 * region + 0.3 * group + shift + rng.gamma(2, 0.7, len(region)) - 1.4
    concept = score + 0.4 + rng.normal(0, 1, len(region))
    return {
        "region": region,
        "village": village,
        "group": group,
        "score": score,
        "concept": concept,
        "top": (score > 4.5).astype(float),
        "rare": (score > 6.5).astype(float),
    }


def sample(rng, everyone, villages):
    """Return rows and weights of a draw: equally many villages per region, 5 to 15 people per village."""
    rows, weights = [], []
    for region in range(REGIONS):
        for village in rng.choice(VILLAGES, villages, replace=False) + region * VILLAGES:
            n = int(rng.integers(5, 16))
            drawn = rng.choice(PEOPLE, n, replace=False) + village * PEOPLE
            rows.append(drawn)
            weights.append(np.full(n, VILLAGES / villages * PEOPLE / n))
    return np.concatenate(rows), np.concatenate(weights)


def truths(everyone):
    of = {group: everyone["score"][everyone["group"] == group].mean() for group in (0, 1)}
    return {
        "mean": everyone["score"].mean(),
        "mean, raked": everyone["score"].mean(),
        "mean of a group": of[1],
        "share, logit": everyone["top"].mean(),
        "share, beta": everyone["top"].mean(),
        "rare share, logit": everyone["rare"].mean(),
        "rare share, beta": everyone["rare"].mean(),
        "difference of groups": of[0] - of[1],
        "difference of concepts": (everyone["score"] - everyone["concept"]).mean(),
    }


def shares_of(answers):
    """Return the share of each answer in the population."""
    values, counts = np.unique(answers, return_counts=True)
    return dict(zip(values.tolist(), (counts / counts.sum()).tolist(), strict=True))


def intervals(everyone, rows, weights):
    """Return the lower and the upper end of each figure's interval."""
    drawn = {name: column[rows] for name, column in everyone.items()}
    design = SurveyDesign(weights, strata=drawn["region"], clusters=drawn["village"])
    mean = survey_means(drawn["score"], design)
    by_group = survey_means(drawn["score"], design, groups=drawn["group"], n_groups=2)
    top, rare = (survey_means(drawn[name], design) for name in ("top", "rare"))
    margins = {name: shares_of(everyone[name]) for name in ("region", "group")}
    raking = rake({name: drawn[name] for name in margins}, margins, weights=weights)
    ends = {
        "mean": mean.interval(),
        "mean, raked": survey_means(drawn["score"], raked_design(design, raking)).interval(),
        "mean of a group": tuple(end[:, 1:] for end in by_group.interval()),
        "difference of groups": group_differences(by_group).interval(),
        "difference of concepts": survey_means(drawn["score"] - drawn["concept"], design).interval(),
    }
    for method in ("logit", "beta"):
        ends[f"share, {method}"] = share_interval(top, method=method)
        ends[f"rare share, {method}"] = share_interval(rare, method=method)
    return {name: (low.item(), high.item()) for name, (low, high) in ends.items()}


def covered(draws, villages, seed):
    """Return the percentage of draws whose interval contains the truth, by figure."""
    rng = np.random.default_rng(seed)
    everyone = population(rng)
    truth = truths(everyone)
    hits = dict.fromkeys(truth, 0)
    for _ in range(draws):
        for name, (low, high) in intervals(everyone, *sample(rng, everyone, villages)).items():
            hits[name] += low <= truth[name] <= high
    return {name: 100 * count / draws for name, count in hits.items()}, truth


def main():
    parser = Options(__doc__)
    parser.add_size("--draws", 1000, quick=2, help="draws of each size")
    parser.add_size("--villages", [4, 10, 30], quick=[4], help="villages drawn of each region")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    tables = [covered(options.draws, villages, options.seed) for villages in options.villages]
    print(f"{options.draws} draws; villages of each of {REGIONS} regions: {options.villages}")
    for name, truth in tables[0][1].items():
        print(f"{name:24} {truth:8.3f} ", *(f"{found[name]:6.1f}" for found, _ in tables))
    outside = [name for found, _ in tables for name, share in found.items() if not LEAST <= share <= MOST]
    if outside:
        print(f"outside {LEAST:g} to {MOST:g} %: {', '.join(sorted(set(outside)))}")


if __name__ == "__main__":
    main()
