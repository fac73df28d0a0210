"""One judge's verdict on one item: its score, its distribution and its replies."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from semscale.results.reasons import reason_words
from semscale.types import Floats, Status


class Provenance(StrEnum):
    """Where a distribution over levels comes from."""

    DECISION = "decision"  # probabilities that a decision model gave for the levels
    NEXT_TOKEN = "next-token"  # probabilities of the levels' letters, averaged over orders of the levels
    LOGPROBS = "logprobs"  # probabilities of the tokens at the score's place
    SAMPLES = "samples"  # shares of several replies
    SINGLE = "single"  # one reply: all mass on the level that it states


REPLIED = (Status.SCORED, Status.UNPARSABLE, Status.REFUSED)
"""Statuses of items about which some call brought a reply, were it a refusal."""

ASKED = (*REPLIED, Status.FAILED)
"""Statuses of items about which a call was made."""


@dataclass(frozen=True)
class Verdict:
    """One judge's score for one item, with every raw reply.

    Attributes:
        score: the level that was stated, from 0 to 1; of several samples the most frequent one, of equally
            frequent ones the one nearest to their mean, then the lowest. NaN where there is none.
        distribution: scores with their masses, which sum to 1; only those with mass. Empty for no score.
        provenance: where the distribution comes from; ``None`` where there is none.
        covered: with ``samples`` the share of replies that state a level; with ``decision``, ``next-token``
            and ``logprobs`` the probability that all levels had together before they were made to sum to 1;
            NaN else.
        explanation: the judge's words, of the first reply that states the score.
        replies: every raw reply, those that could not be read included, in the order they came.
        status: why there is a score, or none.
        reason: what went wrong where there is none, in words.
        order_bias: with ``next-token`` how far the order of the levels moves the distribution, 0 to 1; NaN
            else.
        standard_error: of ``expected``, from the readings that it is the mean of: the orders of the levels
            with ``next-token``, the replies with ``samples``. It says how far other readings would differ,
            and not whether the judge is right. NaN, not known, for one reading and where all are equal.
        criteria: verdicts by each criterion of a rubric of several, in their order; empty for a template.
        weights: of these criteria.
    """

    score: float
    distribution: tuple[tuple[float, float], ...]
    provenance: Provenance | None
    covered: float
    explanation: str
    replies: tuple[str, ...]
    status: Status
    reason: str = ""
    order_bias: float = float("nan")
    standard_error: float = float("nan")
    criteria: "tuple[Verdict, ...]" = ()
    weights: tuple[float, ...] = ()

    @property
    def confidence(self) -> float:
        """Mass of the likeliest level, 0 to 1.

        NaN for no score, for one reply without probabilities, and for several criteria: their mixture says
        how the levels share the mass, and not how sure the judge is of the combined score.
        """
        if not self.distribution or self.provenance is Provenance.SINGLE or self.criteria:
            return float("nan")
        return max(mass for _, mass in self.distribution)

    @property
    def deviation(self) -> float:
        """Standard deviation of the score, 0 to 0.5; NaN where there is no distribution.

        Of several criteria, taken as independent, it is the root of the sum of w^2 times each one's variance.
        """
        if not self.distribution:
            return float("nan")
        if self.criteria:
            parts = zip(self.weights, self.criteria, strict=True)
            return math.sqrt(sum((weight * part.deviation) ** 2 for weight, part in parts))
        mean = self.expected
        return math.sqrt(sum(mass * (score - mean) ** 2 for score, mass in self.distribution))

    @property
    def expected(self) -> float:
        """Expected score, the mean of the distribution; NaN where there is none."""
        if not self.distribution:
            return float("nan")
        return float(sum(score * mass for score, mass in self.distribution))

    @classmethod
    def without_score(cls, status: Status, reason: str = "", replies: Sequence[str] = ()) -> "Verdict":
        """A verdict that says why there is no score."""
        return cls(float("nan"), (), None, float("nan"), "", tuple(replies), status, reason)

    @classmethod
    def without_item(cls, status: Status) -> "Verdict":
        """A verdict that says why a row cannot be judged."""
        return cls.without_score(status, reason_words(status, "the question or the answer") or "")


def empirical_distribution(scores: Sequence[float]) -> tuple[tuple[float, float], ...]:
    """Give each score its share among the scores of several samples.

    Example:
        >>> empirical_distribution([0.75, 1.0, 0.75, 0.5])
        ((0.5, 0.25), (0.75, 0.5), (1.0, 0.25))
    """
    levels, counts = np.unique(np.asarray(scores, dtype=np.float64), return_counts=True)
    return tuple(zip(levels.tolist(), (counts / counts.sum()).tolist(), strict=True))


def most_frequent(scores: Sequence[float]) -> float:
    """The score that was stated most often; of equals the one nearest to the mean, then the lowest.

    Example:
        >>> most_frequent([1.0, 0.5, 0.0, 0.5]), most_frequent([0.0, 0.75, 1.0])
        (0.5, 0.75)
    """
    shares = empirical_distribution(scores)
    most = max(share for _, share in shares)
    mean = float(np.mean(scores))
    return min(
        (score for score, share in shares if share == most), key=lambda score: (abs(score - mean), score)
    )


def with_mass(scores: Floats, masses: Floats) -> tuple[tuple[float, float], ...]:
    """Pair scores (k,) with their masses (k,), without those whose mass is 0."""
    return tuple((float(score), float(mass)) for score, mass in zip(scores, masses, strict=True) if mass > 0)
