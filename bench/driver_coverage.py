"""Coverage of 95 % intervals of drivers if people give several answers.

Run with ``python bench/driver_coverage.py``. People differ in their ratings and in how often they name a
code, so answers of one person are alike in both. HC3 treats each answer as another person's; CR2 is the
method of ``semscale code --respondent``.
"""

import numpy as np

from measuring import Options
from semscale.coding.code_shares import find_drivers

MOST, LEAST = 97.0, 93.0
EFFECTS = np.array([0.6, -0.4, 0.0])
DESIGNS = (
    ("15 people, 2 to 8 answers", 15, (2, 9), False),
    ("40 people, 2 to 8 answers", 40, (2, 9), False),
    ("40 people, 2 to 8 answers, weighted", 40, (2, 9), True),
    ("200 people, 1 to 4 answers", 200, (1, 5), False),
    ("30 people, one gives half of all answers", 30, (2, 9), False),
)


def sample(rng, people, answers, *, is_uneven):
    """Draw ratings, codes and people; ratings and codes both vary between people."""
    sizes = rng.integers(*answers, size=people)
    if is_uneven:
        sizes[0] = sizes[1:].sum()
    person = np.repeat(np.arange(people), sizes)
    named = rng.beta(1.5, 2.5, size=(people, len(EFFECTS)))
    codes = (rng.random((len(person), len(EFFECTS))) < named[person]).astype(float)
    ratings = 3 + codes @ EFFECTS + rng.normal(0, 0.8, people)[person] + rng.normal(0, 0.8, len(person))
    return ratings, codes, person


def covered(rng, draws, people, answers, *, is_weighted, is_uneven):
    """Return the percentage of intervals that contain the joint effect, for HC3 and for CR2."""
    hits, n = np.zeros(2), 0
    for _ in range(draws):
        ratings, codes, person = sample(rng, people, answers, is_uneven=is_uneven)
        weights = rng.uniform(0.5, 2.0, people)[person] if is_weighted else None
        both = [
            find_drivers(
                ratings, codes, ["a", "b", "c"], rating="r", weights=weights, clusters=clusters
            ).drivers
            for clusters in (None, person)
        ]
        if any(one.joint is None for found in both for one in found):
            continue
        n += len(EFFECTS)
        for place, found in enumerate(both):
            hits[place] += sum(
                one.joint.low <= truth <= one.joint.high for one, truth in zip(found, EFFECTS, strict=True)
            )
    return 100 * hits / n, n


def main():
    parser = Options(__doc__)
    parser.add_size("--draws", 2000, quick=5)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    print(f"{given.draws:,} draws of each, {len(EFFECTS)} coefficients each")
    print(f"{'':44}  HC3   CR2")
    missed = []
    for name, people, answers, is_weighted in DESIGNS:
        rng = np.random.default_rng(given.seed)
        (rows, clusters), _ = covered(
            rng, given.draws, people, answers, is_weighted=is_weighted, is_uneven="half" in name
        )
        print(f"{name:44} {rows:5.1f} {clusters:5.1f}")
        if not LEAST <= clusters <= MOST:
            missed.append(name)
    if missed:
        print(f"outside {LEAST:g} to {MOST:g} %: {', '.join(missed)}")


if __name__ == "__main__":
    main()
