"""Comparison of two sets of matches of the same items, in pairs."""

from dataclasses import dataclass

from semscale.errors import InputError
from semscale.matching.matches import Matches
from semscale.signature import Signature
from semscale.stats.intervals.estimates import IntervalPlan
from semscale.stats.intervals.means import MeanEstimate, estimate_mean
from semscale.types import Integers

_REMEDIES = {"corpus": "give both the same corpus=", "baseline": "give both the same corpus= and seed="}


@dataclass(frozen=True)
class MatchComparison:
    """Two sets of matches compared.

    Attributes:
        difference: mean of the second's scores minus the first's, over the items that both have scored, with
            its interval; items that only one or neither has scored are counted as left out.
        n_only_first: items that only the first has scored.
        n_only_second: items that only the second has scored.
        signature: of both.
    """

    difference: MeanEstimate
    n_only_first: int
    n_only_second: int
    signature: Signature


def compare_matches(
    first: Matches,
    second: Matches,
    *,
    clusters: Integers | None = None,
    plan: IntervalPlan | None = None,
) -> MatchComparison:
    """Estimate the mean difference between two sets of matches of the same n items, in pairs.

    Args:
        first: matches of one set of predictions.
        second: matches of another one, of the same items in the same order.
        clusters: shape (n,), numbers of items that belong together, such as a question's answers.
        plan: how the interval is made.

    Raises:
        InputError: another number of items, or signatures that differ; the field is named.

    Example:
        >>> import numpy as np
        >>> from semscale.types import Status
        >>> def matches(*score):
        ...     numbers, status = np.zeros(len(score), np.int64), np.full(len(score), Status.SCORED, object)
        ...     return Matches(np.array(score), status, numbers, numbers, Signature.of("match"))
        >>> round(compare_matches(matches(0.25, 0.5), matches(0.5, 1.0)).difference.value, 3)
        0.375
    """
    if len(first) != len(second):
        raise InputError(f"matches must be of the same items, got {len(first)} and {len(second)}")
    _refuse_mixed(first.signature, second.signature)
    low, high = first.bounds
    spread = high - low
    difference = estimate_mean(
        second.score - first.score, bounds=(-spread, spread), clusters=clusters, plan=plan
    )
    return MatchComparison(
        difference,
        n_only_first=int((first.scored & ~second.scored).sum()),
        n_only_second=int((second.scored & ~first.scored).sum()),
        signature=first.signature,
    )


def _refuse_mixed(first: Signature, second: Signature) -> None:
    differing = first.differences(second)
    if differing:
        name, (ours, theirs) = next(iter(differing.items()))
        more = f" ({len(differing) - 1} more fields differ)" if len(differing) > 1 else ""
        raise InputError(
            f"matches can be compared only if their signatures agree, but {name} is {ours!r} in the first "
            f"and {theirs!r} in the second{more}; {_REMEDIES.get(name, 'match both with the same settings')}"
        )
