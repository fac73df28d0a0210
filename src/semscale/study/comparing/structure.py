"""Structure: whether a panel's questions go together as people's do."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from semscale.stats.agreement.estimates import AgreementEstimate
from semscale.stats.distances.distance_intervals import kinked_estimate
from semscale.stats.intervals.estimates import Estimate, IntervalPlan
from semscale.study.comparing.counted_sums import question_correlations
from semscale.study.comparing.resampled_figures import (
    SPLITS,
    figures_and_resamples,
    halves,
    percentile_estimate,
)
from semscale.study.comparing.sides import ComparedSide
from semscale.study.summary.rerun_reliability import repeated_reliability
from semscale.types import Floats

_FEWEST_PERSONS = 10
_FEWEST_SAMPLES = 2


@dataclass(frozen=True)
class CorrelationPair:
    """The correlation of two questions, in the panel and among people.

    Attributes:
        first: name of the one question.
        second: of the other.
        panel: within concepts, with a simulation interval.
        people: likewise, with an interval.
        disattenuated: the panel's, over the root of both questions' reliabilities; NaN where they are not
            known, as without repeated answers. People answer once, so that theirs is always attenuated.
    """

    first: str
    second: str
    panel: Estimate
    people: Estimate
    disattenuated: float


@dataclass(frozen=True)
class Correlations:
    """Correlations between questions.

    Attributes:
        pairs: every two questions.
        gap: mean absolute difference of the panel's and the people's correlations; 0 where they are alike.
        split_half: the same between random halves of the people: the ceiling.
        permuted: the same where every question's answers are shuffled among personas: the null.
        below_permuted: permuted less gap; above 0 where the panel's structure is closer than none.
    """

    pairs: tuple[CorrelationPair, ...]
    gap: Estimate
    split_half: float
    permuted: float
    below_permuted: Estimate


def rerun_reliabilities(panel: ComparedSide, plan: IntervalPlan) -> dict[str, AgreementEstimate]:
    """Reliability of a persona's mean answer over samples, by question: an intraclass correlation 1,k.

    Args:
        panel: with repeated answers; questions without them are passed over.
        plan: coverage and seed; personas are resampled as a whole.
    """
    found = {}
    for question in panel.questions:
        repeats = panel.repeats.get(question.name)
        if repeats is None or repeats.shape[2] < _FEWEST_SAMPLES:
            continue
        found[question.name] = repeated_reliability(repeats, plan)
    return found


def compare_correlations(
    panel: ComparedSide,
    people: ComparedSide,
    reliabilities: Mapping[str, AgreementEstimate],
    plan: IntervalPlan,
) -> Correlations | None:
    """Compare the correlations between questions; ``None`` with one question, or where none is defined.

    Args:
        panel: answers of the personas.
        people: answers of the people.
        reliabilities: of the panel's questions, as far as they are known.
        plan: coverage and seed; persons are resampled as a whole.
    """
    names = [question.name for question in panel.questions]
    if len(names) < 2 or min(panel.n, people.n) < _FEWEST_PERSONS:  # noqa: PLR2004
        return None
    own = question_correlations(panel.positions, panel.person_weights)
    others = question_correlations(people.positions, people.person_weights)
    r, drawn = figures_and_resamples(own, panel.n, plan, 0)
    human, human_drawn = figures_and_resamples(others, people.n, plan, 1)
    known = ~np.isnan(r) & ~np.isnan(human)
    if not known.any():
        return None
    shuffled = _shuffled(panel, plan)[:, known]
    permuted = float(np.abs(shuffled - human[known]).mean())
    gap = float(np.abs(r - human)[known].mean())
    n = min(panel.n, people.n)
    apart, apart_drawn = (r - human)[known], (drawn - human_drawn)[:, known]
    gaps, signed_gaps = _sizes(apart_drawn, apart)
    nulls, signed_nulls = _sizes(human_drawn[:, known], human[known])
    unstructured = float(np.abs(human[known]).mean())
    first, second = halves(people, plan, others)
    pairs = tuple(
        CorrelationPair(
            a,
            b,
            percentile_estimate(r[place], drawn[:, place], panel.n, plan),
            percentile_estimate(human[place], human_drawn[:, place], people.n, plan),
            _disattenuated(float(r[place]), a, b, reliabilities),
        )
        for place, (a, b) in enumerate(combinations(names, 2))
    )
    return Correlations(
        pairs,
        kinked_estimate(gap, gaps, signed_gaps, n, plan.interval),
        float(np.nanmean(np.abs(first - second)[:, known])),
        permuted,
        kinked_estimate(
            permuted - gap,
            nulls - gaps + permuted - unstructured,
            signed_nulls - signed_gaps,
            n,
            plan.interval,
            least=-2.0,
        ),
    )


def _sizes(drawn: Floats, seen: Floats) -> tuple[Floats, Floats]:
    """Mean sizes (r,) of resampled figures (r, f), and the same with the signs of those that were seen."""
    signs = np.where(seen < 0, -1.0, 1.0)
    return np.nanmean(np.abs(drawn), axis=1), np.nanmean(drawn * signs, axis=1)


def _shuffled(panel: ComparedSide, plan: IntervalPlan) -> Floats:
    """Correlations (splits, f) where each question's answers are shuffled among personas."""
    rng = np.random.default_rng(plan.seed)
    found = []
    for _ in range(SPLITS):
        mixed = np.stack(
            [each[rng.permutation(panel.n)] for each in np.moveaxis(panel.positions, 2, 0)], axis=-1
        )
        found.append(question_correlations(mixed, panel.person_weights)(np.ones((1, panel.n)))[0])
    correlations: Floats = np.nan_to_num(np.array(found))
    return correlations


def _disattenuated(
    r: float, first: str, second: str, reliabilities: Mapping[str, AgreementEstimate]
) -> float:
    """Give r over the root of both reliabilities; NaN where one is not known or not above 0."""
    both = [reliabilities[name].value if name in reliabilities else np.nan for name in (first, second)]
    product = both[0] * both[1]
    return r / float(np.sqrt(product)) if min(both) > 0 else float("nan")
